"""What goes to the logs: turns of a dialogue, and what another system handed out."""

from collections.abc import Mapping
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from memory.models import Memory, Recall, Scope, ScopeError, Status, Turn
from memory.recall.recorder import store
from memory.text.terms import VERSION
from memory.write.held import without_secrets
from memory.write.proposal import NAME_LIMIT, InvalidInput
from memory.write.turns import Utterance, append_turns, drawn_up, entries_of

from .record import Record, Said, Shown
from .told import Told, rejected

# The scan of recalls knows records of other systems by this surface.
SURFACE = "imported"


def turn_id_of(scope: Scope, origin: str, record: Record) -> UUID:
    """The id here of the turn that a record was said in."""
    return _id(scope, origin, record.user_id or scope.user_id or "", "turn", record.turn)


def keep_turns(
    scope: Scope, origin: str, said: Mapping[int, Said], *, dry_run: bool = False
) -> dict[int, Told]:
    """Append turns, or only say what would become of them; one that is here already is skipped.
    Raises `QueueTimeout`."""
    told: dict[int, Told] = {}
    ids = {
        n: _id(scope, origin, one.user_id or scope.user_id or "", "turn", one.external_id)
        for n, one in said.items()
    }
    rows = Turn.objects.within(scope).filter(public_id__in=ids.values())
    here = set(rows.values_list("public_id", flat=True))
    drawn: list[Turn] = []
    for n, one in said.items():
        if ids[n] in here:
            told[n] = Told(one.number, "skipped", "unchanged")
            continue
        here.add(ids[n])
        try:
            turn = drawn_up(scope, [_utterance(origin, one)])[0]
        except InvalidInput as error:
            fields = "; ".join(f"{name}: {message}" for name, message in error.errors)
            told[n] = rejected(one, error.code, fields)
        except ScopeError:
            told[n] = rejected(one, "outside_scope", "user_id: outside the scope")
        else:
            turn.public_id = ids[n]
            drawn.append(turn)
            told[n] = Told(one.number, "turn")
    if drawn and not dry_run:
        append_turns(drawn, entries_of(drawn))
    return told


def keep_shown(
    scope: Scope, origin: str, given: Mapping[int, Shown], *, dry_run: bool = False
) -> dict[int, Told]:
    """Keep what another system handed out as recall records, so that what was stale then is
    found, or only say what would become of it. A memory that is not here is left out. Raises
    `QueueTimeout`."""
    told: dict[int, Told] = {}
    ids = {
        n: _id(scope, origin, one.user_id, "recall", one.external_id) for n, one in given.items()
    }
    rows = Recall.objects.within(scope).filter(public_id__in=ids.values())
    here = set(rows.values_list("public_id", flat=True))
    memories = _memories(scope, origin, given)
    entries = []
    for n, one in given.items():
        if ids[n] in here:
            told[n] = Told(one.number, "skipped", "unchanged")
            continue
        here.add(ids[n])
        if dry_run:
            # The memories that it names may come from the same file.
            told[n] = Told(one.number, "recall")
            continue
        found = [
            _candidate(rank, memories[one.user_id, memory_id], score, state)
            for rank, (memory_id, score, state) in enumerate(one.items, start=1)
            if (one.user_id, memory_id) in memories
        ]
        if not found:
            told[n] = Told(one.number, "skipped", "not_here")
            continue
        entries.append((_recall(scope, ids[n], one, len(found)), found))
        told[n] = Told(one.number, "recall")
    if entries:
        store(entries)
    return told


def _memories(scope: Scope, origin: str, given: Mapping[int, Shown]) -> dict[tuple, Memory]:
    wanted = {memory_id for one in given.values() for memory_id, _score, _state in one.items}
    rows = Memory.objects.within(scope).filter(
        external_id__in=wanted, user_id__in={one.user_id for one in given.values()}
    )
    return {(row.user_id, row.external_id): row for row in rows.order_by("version", "pk")}


def _candidate(rank: int, memory: Memory, score: float | None, state: str) -> dict[str, Any]:
    return {
        "memory_id": memory.public_id,
        "rank": rank,
        "score": score,
        "status": state,
        "revision": memory.revision,
        "stale": state != Status.ACTIVE,
    }


def _recall(scope: Scope, recall_id: UUID, one: Shown, served: int) -> Recall:
    query = without_secrets(one.query)
    return Recall(
        public_id=recall_id,
        workspace_id=scope.workspace_id,
        user_id=one.user_id,
        agent_id=one.agent_id[:NAME_LIMIT],
        at=one.at,
        actor=scope.actor,
        surface=SURFACE,
        query=query,
        query_used=query,
        terms={"used": [], "dropped": []},
        # What a replay asks with; the other system had its own.
        profile="balanced",
        analyser=VERSION,
        blocks={},
        served=served,
        took_ms=0.0,
    )


def _utterance(origin: str, one: Said) -> Utterance:
    return Utterance(
        role=one.role,
        content=one.content,
        user_id=one.user_id,
        agent_id=one.agent_id,
        session_id=one.session_id,
        occurred_at=one.at,
        metadata={**one.metadata, "imported": {"from": origin, "id": one.external_id}},
    )


def _id(scope: Scope, origin: str, user_id: str, what: str, external_id: str) -> UUID:
    """The same for the same thing of the same source, so that it comes in once."""
    name = "\x00".join((str(scope.workspace_id), origin, user_id, what, external_id))
    return uuid5(NAMESPACE_URL, name.encode("utf-8", "backslashreplace").decode())
