"""Session snapshots: after every so many turns, what a session was about becomes one memory.

A later snapshot of a session tells of all its turns and supersedes the one before, which stays in
the history: side by side the older one would go on being recalled with what the newer corrects.
For the same reason a snapshot is made anew when a memory that came from its turns no longer holds.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db.models import Count, QuerySet

from memory.models import (
    Change,
    Extraction,
    Kind,
    Memory,
    Scope,
    Source,
    Status,
    Turn,
    policies_of,
)
from memory.text.normalise import key

from .apply import apply
from .draft import columns, expiry
from .held import status_of
from .planner import Planner
from .proposal import Proposal
from .resolve import doubts_about, supersede
from .summary import Spans, Summary, summarise
from .transaction import write_transaction

ATTRIBUTE = "summary"
# Of a longer session the newest so many turns are summed up.
MOST_TURNS = 400
_SESSION = ("workspace_id", "user_id", "session_id")


@dataclass(frozen=True)
class Session:
    """A session of which a snapshot is due, at so many of its turns."""

    workspace_id: int
    user_id: str
    session_id: str
    turns: int

    @property
    def place(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _SESSION}


def newest_change() -> int:
    """The number of the newest ledger entry; 0 where there is none."""
    return Change.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def newest_turn() -> int:
    """The number of the turn that was stored last; 0 where there is none."""
    return Turn.everywhere.order_by("-pk").values_list("pk", flat=True).first() or 0


def due(since: int = 0) -> Iterator[Session]:
    """The sessions with turns after that one of which a snapshot is due: at each multiple of
    MASE_SNAPSHOT_TURNS. None where that is 0."""
    every = settings.SNAPSHOT_TURNS
    if not every:
        return
    for place, count in _counted(since, every):
        session = Session(*place, turns=count // every * every)
        if session.turns and not _is_made(session):
            yield session


def is_read(session: Session) -> bool:
    """Whether its turns have been read for what is worth remembering: until then nobody knows
    what in them still holds."""
    waiting = Extraction.objects.filter(
        done_at__isnull=True, **{f"turn__{name}": value for name, value in session.place.items()}
    )
    return not waiting.exists()


def outdated(since: int = 0) -> Iterator[Session]:
    """The sessions whose snapshot was made when more of what they gave still held than now, as
    far as ledger entries after `since` tell."""
    snapshots = Memory.everywhere.filter(
        kind=Kind.EVENT, status=Status.ACTIVE, attribute_key=ATTRIBUTE, metadata__has_key="snapshot"
    ).exclude(session_id="")
    if since:
        ended = Change.objects.filter(pk__gt=since, status_before=Status.ACTIVE)
        ended = ended.exclude(status_after=Status.ACTIVE).values("memory_id")
        turns = Turn.everywhere.filter(
            public_id__in=Memory.everywhere.filter(public_id__in=ended).values("turn_id")
        )
        snapshots = snapshots.filter(session_id__in=turns.values("session_id"))
    for memory in snapshots.order_by("pk").iterator():
        told = memory.metadata["snapshot"]
        place = {name: getattr(memory, name) for name in _SESSION}
        session = Session(**place, turns=told["turns"])
        if _count(_gone(list(_turns(session).only("public_id")))) > told["gone"]:
            yield session


def take_snapshot(session: Session) -> Memory | None:
    """Sum up a session's turns and keep that; None where nothing in them is worth it, or somebody
    did it before. Asks the model, if there is one, outside of any transaction.

    Raises `queue.QueueTimeout`.
    """
    turns = list(_turns(session))
    gone = _gone(turns)
    summary = summarise(turns, gone)
    if summary is None:
        return None
    with write_transaction():
        return None if _is_made(session) else _kept(session, turns, summary, _count(gone))


def take_again(session: Session) -> Memory | None:
    """Make an `outdated` snapshot anew; None where it is no longer there to be. Raises as
    `take_snapshot` does."""
    turns = list(_turns(session))
    gone = _gone(turns)
    summary = summarise(turns, gone)
    with write_transaction():
        current = _current(session)
        if current is None or current.metadata["snapshot"]["turns"] != session.turns:
            return None
        if summary is not None and summary.text != current.text:
            return _kept(session, turns, summary, _count(gone))
        planner = Planner(_scope(session))
        if summary is None:
            planner.change(current, "retract", status=Status.RETRACTED, valid_to=planner.now)
        else:
            told = current.metadata["snapshot"] | {"gone": _count(gone)}
            planner.change(current, "confirm", metadata=current.metadata | {"snapshot": told})
        reason = "a memory from its turns no longer holds"
        return apply(planner.plan("snapshot", reason)).memories[current.public_id]


def _counted(since: int, every: int) -> Iterator[tuple[tuple, int]]:
    turns = Turn.everywhere.exclude(session_id="").order_by()
    if not since:
        counted = turns.values_list(*_SESSION).annotate(count=Count("pk"))
        for *place, count in counted.filter(count__gte=every):
            yield tuple(place), count
        return
    for place in turns.filter(pk__gt=since).values_list(*_SESSION).distinct():
        yield place, turns.filter(**dict(zip(_SESSION, place, strict=True))).count()


def _turns(session: Session) -> QuerySet[Turn]:
    first = max(session.turns - MOST_TURNS, 0)
    return Turn.everywhere.filter(**session.place).order_by("pk")[first : session.turns]


def _snapshots(session: Session) -> QuerySet[Memory]:
    return Memory.everywhere.filter(
        **session.place,
        entity_key=key(_entity(session)),
        attribute_key=ATTRIBUTE,
        metadata__has_key="snapshot",
    )


def _entity(session: Session) -> str:
    return f"session:{session.session_id}"


def _current(session: Session) -> Memory | None:
    return _snapshots(session).filter(status=Status.ACTIVE).order_by("-pk").first()


def _is_made(session: Session) -> bool:
    """Whether there is a snapshot of so many turns, in whatever state: one that a person took
    back is not made again."""
    return _snapshots(session).filter(metadata__snapshot__turns__gte=session.turns).exists()


def _gone(turns: list[Turn]) -> Spans:
    """The places in these turns that gave a memory which is not current: superseded, retracted,
    held."""
    found = defaultdict(list)
    rows = Memory.everywhere.filter(
        turn_id__in=[turn.public_id for turn in turns], evidence_start__isnull=False
    ).exclude(status=Status.ACTIVE)
    for turn_id, *span in rows.values_list("turn_id", "evidence_start", "evidence_end"):
        found[turn_id].append(tuple(span))
    return found


def _count(gone: Spans) -> int:
    return sum(map(len, gone.values()))


def _scope(session: Session) -> Scope:
    return Scope(session.workspace_id, "maintenance", "command", session.user_id or None)


def _kept(session: Session, turns: list[Turn], summary: Summary, gone: int) -> Memory:
    scope = _scope(session)
    planner, last = Planner(scope), turns[-1]
    policy = policies_of(scope.workspace_id).of(Kind.EVENT)
    row = columns(_proposal(session, turns, summary, gone).checked(), policy, None, scope)
    row |= expiry(policy, last.created_at)
    doubts = doubts_about(row, policy, None)
    current = _current(session)
    if current is not None and not doubts:
        memory = supersede(planner, current, row, last.created_at).memory
    else:
        row |= {"status": status_of(doubts), "held_for": doubts}
        row |= {"confirmed_at": last.created_at, "valid_from": last.created_at}
        memory = planner.add("hold" if doubts else "add", **row)
    reason = f"{session.turns} turns" + (f"; {summary.note}" if summary.note else "")
    return apply(planner.plan("snapshot", reason)).memories[memory.public_id]


def _proposal(session: Session, turns: list[Turn], summary: Summary, gone: int) -> Proposal:
    first, last = turns[0], turns[-1]
    agents = {turn.agent_id for turn in turns}
    return Proposal(
        user_id=session.user_id,
        session_id=session.session_id,
        agent_id=agents.pop() if len(agents) == 1 else "",
        entity=_entity(session),
        attribute=ATTRIBUTE,
        text=summary.text,
        kind=Kind.EVENT,
        source=Source.INFERRED,
        occurred_at=last.occurred_at,
        metadata={
            "snapshot": {
                "turns": session.turns,
                "first_turn": str(first.public_id),
                "last_turn": str(last.public_id),
                "from": first.occurred_at.isoformat(),
                "to": last.occurred_at.isoformat(),
                "made_by": summary.made_by,
                # How many of the memories from these turns did not hold when this was made.
                "gone": gone,
                "sentences": [list(cited) for cited in summary.cited],
            }
        },
    )
