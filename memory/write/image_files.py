"""Files of images: what is taken, and where it lies.

An image lies in the data folder under the hash of its bytes, as it came; its thumbnail beside it
is made anew and holds nothing but the picture.
"""

import hashlib
import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from django.conf import settings
from PIL import Image, ImageOps, UnidentifiedImageError

from .proposal import InvalidInput

# Pillow's names of what is taken.
TYPES = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp", "GIF": "image/gif"}
TAKEN = "PNG, JPEG, WebP and GIF are taken"
# Decoded it is 4 bytes a pixel: 160 MB, once a request. A small file may say it is far larger.
MOST_PIXELS = 40_000_000
THUMBNAIL_PIXELS = 320
# What a model is shown: more than that most of them make smaller themselves.
SHOWN_PIXELS = 1280
_BEGINNINGS = (
    (rb"%PDF", "PDF"),
    (rb"BM", "BMP"),
    (rb"II\*\0|MM\0\*", "TIFF"),
    (rb"\0\0\0.ftyp(heic|heix|mif1|msf1)", "HEIC"),
    (rb"\0\0\0.ftypavif", "AVIF"),
    (rb"\s*(<\?xml|<!doctype svg|<svg)", "SVG"),
    (rb"\s*<", "HTML"),
    (rb"PK\x03\x04", "ZIP"),
)


class RefusedImage(InvalidInput):
    """The file is no image that is taken; says why."""

    code = "refused_image"

    def __init__(self, why: str):
        super().__init__([("file", why)])


@dataclass(frozen=True)
class Picture:
    """An image that was decoded; `width` and `height` in pixels as the file says them."""

    data: bytes = field(repr=False)
    sha256: str
    media_type: str
    width: int
    height: int
    thumbnail: bytes = field(repr=False)


def read_picture(pieces: Iterable[bytes]) -> Picture:
    """Decode a file. Raises `RefusedImage`: too large, of another type, broken, or a bomb."""
    data = _joined(pieces)
    try:
        with Image.open(BytesIO(data), formats=tuple(TYPES)) as image:
            form, width, height = image.format or "", *image.size
            if width * height > MOST_PIXELS:
                raise RefusedImage(f"more than {MOST_PIXELS:,} pixels")
            thumbnail = _small(image, THUMBNAIL_PIXELS, "WEBP")
    except UnidentifiedImageError:
        raise RefusedImage(f"{TAKEN}; this is {_named(data)}") from None
    except Image.DecompressionBombError:
        raise RefusedImage(f"more than {MOST_PIXELS:,} pixels") from None
    except RefusedImage:
        raise
    except Exception as error:
        # Decoders of broken files raise OSError, ValueError, SyntaxError, struct.error and more.
        raise RefusedImage("the file is broken and cannot be decoded") from error
    digest = hashlib.sha256(data).hexdigest()
    return Picture(data, digest, TYPES[form], width, height, thumbnail)


def shown_to_a_model(sha256: str) -> bytes:
    """The image as a JPEG of at most `SHOWN_PIXELS` a side, without what the file says besides."""
    with Image.open(path_of(sha256), formats=tuple(TYPES)) as image:
        return _small(image, SHOWN_PIXELS, "JPEG")


def path_of(sha256: str) -> Path:
    return Path(settings.DATA_DIR) / "images" / sha256[:2] / sha256


def thumbnail_of(sha256: str) -> Path:
    return path_of(sha256).with_suffix(".webp")


def keep_files(picture: Picture) -> None:
    """Have the file and its thumbnail on the disk, readable by their owner alone."""
    for path, data in (
        (path_of(picture.sha256), picture.data),
        (thumbnail_of(picture.sha256), picture.thumbnail),
    ):
        if not path.exists():
            _write(path, data)


def remove_files(sha256: str) -> None:
    for path in (path_of(sha256), thumbnail_of(sha256)):
        path.unlink(missing_ok=True)


def _joined(pieces: Iterable[bytes]) -> bytes:
    most, data = settings.IMAGE_MAX_MB * 1_000_000, BytesIO()
    for piece in pieces:
        if data.tell() + len(piece) > most:
            raise RefusedImage(f"larger than {settings.IMAGE_MAX_MB} MB")
        data.write(piece)
    if not data.tell():
        raise RefusedImage("the file is empty")
    return data.getvalue()


def _small(image: Image.Image, pixels: int, form: str) -> bytes:
    """Decoded whole, of an animation its first frame; upright, without EXIF and comments."""
    image.draft("RGB", (2 * pixels, 2 * pixels))
    clear = form == "WEBP" and image.has_transparency_data
    upright = ImageOps.exif_transpose(image).convert("RGBA" if clear else "RGB")
    upright.thumbnail((pixels, pixels))
    upright.info.clear()
    out = BytesIO()
    upright.save(out, form, quality=80)
    return out.getvalue()


def _named(data: bytes) -> str:
    head = data[:64].lower() if data[:1] in b"< \t\r\n" else data[:64]
    found = (name for start, name in _BEGINNINGS if re.match(start, head, re.DOTALL))
    return next(found, "something else")


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    temporary = path.with_name(f".{secrets.token_hex(8)}")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
