"""Memories as a folder of notes, zipped: a folder a user, a note an entity.

The head of a note (YAML) tells of each memory its id, state, confidence, source, from when to when
it holds and when it goes stale; the body says what it says, and links the entities that it names.
The same memories make the same notes, byte for byte.
"""

import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby, islice
from typing import IO, Any

from memory.models import Memory, Status
from memory.text.file_names import safe_stem
from memory.text.names import could_be_name
from memory.text.normalise import key

from .choice import PAGE, Choice
from .text import NOBODY

# More memories than a note should have; the rest is in notes of the same name with a number.
IN_A_NOTE = 500
# Short enough for a path of 260 characters in all.
_STEM = 80
_NO_ENTITY = "memories"
# The beginning of what can be told in a zip.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_MARKUP = re.compile(r"([\\`<\[\]])")
_UNFIT = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")
_ORDER = ("user_id", "entity_key", "attribute_key", "fact", "version", "public_id")


def write(file: IO[bytes], chosen: Choice) -> None:
    """Write the zip of notes."""
    rows = chosen.rows.order_by(*_ORDER).iterator(PAGE)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as folder:
        for (user_id, entity_key), own in groupby(rows, lambda row: (row.user_id, row.entity_key)):
            for number, some in enumerate(_portions(own), start=1):
                part = "" if number == 1 else f" {number}"
                name = f"{safe_stem(user_id, _STEM)}/{_note(entity_key)}{part}.md"
                entry = zipfile.ZipInfo(name, _EPOCH)
                entry.compress_type = zipfile.ZIP_DEFLATED
                folder.writestr(entry, note(some).encode("utf-8", "replace"))


def note(memories: Sequence[Memory]) -> str:
    """The note of some memories of one user and one entity."""
    first = memories[0]
    title = first.entity or first.entity_key or "Memories of no entity"
    ends = [row.expires_at for row in memories if row.status == Status.ACTIVE and row.expires_at]
    head = [
        "---",
        "type: memory",
        f"title: {_scalar(title)}",
        f"user: {_scalar(first.user_id or NOBODY)}",
        *([f"stale_after: {_time(min(ends))}"] if ends else []),
        "memories:",
        *(line for row in memories for line in _head(row)),
        "---",
        "",
        f"# {_text(title)}",
    ]
    body, attribute = [], None
    for row in memories:
        if row.attribute != attribute:
            attribute = row.attribute
            body += ["", f"## {_text(attribute)}" if attribute else "", ""]
        body.append(_said(row))
    return "\n".join([*head, *body]) + "\n"


def _portions(rows: Iterator[Memory]) -> Iterator[list[Memory]]:
    while some := list(islice(rows, IN_A_NOTE)):
        yield some


def _note(entity_key: str) -> str:
    return safe_stem(entity_key, _STEM) if entity_key else _NO_ENTITY


def _head(row: Memory) -> Iterator[str]:
    yield f"  - id: {row.public_id}"
    told = {
        "state": row.status,
        "version": row.version,
        "confidence": row.confidence,
        "source": row.source,
        "valid_from": row.valid_from,
        "valid_to": row.valid_to,
        "stale_after": row.expires_at,
    }
    for name, value in told.items():
        if value is not None and value != "":
            yield f"    {name}: {_time(value) if isinstance(value, datetime) else value}"


def _said(row: Memory) -> str:
    state = "" if row.status == Status.ACTIVE else f" *({row.status})*"
    text = _text(row.text).replace("\n", "\n  ")
    links = [f"[[{_note(key(name))}|{_label(name)}]]" for name in _names(row)]
    return f"- {text}{state}{' → ' if links else ''}{', '.join(links)}"


def _names(row: Memory) -> list[str]:
    """The other entities that a memory names: its value, where it can be a name, and its links."""
    named = [row.value] if row.value and could_be_name(row.value_key) else []
    keys = {key(name): name for name in [*named, *row.links]}
    return [name for one, name in keys.items() if one and one != row.entity_key]


def _scalar(text: str) -> str:
    """A JSON string, which YAML reads as it is meant."""
    told = json.dumps(text, ensure_ascii=False)
    return _UNFIT.sub(lambda found: f"\\u{ord(found[0]):04x}", told)


def _text(text: str) -> str:
    """What was said, without becoming a link, a tag or code."""
    return _MARKUP.sub(r"\\\1", _UNFIT.sub(" ", text))


def _label(name: str) -> str:
    return re.sub(r"[\[\]|\n]", " ", name)


def _time(moment: Any) -> str:
    return moment.isoformat()
