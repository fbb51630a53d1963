"""What is taken as an image, and what is left of it."""

import stat
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from memory.write import image_files
from memory.write.image_files import RefusedImage, read_picture
from tests import pictures


def seen(data: bytes):
    return read_picture([data])


@pytest.mark.parametrize("form", sorted(image_files.TYPES))
def test_four_types_are_taken(form):
    found = seen(pictures.picture(form))
    assert (found.media_type, found.width, found.height) == (image_files.TYPES[form], 640, 480)
    small = Image.open(BytesIO(found.thumbnail))
    assert (small.format, small.size) == ("WEBP", (320, 240))


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"%PDF-1.7 ...", "PDF"),
        (pictures.picture("BMP"), "BMP"),
        (pictures.picture("TIFF"), "TIFF"),
        (b"\0\0\0\x18ftypheic....", "HEIC"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
        (b"\n<?xml version='1.0'?><svg/>", "SVG"),
        (b"<html><script>alert(1)</script>", "HTML"),
        (b"PK\x03\x04....", "ZIP"),
        (b"hello", "something else"),
    ],
)
def test_other_types_are_refused_by_name(data, named):
    with pytest.raises(RefusedImage, match=f"PNG, JPEG, WebP and GIF are taken; this is {named}"):
        seen(data)


def test_the_type_is_that_of_the_bytes_and_not_of_a_name():
    assert seen(pictures.picture("GIF")).media_type == "image/gif"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "empty"),
        (pictures.picture("JPEG")[:400], "broken"),
        (pictures.picture("PNG")[:60], "broken"),
        (pictures.claiming(9000, 9000), "pixels"),
        (pictures.claiming(60_000, 60_000), "pixels"),
    ],
)
def test_broken_files_and_bombs_are_refused(data, why):
    with pytest.raises(RefusedImage, match=why):
        seen(data)


def test_a_file_that_is_too_large_is_not_read_to_its_end(settings):
    settings.IMAGE_MAX_MB = 1
    read = []

    def pieces():
        for n in range(100):
            read.append(n)
            yield b"x" * 600_000

    with pytest.raises(RefusedImage, match="larger than 1 MB"):
        read_picture(pieces())
    assert len(read) == 2


def test_a_thumbnail_stands_upright_and_says_nothing_else():
    for data in (pictures.photo_with_place(), pictures.commented()):
        found = seen(data)
        assert b"Ann Example" in found.data
        assert b"Ann Example" not in found.thumbnail
        assert not Image.open(BytesIO(found.thumbnail)).getexif()
    assert Image.open(BytesIO(seen(pictures.photo_with_place()).thumbnail)).size == (240, 320)


def test_what_is_see_through_stays_so():
    data = pictures.picture(mode="RGBA")
    assert Image.open(BytesIO(seen(data).thumbnail)).mode in ("RGB", "RGBA")
    clear = BytesIO()
    Image.new("RGBA", (9, 9), (0, 0, 0, 0)).save(clear, "PNG")
    assert Image.open(BytesIO(seen(clear.getvalue()).thumbnail)).mode == "RGBA"


def test_files_lie_under_their_hash_for_their_owner_alone():
    found = seen(pictures.picture(colour="red"))
    image_files.keep_files(found)
    path = image_files.path_of(found.sha256)
    assert path.read_bytes() == found.data
    assert (path.parent.name, path.name) == (found.sha256[:2], found.sha256)
    for one in (path, image_files.thumbnail_of(found.sha256)):
        assert stat.S_IMODE(one.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) & 0o077 == 0
    assert sorted(p.name for p in path.parent.iterdir()) == [path.name, f"{path.name}.webp"]
    shown = Image.open(BytesIO(image_files.shown_to_a_model(found.sha256)))
    assert shown.format == "JPEG"
    image_files.remove_files(found.sha256)
    image_files.remove_files(found.sha256)
    assert not path.exists()


@given(
    st.binary(max_size=300),
    st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a"]),
)
def test_no_bytes_raise_anything_else(data, head):
    try:
        found = seen(head + data)
    except RefusedImage:
        return
    assert found.width > 0
