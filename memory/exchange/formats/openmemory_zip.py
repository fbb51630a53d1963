"""OpenMemory's export: an archive with memories.json and memories.jsonl.gz."""

import gzip
import io
import json
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.exchange.fields import each
from memory.exchange.record import Item
from memory.exchange.source import JSON_MB, FormatError, Source

from . import Format, Options
from .openmemory import Names, memory_of

_LIMIT = JSON_MB * 1_000_000


def _sniff(source: Source) -> bool:
    if source.named("memories.jsonl.gz"):
        return True
    name = source.named("memories.json")
    if name is None:
        return False
    try:
        document = source.member_document(name)
    except FormatError:
        return False
    return isinstance(document, Mapping) and "memories" in document


def _read(source: Source, options: Options) -> Iterator[Item]:
    """The document tells more; the lines stand in where it is missing."""
    if name := source.named("memories.json"):
        document = source.member_document(name)
        if not isinstance(document, Mapping) or not isinstance(document.get("memories"), list):
            raise FormatError("no_rows", f"{name} holds no list of memories")
        yield from _of_document(document, options)
    elif name := source.named("memories.jsonl.gz"):
        rows = _lines(source.member(name))
        yield from each(rows, lambda number, row: memory_of(number, _flat(row), _NOBODY, options))
    else:
        raise FormatError("no_rows", "holds neither memories.json nor memories.jsonl.gz")


def _of_document(document: Mapping[str, Any], options: Options) -> Iterator[Item]:
    user = document.get("user")
    names = Names(
        _rows([user] if isinstance(user, Mapping) else []),
        *(_rows(document.get(name)) for name in ("apps", "categories", "memory_categories")),
    )
    rows = document["memories"]
    yield from each(rows, lambda number, row: memory_of(number, row, names, options))


def _rows(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


_NOBODY = Names([], [], [], [])


def _lines(packed: bytes) -> Iterator[Any]:
    try:
        with gzip.open(io.BytesIO(packed)) as file:
            data = file.read(_LIMIT + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError("unreadable", "memories.jsonl.gz cannot be unpacked") from error
    if len(data) > _LIMIT:
        raise FormatError("too_large", f"memories.jsonl.gz has more than {JSON_MB} MB")
    for line in data.decode("utf-8", "surrogateescape").splitlines():
        if line.strip():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                yield line


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    """A line names its app and categories where the document has their ids."""
    told = {"app": row.get("app"), "categories": row.get("categories")}
    return {**row, "metadata": {**_object(row.get("metadata")), "openmemory": told}}


def _object(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


FORMAT = Format("openmemory", _("OpenMemory: export archive"), _sniff, _read)
