"""JSON lines: a memory a line, named as this store's API or mem0 names it."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.exchange.fields import shown
from memory.exchange.record import Item, Reject
from memory.exchange.source import Source

from . import Format, Options
from .mem0 import TEXTS, memory_of

_decoder = json.JSONDecoder()


def objects(source: Source) -> Iterator[tuple[int, Mapping[str, Any]] | Reject]:
    """(line, object) for each object, two on one line both; a `Reject` for what is none. A line
    that is cut off or broken takes no other with it."""
    for number, line in source.lines():
        line, place = line.strip(), 0
        while place < len(line):
            try:
                value, place = _decoder.raw_decode(line, place)
            except (ValueError, RecursionError):
                told = "is not JSON, or was cut off"
                yield Reject(number, "bad_json", told, {"line": shown(line[place:])})
                break
            while place < len(line) and line[place] in " \t\r,":
                place += 1
            if isinstance(value, Mapping):
                yield number, value
            else:
                yield Reject(number, "not_an_object", "is not an object", {"value": shown(value)})


def first_object(source: Source) -> Mapping[str, Any]:
    """The first object of a text of lines; empty where its first lines hold none."""
    for line in source.beginning.splitlines()[:20]:
        try:
            value, _end = _decoder.raw_decode(line.strip())
        except (ValueError, RecursionError):
            continue
        if isinstance(value, Mapping):
            return value
    return {}


def _sniff(source: Source) -> bool:
    return any(name in first_object(source) for name in TEXTS)


def _read(source: Source, options: Options) -> Iterator[Item]:
    for found in objects(source):
        yield found if isinstance(found, Reject) else memory_of(*found, options)


FORMAT = Format("jsonl", _("JSON lines: a memory a line"), _sniff, _read)
