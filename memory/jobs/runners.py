"""The engine's own kinds of work that can be asked for."""

from django.utils.translation import gettext_lazy as _

from memory.index import upkeep
from memory.index.embedding import EmbeddingError, embedder
from memory.models import Job, Source
from memory.write.embed import most, repair
from memory.write.images import find_image, remember_said
from memory.write.model import ModelUnavailable
from memory.write.proposal import Proposal
from memory.write.vision import look_at

from .work import Report, WorkError, patient_transaction, runner, scope_of


@runner("reindex", _("Rebuild the search indexes"), single=True)
def reindex(job: Job, report: Report) -> None:
    """Rebuild the indexes of the whole store, in one transaction, and the vectors after it."""
    model, steps = embedder(), upkeep.size()
    total = steps + (most() if model else 0)
    report(0, total)
    with patient_transaction():
        memories = upkeep.rebuild(lambda n: report.live(n, total))
    report(steps, total, memories=memories)
    if model:
        try:
            made = repair(model, lambda n: report.live(min(steps + n, total), total))
        except EmbeddingError as error:
            raise WorkError(f"the vectors stopped, what was made is kept: {error}") from error
        report(total, total, vectors=made)


@runner("image", _("Look at an image"))
def look_at_image(job: Job, report: Report) -> None:
    """Have the model say what is on an image, and remember that."""
    scope, asked = scope_of(job), job.params
    image = find_image(scope, asked["image"])
    if image is None:
        raise WorkError("the image is no longer there")
    try:
        said = look_at(image.sha256)
    except ModelUnavailable as error:
        raise WorkError(f"the model gave no answer: {error.code}") from error
    common = Proposal(
        user_id=image.user_id,
        agent_id=asked.get("agent_id", ""),
        session_id=asked.get("session_id", ""),
        source=Source.INFERRED,
    )
    with patient_transaction():
        batch, outcomes = remember_said(scope, image, said, common, reason=job.reason, each=True)
        for number, one in enumerate(outcomes, start=1):
            memory_id = one.memory and one.memory.public_id
            code, _sep, message = one.reason.partition(": ")
            report.row(number, one.action, code=code, message=message, memory_id=memory_id)
        report(len(outcomes), len(outcomes), batches=[str(batch.public_id)] if batch else [])
