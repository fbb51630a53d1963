"""The engine's own kinds of work that can be asked for."""

from django.utils.translation import gettext_lazy as _

from memory.index import upkeep
from memory.index.embedding import EmbeddingError, embedder
from memory.models import Job, Memory
from memory.write.embed import repair

from .work import Report, WorkError, patient_transaction, runner


@runner("reindex", _("Rebuild the search indexes"), single=True)
def reindex(job: Job, report: Report) -> None:
    """Rebuild the indexes of the whole store, in one transaction, and the vectors after it."""
    total = Memory.everywhere.count()
    report(0, total)
    with patient_transaction():
        done = upkeep.rebuild(lambda n: report.live(n, total))
    report(done, done, memories=done)
    if model := embedder():
        try:
            made = repair(model, lambda n: report.live(done, done))
        except EmbeddingError as error:
            raise WorkError(f"the vectors stopped, what was made is kept: {error}") from error
        report(done, done, vectors=made)
