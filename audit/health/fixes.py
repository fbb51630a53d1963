"""What people may do at once about the rows of a finding: each way ends in one plan, so that it is
shown before it happens and is undone as one batch."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from memory.models import Memory, Scope, Source, Status
from memory.write.bulk import FILLABLE, plan_confirm_all, plan_fill, plan_merge_same
from memory.write.planner import Planner
from memory.write.review import plan_hold
from memory.write.revise import plan_expire, plan_retract
from memory.write.sweep import SWEEP

# As many as upkeep changes in one batch: about a second, in which other writers wait.
CAP = SWEEP


@dataclass(frozen=True)
class Asked:
    """One value that a person gives with a fix; `choices` where there are few."""

    name: str
    text: Any
    choices: Sequence[tuple[str, Any]] = ()


@dataclass(frozen=True)
class Fix:
    """One way to deal with a finding. `verb` is that of the batch, `plan` draws it up from the rows
    and what the person said; `takes` says which rows it can do something about."""

    name: str
    text: Any
    does: Any
    symbol: str
    verb: str
    plan: Callable[[Scope, Iterable[Memory], Mapping[str, str]], Planner]
    takes: Callable[[Mapping[str, str]], Mapping[str, Any]]
    asks: Sequence[Asked] = ()
    # In which order its rows are shown.
    order: Sequence[str] = ("-pk",)


def _active(said: Mapping[str, str]) -> Mapping[str, Any]:
    return {"status": Status.ACTIVE}


def _lacking(said: Mapping[str, str]) -> Mapping[str, Any]:
    """The active rows in which the column that is to be filled in is empty."""
    return {"status": Status.ACTIVE} | {name: "" for name in FILLABLE if said.get(name)}


RETRACT = Fix(
    "retract",
    _("Retract"),
    _("They are marked as wrong and leave recall; they stay in the history."),
    "circle-x",
    "retract",
    lambda scope, rows, said: plan_retract(scope, rows),
    _active,
)
HOLD = Fix(
    "hold",
    pgettext_lazy("of memories", "Hold"),
    _("They leave recall and wait in the review queue for a decision on each."),
    "lock",
    "hold",
    lambda scope, rows, said: plan_hold(scope, rows),
    _active,
)
CONFIRM = Fix(
    "confirm",
    _("Confirm"),
    _("They are said to hold still: surer than before, and confirmed as of now."),
    "check",
    "confirm",
    lambda scope, rows, said: plan_confirm_all(scope, rows),
    _active,
)
MERGE = Fix(
    "merge",
    _("Merge"),
    _("Of each statement the best sourced one stays; the others are superseded by it."),
    "git-merge",
    "merge",
    lambda scope, rows, said: plan_merge_same(scope, rows),
    _active,
    order=("user_id", "fingerprint", "pk"),
)
EXPIRE = Fix(
    "expire",
    _("Expire"),
    _("They leave the active ones, as upkeep would make them do."),
    "clock-off",
    "expire",
    lambda scope, rows, said: plan_expire(scope, rows),
    _active,
)


def _fill(name: str, text: Any, choices: Sequence[tuple[str, Any]] = ()) -> Fix:
    return Fix(
        f"fill-{name.removesuffix('_id')}",
        text,
        _("What is given here is written where that field is empty; nothing else changes."),
        "pencil",
        "fill",
        lambda scope, rows, said: plan_fill(scope, rows, {name: said[name]}),
        _lacking,
        (Asked(name, Memory._meta.get_field(name).verbose_name, choices),),
    )


FILL = (
    _fill("agent_id", _("Fill in the agent")),
    _fill("session_id", _("Fill in the session")),
    _fill("source", _("Fill in the source"), Source.choices),
    _fill("domain", _("Fill in the domain")),
)
DOUBTED = (HOLD, RETRACT, CONFIRM)
UNWANTED = (HOLD, RETRACT)
# By check. Where a person has to look at each pair or each word, the review queue does it.
FIXES: dict[str, tuple[Fix, ...]] = {
    "exact_duplicates": (MERGE,),
    "missing_metadata": FILL,
    "expired_active": (EXPIRE,),
    "secrets_at_rest": UNWANTED,
    "personal_data_at_rest": UNWANTED,
    "planted_instructions": UNWANTED,
    "junk": UNWANTED,
    "echo_loops": UNWANTED,
    "conflicting_actives": DOUBTED,
    "low_confidence": DOUBTED,
    "unconfirmed_long": DOUBTED,
}
# Decided pair by pair in the review queue: its address's `status`.
REVIEWED = {"near_duplicates": "pair"}


def can_fix(check_id: str) -> bool:
    """Whether something can be done at once about what a check finds."""
    return check_id in FIXES or check_id in REVIEWED


def fixes_of(check_id: str) -> tuple[Fix, ...]:
    """The ways to deal with what a check finds, the usual one first; () where there is none."""
    return FIXES.get(check_id, ())
