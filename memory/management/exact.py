"""Bringing back an export row for row, as a command tells of it."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from memory.exchange.restore import Restored, restore
from memory.models import Scope

TOLD = 20


def brought_back(
    scope: Scope, file: Path, reason: str, dry_run: bool, progress: Callable, as_json: bool
) -> tuple[str, int]:
    """What to print, and how many lines were refused. Raises as `restore` does."""
    found = restore(scope, file, reason=reason, dry_run=dry_run, progress=progress)
    text = json.dumps(_json(found, dry_run), indent=1) if as_json else "\n".join(_lines(found))
    return text, len(found.refused)


def _json(found: Restored, dry_run: bool) -> dict:
    return {
        "dry_run": dry_run,
        "sealed": found.sealed,
        "counts": {name: n for name, n in found.counts.items() if n},
        "refused": [vars(line) for line in found.refused],
        "batches": [str(batch) for batch in found.batches],
    }


def _lines(found: Restored) -> Iterator[str]:
    yield (
        "written by this installation, and not changed since"
        if found.sealed
        else "not of this installation, or changed: screened as any text from outside"
    )
    yield from (f"  {name.replace('_', ' ')}: {n}" for name, n in found.counts.items() if n)
    for line in found.refused[:TOLD]:
        yield f"  line {line.number}, {line.code}: {line.message}"
    if (more := len(found.refused) - TOLD) > 0:
        yield f"  and {more} more; --json tells of all"
