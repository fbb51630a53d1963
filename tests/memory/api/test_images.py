"""Images over HTTP."""

import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memory.api.images import ImageForm, KeptImage
from memory.models import Image, Job
from tests import factories as make
from tests import pictures
from tests.memory.api.calls import ROOT, fields_named, get, holds_to, owner

pytestmark = pytest.mark.django_db


def send(client, data: bytes | None = None, name: str = "a.png", **fields):
    file = SimpleUploadedFile(name, pictures.picture() if data is None else data)
    answer = client.post(f"{ROOT}/images", {"file": file, "user_id": "ann"} | fields)
    answer.data = answer.json()
    answer.problem = answer.data["code"] if answer.status_code >= 400 else ""
    return answer


def bytes_of(answer) -> bytes:
    return b"".join(answer.streaming_content)


def test_an_image_is_kept_remembered_and_given_back():
    client = owner()
    answer = send(client, caption="红色雨伞在门口", reason="sent by ann", session_id="s1")
    told = answer.data
    assert answer.status_code == 201
    assert holds_to(KeptImage, told)
    assert (told["is_new"], told["job_id"], told["results"][0]["action"]) == (True, None, "added")
    memory = told["results"][0]["memory"]
    assert (memory["metadata"]["image"], memory["session_id"]) == (told["image"]["id"], "s1")
    one = get(client, f"/images/{told['image']['id']}").data
    assert holds_to(ImageForm, one)
    assert (one["memories"], one["name"], one["width"]) == ([memory["id"]], "a.png", 640)
    page = get(client, "/images", user_id="ann").data
    assert ([row["id"] for row in page["items"]], page["total"]) == ([one["id"]], 1)
    again = send(client, caption="红色雨伞在门口").data
    assert (again["is_new"], again["results"][0]["action"]) == (False, "confirmed")


def test_file_and_thumbnail_are_shown_alone_and_run_nothing():
    client = owner()
    image = send(client).data["image"]
    file = client.get(f"{ROOT}/images/{image['id']}/file")
    assert bytes_of(file) == pictures.picture()
    assert file["Content-Type"] == "image/png"
    assert file["Content-Disposition"] == f'attachment; filename="{image["id"]}.png"'
    small = client.get(f"{ROOT}/images/{image['id']}/thumbnail")
    assert bytes_of(small)[8:12] == b"WEBP"
    for answer in (file, small):
        assert answer["X-Content-Type-Options"] == "nosniff"
        assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
        assert "private" in answer["Cache-Control"]


@pytest.mark.parametrize(
    ("data", "told"),
    [(b"%PDF-1.7", "this is PDF"), (b"", "empty"), (pictures.claiming(9000, 9000), "pixels")],
)
def test_what_is_no_image_is_refused_and_named(data, told):
    answer = send(owner(), data)
    assert answer.status_code == 422
    assert fields_named(answer) == {"file"}
    assert told in answer.data["detail"]
    assert not Image.everywhere.exists()


def test_a_secret_in_the_caption_is_refused():
    answer = send(owner(), caption="我的密码是 Qx7#pLm2vW9")
    assert (answer.status_code, answer.problem) == (422, "secret_refused")
    assert not Image.everywhere.exists()


def test_without_a_user_or_a_file_nothing_is_kept():
    client = owner()
    assert client.post(f"{ROOT}/images", {"user_id": "ann"}).status_code == 422
    file = SimpleUploadedFile("a.png", pictures.picture())
    assert client.post(f"{ROOT}/images", {"file": file}).status_code == 422
    assert not Image.everywhere.exists()


def test_where_a_model_looks_at_images_a_job_is_started(settings):
    settings.MODEL_URL, settings.MODEL_NAME = "http://127.0.0.1:1/v1", "small-1"
    settings.VISION_MODEL = "eyes-1"
    client = owner()
    told = send(client, reason="sent by ann").data
    job = Job.everywhere.get()
    assert (told["job_id"], job.kind, job.user_id) == (str(job.public_id), "image", "ann")
    assert job.params["image"] == told["image"]["id"]
    assert send(client, pictures.picture("GIF"), caption="红色雨伞").data["job_id"] is None


def test_others_images_are_not_there():
    image = send(owner(name="all")).data["image"]
    missing = get(owner(name="miss"), f"/images/{uuid.uuid4()}").content
    for client in (owner(user_id="bob", name="bob"), owner(of=make.workspace("w2"), name="w2")):
        for end in ("", "/file", "/thumbnail"):
            answer = client.get(f"{ROOT}/images/{image['id']}{end}")
            assert (answer.status_code, answer.content) == (404, missing)
        assert get(client, "/images").data["items"] == []
    assert get(owner(user_id="bob", name="b2"), "/images", user_id="ann").status_code == 403
    answer = send(owner(user_id="bob", name="b3"))
    assert (answer.status_code, answer.problem) == (403, "outside_scope")
