from datetime import datetime
from uuid import UUID

from django.utils.translation import gettext, gettext_lazy, gettext_noop

from audit.health.check import Check, Result, Severity, ratio, shown_time
from memory.models import Batch, Change, Memory, Scope
from memory.write.ledger import Break, first_break

# What `first_break` may say, marked for the catalogues.
WHATS = (
    gettext_noop("does not follow the entry before it"),
    gettext_noop("was altered"),
    gettext_noop("had its before or after altered"),
)


class LedgerChain(Check):
    """All workspaces share one chain. A break anywhere leaves unproven all that comes after it,
    so every scope is told; whose entry it is, only its own scope."""

    title = gettext_lazy("Ledger chain")
    why = gettext_lazy(
        "An entry of the ledger does not verify: somebody changed the record of who changed what."
    )
    advice = gettext_lazy(
        "Run manage.py verify_ledger, keep a copy of the database as evidence and compare it with "
        "the last backup that verifies."
    )
    severity = Severity.ERROR

    def look(self) -> Break | None:
        return first_break()

    def judge(self, scope: Scope, seen: Break | None) -> Result:
        """Count: 1 when the first broken entry is the scope's. Total: the scope's entries."""
        total = Change.objects.filter(batch__in=Batch.objects.within(scope)).count()
        mine = seen is not None and _is_within(scope, seen.row.batch_id)
        return Result(
            count=int(mine),
            total=total,
            share=ratio(int(mine), total),
            found=seen is not None,
            sample=_sample(scope, seen) if mine else (),
            detail={"elsewhere": seen is not None and not mine, **_detail(seen if mine else None)},
        )

    def notes(self, detail) -> list[str]:
        if detail["elsewhere"]:
            return [gettext("The shared chain is broken at an entry outside this report.")]
        if detail["entry"] is None:
            return []
        at = detail["at"]
        return [
            gettext("entry %(number)d of %(time)s %(what)s")
            % {
                "number": detail["entry"],
                "time": shown_time(datetime.fromisoformat(at)) if at else "?",
                "what": gettext(detail["what"]),
            }
        ]


def _is_within(scope: Scope, batch_id: int) -> bool:
    return Batch.objects.within(scope).filter(pk=batch_id).exists()


def _sample(scope: Scope, broken: Break) -> tuple[str, ...]:
    # An altered entry may name any memory, or none.
    try:
        named = UUID(broken.row.memory_id)
    except (TypeError, ValueError, AttributeError):
        return ()
    rows = Memory.objects.within(scope).filter(public_id=named)
    return tuple(str(memory.public_id) for memory in rows)


def _detail(broken: Break | None) -> dict:
    if broken is None:
        return {"entry": None, "at": None, "what": None}
    return {"entry": broken.number, "at": _moment(broken.row.at), "what": broken.what}


def _moment(stored: object) -> str | None:
    """The entry's time; None where its bytes are no time any more."""
    try:
        return datetime.fromisoformat(f"{stored}+00:00").isoformat()
    except ValueError:
        return None


CHECK = LedgerChain()
