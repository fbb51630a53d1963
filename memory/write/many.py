"""Changing many memories that a person has looked at: which of them can be changed so, and the
change of exactly those, as they were seen."""

import json
import zlib
from base64 import b64decode, b64encode
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from memory import clock
from memory.models import MOVES, Batch, ForbiddenMove, Memory, Scope, Status

from . import queue
from .apply import apply
from .bulk import SETTABLE, plan_confirm_all, plan_merge_same, plan_set, settable
from .plan import Conflict
from .planner import WAITING, Planner
from .proposal import TAG_LIMIT, InvalidInput
from .retract import A_BATCH
from .review import plan_approve, plan_hold, plan_reject
from .revise import plan_expire, plan_retract

# So many are one batch at once, while the person waits.
AT_ONCE = A_BATCH
_COLUMNS = ("pk", "revision", "status", "user_id", "agent_id", "kind", "created_at")
_ALSO = {
    "approve": ("ttl_hours", "expires_at"),
    "tag": ("tags",),
    "domain": ("domain",),
    "importance": ("importance",),
    "merge": ("fingerprint",),
}
_ACTIVE = frozenset({Status.ACTIVE})


@dataclass(frozen=True)
class Verb:
    """What can be done to many. `batch` is the verb of the batch, `takes` the states in which a
    memory can be changed so, `sets` what is set to the value that goes with it, "" for none."""

    name: str
    batch: str
    takes: frozenset[str]
    draw: Callable[..., Planner]
    sets: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """What `sort_out` and a preview read of a row: all columns of 10,000 rows took twice as
        long as these."""
        return _COLUMNS + _ALSO.get(self.name, ())

    def plan(
        self, scope: Scope, rows: Iterable[Memory], value: str, planner: Planner | None = None
    ) -> Planner:
        """The plan of rows that `sort_out` lets pass; with `planner`, on top of what it holds.
        Raises `Conflict`."""
        said = {"name": self.sets, "value": value} if self.sets else {}
        return self.draw(scope, rows, planner=planner, **said)


def _merge(scope: Scope, rows: Iterable[Memory], planner: Planner | None) -> Planner:
    return plan_merge_same(scope, rows)


_RETRACTABLE = frozenset(state for state, moves in MOVES.items() if Status.RETRACTED in moves)
VERBS = {
    verb.name: verb
    for verb in (
        Verb("approve", "approve", frozenset(WAITING), plan_approve),
        Verb("reject", "reject", frozenset(WAITING), plan_reject),
        Verb("confirm", "confirm", _ACTIVE, plan_confirm_all),
        Verb("retract", "retract", _RETRACTABLE, plan_retract),
        Verb("hold", "hold", _ACTIVE, plan_hold),
        Verb("expire", "expire", _ACTIVE, plan_expire),
        Verb("merge", "merge", _ACTIVE, _merge),
        *(Verb(name, "amend", _ACTIVE, plan_set, name) for name in SETTABLE),
    )
}


@dataclass(frozen=True)
class Left:
    """A memory that was left as it is, and why: a code of `WHY`."""

    pk: int
    code: str
    memory_id: UUID | None = None
    message: str = ""


# Why a memory is left as it is, for a reader of a job's rows.
WHY = {
    "state": "its state does not allow this",
    "over": "its time is over",
    "same": "it is so already",
    "full": f"it has {TAG_LIMIT} tags already",
    "alone": "no other of the chosen ones says the same",
    "moved": "it was changed after the preview",
    "gone": "it is no longer there",
    "refused": "another value is current",
}


@dataclass(frozen=True)
class Done:
    """What came of a change: one batch (None: nothing could be changed), how many memories were
    changed so, and those that were left."""

    batch: Batch | None
    count: int
    left: Sequence[Left] = field(default_factory=tuple)


def checked_value(verb: Verb, value: str) -> str:
    """The value for a verb that sets one, cleaned; "" for others. Raises `InvalidInput`."""
    return settable(verb.sets, value) if verb.sets else ""


def sort_out(verb: Verb, rows: Iterable[Any], value: str) -> tuple[list[Any], dict[str, list[Any]]]:
    """The rows (memories, or `Verb.columns` of them) that the verb can change, and by code of `WHY`
    the others. Only what a row says of itself is looked at; `change_many` sees the rest."""
    able: list[Any] = []
    left: dict[str, list[Any]] = defaultdict(list)
    now = clock.now()
    for row in rows:
        code = _why_not(verb, row, value, now)
        (left[code] if code else able).append(row)
    if verb.name == "merge":
        groups: dict[tuple[str, str], list[Any]] = defaultdict(list)
        for row in able:
            groups[row.user_id, row.fingerprint].append(row)
        able = [row for group in groups.values() if len(group) > 1 for row in group]
        left["alone"] += [group[0] for group in groups.values() if len(group) == 1]
    return able, {code: found for code, found in left.items() if found}


def change_many(
    scope: Scope, verb: Verb, value: str, seen: Sequence[tuple[int, int]], reason: str
) -> Done:
    """Change those memories that still are at the revision at which they were seen (pairs of key
    and revision), as one batch; the others are left and told of. Raises `QueueTimeout`, and
    `Conflict` where the store refuses the whole batch: nothing was changed then."""
    with queue.turn():
        rows, left = _as_seen(scope, seen)
        able, refused = sort_out(verb, rows, value)
        left += [Left(r.pk, code, r.public_id) for code, found in refused.items() for r in found]
        planner, objections = _planned(verb, scope, able, value)
        left += objections
        try:
            applied = apply(planner.plan(verb.batch, reason))
        except ForbiddenMove as error:
            raise Conflict(str(error)) from error
    return Done(applied.batch, len(able) - len(objections), left)


def pack(seen: Iterable[tuple[int, int]]) -> str:
    """Pairs of key and revision as a short text, in the order of the keys: 10,000 neighbours take
    some 200 bytes, scattered ones 20 kB."""
    flat, last = [], 0
    for pk, revision in sorted(seen):
        flat += [pk - last, revision]
        last = pk
    return b64encode(zlib.compress(json.dumps(flat, separators=(",", ":")).encode())).decode()


def unpack(text: str) -> list[tuple[int, int]]:
    """What `pack` has packed: pairs of key and revision."""
    flat, pk, pairs = json.loads(zlib.decompress(b64decode(text))), 0, []
    for step, revision in zip(flat[::2], flat[1::2], strict=True):
        pk += step
        pairs.append((pk, revision))
    return pairs


def _why_not(verb: Verb, row: Any, value: str, now: datetime) -> str:
    if row.status not in verb.takes:
        return "state"
    if verb.name == "approve" and not row.ttl_hours and row.expires_at and row.expires_at <= now:
        return "over"
    if verb.sets == "tag":
        return "same" if value in row.tags else "full" if len(row.tags) >= TAG_LIMIT else ""
    return "same" if verb.sets and str(getattr(row, verb.sets)) == value else ""


def _as_seen(scope: Scope, seen: Sequence[tuple[int, int]]) -> tuple[list[Memory], list[Left]]:
    found = Memory.objects.within(scope).filter(pk__in=[pk for pk, _ in seen])
    rows = {row.pk: row for row in found.order_by("pk")}
    left = [Left(pk, "gone") for pk, _ in seen if pk not in rows]
    for pk, revision in seen:
        if pk in rows and rows[pk].revision != revision:
            left.append(Left(pk, "moved", rows.pop(pk).public_id))
    return list(rows.values()), left


def _planned(
    verb: Verb, scope: Scope, rows: Sequence[Memory], value: str
) -> tuple[Planner, list[Left]]:
    """One plan of all; where that is refused, of those that are not, one after the other."""
    try:
        return verb.plan(scope, rows, value), []
    except (Conflict, InvalidInput):
        planner, left = Planner(scope), []
    for row in rows:
        try:
            verb.plan(scope, [row], value, planner)
        except (Conflict, InvalidInput) as error:
            left.append(Left(row.pk, "refused", row.public_id, str(error)))
    return planner, left
