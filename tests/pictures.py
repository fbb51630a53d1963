"""Small images as files, for tests."""

from io import BytesIO

from PIL import Image, PngImagePlugin


def picture(form: str = "PNG", size: tuple[int, int] = (640, 480), colour="teal", **how) -> bytes:
    out = BytesIO()
    mode = how.pop("mode", "P" if form == "GIF" else "RGB")
    Image.new("RGB", size, colour).convert(mode).save(out, form, **how)
    return out.getvalue()


def photo_with_place() -> bytes:
    """A JPEG on its side, whose EXIF says by whom and where it was taken."""
    exif = Image.Exif()
    exif[0x013B] = "Ann Example"
    exif[0x0112] = 6
    exif.get_ifd(0x8825)[1] = "N"
    return picture("JPEG", exif=exif.tobytes())


def commented() -> bytes:
    notes = PngImagePlugin.PngInfo()
    notes.add_text("Author", "Ann Example")
    return picture(pnginfo=notes)


def claiming(width: int, height: int) -> bytes:
    """A PNG of some bytes that says it is so large."""
    import struct
    import zlib

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"\0" * 1000)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
