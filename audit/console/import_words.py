"""Why a file or a row of it was not taken, in words of the page's own language.

By the stable codes of an import; the API and the files give the code with a message in English.
"""

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

ROWS = {
    "invalid": _("A field cannot be taken as it is."),
    "empty": _("It says nothing."),
    "bad_json": _("It is no valid JSON."),
    "not_an_object": _("It is not an object with fields."),
    "unknown_type": _("It is of a type that is not known."),
    "too_many_cells": _("It has more cells than the heading."),
    "secret_refused": _("It holds what looks like a secret."),
    "outside_scope": _("It belongs to another user."),
    "conflict": _("Another value is current here."),
    "erased": _("It was erased here, and stays away."),
    "brought_back": _("It was erased here, and was brought back."),
    "changed_here": _("It was changed here since it came, and stays as it is."),
    "stands_here": _("It stands here by another's word."),
    "not_here": _("What it speaks of is not here."),
    "changed_since": _("It was changed since, and stays as it is."),
}
FILES = {
    "too_large": _("The file is too large."),
    "empty": _("The file is empty."),
    "unreadable": _("The file cannot be read."),
    "damaged": _("The file is damaged."),
    "cut_off": _("The end of the file is missing."),
    "bad_json": _("The file is no valid JSON."),
    "bad_csv": _("The file is no valid CSV."),
    "bad_encoding": _("The file is not text in UTF-8, UTF-16 or GB 18030."),
    "no_rows": _("The file holds no memories in this format."),
    "unknown_format": _("The file is in none of the known formats."),
    "unknown_version": _("The file is of a version that is not known."),
    "no_columns": _("No column of the table is known: say which is the text."),
    "unknown_column": _("The table has no column of that name."),
    "unknown_field": _("There is no field of that name."),
}


def why_row(code: str, message: str) -> tuple[str, str]:
    """Why a row was not taken, and what its message adds to that; the message itself where the
    code is not known."""
    words, more = str(ROWS.get(code, "")), _told(message)
    return (words, more if more != words else "") if words else (more or code, "")


def why_file(code: str) -> str:
    """Why a file was not taken; "" where the code is not known."""
    return str(FILES.get(code, ""))


def _told(message: str) -> str:
    """A message of fields, "name: what; name: what", in the page's language."""
    parts = [part.partition(": ") for part in message.split("; ")]
    return "; ".join(f"{name}{sign}{gettext(text)}" if text else name for name, sign, text in parts)
