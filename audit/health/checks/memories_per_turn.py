from collections.abc import Sequence
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from audit.health.check import Limits, MemoryCheck, Result, Severity, newest, ratio
from audit.health.recent import DAYS, first_day
from memory.index.turn_memories import Became, became
from memory.models import Extraction, Memory, Scope, Turn, TurnRole

# Of the newest so many turns, in whatever role; a lookup a turn, about 0.1 s in all.
WINDOW = 10_000
# Of fewer turns neither extreme says anything.
LEAST = 100
# Most of a talk is asking, agreeing and small talk. A reader that finds something to remember in
# less than one of two hundred turns is not reading.
TOO_FEW = 0.005


class MemoriesPerTurn(MemoryCheck):
    """Too many is judged of all user turns, too few only of those that were to be read for
    memories: a log that is kept for itself makes none."""

    title = gettext_lazy("Memories per turn")
    why = gettext_lazy(
        "A store that remembers nearly every turn hoards: talk, repeats and passing states crowd "
        "out what matters. One that remembers next to none of what it reads is not reading."
    )
    advice = gettext_lazy(
        "Too many: open the rows, see what should not have been kept, and let the agent log turns "
        "instead of writing each as a memory. Too few: see whether the background worker runs and "
        "what the readings of turns say."
    )
    severity = Severity.WARNING
    # Four of five turns remembered leaves only one for questions, thanks and small talk.
    unit, warning_from, error_from = "share", 0.8, None

    def rows(self, scope: Scope) -> QuerySet[Memory]:
        """The first memory of each turn that became one, so that they are as many as the turns."""
        return _of(scope, became(scope, list(_turns(scope).values_list("public_id", flat=True))))

    def judge(self, scope: Scope, seen: None) -> Result:
        """Count: turns that became memories. Total: the user turns of the last `DAYS` days, at most
        those of the newest `WINDOW`."""
        done = Extraction.objects.filter(turn=OuterRef("pk"), done_at__isnull=False)
        turns = dict(_turns(scope).annotate(read=Exists(done)).values_list("public_id", "read"))
        read = [turn_id for turn_id, was_read in turns.items() if was_read]
        kept, total = became(scope, list(turns)), len(turns)
        made = sum(one.memories for one in kept)
        return Result(
            count=len(kept),
            total=total,
            share=ratio(len(kept), total),
            found=total >= LEAST,
            sample=newest(_of(scope, kept)),
            detail={
                "days": DAYS,
                "most": WINDOW,
                "memories": made,
                "read": len(read),
                "per_turn": round(made / total, 3) if total else 0.0,
                "too_few": len(read) >= LEAST
                and ratio(len(became(scope, read)), len(read)) < TOO_FEW,
            },
        )

    def grade(self, result: Result, limits: Limits) -> str:
        """Too few is a warning whatever the limits, which are about too many."""
        if result.detail["too_few"]:
            return self.severity
        return super().grade(result, limits) if result.count else Severity.OK

    def notes(self, detail: dict[str, Any]) -> list[str]:
        notes = []
        if detail["per_turn"]:
            told = _("%(memories)d memories came of them, %(n).2f a user turn")
            notes.append(told % {"memories": detail["memories"], "n": detail["per_turn"]})
        if detail["too_few"]:
            told = _("of %(read)d turns that were read, next to none became a memory")
            notes.append(told % {"read": detail["read"]})
        return notes


def _turns(scope: Scope) -> QuerySet[Turn]:
    rows = Turn.objects.within(scope)
    edge = rows.order_by("-id").values_list("pk", flat=True)[WINDOW - 1 : WINDOW].first()
    if edge is not None:
        rows = rows.filter(pk__gte=edge)
    return rows.filter(role=TurnRole.USER, created_at__gte=first_day())


def _of(scope: Scope, kept: Sequence[Became]) -> QuerySet[Memory]:
    return Memory.objects.within(scope).filter(pk__in=[one.first for one in kept])


CHECK = MemoriesPerTurn()
