"""Taking back what a job did, however many batches it was."""

from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from memory.models import Batch, Job, JobState, Scope
from memory.write.held import without_secrets
from memory.write.plan import Conflict
from memory.write.transaction import write_transaction
from memory.write.undo import undo

from .work import Report, patient_transaction, runner, scope_of, start

UNDO = "undo"
_OVER = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


def can_take_back(scope: Scope, job: Job) -> bool:
    """Whether a job is over and has batches that are not undone."""
    if job.state not in _OVER or not (ids := job.result.get("batches")):
        return False
    left = Batch.objects.within(scope).filter(public_id__in=ids, undone_by__isnull=True)
    return left.exists()


def take_back(scope: Scope, job: Job, reason: str = "") -> Job:
    """Have all batches of a job undone, the newest first; asked again while that is under way, the
    same job. The undo can be taken back too. Raises `Conflict` where there is nothing to take
    back, `QueueTimeout`."""
    params = {"job": str(job.public_id), "kind": job.kind}
    with write_transaction():
        own = Job.objects.within(scope).filter(kind=UNDO, params__job=params["job"])
        if under_way := own.exclude(state__in=_OVER).first():
            return under_way
        if not can_take_back(scope, job):
            raise Conflict("there is nothing to take back")
        ids = job.result["batches"]
        return start(scope, UNDO, params, reason=without_secrets(reason), total=len(ids))


@runner(UNDO, _("Undo of a job"), goes_on=True)
def run_undo(job: Job, report: Report) -> None:
    """A batch that later changes stand on is left as it is and told of."""
    done = Job.objects.within(scope_of(job)).filter(public_id=job.params["job"]).first()
    undo_batches(job, report, done.result.get("batches", []) if done else [])


def undo_batches(job: Job, report: Report, ids: Sequence[str]) -> None:
    """Undo batches, given in the order in which they were made, each in a transaction of its own,
    from the one on at which the job stands."""
    scope, ids = scope_of(job), list(reversed(ids))
    batches = list(job.result.get("batches", []))
    for number, batch_id in enumerate(ids[job.done :], start=job.done + 1):
        with patient_transaction():
            batch = Batch.objects.within(scope).filter(public_id=batch_id).first()
            try:
                if batch is not None and not batch.is_undone:
                    made = undo(scope, batch, job.reason).batch
                    batches += [str(made.public_id)] if made else []
            except Conflict as error:
                report.row(number, "skipped", code="changed_since", message=str(error))
            report(number, len(ids), batches=batches)
        report.pause()
    report(len(ids), len(ids), batches=batches)
