"""Making vectors: for active memories that have none of today's model. What is pending can be
read off the tables, so a crash loses nothing."""

from collections.abc import Callable, Iterable, Iterator
from uuid import UUID

from django.db.models import Q

from memory.index.embedding import BATCH, Embedder
from memory.index.vector_files import forget
from memory.models import Memory, Owner, Status, Vector

from .transaction import write_transaction

# Told how many are done, after each batch.
Progress = Callable[[int], None]


def embed_pending(
    embedder: Embedder, limit: int | None = None, progress: Progress = lambda done: None
) -> int:
    """Make the vectors of all that lack one, oldest first, at most `limit`; how many were made.

    Raises `EmbeddingError` and `QueueTimeout`; what was made until then is kept.
    """
    done = 0
    for batch in _pending(embedder.name):
        batch = batch if limit is None else batch[: limit - done]
        if not batch:
            break
        done += embed(embedder, batch)
        progress(done)
    return done


def embed(embedder: Embedder, memories: Iterable[Memory]) -> int:
    """Make these memories' vectors anew, a batch a transaction; how many were kept. The model
    runs outside the transaction: no writer waits for it. Raises as `embed_pending`."""
    from memory.index.vectors import embedded, vector_rows

    rows, done = list(memories), 0
    for start in range(0, len(rows), BATCH):
        batch = rows[start : start + BATCH]
        found = embedder.passages([embedded(memory) for memory in batch])
        vectors = vector_rows(batch, embedder.name, found)
        with write_transaction():
            # Erased meanwhile, or superseded: such rows get none.
            active = Memory.everywhere.filter(pk__in=[m.pk for m in batch], status=Status.ACTIVE)
            kept = set(active.values_list("pk", flat=True))
            vectors = [vector for vector in vectors if vector.memory_id in kept]
            Vector.objects.bulk_create(
                vectors,
                update_conflicts=True,
                unique_fields=["memory"],
                update_fields=["model", "print", "data"],
            )
        done += len(vectors)
    return done


def embed_these(
    embedder: Embedder, memory_ids: Iterable[UUID], progress: Progress = lambda done: None
) -> int:
    """As `embed_pending`, for those of these memories that lack one."""
    ids, done = list(memory_ids), 0
    for start in range(0, len(ids), BATCH):
        rows = _lacking(embedder.name).filter(public_id__in=ids[start : start + BATCH])
        done += embed(embedder, rows)
        progress(done)
    return done


def repair(embedder: Embedder, progress: Progress = lambda done: None) -> int:
    """Make anew every vector that is missing, of another model or of another text, and take away
    those that no active memory has; how many were made. Raises as `embed_pending`."""
    from memory.index.vectors import misfits

    with write_transaction():
        Vector.objects.exclude(memory__status=Status.ACTIVE).delete()
    done, batch = 0, []
    for memory, _ in misfits(embedder.name):
        batch.append(memory)
        if len(batch) == BATCH:
            done += embed(embedder, batch)
            batch = []
            progress(done)
    done += embed(embedder, batch)
    refresh_files(embedder, anew=True)
    return done


def most() -> int:
    """How many vectors there can be: one for each active memory."""
    return Memory.everywhere.filter(status=Status.ACTIVE).count()


def refresh_files(embedder: Embedder, *, anew: bool = False) -> int:
    """Bring the files of large owners up to date, or make them all `anew`; how many were made."""
    from memory.index import large
    from memory.index.vectors import refresh_file

    owners = list(Owner.objects.filter(active__gt=large.LARGE))
    if anew:
        for owner in owners:
            forget(owner)
    return sum(refresh_file(owner, embedder.name) for owner in owners)


def _pending(model: str) -> Iterator[list[Memory]]:
    last = 0
    while batch := list(_lacking(model).filter(id__gt=last).order_by("id")[:BATCH]):
        yield batch
        last = batch[-1].pk


def _lacking(model: str):
    rows = Memory.everywhere.filter(status=Status.ACTIVE)
    return rows.filter(Q(vector=None) | ~Q(vector__model=model))
