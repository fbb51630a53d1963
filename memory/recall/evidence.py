"""Turns as a source of recall beside memories: found, ranked, and held back where memory has moved
on from what they say."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from uuid import UUID

from memory.index.outdated import LEFT, Version, current_prints, versions, versions_then
from memory.index.turns import (
    NOTHING,
    TurnFilters,
    TurnHit,
    TurnsFound,
    search_turns,
    search_turns_as_of,
)
from memory.models import Memory, Policies, Status
from memory.text.normalise import key, normalise
from memory.text.terms import Query, analyse, index_terms
from memory.write.draft import places

from .rank import PROFILES, Ranked
from .request import RecallRequest
from .turn_rank import RankedTurn, rank_turns

# What memory moved on from by itself. A row that was rejected or is held says nothing of what
# others said: only its own evidence is kept back with it.
_PASSED = {Status.SUPERSEDED, Status.RETRACTED, Status.EXPIRED}
_SPEAKER = "user"
# A full date has five terms. A longer value with a number in it is a sentence, not an amount.
_AMOUNT_TERMS = 5
# Longer texts are not remembered after they were normalised.
_REMEMBERED = 2000


@dataclass(frozen=True)
class Offered:
    """A turn that may be given. `twins` are the places of the memories, among those within the
    limit, that say the same: they came from it, or have its very words."""

    item: RankedTurn
    twins: tuple[int, ...] = ()


@dataclass(frozen=True)
class Outdated:
    """A turn that would bring back what `because`, a memory, has moved on from."""

    item: RankedTurn
    because: UUID


@dataclass(frozen=True)
class Evidence:
    """All best first. `offered` and `outdated` are as many of the `ranked` as it took to fill the
    request's number of turns; the others were not looked at."""

    found: TurnsFound = NOTHING
    ranked: tuple[RankedTurn, ...] = ()
    offered: tuple[Offered, ...] = ()
    outdated: tuple[Outdated, ...] = ()

    @property
    def rest(self) -> tuple[RankedTurn, ...]:
        return self.ranked[len(self.offered) + len(self.outdated) :]


def find_evidence(
    request: RecallRequest,
    query: Query,
    memories: Sequence[Ranked],
    moment: datetime,
    *,
    policies: Policies | None = None,
    past: datetime | None = None,
    among: Collection[int] | None = None,
    standing: Collection[UUID] = (),
) -> Evidence:
    """The turns that may stand beside the ranked `memories`, at `moment` in the log as it is, or
    as it was at `past`; `among` is a cut made earlier. Rows in `standing` are thought current.

    A turn has neither kind nor domain: a question for some of these has no turns.
    """
    if not request.turns or request.kinds or request.domains:
        return Evidence()
    filters = TurnFilters(request.agent_id, *_time(request))
    if past is None:
        found = search_turns(request.scope, query, filters)
    else:
        found = search_turns_as_of(request.scope, query, filters, past, among)
    if not found.hits:
        return Evidence(found)
    ranked = rank_turns(query, found, PROFILES[request.profile], moment, policies)
    judge = _judge(request, found.hits, moment, past, standing)
    within = [item.memory for item in memories[: request.limit]]
    texts = [_keyed(memory.text) for memory in within]
    offered, outdated = [], []
    free = request.turns
    for item in ranked:
        if not free:
            break
        if because := judge.outdates(item.turn):
            outdated.append(Outdated(item, because))
            continue
        twins = _twins(item.turn, within, texts)
        offered.append(Offered(item, twins))
        free -= not twins
    return Evidence(found, tuple(ranked), tuple(offered), tuple(outdated))


def _time(request: RecallRequest) -> tuple[datetime | None, datetime | None]:
    """When a turn may have been said: in the request's time, and on the day that it asks about."""
    if request.day is None:
        return request.since, request.until
    day = request.day.filter()
    return max(request.since or day.since, day.since), min(request.until or day.until, day.until)


def _judge(
    request: RecallRequest,
    hits: Sequence[TurnHit],
    moment: datetime,
    past: datetime | None,
    standing: Collection[UUID],
) -> "_Judge":
    scope = request.scope
    if past is None:
        rows = versions(scope, [hit.public_id for hit in hits], moment)
    else:
        rows = versions_then(scope, past, moment)
    rows = [row for row in rows if row.public_id not in standing]
    prints = {row.fingerprint for row in rows if row.is_active}
    if past is None and any(not row.is_active for row in rows):
        passed = [row.fingerprint for row in rows if row.status in _PASSED]
        prints |= current_prints(scope, passed, moment)
    return _Judge(rows, prints)


class _Judge:
    """Says of a turn whether memory has moved on from it."""

    def __init__(self, rows: Sequence[Version], current: Collection[str]):
        self.evidence: dict[UUID, list[Version]] = {}
        passed: dict[str, Version] = {}
        for row in rows:
            if row.turn_id is not None:
                self.evidence.setdefault(row.turn_id, []).append(row)
            if row.status in _PASSED and row.fingerprint not in current:
                last = passed.get(row.fingerprint)
                if last is None or last.ended_at < row.ended_at:
                    passed[row.fingerprint] = row
        self.passed = list(passed.values())

    def outdates(self, turn: TurnHit) -> UUID | None:
        """The memory that has moved on from what the turn says, if there is one.

        It is one that came from this turn and no longer stands; or one whose old value the turn
        says of the same entity or attribute (named in it or in the turn before it) and that ended
        after it. A turn that a current memory of the same fact came from is no such turn.
        """
        own = self.evidence.get(turn.public_id, ())
        kept = {row.fact for row in own if row.is_active}
        for row in own:
            if row.status in LEFT and row.fact not in kept:
                return row.public_id
        if not self.passed:
            return None
        text = _normalised(turn.content)
        for row in self.passed:
            if (
                turn.occurred_at <= row.ended_at
                and row.fact not in kept
                and _says(turn, text, row)
                and _is_about(turn, text, row)
            ):
                return row.public_id
        return None


def _says(turn: TurnHit, text: str, row: Version) -> bool:
    value = row.value_key or key(row.text)
    if value in text and places(text, value):
        return True
    amount = _amount(value)
    return bool(amount) and turn.own.words(amount) == amount


def _is_about(turn: TurnHit, text: str, row: Version) -> bool:
    if not row.value_key:
        return True
    names = [name for name in (row.entity_key, row.attribute_key) if name and name != _SPEAKER]
    return any(places(text, name) or _names(turn, name) for name in names)


def _names(turn: TurnHit, name: str) -> bool:
    """Whether the turn with the turn before it holds the words of a name, or its characters."""
    words, pairs = _name_terms(name)
    if words and turn.own.words(words) | turn.before.words(words) == words:
        return True
    return bool(pairs) and turn.own.pairs(pairs) | turn.before.pairs(pairs) == pairs


@lru_cache(maxsize=4096)
def _name_terms(name: str) -> tuple[frozenset[str], frozenset[str]]:
    terms = index_terms(name)
    pairs = (pair for pair in terms.bigrams if len(pair) > 1)
    return frozenset(terms.words), frozenset(pairs)


@lru_cache(maxsize=4096)
def _amount(value: str) -> frozenset[str]:
    """The numbers, days and ids of a short value: 1,200 and 1200 元 are both 1200."""
    if not any(map(str.isdigit, value)) or len(value) > 64:
        return frozenset()
    terms = analyse(value)
    if len(terms) > _AMOUNT_TERMS:
        return frozenset()
    return frozenset(term.text for term in terms if term.kind in ("number", "date", "id"))


def _twins(turn: TurnHit, memories: Sequence[Memory], texts: Sequence[str]) -> tuple[int, ...]:
    """Places of the memories that came from a turn or have its very words."""
    said = _keyed(turn.content) if memories else ""
    return tuple(
        place
        for place, (memory, text) in enumerate(zip(memories, texts, strict=True))
        if memory.turn_id == turn.public_id or text == said
    )


def _keyed(text: str) -> str:
    return _remembered_key(text) if len(text) <= _REMEMBERED else key(text)


def _normalised(text: str) -> str:
    return _remembered(text) if len(text) <= _REMEMBERED else normalise(text)


# The same few turns and memories are compared again and again: 0.2 ms for 200 characters.
_remembered_key = lru_cache(maxsize=4096)(key)
_remembered = lru_cache(maxsize=4096)(normalise)
