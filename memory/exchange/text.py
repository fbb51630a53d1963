"""Memories as text that people and `git diff` read well: a file a user, a block a memory.

```
# memories of lin.wei

memory 0198c1f0-…
fact: 0198c1f0-…
version: 2
status: active
text: 我的预算是800元
```

Blocks stand by fact, then by version, so that a new version follows the one that it supersedes and
nothing else moves. A field takes one line, in a fixed order, and is left out where it is empty. The
same memories give the same text, byte for byte.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from memory.text.file_names import safe_stem

ENDING = ".txt"
_HEAD = "# memories of "
NOBODY = "(nobody in particular)"
# What is derived, or says nothing that another line does not.
FIELDS = (
    "fact", "version", "status", "user_id", "agent_id", "session_id", "entity", "attribute",
    "value", "text", "summary", "kind", "layer", "domain", "tags", "links", "source", "importance",
    "confidence", "confirmations", "occurred_at", "created_at", "updated_at", "confirmed_at",
    "valid_from", "valid_to", "expires_at", "supersedes_id", "superseded_by_id", "turn_id",
    "evidence_start", "evidence_end", "quote", "held_for", "conflicts_with", "external_id",
    "metadata",
)  # fmt: skip
_NAMES = {name: name.removesuffix("_id") for name in ("supersedes_id", "superseded_by_id")}
_IDS = frozenset({"fact", "supersedes_id", "superseded_by_id", "turn_id", "conflicts_with"})
# Besides tab and backslash what ends a line somewhere: for Python, for git, for an editor.
_ESCAPED = "\\\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_ESCAPES = {ord(char): char.encode("unicode_escape").decode() for char in _ESCAPED}


def place(snapshot: Mapping[str, Any]) -> tuple[str, int, str]:
    """Where a memory's block stands in its user's file."""
    return snapshot["fact"], snapshot["version"], snapshot["public_id"]


def block(snapshot: Mapping[str, Any]) -> str:
    """One memory, given as the ledger keeps it, with a line break at its end."""
    lines = [f"memory {UUID(snapshot['public_id'])}"]
    for name in FIELDS:
        value = snapshot.get(name)
        if value is None or value == "" or value == [] or value == {}:
            continue
        lines.append(f"{_NAMES.get(name, name)}: {_line(name, value)}")
    return "\n".join(lines) + "\n"


def file_text(user_id: str, blocks: Iterable[str]) -> str:
    """A user's file of blocks in their order."""
    return "\n".join([f"{_HEAD}{_escaped(user_id) or NOBODY}\n", *blocks])


def is_export(first_line: str) -> bool:
    return first_line.startswith(_HEAD)


def file_name(user_id: str) -> str:
    """The name of a user's file."""
    return safe_stem(user_id) + ENDING


def _line(name: str, value: Any) -> str:
    if name in _IDS:
        return str(UUID(value))
    if isinstance(value, list | dict):
        return _escaped(json.dumps(value, ensure_ascii=False, sort_keys=True))
    return _escaped(str(value))


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES)
