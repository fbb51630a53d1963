"""Which job made a batch, so that all its batches are taken back together."""

from collections.abc import Mapping, Sequence

from django.db.models import Q

from memory.jobs.bulk import BULK
from memory.jobs.undoing import UNDO
from memory.models import Batch, Job, Scope

# On one page there are fifty batches, and few jobs run at a time.
MOST = 50


def jobs_of(scope: Scope, batches: Sequence[Batch]) -> Mapping[int, Job]:
    """By key of a batch, the job of many batches that made it, in one query."""
    if not batches:
        return {}
    moments = [batch.at for batch in batches]
    rows = Job.objects.within(scope).filter(
        Q(finished_at__gte=min(moments)) | Q(finished_at=None),
        kind__in=(BULK, UNDO),
        created_at__lte=max(moments),
    )
    made = {
        batch_id: job
        for job in rows.order_by("-id").defer("params")[:MOST]
        for batch_id in job.result.get("batches", ())
    }
    return {b.pk: made[str(b.public_id)] for b in batches if str(b.public_id) in made}
