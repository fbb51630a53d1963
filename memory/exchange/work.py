"""Imports as jobs: a trial, the import itself, and taking it back."""

from collections import Counter
from contextlib import suppress
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.index.storage import count_values
from memory.jobs.registry import job as regular
from memory.jobs.undoing import undo_batches
from memory.jobs.work import (
    NotOpen,
    Report,
    WorkError,
    cancel,
    patient_transaction,
    runner,
    scope_of,
    start,
)
from memory.models import Job, JobState, Scope
from memory.write.erase.tombstones import BROUGHT_BACK
from memory.write.held import without_secrets
from memory.write.plan import Conflict
from memory.write.proposal import InvalidInput

from . import uploads
from .bring import Incoming, Trial, prepare, write_prepared
from .formats import AUTO, Options
from .source import FormatError
from .told import SAMPLE, Told
from .uploads import IMPORT, TRIAL

UNDO = "import_undo"
# So many rows can change what a value of an index gives; upkeep would see to it within the hour.
MANY = 1000
# What is worth telling of a row that was not rejected: why it is not as it was offered.
_WORTH_TELLING = frozenset({"erased", BROUGHT_BACK, "changed_here", "stands_here", "not_here"})


def begin(
    scope: Scope,
    upload: str,
    name: str,
    *,
    form: str = AUTO,
    options: Options | None = None,
    dry_run: bool = False,
    bring_back: bool = False,
    reason: str = "",
) -> Job:
    """Have an upload brought in, or with `dry_run` only tried; with `bring_back` also what of it
    was erased here, for a reason. Raises `InvalidInput`, `QueueTimeout`."""
    options = options or Options()
    _check_reason(bring_back, reason)
    params = {
        "upload": upload, "file": uploads.plain_name(name), "format": form,
        "user_id": options.user_id, "agent_id": options.agent_id,
        "columns": dict(options.columns), "dry_run": dry_run,
        "bring_back": bring_back,
    }  # fmt: skip
    return start(scope, TRIAL if dry_run else IMPORT, params, reason=without_secrets(reason))


def carry_out(scope: Scope, trial: Job, reason: str = "", *, bring_back: bool = False) -> Job:
    """Bring in what was tried, as `begin` does; asked again, the job that does it already. That
    what was erased comes back is said here once more. Raises `Conflict` where the file is not
    kept any more, `InvalidInput`, `QueueTimeout`."""
    _check_reason(bring_back, reason)
    own = Job.objects.within(scope).filter(kind=IMPORT, params__trial=str(trial.public_id))
    if done := own.first():
        return done
    if not uploads.path_of(trial.params["upload"]).exists():
        raise Conflict("the file is not kept any more; upload it again")
    asked = {"dry_run": False, "bring_back": bring_back, "trial": str(trial.public_id)}
    params = {**trial.params, **asked}
    return start(scope, IMPORT, params, reason=without_secrets(reason) or trial.reason)


def drop(trial: Job) -> None:
    """Let a trial go: its file is removed at once. Raises `Conflict` for one whose import has
    begun, `QueueTimeout`."""
    own = Job.objects.within(scope_of(trial)).filter(kind=IMPORT)
    if own.filter(params__trial=str(trial.public_id)).exists():
        raise Conflict("its import has begun")
    if trial.state in (JobState.QUEUED, JobState.RUNNING):
        with suppress(NotOpen):
            cancel(trial)
    uploads.discard(trial.params["upload"])


def take_back(scope: Scope, done: Job, reason: str = "") -> Job:
    """Undo the batches of an import, the newest first. Raises `QueueTimeout`."""
    params = {"import": str(done.public_id), "file": done.params.get("file", "")}
    return start(scope, UNDO, params, reason=without_secrets(reason))


@runner(TRIAL, _("Trial of an import"))
def run_trial(job: Job, report: Report) -> None:
    """Say what the file would come to; nothing is written but that."""
    incoming = _incoming(job, report)
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
    incoming = _incoming(job, report)
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
    if done > MANY:
        with patient_transaction():
            count_values()
    uploads.discard(job.params["upload"])


@runner(UNDO, _("Undo of an import"), goes_on=True)
def run_undo(job: Job, report: Report) -> None:
    """A batch that later changes stand on is left as it is and told of."""
    done = Job.objects.within(scope_of(job)).filter(public_id=job.params["import"]).first()
    undo_batches(job, report, done.result.get("batches", []) if done else [])


@regular(every=60)
def forget_uploads() -> dict:
    """Remove uploaded files that no import needs any more."""
    return {"removed": uploads.forget()}


def _check_reason(bring_back: bool, reason: str) -> None:
    if bring_back and not reason.strip():
        raise InvalidInput([("reason", "say why what was erased is brought back")])


def _incoming(job: Job, report: Report) -> Incoming:
    said = job.params
    path = uploads.path_of(said["upload"])
    if not path.exists():
        raise WorkError("the file is not kept any more; upload it again")
    options = Options(said["user_id"], said["agent_id"], said["columns"])
    try:
        incoming = Incoming(
            scope_of(job), path, name=said["file"], form=said["format"], options=options,
            bring_back=said.get("bring_back", False),
        )  # fmt: skip
        # Reads it through: what breaks off in its middle is refused before anything is written.
        incoming.overview  # noqa: B018
    except FormatError as error:
        uploads.discard(said["upload"])
        report(job.done, job.total, code=error.code)
        raise WorkError(f"{said['file']}: {error}") from error
    return incoming


def _about(incoming: Incoming) -> dict[str, Any]:
    return {
        "format": incoming.format.name,
        "sha256": incoming.source.sha256,
        "users": incoming.overview.users,
    }


def _counted(told: Told) -> list[str]:
    """The results that a row counts for; what is unchanged is told apart from other skipping,
    what was brought back counts beside what became of it."""
    if told.code == BROUGHT_BACK:
        return [told.action, BROUGHT_BACK]
    return [told.code if told.action == "skipped" and told.code else told.action]


def _tell(report: Report, found: list[Told]) -> None:
    for one in found:
        if one.action == "rejected" or one.code in _WORTH_TELLING or one.message:
            report.row(
                one.number, one.action, code=one.code, message=one.message, raw=one.raw,
                memory_id=one.memory_id if one.action != "rejected" else None,
            )  # fmt: skip
