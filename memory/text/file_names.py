"""Names of files that are readable, and safe on every file system."""

import hashlib
import unicodedata

_LONGEST = 200
# Devices on Windows, whatever ending follows.
_RESERVED = {"con", "prn", "aux", "nul"} | {
    f"{port}{n}" for port in ("com", "lpt") for n in "0123456789¹²³"
}


def safe_stem(name: str, longest: int = _LONGEST) -> str:
    """`name` as a file's name without its ending, of at most `longest` bytes and nine more: the
    same on every day and system, and another for every name, also where file names do not tell
    capitals from small letters. What had to be changed in it is told apart by a digest."""
    kept = "".join(char if char.isalnum() or char in "-_@+ " else "." for char in name)
    stem = unicodedata.normalize("NFC", kept).casefold().strip(". ")
    while len(stem.encode()) > longest:
        stem = stem[:-1]
    stem = stem.rstrip(". ")
    if stem == name and stem and stem.partition(".")[0] not in _RESERVED:
        return stem
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"~{stem}~{digest}" if stem.partition(".")[0] in _RESERVED else f"{stem}~{digest}"
