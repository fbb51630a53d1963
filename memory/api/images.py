"""Images: kept as they came, remembered by what is said of them."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import FileResponse
from ninja import File, Form, Query, Router, Schema
from ninja.files import UploadedFile

from memory.jobs.work import start
from memory.models import Image
from memory.write.image_files import path_of, thumbnail_of
from memory.write.images import Said, find_image, images, keep_image, memories_of
from memory.write.proposal import InvalidInput, Proposal
from memory.write.revise import NotFound
from memory.write.vision import is_configured

from .auth import needs
from .changed import Changed, changed_form
from .fields import Body, Name, Reason, SourceName, Text, UserId
from .form import iso
from .paging import Page, Paging, counted, page_form, page_of
from .problems import READ, READ_ONE, WRITE, Problem
from .reply import reply

router = Router(tags=["images"])
# An image is shown by itself: whatever a browser takes it for, nothing in it runs.
ALONE = "default-src 'none'; sandbox"
# So many of its memories are named with an image.
NAMED = 200


class ImageIn(Body):
    """What is said of the image: `caption` and `transcript` become memories, each of its own."""

    user_id: UserId | None = None
    agent_id: Name = ""
    session_id: Name = ""
    caption: Text = ""
    transcript: Text = ""
    source: SourceName | None = None
    reason: Reason = ""


class ImageForm(Schema):
    """`read_by`: who said what is on it: "caller" or the name of a model, "" for nobody yet.
    `memories`: the ids of what is remembered of it, the newest first."""

    id: UUID
    user_id: str
    sha256: str
    media_type: str
    size: int
    width: int
    height: int
    name: str
    caption: str
    transcript: str
    read_by: str
    at: datetime
    actor: str
    memories: list[UUID]


class KeptImage(Changed):
    """`is_new`: false where the same bytes were there already. `results` as of any write.
    `job_id`: the job in which a model looks at it, null where none does."""

    image: ImageForm
    is_new: bool
    job_id: UUID | None


class ImageFilters(Paging):
    user_id: UserId | None = None


@router.post("", auth=needs("write"), response={201: KeptImage, WRITE: Problem})
def keep(request, body: Form[ImageIn], file: File[UploadedFile]):
    """Keep an image (PNG, JPEG, WebP or GIF; multipart, `file`). What is said of it is written and
    screened as any memory; where nothing is said and the server has a model for images, that looks
    at it in the background. Needs `write`."""
    scope = request.scope.narrow(body.user_id)
    if scope.user_id is None:
        raise InvalidInput([("user_id", "an image is always one user's")])
    common = Proposal(
        user_id=scope.user_id,
        agent_id=body.agent_id,
        session_id=body.session_id,
        source=body.source or "",
    )
    said = Said(body.caption, body.transcript)
    done = keep_image(scope, file.chunks(), said, common, name=file.name or "", reason=body.reason)
    job = None
    if not said and not done.image.read_by and is_configured():
        params = {
            "image": str(done.image.public_id),
            "agent_id": body.agent_id,
            "session_id": body.session_id,
        }
        job = start(scope, "image", params, reason=body.reason)
    answer = {
        "image": image_form(request, done.image),
        "is_new": done.is_new,
        **changed_form(request, done.batch, done.outcomes),
        "job_id": job and str(job.public_id),
    }
    return reply(answer, status=201)


@router.get("", auth=needs("read"), response={200: Page[ImageForm], READ: Problem})
def list_images(request, asked: Query[ImageFilters]):
    """Images, the newest first; their memories are named by each alone. Needs `read`."""
    rows = images(request.scope.narrow(asked.user_id))
    found, after = page_of(rows, "-id", asked)
    forms = [image_form(request, row, named=False) for row in found]
    return reply(page_form(forms, after, counted(rows)))


@router.get("/{image_id}", auth=needs("read"), response={200: ImageForm, READ_ONE: Problem})
def read_image(request, image_id: UUID):
    """One image: what is said of it, and what is remembered of that. Needs `read`."""
    return reply(image_form(request, _found(request, image_id)))


@router.get("/{image_id}/file", auth=needs("read"), response={200: Any, READ_ONE: Problem})
def read_file(request, image_id: UUID):
    """The file as it came. Needs `read`."""
    return file_of(_found(request, image_id))


@router.get("/{image_id}/thumbnail", auth=needs("read"), response={200: Any, READ_ONE: Problem})
def read_thumbnail(request, image_id: UUID):
    """A WebP of at most 320 pixels a side, without EXIF. Needs `read`."""
    return thumbnail(_found(request, image_id))


def image_form(request, image: Image, *, named: bool = True) -> dict[str, Any]:
    rows = memories_of(request.scope, image).values_list("public_id", flat=True) if named else ()
    names = (
        "user_id", "sha256", "media_type", "size", "width", "height", "name", "caption",
        "transcript", "read_by", "actor",
    )  # fmt: skip
    return {
        "id": str(image.public_id),
        **{name: getattr(image, name) for name in names},
        "at": iso(image.at),
        "memories": [str(one) for one in rows[:NAMED]],
    }


def file_of(image: Image) -> FileResponse:
    """The file, to be taken away and not to be shown in its place. Raises `NotFound`."""
    ending = image.media_type.rpartition("/")[2]
    return _sent(path_of(image.sha256), image.media_type, f"{image.public_id}.{ending}", True)


def thumbnail(image: Image) -> FileResponse:
    """Raises `NotFound`."""
    return _sent(thumbnail_of(image.sha256), "image/webp", f"{image.public_id}.webp", False)


def _sent(path, media_type: str, name: str, attached: bool) -> FileResponse:
    try:
        file = path.open("rb")
    except OSError as error:
        raise NotFound(name) from error
    return FileResponse(
        file,
        as_attachment=attached,
        filename=name,
        content_type=media_type,
        headers={"Content-Security-Policy": ALONE, "Cache-Control": "private, max-age=3600"},
    )


def _found(request, image_id: UUID) -> Image:
    image = find_image(request.scope, image_id)
    if image is None:
        raise NotFound(str(image_id))
    return image
