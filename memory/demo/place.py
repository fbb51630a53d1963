"""How far the demo's script has been played, kept beside the database until all of it is, so that
a load which was killed is gone on with and no half of a demo stays."""

import json
import os
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from uuid import UUID

from django.conf import settings

from memory.models import Memory, Scope, Turn


@dataclass
class Place:
    """`done` steps are played, counted back from `start`; what the script's names stand for."""

    start: datetime
    done: int = 0
    turns: dict[str, UUID] = field(default_factory=dict)
    memories: dict[str, UUID] = field(default_factory=dict)


def read(scope: Scope) -> Place | None:
    """The place at which a load broke off; None where none did, and for a place in a store that is
    gone: this one lacks its rows."""
    try:
        kept = json.loads(_path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    found = Place(
        datetime.fromisoformat(kept["start"]),
        kept["done"],
        {name: UUID(value) for name, value in kept["turns"].items()},
        {name: UUID(value) for name, value in kept["memories"].items()},
    )
    is_here = all(
        model.objects.within(scope).filter(public_id__in=ids).count() == len(ids)
        for model, ids in ((Turn, set(found.turns.values())), (Memory, {*found.memories.values()}))
    )
    return found if is_here else None


def keep(place: Place) -> None:
    """Write it down, whole or not at all."""
    told = {
        "start": place.start.isoformat(),
        "done": place.done,
        "turns": {name: str(value) for name, value in place.turns.items()},
        "memories": {name: str(value) for name, value in place.memories.items()},
    }
    half = _path().with_suffix(".half")
    half.write_text(json.dumps(told), encoding="utf-8")
    os.replace(half, _path())


def forget() -> None:
    _path().unlink(missing_ok=True)


def _path() -> Path:
    return Path(settings.DATA_DIR) / "demo_place.json"
