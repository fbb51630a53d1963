"""The pages of images."""

import uuid

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from memory.models import Image, Role
from memory.write.images import Said, keep_image
from memory.write.proposal import Proposal
from tests import factories as make
from tests import pictures
from tests.factories import logged_in, person

from .pages_kit import is_whole, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def kept(caption: str = "红色雨伞在门口", colour: str = "teal", user: str = "ann"):
    data = pictures.picture(colour=colour)
    return keep_image(make.scope(), [data], Said(caption), Proposal(user_id=user), name="a.png")


def upload(client, data: bytes | None = None, **fields):
    file = SimpleUploadedFile("a.png", pictures.picture() if data is None else data)
    return client.post("/images/", {"file": file, "user_id": "ann"} | fields)


def test_without_any_the_page_says_how_they_come():
    page = viewer().get("/images/")
    assert is_whole(page)
    assert "POST /api/v1/images" in text_of(page)
    assert "Keep an image" not in text_of(page)


def test_an_image_is_shown_with_what_is_remembered_of_it():
    done, client = kept(), viewer()
    address = f"/images/{done.image.public_id}/"
    assert f'src="{address}thumbnail"' in text_of(client.get("/images/"))
    page = client.get(address)
    assert is_whole(page)
    memory = done.outcomes[0].memory
    for text in ("红色雨伞在门口", "640 × 480", f"/memories/{memory.public_id}/"):
        assert text in text_of(page)
    assert client.get(f"{address}thumbnail")["Content-Type"] == "image/webp"
    file = client.get(f"{address}file")
    assert file["Content-Disposition"].startswith("attachment")
    assert file["Content-Security-Policy"] == "default-src 'none'; sandbox"


def test_a_memory_shows_the_image_that_it_was_read_from():
    done, client = kept(), viewer()
    page = client.get(f"/memories/{done.outcomes[0].memory.public_id}/")
    assert f'src="/images/{done.image.public_id}/thumbnail"' in text_of(page)
    other = make.remember(text="牛奶", metadata={"image": "no id at all"})
    assert "/thumbnail" not in text_of(client.get(f"/memories/{other.public_id}/"))


def test_an_operator_keeps_one():
    client = operator()
    answer = upload(client, caption="红色雨伞", reason="from the desk")
    image = Image.everywhere.get()
    assert (answer.url, image.actor) == (f"/images/{image.public_id}/", "person:olga")
    again = upload(client, caption="红色雨伞")
    assert "there already" in text_of(client.get(again.url))


@pytest.mark.parametrize(
    ("data", "fields", "told"),
    [(b"%PDF-1.7", {}, "this is PDF"), (None, {"caption": "我的密码是 Qx7#pLm2vW9"}, "secret")],
)
def test_what_is_refused_is_told_on_the_form(data, fields, told):
    page = upload(operator(), data, **fields)
    assert page.status_code == 422
    assert told in text_of(page)
    assert not Image.everywhere.exists()


def test_who_may_not_keep_one_may_look():
    kept()
    for role in (Role.VIEWER, Role.REVIEWER, Role.AUDITOR):
        client = logged_in(person(f"p-{role}", role=role))
        assert upload(client, pictures.picture("GIF")).status_code == 403
        assert client.get("/images/").status_code == 200
    assert Image.everywhere.count() == 1


def test_a_stranger_sees_none_of_it():
    done, client = kept(), stranger()
    for end in ("", "file", "thumbnail"):
        assert client.get(f"/images/{done.image.public_id}/{end}").status_code == 404
        assert client.get(f"/images/{uuid.uuid4()}/{end}").status_code == 404
    assert "雨伞" not in text_of(client.get("/images/"))


def test_more_images_take_no_more_queries():
    client = viewer()
    kept()
    before = queries(client, "/images/")
    for colour in ("red", "blue", "pink"):
        kept(f"一张{colour}的图", colour)
    assert queries(client, "/images/") == before
