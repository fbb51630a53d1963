"""One decision about more memories than a person waits for: piece by piece, each a batch, all of
them taken back by one undo."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from memory.models import Job, Scope
from memory.write.held import without_secrets
from memory.write.many import VERBS, WHY, Verb, change_many, pack, unpack
from memory.write.plan import Conflict

from .work import Report, patient_transaction, runner, scope_of, start

BULK = "bulk"
# A piece holds the other writers back; this many rows take about half a second.
PIECE = 250


def begin(
    scope: Scope, verb: Verb, value: str, seen: Sequence[tuple[int, int]], reason: str
) -> Job:
    """Have memories changed, each given by its key and the revision at which it was seen. Raises
    `QueueTimeout`."""
    params = {"verb": verb.name, "to": value, "_rows": pack(seen)}
    return start(scope, BULK, params, reason=without_secrets(reason), total=len(seen))


@runner(BULK, _("Change of many memories"), goes_on=True)
def run_bulk(job: Job, report: Report) -> None:
    """A memory that cannot be changed so any more is left as it is and told of."""
    scope, verb, value = scope_of(job), VERBS[job.params["verb"]], job.params["to"]
    seen, batches = unpack(job.params["_rows"]), list(job.result.get("batches", []))
    changed, left = job.result.get("changed", 0), job.result.get("left", 0)
    for start_at in range(job.done, len(seen), PIECE):
        piece = seen[start_at : start_at + PIECE]
        numbers = {pk: n for n, (pk, _) in enumerate(piece, start=start_at + 1)}
        with patient_transaction():
            try:
                done = change_many(scope, verb, value, piece, job.reason)
            except Conflict as error:
                for number in numbers.values():
                    report.row(number, "skipped", code="refused", message=str(error))
                left += len(piece)
            else:
                for one in done.left:
                    report.row(
                        numbers[one.pk], "skipped", code=one.code,
                        message=one.message or WHY[one.code], memory_id=one.memory_id,
                    )  # fmt: skip
                batches += [str(done.batch.public_id)] if done.batch else []
                changed, left = changed + done.count, left + len(done.left)
            end = start_at + len(piece)
            report(end, len(seen), changed=changed, left=left, batches=batches)
        report.pause()
