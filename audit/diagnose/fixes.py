"""What a person may do about a cause: always a page that exists, or a command."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from urllib.parse import urlencode
from uuid import UUID

from django.urls import reverse
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from audit.health.check import shown_time
from memory.models import Batch, Change, Correction, DuplicatePair, Memory, Recall, Status
from memory.recall.advice import Advice, advise

from .case import Case
from .told import Evidence, Fix
from .words import named

# A question to try out stands in the address, as in the explorer.
QUERY_SHOWN = 800
PLAIN = {
    "agent_id", "session_id", "limit", "profile", "budget_tokens", "prompt_tokens", "turns",
}  # fmt: skip
CHANGES = 200
# What changes the store; other advice changes the question.
OF_THE_STORE = {"restore", "approve", "remember", "extend_expiry"}


def correct(memory: Memory) -> Fix:
    address = reverse("memory-correct", args=[memory.public_id])
    return Fix("correct", _("Correct “%(memory)s”") % {"memory": named(memory)}, address)


def retract(memory: Memory) -> Fix:
    text = _("Retract “%(memory)s”") % {"memory": named(memory)}
    return Fix("retract", text, _actions(memory))


def end(memory: Memory) -> Fix:
    """For what was true once and is only old."""
    text = _("End “%(memory)s”: it held until now") % {"memory": named(memory)}
    return Fix("expire", text, _actions(memory))


def confirm(memory: Memory) -> Fix:
    text = _("Confirm “%(memory)s”, if it is true today") % {"memory": named(memory)}
    return Fix("confirm", text, _actions(memory))


def approve(memory: Memory) -> Fix:
    text = _("Decide on “%(memory)s”, which waits for review") % {"memory": named(memory)}
    return Fix("approve", text, _actions(memory))


def policy(kind: str, domain: str, told: str) -> Fix:
    """The page where the limit of such memories is set."""
    address = reverse("policy", args=[kind])
    return Fix("policy", told, f"{address}?{urlencode({'domain': domain})}" if domain else address)


def merge(pair: DuplicatePair) -> Fix:
    address = f"{reverse('review')}?status=pair#pair-{pair.pk}"
    return Fix("merge", _("Merge them, or keep them apart"), address)


def apply_correction(correction: Correction) -> Fix:
    address = reverse("correction", args=[correction.public_id])
    return Fix("apply_correction", _("Look at the correction and apply it"), address)


def reindex() -> Fix:
    return Fix("reindex", _("Rebuild the index with the command “reindex”."))


def ask_again(case: Case, kind: str, text: str, **changes) -> Fix:
    """The explorer with this question, but for the changes."""
    return Fix(kind, text, explorer(case, **changes), changes=False)


def explorer(case: Case, **changes) -> str:
    """The explorer's address with this question filled in, but for the changes."""
    request = case.request
    said = {
        "user_id": request.scope.user_id,
        "query": request.query[:QUERY_SHOWN],
        "kinds": list(request.kinds),
        "domains": ", ".join(request.domains),
    }
    for name in ("since", "until", "as_of"):
        moment = getattr(request, name)
        said[name] = moment and f"{localtime(moment):%Y-%m-%dT%H:%M:%S}"
    for field in fields(request):
        value = getattr(request, field.name)
        if field.name in PLAIN and value != field.default:
            said[field.name] = value
    said = {name: v for name, v in (said | changes).items() if v not in ("", None, [])}
    return f"{reverse('recall-explorer')}?{urlencode(said, doseq=True)}"


def question(case: Case, expected: Sequence[Memory] = ()) -> tuple[Fix, ...]:
    """A new acceptance question that holds this case, for what the record was to say."""
    said: dict = {"user_id": case.request.scope.user_id}
    if case.record is not None:
        values = [memory.value for memory in expected if memory.value]
        said = {"recall": str(case.record.public_id), "expected": values}
    address = f"{reverse('question-new')}?{urlencode(said, doseq=True)}"
    return (Fix("question", _("Make an acceptance question of it"), address),)


def advised(case: Case, memory: Memory) -> list[Fix]:
    """The smallest changes that would recall a memory, each with the way to make it."""
    row = case.row(memory)
    if row is None:
        return []
    found, changes = [], {}
    for advice in advise(case.request, row, case.place(memory)):
        changes |= _asked(advice)
        found.append(_fix(case, memory, advice, changes))
    if case.record is not None:
        found.append(_why_not(case.record, memory))
    return found


def _fix(case: Case, memory: Memory, advice: Advice, changes: dict) -> Fix:
    if advice.kind == "reindex":
        return reindex()
    if advice.kind in OF_THE_STORE:
        return Fix(advice.kind, advice.sentence, _actions(memory), advice=advice)
    address = explorer(case, **changes)
    return Fix(advice.kind, advice.sentence, address, changes=False, advice=advice)


def _why_not(record: Recall, memory: Memory) -> Fix:
    address = reverse("recall-why-not", args=[record.public_id])
    told = _("See all terms and gates")
    return Fix("why_not", told, f"{address}?memory={memory.public_id}", changes=False)


def _asked(advice: Advice) -> dict[str, str]:
    if advice.kind.startswith("drop_filter:"):
        return {advice.kind.removeprefix("drop_filter:"): ""}
    names = ("query", "limit", "budget_tokens", "user_id")
    return {name: advice.values[name] for name in names if name in advice.values}


def page_of(memory_id: UUID) -> str:
    return reverse("memory", args=[memory_id])


def of_record(record: Recall) -> Evidence:
    """A recall record as evidence."""
    told = _("recall of %(at)s") % {"at": shown_time(record.at)}
    address = reverse("recall", args=[record.public_id])
    return Evidence("recall", told, str(record.public_id), address)


def _actions(memory: Memory) -> str:
    return f"{page_of(memory.public_id)}#actions"


def of_memory(memory: Memory, told: str) -> Evidence:
    """A memory as evidence; `told` says what about it."""
    text = f"“{named(memory)}”{told and f' · {told}'}"
    if memory.status != Status.ACTIVE:
        text = f"{text} · {Status(memory.status).label}"
    return Evidence("memory", text, str(memory.public_id), page_of(memory.public_id))


def of_batch(batch: Batch, told: str) -> Evidence:
    """A batch of the ledger as evidence."""
    address = reverse("batch", args=[batch.public_id])
    return Evidence("batch", told, str(batch.public_id), address)


def last_changes(memories: Iterable[Memory]) -> list[Evidence]:
    """The ledger's last entry of each memory, among the newest of all of them; one query."""
    rows = {memory.public_id: memory for memory in memories}
    changes = Change.objects.filter(memory_id__in=rows).select_related("batch").defer("payload")
    last: dict[UUID, Change] = {}
    for change in changes.order_by("-pk")[:CHANGES]:
        last.setdefault(change.memory_id, change)
    told = _("ledger: %(action)s of “%(memory)s” by %(actor)s, %(at)s")
    return [
        of_batch(
            change.batch,
            told
            % {
                "action": _(change.action.replace("_", " ")),
                "memory": named(rows[memory_id]),
                "actor": change.batch.actor,
                "at": shown_time(change.at),
            },
        )
        for memory_id in rows
        if (change := last.get(memory_id))
    ]
