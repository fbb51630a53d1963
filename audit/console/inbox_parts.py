"""What the inbox shows of a finding: the fact, how far it reached, what was done about it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import OuterRef, Q, Subquery
from django.utils.functional import cached_property
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from audit.findings.judge import ANSWERED, GIVEN, IMPORTED
from audit.models import Finding, FindingEvent, FindingState, Occurrence
from memory.models import Change, Memory, Recall, Scope, Status

from .history import Superseded
from .keyset import COUNT_CAP
from .listing import State

HOWS = {
    GIVEN: _("it was already invalid when it was handed out"),
    ANSWERED: _("it became invalid before the answer"),
    IMPORTED: _("it stands in the log of another system"),
}
# What is shown by its stored name, for the catalogue.
STORED = (
    gettext_noop("erased"), gettext_noop("unknown"), gettext_noop("opened"),
    gettext_noop("assigned"), gettext_noop("resolved"), gettext_noop("ignored"),
    gettext_noop("reopened"), gettext_noop("commented"),
)  # fmt: skip
TABS = {
    "open": (_("Open"), Q(state=FindingState.OPEN)),
    "reopened": (_("Reopened"), Q(state=FindingState.OPEN, reopened__gt=0)),
    "mine": (_("Mine"), Q(state=FindingState.OPEN)),
    "resolved": (_("Resolved"), Q(state=FindingState.RESOLVED)),
    "ignored": (_("Ignored"), Q(state=FindingState.IGNORED)),
}
# A finding may have a million occurrences; whom it reached is told of the newest.
RECENT = 200
EVENTS = 50


@dataclass(frozen=True)
class Fact:
    """The memory that was handed out (None: erased, or never here) and the one that is current
    for its fact now (None: nothing is)."""

    given: Memory | None
    current: Memory | None

    @property
    def is_valid_again(self) -> bool:
        return self.given is not None and self.given == self.current

    @property
    def told(self) -> Memory | None:
        """The row that names the fact."""
        return self.given or self.current

    @property
    def marked(self) -> SafeString | str:
        """From what was given to what is current."""
        if self.given is None or self.is_valid_again:
            return self.current.value or self.current.text if self.current else ""
        return Superseded(self.given, self.current, None).marked


@dataclass
class Reach:
    """Whom the newest occurrences reached and how; `is_cut`: there are older ones."""

    users: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    hows: list[str] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)
    last: Recall | None = None
    is_cut: bool = False

    @property
    def how_texts(self) -> list[str]:
        return [str(HOWS.get(how, how)) for how in self.hows]


@dataclass(frozen=True)
class Row:
    finding: Finding
    fact: Fact
    reach: Reach


@dataclass(frozen=True)
class Told:
    """An event, with the recall in which the scan saw it."""

    event: FindingEvent
    recall_id: UUID | None

    @cached_property
    def text(self) -> str:
        return "" if self.recall_id else self.event.text


def chosen_by(tab: str, person_id: int) -> Q:
    mine = Q(assigned_to=person_id) if tab == "mine" else Q()
    return TABS[tab][1] & mine


def tabs(scope: Scope, chosen: str, person_id: int) -> list[State]:
    """The tabs with their counts, capped."""
    found = []
    for name, (text, _rows) in TABS.items():
        rows = Finding.objects.within(scope).filter(chosen_by(name, person_id)).order_by()
        count = rows[: COUNT_CAP + 1].count()
        capped = count > COUNT_CAP
        found.append(State(name, text, min(count, COUNT_CAP), capped, name == chosen))
    return found


def shown(scope: Scope, findings: Sequence[Finding]) -> list[Row]:
    """Findings with their facts and reach; as many queries for one as for fifty."""
    facts, reached = facts_of(scope, findings), _reach(scope, findings)
    return [Row(one, facts[one.memory_id], reached[one.pk]) for one in findings]


def facts_of(scope: Scope, findings: Iterable[Finding]) -> dict[UUID, Fact]:
    """The fact of each finding, by the id of the memory that was handed out."""
    wanted = {one.memory_id for one in findings}
    rows = Memory.objects.within(scope)
    given = {row.public_id: row for row in rows.filter(public_id__in=wanted)}
    facts = {memory_id: row.fact for memory_id, row in given.items()}
    # Of what was erased, the ledger still knows whose version it was.
    facts |= Change.objects.filter(
        memory_id__in=wanted - set(given), batch__workspace_id=scope.workspace_id
    ).values_list("memory_id", "fact")
    current = {
        row.fact: row
        for row in rows.filter(fact__in=set(facts.values()), status=Status.ACTIVE).order_by("pk")
    }
    return {
        memory_id: Fact(given.get(memory_id), current.get(facts.get(memory_id)))
        for memory_id in wanted
    }


def _reach(scope: Scope, findings: Sequence[Finding]) -> dict[int, Reach]:
    own = Occurrence.objects.filter(finding=OuterRef("pk")).order_by("-id").values("id")
    ends = list(
        Finding.objects.within(scope)
        .filter(pk__in=[one.pk for one in findings])
        .annotate(last=Subquery(own[:1]), floor=Subquery(own[RECENT : RECENT + 1]))
        .values_list("pk", "last", "floor")
    )
    reached = {pk: Reach(is_cut=floor is not None) for pk, _last, floor in ends}
    newest = Q(pk__in=[])
    for pk, _last, floor in ends:
        newest |= Q(finding=pk, id__gt=floor or 0)
    rows = Occurrence.objects.filter(newest).order_by("-id")
    columns = ("recall__user_id", "recall__agent_id", "recall__actor", "how", "status")
    for pk, user, agent, actor, how, status in rows.values_list("finding", *columns):
        one = reached[pk]
        for names, name in (
            (one.users, user), (one.agents, agent or actor), (one.hows, how),
            (one.statuses, status),
        ):  # fmt: skip
            if name and name not in names:
                names.append(name)
    lasts = Occurrence.objects.filter(pk__in=[last for _pk, last, _floor in ends])
    for occurrence in lasts.select_related("recall").defer("recall__context", "recall__answer"):
        reached[occurrence.finding_id].last = occurrence.recall
    return reached


def events(finding: Finding) -> list[Told]:
    """The last things done to a finding, newest first."""
    return [Told(event, _recall_id(event)) for event in finding.events.order_by("-id")[:EVENTS]]


def _recall_id(event: FindingEvent) -> UUID | None:
    try:
        return UUID(event.text) if event.actor == "scan" else None
    except ValueError:
        return None
