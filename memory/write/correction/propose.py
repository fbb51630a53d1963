"""From an utterance to what it would change: a verdict, its targets, and the plan."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from memory.models import Memory, Recall, Scope, Source, Status, Turn, policies_of

from ..confidence import STARTING_CONFIDENCE
from ..plan import Plan, PlannedChange
from ..planner import Planner
from ..resolve import take
from ..review import plan_reject
from ..revise import amended, plan_amend, plan_retract
from .facts import Facts
from .reading import Reading, read
from .talk import Finding
from .targets import bind

CORRECTION, NOT_A_CORRECTION, AMBIGUOUS = "correction", "not_a_correction", "ambiguous"

MESSAGES = MappingProxyType(
    {
        "named": "It is clear which fact is meant.",
        "statement": "It states something and takes nothing back; remember it instead.",
        "question": "It asks and changes nothing.",
        "closing": "It ends the talk and changes nothing.",
        "kept": "It says that something stays as it is.",
        "confirmed": "It says that something is right.",
        "supposed": "It supposes or plans and states nothing.",
        "reported": "It tells what somebody else said.",
        "no_new_value": "It says that something is wrong. Which of these, and what is right?",
        "no_such_fact": "Nothing is remembered under “{subject}”; remember it as something new.",
        "already_so": "That is what is remembered.",
        "several_fit": "It fits several facts. Which of these is meant?",
        "whose": "It does not say whose, nor does the session. Is one of these meant?",
        "old_value_differs": "The value that it calls old is not the one remembered. Change it?",
        "value_does_not_fit": "The new value is of another type than the remembered one. Is it so?",
        "too_broad": "“{subject}” is a topic and not one fact; name the facts.",
        "too_short": "“{subject}” is too little to go by; name the fact.",
    }
)
# What is asked back; the other reasons mean that there is nothing to correct.
_ASKED = frozenset(
    ["no_new_value", "several_fit", "whose", "old_value_differs", "value_does_not_fit", "too_broad",
     "too_short"]
)  # fmt: skip


@dataclass(frozen=True)
class Meant:
    """One memory that is meant, at the revision that was seen. `value` None: it is retracted."""

    memory: Memory
    value: str | None

    @property
    def revision(self) -> int:
        return self.memory.revision

    @property
    def action(self) -> str:
        return "retract" if self.value is None else "replace"


@dataclass(frozen=True)
class Understood:
    """What an utterance comes to. `changes` are empty unless the verdict is "correction";
    `doubtful` is what it may mean where it is "ambiguous". `count` is how many facts it is about,
    which may be more than are listed."""

    verdict: str
    reason: str
    message: str
    changes: tuple[Meant, ...] = ()
    doubtful: tuple[Meant, ...] = ()
    count: int = 0

    @property
    def candidates(self) -> tuple[Memory, ...]:
        """The memories to ask about."""
        return tuple(change.memory for change in self.doubtful)

    @property
    def targets(self) -> tuple[Memory, ...]:
        return tuple(change.memory for change in self.changes)


def understand(
    scope: Scope,
    utterance: str,
    *,
    session_id: str = "",
    agent_id: str = "",
    recall: Recall | None = None,
    about: Memory | None = None,
) -> Understood:
    """Understand an utterance of the scope's user; nothing is changed.

    What kind of utterance it is comes from its words alone; then the facts are looked up by
    entity and attribute, by the old value in the session, or among what the session or `recall`
    brought up; `about` is the one memory that the speaker has before their eyes. Raises
    `ScopeError` where the scope has no user.
    """
    facts = Facts(scope, session_id, agent_id, recall, about)
    reading = read(utterance)
    if reading.reason:
        return _verdict(NOT_A_CORRECTION, reading.reason)
    return _understood(bind(reading, facts), reading, facts)


def plan_change(scope: Scope, change: Meant) -> Planner:
    """What becomes of one memory. A new value is the user's own word, as sure as such a word is.
    Raises `InvalidInput`, `Conflict`."""
    waits = change.memory.status == Status.QUARANTINED
    if change.value is None:
        return (plan_reject if waits else plan_retract)(scope, [change.memory])
    said = {"source": Source.USER_SAID, "confidence": STARTING_CONFIDENCE[Source.USER_SAID]}
    if not waits:
        return plan_amend(scope, change.memory, {"value": change.value} | said)
    # What is told in its place passes the same gates, and may have to wait as well.
    planner = plan_reject(scope, [change.memory])
    proposal = amended(change.memory, {"value": change.value} | said).checked()
    take(planner, proposal, policies_of(scope.workspace_id))
    return planner


def plan_correction(
    scope: Scope, changes: Sequence[Meant], reason: str = "", evidence: Turn | None = None
) -> Plan:
    """The plan of what was understood, bound to the revisions that were seen. `evidence` is the
    turn that new versions rest on. Raises as `plan_change`."""
    plans = [plan_change(scope, change).plan("correct", reason) for change in changes]
    users = {plan.user_id for plan in plans}
    return Plan(
        scope,
        "correct",
        reason,
        tuple(_resting_on(evidence, change) for plan in plans for change in plan),
        user_id=users.pop() if len(users) == 1 else "",
    )


def _resting_on(turn: Turn | None, change: PlannedChange) -> PlannedChange:
    if turn is None or change.sees is not None:
        return change
    said = {
        "turn_id": turn.public_id,
        "quote": turn.content,
        "evidence_start": 0,
        "evidence_end": len(turn.content),
        "session_id": turn.session_id or change.sets.get("session_id", ""),
        "occurred_at": turn.occurred_at,
    }
    return replace(change, sets=dict(change.sets) | said)


def _understood(findings: list[Finding], reading: Reading, facts: Facts) -> Understood:
    asked = [finding for finding in findings if finding.reason in _ASKED]
    if asked:
        first = asked[0]
        doubtful = {
            row.pk: Meant(row, finding.new and reading.spelt(finding.new))
            for finding in asked
            for row in finding.rows
        }
        count = sum(finding.count for finding in asked)
        return _verdict(AMBIGUOUS, first.reason, first.subject, (), doubtful.values(), count)
    meant = {
        row.pk: Meant(row, finding.new)
        for finding in findings
        if not finding.reason
        for row in finding.rows
    }
    if meant:
        more = sum(max(f.count - len(f.rows), 0) for f in findings if not f.reason)
        return _verdict(CORRECTION, "named", changes=meant.values(), count=len(meant) + more)
    if findings:
        return _verdict(NOT_A_CORRECTION, findings[0].reason, findings[0].subject)
    if facts.served and reading.cue == 2 and not reading.loose:
        served = [Meant(row, None) for row in facts.served]
        return _verdict(AMBIGUOUS, "no_new_value", doubtful=served)
    return _verdict(NOT_A_CORRECTION, "statement")


def _verdict(
    verdict: str,
    reason: str,
    subject: str = "",
    changes: Iterable[Meant] = (),
    doubtful: Iterable[Meant] = (),
    count: int = 0,
) -> Understood:
    message = MESSAGES[reason].format(subject=subject)
    return Understood(verdict, reason, message, tuple(changes), tuple(doubtful), count)
