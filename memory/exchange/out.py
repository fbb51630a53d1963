"""An export as a file: put together in one view of the store, then handed over at any pace."""

import tempfile
from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import IO, Any

from django.conf import settings

from memory.index.past import as_of
from memory.index.storage import one_view
from memory.write.accesses import note_many

from . import csv_out, jsonl, markdown
from .choice import Choice


@dataclass(frozen=True)
class Form:
    """A form of export: what kind of file, and what writes it."""

    media_type: str
    ending: str
    write: Callable[..., None]


def _joined(pieces: Callable[..., Iterable[bytes]]) -> Callable[..., None]:
    def write(file: IO[bytes], chosen: Choice, **options: Any) -> None:
        for piece in pieces(chosen, **options):
            file.write(piece)

    return write


FORMS = {
    "jsonl": Form("application/x-ndjson", "jsonl", _joined(jsonl.pieces)),
    "csv": Form("text/csv; charset=utf-8", "csv", _joined(csv_out.pieces)),
    "markdown": Form("application/zip", "zip", markdown.write),
}


def write(form: str, file: IO[bytes], chosen: Choice, **options: Any) -> None:
    """Write an export into `file`, as the store is at one moment. Raises `InTheFuture`, and
    `ValueError` for a ledger of a part."""
    with one_view(), as_of(chosen.moment):
        FORMS[form].write(file, chosen, **options)
        taken = array("q", chosen.rows.values_list("pk", flat=True).iterator())
    note_many(chosen.scope, taken, "export")


def spooled(form: str, chosen: Choice, **options: Any) -> IO[bytes]:
    """The export in a file without a name, which is gone when it is closed. A reader who is slow
    then holds up neither the write-ahead log nor an erasure. Raises as `write` does."""
    # Small ones never touch the disk.
    file = tempfile.SpooledTemporaryFile(1 << 20, dir=settings.DATA_DIR)  # noqa: SIM115
    try:
        write(form, file, chosen, **options)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file
