"""Images: kept as they came, remembered by what is said of them.

A caption and a transcript, the caller's or a model's, are memories like any other, written by the
same road, and name the image in their metadata.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from memory import clock
from memory.models import Batch, Image, Memory, Scope, ScopeError
from memory.text.normalise import UnstorableText, clean

from . import queue
from .held import without_secrets
from .image_files import Picture, keep_files, read_picture, remove_files
from .outcome import Outcome
from .proposal import InvalidInput, Proposal
from .remember import offered, write
from .transaction import write_transaction

FILE_NAME_LIMIT = 300
CALLER = "caller"


@dataclass(frozen=True)
class Said:
    """What is said of an image, and by whom: "caller", or the name of a model."""

    caption: str = ""
    transcript: str = ""
    by: str = CALLER

    def __bool__(self) -> bool:
        return bool(self.caption.strip() or self.transcript.strip())


@dataclass(frozen=True)
class KeptImage:
    """`is_new`: it was not there yet for this user. `outcomes` are of caption and transcript."""

    image: Image
    is_new: bool
    batch: Batch | None = None
    outcomes: tuple[Outcome, ...] = ()


def keep_image(
    scope: Scope,
    pieces: Iterable[bytes],
    said: Said,
    common: Proposal,
    *,
    name: str = "",
    reason: str = "",
) -> KeptImage:
    """Keep an image of one user and remember what is said of it; `common` says what holds of its
    memories. The same bytes again are the same image.

    Raises `InvalidInput` (`RefusedImage` for the file, `SecretRefused` for what is said),
    `ScopeError` without a user, `QueueTimeout`; then nothing is kept.
    """
    scope = scope.narrow(common.user_id or None)
    if scope.user_id is None:
        raise ScopeError("an image is always one user's")
    name, picture = _file_name(name), read_picture(pieces)
    try:
        with write_transaction():
            image, is_new = _found_or_made(scope, picture, name)
            keep_files(picture)
            batch, outcomes = remember_said(scope, image, said, common, reason=reason)
    except BaseException:
        forget_unused(picture.sha256)
        raise
    return KeptImage(image, is_new, batch, outcomes)


def remember_said(
    scope: Scope, image: Image, said: Said, common: Proposal, *, reason: str, each: bool = False
) -> tuple[Batch | None, tuple[Outcome, ...]]:
    """Write what is said of an image as memories, and keep it with the image. Raises as
    `remember`; with `each`, what cannot be kept is an outcome of its own."""
    if not said:
        return None, ()
    told = {"caption": said.caption.strip(), "transcript": said.transcript.strip()}
    offers = [
        offered(scope, _proposal(common, image, what, text), each=each)
        for what, text in told.items()
        if text
    ]
    with write_transaction():
        written = write(scope, offers, reason=reason, each=each)
        for what, text in told.items():
            setattr(image, what, without_secrets(text) or getattr(image, what))
        image.read_by = said.by
        image.save(update_fields=["caption", "transcript", "read_by"])
    return written.batch, written.outcomes


def images(scope: Scope) -> QuerySet[Image]:
    """The images that the scope may see and that were not removed."""
    return Image.objects.within(scope).filter(removed_at__isnull=True)


def find_image(scope: Scope, image_id: UUID) -> Image | None:
    return images(scope).filter(public_id=image_id).first()


def image_of(scope: Scope, memory: Memory) -> Image | None:
    """The image that a memory was read from, if it is still there."""
    try:
        return find_image(scope, UUID(str(memory.metadata.get("image", ""))))
    except ValueError:
        return None


def memories_of(scope: Scope, image: Image) -> QuerySet[Memory]:
    """What is remembered of an image, in every state, the newest first: what was read from it, and
    what says the very same and was there before."""
    said = [text for text in (image.caption, image.transcript) if text]
    rows = Memory.objects.within(scope).filter(
        Q(metadata__image=str(image.public_id)) | Q(user_id=image.user_id, text__in=said)
    )
    return rows.order_by("-pk")


def forget_unused(sha256: str) -> None:
    """Remove files that no image of any workspace has any more."""
    with queue.turn():
        if sha256 and not Image.everywhere.filter(sha256=sha256).exists():
            remove_files(sha256)


def _found_or_made(scope: Scope, picture: Picture, name: str) -> tuple[Image, bool]:
    own = {"workspace_id": scope.workspace_id, "user_id": scope.user_id, "sha256": picture.sha256}
    if kept := Image.everywhere.filter(**own).first():
        return kept, False
    made = Image(
        **own,
        media_type=picture.media_type,
        size=len(picture.data),
        width=picture.width,
        height=picture.height,
        name=name,
        at=clock.now(),
        actor=scope.actor,
    )
    made.save(force_insert=True)
    return made, True


def _proposal(common: Proposal, image: Image, what: str, text: str) -> Proposal:
    metadata = {**common.metadata, "image": str(image.public_id), "image_says": what}
    return Proposal(**{**vars(common), "text": text, "metadata": metadata})


def _file_name(name: str) -> str:
    try:
        name = clean(name.replace("\\", "/").rpartition("/")[2], FILE_NAME_LIMIT).strip()
    except UnstorableText as error:
        raise InvalidInput([("file", f"its name: {error}")]) from None
    return without_secrets(name)
