"""Imports as jobs: a trial, the import itself, and taking it back."""

from collections import Counter
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.jobs.registry import job as regular
from memory.jobs.work import Report, WorkError, patient_transaction, runner, scope_of, start
from memory.models import Batch, Job, Scope
from memory.write.held import without_secrets
from memory.write.plan import Conflict
from memory.write.undo import undo

from . import uploads
from .bring import Incoming, Trial, prepare, write_prepared
from .formats import AUTO, Options
from .source import FormatError
from .told import SAMPLE, Told

TRIAL, IMPORT, UNDO = "import_trial", "import", "import_undo"
# What is worth telling of a row that was not rejected: why it is not as it was offered.
_WORTH_TELLING = frozenset({"erased", "changed_here", "stands_here", "not_here"})


def begin(
    scope: Scope,
    upload: str,
    name: str,
    *,
    form: str = AUTO,
    options: Options | None = None,
    dry_run: bool = False,
    reason: str = "",
) -> Job:
    """Have an upload brought in, or with `dry_run` only tried. Raises `QueueTimeout`."""
    options = options or Options()
    params = {
        "upload": upload, "file": uploads.plain_name(name), "format": form,
        "user_id": options.user_id, "agent_id": options.agent_id,
        "columns": dict(options.columns), "dry_run": dry_run,
    }  # fmt: skip
    return start(scope, TRIAL if dry_run else IMPORT, params, reason=without_secrets(reason))


def carry_out(scope: Scope, trial: Job, reason: str = "") -> Job:
    """Bring in what was tried; asked again, the job that does it already. Raises `Conflict` where
    the file is not kept any more, `QueueTimeout`."""
    own = Job.objects.within(scope).filter(kind=IMPORT, params__trial=str(trial.public_id))
    if done := own.first():
        return done
    if not uploads.path_of(trial.params["upload"]).exists():
        raise Conflict("the file is not kept any more; upload it again")
    params = {**trial.params, "dry_run": False, "trial": str(trial.public_id)}
    return start(scope, IMPORT, params, reason=without_secrets(reason) or trial.reason)


def take_back(scope: Scope, done: Job, reason: str = "") -> Job:
    """Undo the batches of an import, the newest first. Raises `QueueTimeout`."""
    params = {"import": str(done.public_id), "file": done.params.get("file", "")}
    return start(scope, UNDO, params, reason=without_secrets(reason))


@runner(TRIAL, _("Trial of an import"))
def run_trial(job: Job, report: Report) -> None:
    """Say what the file would come to; nothing is written but that."""
    incoming = _incoming(job)
    trial, told = Trial(incoming), Counter()
    done = shown = 0
    # A trial that was left begins anew: what it told goes first.
    job.rows.all().delete()
    for piece in incoming.pieces():
        report.pause()
        found = trial.piece(piece)
        for one in found:
            told.update(_counted(one))
            if one.action != "rejected" and one.text and shown < SAMPLE:
                shown += 1
                report.row(one.number, one.action, code=one.code, raw={"text": one.text})
        _tell(report, found)
        done += len(piece)
        report(done, incoming.overview.total, **told)
    report(done, incoming.overview.total, **_about(incoming), **told)


@runner(IMPORT, _("Import"), goes_on=True)
def run_import(job: Job, report: Report) -> None:
    """Write the file, piece by piece; what was written before a kill is not written again."""
    incoming = _incoming(job)
    reason = job.reason or f"import of {job.params['file']}"
    done, told = job.done, Counter(job.result.get("counts", {}))
    batches = list(job.result.get("batches", []))
    for piece in incoming.pieces(after=done):
        prepared = prepare(incoming, piece)
        with patient_transaction():
            found, made = write_prepared(incoming, prepared, reason)
            for one in found:
                told.update(_counted(one))
            batches += [str(batch.public_id) for batch in made]
            _tell(report, found)
            done += len(piece)
            report(
                done, incoming.overview.total,
                **_about(incoming), **told, counts=dict(told), batches=batches,
            )  # fmt: skip
        report.pause()
    if not done:
        report(0, 0, **_about(incoming), counts={}, batches=[])
    uploads.discard(job.params["upload"])


@runner(UNDO, _("Undo of an import"), goes_on=True)
def run_undo(job: Job, report: Report) -> None:
    """A batch that later changes stand on is left as it is and told of."""
    scope = scope_of(job)
    done = Job.objects.within(scope).filter(public_id=job.params["import"]).first()
    ids = list(reversed(done.result.get("batches", []))) if done else []
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


@regular(every=600)
def forget_uploads() -> dict:
    """Remove uploaded files that no import needs any more."""
    return {"removed": uploads.forget()}


def _incoming(job: Job) -> Incoming:
    said = job.params
    path = uploads.path_of(said["upload"])
    if not path.exists():
        raise WorkError("the file is not kept any more; upload it again")
    options = Options(said["user_id"], said["agent_id"], said["columns"])
    try:
        incoming = Incoming(
            scope_of(job), path, name=said["file"], form=said["format"], options=options
        )
        # Reads it through: what breaks off in its middle is refused before anything is written.
        incoming.overview  # noqa: B018
    except FormatError as error:
        uploads.discard(said["upload"])
        raise WorkError(f"{said['file']}: {error}") from error
    return incoming


def _about(incoming: Incoming) -> dict[str, Any]:
    return {
        "format": incoming.format.name,
        "sha256": incoming.source.sha256,
        "users": incoming.overview.users,
    }


def _counted(told: Told) -> list[str]:
    """The result that a row counts for; what is unchanged is told apart from other skipping."""
    return [told.code if told.action == "skipped" and told.code else told.action]


def _tell(report: Report, found: list[Told]) -> None:
    for one in found:
        if one.action == "rejected" or one.code in _WORTH_TELLING or one.message:
            report.row(
                one.number, one.action, code=one.code, message=one.message, raw=one.raw,
                memory_id=one.memory_id if one.action != "rejected" else None,
            )  # fmt: skip
