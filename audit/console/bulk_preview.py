"""What a verb would do to many memories: how many of them, whose, and a few as examples."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.core import signing
from django.db.models import QuerySet
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from memory import clock
from memory.index.browse import COUNT_CAP
from memory.models import Memory, Scope
from memory.write.correction.preview import CAP, GOOD_FOR
from memory.write.many import AT_ONCE, VERBS, Verb, pack, sort_out, unpack
from memory.write.plan import Conflict

from .effects import Effect, effects_of
from .memory_filter import MemoryFilter
from .templatetags.console import label

SAMPLE, PARTS = 10, 5
# A page shows no more.
MOST_CHOSEN = 200
# What the address says beside the filters of the list.
OWN = ("verb", "to", "memory", "all")
WHY = {
    "state": _("their state does not allow this"),
    "over": _("their time is over"),
    "same": _("they are so already"),
    "full": _("they have as many tags as there may be"),
    "alone": _("no other of the chosen ones says the same"),
    "moved": _("they were changed after the preview"),
    "gone": _("they are no longer there"),
    "refused": _("another value is current for their entity and attribute"),
}
_AGES = (
    (timedelta(days=1), _("a day at most")),
    (timedelta(days=7), _("a week at most")),
    (timedelta(days=30), _("a month at most")),
    (timedelta(days=365), _("a year at most")),
    (timedelta.max, _("older")),
)
_SALT = "bulk"


@dataclass(frozen=True)
class Part:
    """How the rows divide by one thing. `others`: how many rows have other values."""

    title: Any
    counts: Sequence[tuple[str, int]]
    others: int


@dataclass(frozen=True)
class Preview:
    """`chosen` memories, of which `count` can be changed so; `left` says why the others cannot.
    `cut`: there are more than may be chosen at once, and the newest are."""

    verb: Verb
    value: str
    chosen: int
    rows: Sequence[Any]
    left: Sequence[tuple[Any, int]]
    parts: Sequence[Part]
    sample: Sequence[Effect]
    cut: bool

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def seen(self) -> list[tuple[int, int]]:
        """Key and revision of each that can be changed."""
        return [(row.pk, row.revision) for row in self.rows]

    @property
    def is_over_the_cap(self) -> bool:
        """Whether the number has to be typed: more than a person looks through."""
        return self.count > CAP

    @property
    def is_job(self) -> bool:
        return self.count > AT_ONCE

    @property
    def is_too_many(self) -> bool:
        """Memories that say the same are merged together or not at all."""
        return self.is_job and self.verb.name == "merge"


@dataclass(frozen=True)
class Seen:
    """What a person was shown: exactly that may be done."""

    verb: Verb
    value: str
    rows: Sequence[tuple[int, int]]


class NotSeen(Exception):
    """No preview of this person in this workspace within the last hour."""


def chosen_rows(scope: Scope, asked: QueryDict) -> QuerySet[Memory]:
    """The memories that the address chooses: those it names, or all that its filters give."""
    if not asked.get("all"):
        ids = {_uuid(text) for text in asked.getlist("memory")[:MOST_CHOSEN]}
        return Memory.objects.within(scope).filter(public_id__in=ids)
    filters = asked.copy()
    for name in OWN:
        filters.pop(name, None)
    return MemoryFilter(filters, scope).qs


def preview(scope: Scope, rows: QuerySet[Memory], verb: Verb, value: str) -> Preview:
    """What the verb would do to them; of more than `COUNT_CAP` to the newest."""
    found = list(rows.order_by("-pk").values_list(*verb.columns, named=True)[: COUNT_CAP + 1])
    cut, found = len(found) > COUNT_CAP, found[:COUNT_CAP]
    able, left = sort_out(verb, found, value)
    return Preview(
        verb,
        value,
        len(found),
        able,
        [(WHY[code], len(others)) for code, others in left.items()],
        _parts(able),
        _sample(scope, verb, value, able),
        cut,
    )


def seal(scope: Scope, shown: Preview) -> str:
    """What was shown, so that only that is done."""
    told = [scope.workspace_id, scope.actor, shown.verb.name, shown.value, pack(shown.seen)]
    return signing.dumps(told, salt=_SALT)


def unseal(scope: Scope, text: str) -> Seen:
    """What this person was shown here. Raises `NotSeen`."""
    try:
        workspace, actor, verb, value, rows = signing.loads(text, salt=_SALT, max_age=GOOD_FOR)
    except signing.BadSignature as error:
        raise NotSeen from error
    if (workspace, actor) != (scope.workspace_id, scope.actor):
        raise NotSeen
    return Seen(VERBS[verb], value, unpack(rows))


def _parts(rows: Sequence[Any]) -> list[Part]:
    """What is counted is named only then: of 10,000 rows the names took 2 s."""
    now = clock.now()
    ages = Counter(_age(now - row.created_at) for row in rows)
    counted = (
        (_("User"), Counter(row.user_id for row in rows), str),
        (_("Agent"), Counter(row.agent_id for row in rows), str),
        (_("Kind"), Counter(row.kind for row in rows), label),
        (_("State"), Counter(row.status for row in rows), label),
    )
    parts = [_part(title, counts, name) for title, counts, name in counted]
    parts.append(Part(_("Age"), [(str(_AGES[at][1]), n) for at, n in sorted(ages.items())], 0))
    return parts if rows else []


def _part(title: Any, counts: Counter, name: Callable[[Any], str]) -> Part:
    common = counts.most_common(PARTS)
    others = counts.total() - sum(n for _, n in common)
    return Part(title, [(name(value), n) for value, n in common], others)


def _age(age: timedelta) -> int:
    """Its place in `_AGES`."""
    return next(place for place, (most, _) in enumerate(_AGES) if age <= most)


def _sample(scope: Scope, verb: Verb, value: str, rows: Sequence[Any]) -> list[Effect]:
    """What becomes of the first of them; of those to be merged, of whole groups."""
    wanted = list(rows[:SAMPLE])
    if verb.name == "merge":
        groups: dict[tuple, list[Any]] = defaultdict(list)
        for row in rows:
            groups[row.user_id, row.fingerprint].append(row)
        wanted = list(_first(groups.values()))
    found = Memory.objects.within(scope).filter(pk__in=[row.pk for row in wanted])
    memories = {row.pk: row for row in found}
    shown = [memories[row.pk] for row in wanted if row.pk in memories]
    try:
        return effects_of(verb.plan(scope, shown, value), shown)
    except Conflict:
        # One that is refused is told of when it is done; here they are only shown.
        return [Effect(row, row, ()) for row in shown]


def _first(groups: Iterable[list[Any]]) -> Iterable[Any]:
    count = 0
    for group in groups:
        if count and count + len(group) > SAMPLE:
            return
        count += len(group)
        yield from group


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return UUID(int=0)
