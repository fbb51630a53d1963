"""The formats that can be read, one module each, and which of them a file is in.

A format is a module with `FORMAT = Format(name, title, sniff, read)`: `sniff(source)` looks at the
first bytes, the members of an archive or the tables of a database and says whether it is meant;
`read(source, options)` yields `Record`, `Said`, `Shown` and `Reject` in the order of the file, and
raises `FormatError` alone, for a file that cannot be read as a whole.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from memory.exchange.record import Item
from memory.exchange.source import FormatError, Source

AUTO = "auto"


@dataclass(frozen=True)
class Options:
    """What whoever brings a file says about it. `user_id` and `agent_id` are for rows that name
    none; `columns` says which field a column of a table is."""

    user_id: str = ""
    agent_id: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Format:
    """`title` for people."""

    name: str
    title: Any
    sniff: Callable[[Source], bool]
    read: Callable[[Source, Options], Iterator[Item]]


# In the order in which they are tried: the more particular first.
_MODULES = (
    "mase_sqlite", "mem0_history", "openmemory_sqlite", "openmemory_zip", "claude_zip",
    "chatgpt_zip", "xlsx", "own", "letta", "memos", "mcp_memory", "mem0", "claude_json", "lines",
    "paste", "csv",
)  # fmt: skip


@cache
def formats() -> dict[str, Format]:
    """Every format by its name."""
    found = [import_module(f"{__name__}.{name}").FORMAT for name in _MODULES]
    return {one.name: one for one in found}


def chosen(source: Source, name: str = AUTO) -> Format:
    """The format of that name, or with "auto" the one that the file is in. Raises
    `FormatError`."""
    known = formats()
    if name != AUTO:
        if name not in known:
            raise FormatError("unknown_format", f"one of {', '.join([AUTO, *known])}")
        return known[name]
    for one in known.values():
        if one.sniff(source):
            return one
    raise FormatError("unknown_format", f"none of the known formats: {', '.join(known)}")
