"""Does it still hold? Limits, newer values, and what waits for a decision."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from django.db.models import Q
from django.utils.translation import gettext as _

from memory.models import Correction, CorrectionState, Memory, Status
from memory.recall.lines import UNCONFIRMED

from .. import fixes
from ..case import Case
from ..rivals import newer as newer_rivals
from ..told import FRESHNESS, Evidence, Fix, Step, cause, fine
from ..words import named, said_when, since

Check = Callable[[Case, Sequence[Memory]], Step | None]
# So many open corrections of one user are looked through; a person leaves few open.
OPEN_READ = 100


def checked(case: Case, subjects: Sequence[Memory], checks: Sequence[Check]) -> Step:
    """The first check that finds a cause, else that all is fresh."""
    for check in checks:
        found = check(case, subjects)
        if found is not None:
            return found
    gone = [memory for memory in subjects if not case.is_given(memory)]
    shown = [fixes.of_memory(memory, said_when(case, memory)) for memory in subjects]
    if gone and len(gone) == len(subjects):
        return fine(FRESHNESS, _("What was given then is not given any more."), shown)
    return fine(FRESHNESS, _("What is given still holds, as far as memory knows."), shown)


def gone(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """The missed memory is not active any more, or its time is over."""
    memory = case.expected
    if memory is None:
        return None
    place, name = case.place(memory), {"memory": named(memory)}
    row = case.row(memory)
    if place.gate == "expiry":
        told = _("“%(memory)s” is past its end, so it is no candidate.")
        fix = [*fixes.advised(case, memory), limit_of(case, memory)]
        return cause(FRESHNESS, told % name, [fixes.of_memory(memory, since(case, memory))], fix)
    if place.gate != "state":
        return None
    if row is None:
        told, status = _("“%(memory)s” was not remembered yet."), ""
    else:
        told = _("“%(memory)s” is %(status)s, and only active memories are given.")
        status = Status(row.status).label
    evidence = [fixes.of_memory(memory, said_when(case, memory))]
    if current := _current(case, memory):
        told = _("“%(memory)s” is %(status)s; current is “%(current)s”.")
        name["current"] = named(current)
        evidence.append(fixes.of_memory(current, said_when(case, current)))
    return cause(
        FRESHNESS, told % (name | {"status": status}), evidence, fixes.advised(case, memory)
    )


def outdated(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """It is given although a later value of the same thing is current under another name."""
    found = newer_rivals(case, _given(case, subjects))
    for memory, others in found.items():
        current = [row for row in others if row.status == Status.ACTIVE]
        if not current:
            continue
        told = _(
            "“%(old)s” (%(old_when)s) is still given beside the later “%(new)s” (%(new_when)s): "
            "neither has taken the other's place."
        )
        says = {
            "old": named(memory),
            "old_when": said_when(case, memory),
            "new": named(current[0]),
            "new_when": said_when(case, current[0]),
        }
        evidence = [fixes.of_memory(row, said_when(case, row)) for row in (memory, *current)]
        return cause(
            FRESHNESS,
            told % says,
            [*evidence, *_limits(case, memory), *fixes.last_changes([memory, *current])],
            [fixes.end(memory), fixes.correct(memory), limit_of(case, memory)],
        )
    return None


def outlived(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """It is older than the hard limit of its kind, for its writer gave it an end of its own."""
    for memory in _given(case, subjects):
        hours = case.policies.of(memory.kind, memory.domain).ttl_hours
        if hours is None or case.age(memory) <= timedelta(hours=hours):
            continue
        told = _("“%(memory)s” is %(age)s old; such memories hold for %(hours)s hours.")
        says = {"memory": named(memory), "age": since(case, memory), "hours": hours}
        return cause(
            FRESHNESS,
            told % says,
            [
                fixes.of_memory(memory, said_when(case, memory)),
                *_limits(case, memory),
                *fixes.last_changes([memory]),
            ],
            [fixes.end(memory), fixes.confirm(memory), limit_of(case, memory)],
        )
    return None


def waiting(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """Another value waits for a person, and until then the old one is given."""
    rows = _given(case, subjects)
    for memory, others in newer_rivals(case, rows).items():
        held = [row for row in others if row.status != Status.ACTIVE]
        if held:
            told = _("“%(memory)s” is given, and “%(new)s”, which came later, waits for review.")
            return cause(
                FRESHNESS,
                told % {"memory": named(memory), "new": named(held[0])},
                [fixes.of_memory(row, said_when(case, row)) for row in (memory, *held)],
                [fixes.approve(row) for row in held],
            )
    return None


def not_applied(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """A correction of it was said and never applied."""
    rows = {str(memory.public_id): memory for memory in _given(case, subjects)}
    about = Q(user_id=case.request.scope.user_id, state=CorrectionState.OPEN)
    found = Correction.objects.within(case.scope).filter(about).order_by("-pk")[:OPEN_READ]
    for correction in found:
        entries = [*correction.targets, *correction.candidates]
        meant = [rows[one["id"]] for one in entries if one["id"] in rows]
        if not meant:
            continue
        told = _("The correction “%(text)s” of “%(memory)s” was never applied.")
        if correction.blocked:
            told = _("The correction “%(text)s” was over the cap, so “%(memory)s” is as it was.")
        evidence = Evidence(
            "correction",
            f"“{correction.text}”",
            str(correction.public_id),
            fixes.apply_correction(correction).url,
        )
        return cause(
            FRESHNESS,
            told % {"text": correction.text, "memory": named(meant[0])},
            [evidence, *(fixes.of_memory(row, said_when(case, row)) for row in meant)],
            [fixes.apply_correction(correction), fixes.correct(meant[0])],
        )
    return None


def unconfirmed(case: Case, subjects: Sequence[Memory]) -> Step | None:
    """Nobody has said it for thirty days. Where no memory is known to stand behind the answer,
    only the best is asked: those below it are often old and rightly so."""
    known = case.expected is not None or case.quoted
    for memory in _given(case, subjects if known else subjects[:1]):
        if case.age(memory) < UNCONFIRMED:
            continue
        told = _("Nobody has confirmed “%(memory)s” for %(age)s, and its kind has no hard limit.")
        if case.policies.of(memory.kind, memory.domain).ttl_hours:
            told = _("Nobody has confirmed “%(memory)s” for %(age)s.")
        return cause(
            FRESHNESS,
            told % {"memory": named(memory), "age": since(case, memory)},
            [fixes.of_memory(memory, said_when(case, memory)), *_limits(case, memory)],
            [fixes.confirm(memory), fixes.correct(memory), limit_of(case, memory)],
        )
    return None


def limit_of(case: Case, memory: Memory) -> Fix:
    """The page where the limit of such memories is set."""
    hours = case.policies.of(memory.kind, memory.domain).ttl_hours
    told = (
        _("Set a hard limit for %(kind)s") if hours is None else _("Look at the limit of %(kind)s")
    )
    return fixes.policy(memory.kind, memory.domain, told % {"kind": memory.get_kind_display()})


def _given(case: Case, subjects: Sequence[Memory]) -> list[Memory]:
    return [memory for memory in subjects if case.is_given(memory)]


def _limits(case: Case, memory: Memory) -> list[Evidence]:
    """The limit of its kind, and the end that its writer gave it instead."""
    policy = case.policies.of(memory.kind, memory.domain)
    kind = memory.get_kind_display()
    told = (
        _("policy of %(kind)s: no hard limit")
        if policy.ttl_hours is None
        else _("policy of %(kind)s: %(hours)s hours")
    )
    link = fixes.policy(memory.kind, memory.domain, "").url
    found = [Evidence("policy", told % {"kind": kind, "hours": policy.ttl_hours}, url=link)]
    if memory.expires_at is not None and memory.ttl_hours is None:
        told = _("its writer gave it an end of its own, %(at)s")
        found.append(fixes.of_memory(memory, told % {"at": fixes.shown_time(memory.expires_at)}))
    return found


def _current(case: Case, memory: Memory) -> Memory | None:
    rows = Memory.objects.within(case.scope).filter(fact=memory.fact, status=Status.ACTIVE)
    return rows.exclude(pk=memory.pk).first()
