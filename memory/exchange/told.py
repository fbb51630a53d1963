"""What became of the rows of a file."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from memory.models import Batch
from memory.write.held import metadata_without_secrets

from .fields import shown
from .record import Item

SAMPLE, REJECTS_TOLD = 10, 1000


@dataclass(frozen=True)
class Told:
    """What became of one row: an outcome's action (see `Outcome`), "turn" or "recall" for what
    goes to those logs, "checked" beyond what a trial plans, or "rejected" with why. `text` is
    what it says, `raw` the row as it came, without secrets, where it was not taken."""

    number: int
    action: str
    code: str = ""
    message: str = ""
    text: str = ""
    memory_id: UUID | None = None
    raw: dict[str, Any] = field(default_factory=dict)


@dataclass
class Report:
    """What a file came to, or with `dry_run` would come to. `users` are those that it names, each
    with the one in whose name the rows are kept."""

    format: str
    sha256: str
    dry_run: bool
    total: int
    users: dict[str, str]
    counts: Counter = field(default_factory=Counter)
    reasons: Counter = field(default_factory=Counter)
    sample: list[Told] = field(default_factory=list)
    rejects: list[Told] = field(default_factory=list)
    batches: list[Batch] = field(default_factory=list)

    def add(self, told: Iterable[Told]) -> None:
        for one in told:
            self.counts[one.action] += 1
            if one.code:
                self.reasons[one.code] += 1
            if one.action == "rejected":
                self.rejects += [one] if len(self.rejects) < REJECTS_TOLD else []
            elif one.text and len(self.sample) < SAMPLE:
                self.sample.append(one)

    @property
    def done(self) -> int:
        return sum(self.counts.values())


def rejected(item: Item, code: str, message: str) -> Told:
    """A row that was not taken, as it came but for its secrets."""
    raw = metadata_without_secrets(shown(dict(item.raw))) if item.raw else {}
    return Told(item.number, "rejected", code, message, raw=raw)
