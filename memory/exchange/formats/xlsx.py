"""An Excel workbook: every sheet whose first row names its columns."""

import zipfile
from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from memory.exchange.record import Item
from memory.exchange.source import JSON_MB, FormatError, Source, check_archive

from . import Format, Options
from .table import is_table, records

_LIMIT = JSON_MB * 1_000_000


def _sniff(source: Source) -> bool:
    return "xl/workbook.xml" in source.members


def _read(source: Source, options: Options) -> Iterator[Item]:
    """Cells as they were computed last, never formulas. A sheet without known columns is left
    out, unless it is the only one."""
    from openpyxl import load_workbook

    with source.path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                check_archive(archive, _LIMIT)
            book = load_workbook(file, read_only=True, data_only=True, keep_links=False)
            sheets = book.worksheets
        except FormatError:
            raise
        except Exception as error:
            # Damage in an XML part shows as whatever the reader met first.
            raise FormatError("unreadable", "is not a workbook that can be read") from error
        try:
            for sheet in sheets:
                yield from _sheet(sheet, len(sheets) == 1, source, options)
        finally:
            book.close()


def _sheet(sheet, is_only: bool, source: Source, options: Options) -> Iterator[Item]:
    rows = _rows(sheet)
    heading = next((row for _number, row in rows if row), ())
    named = bool(options.columns) and options.columns.keys() <= set(map(str, heading))
    if is_only or is_table(heading) or named:
        told = {"file_sha256": source.sha256, "sheet": sheet.title}
        yield from records(rows, heading, options, told)


def _rows(sheet) -> Iterator[tuple[int, tuple]]:
    try:
        for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
            yield number, _trimmed(row)
    except Exception as error:
        raise FormatError("unreadable", f"the sheet {sheet.title} is damaged") from error


def _trimmed(cells: tuple) -> tuple:
    """Without the empty cells at the end, which a sheet has as many of as it likes."""
    last = max((n for n, cell in enumerate(cells, 1) if cell not in (None, "")), default=0)
    return cells[:last]


FORMAT = Format("xlsx", _("Table: Excel workbook"), _sniff, _read)
