"""Vectors as they are kept, and which rows of one owner lie nearest to a question's."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection

from memory.models import Memory, Owner, Scope, ScopeError, Status, Vector
from memory.text.fingerprint import fingerprint

from . import large
from .embedding import EmbeddingError
from .entry import owner_prefix, said
from .filters import ACTIVE_ONLY, Filters
from .schema import RECALL
from .search import BEST

STORED = large.STORED
# Of a longer text the rest is left out: 8,000 tokens are what most endpoints take, and a Chinese
# character may be more than one.
CHARACTERS = 6000
# Keys in one statement; SQLite takes 32,766 values.
KEYS, PAGE = 5000, 500
_ACTIVE = Filters(statuses=ACTIVE_ONLY)


def unit(rows: Any) -> np.ndarray:
    """A row of numbers, or several, at length 1 as float32. Raises `EmbeddingError` for what has
    no direction."""
    try:
        with np.errstate(over="ignore"):
            matrix = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError, OverflowError):
        raise EmbeddingError("wrong_shape") from None
    lengths = np.linalg.norm(matrix, axis=-1, keepdims=True)
    if not matrix.size or not np.isfinite(lengths).all() or not lengths.all():
        raise EmbeddingError("wrong_shape")
    return matrix / lengths


def embedded(memory: Memory) -> str:
    """The text that a memory's vector is made of. Without its day, which would be most of a short
    one: a day that is asked about is a matter of filters and words."""
    return said(memory)[:CHARACTERS]


def vector_rows(memories: Sequence[Memory], model: str, rows: Any) -> list[Vector]:
    """The memories' vectors as they are kept. Raises `EmbeddingError`."""
    matrix = unit(rows)
    if len(matrix) != len(memories):
        raise EmbeddingError("wrong_shape")
    return [
        Vector(
            memory_id=memory.pk,
            model=model,
            print=fingerprint(embedded(memory)),
            data=row.astype(STORED).tobytes(),
        )
        for memory, row in zip(memories, matrix, strict=True)
    ]


def misfits(model: str) -> Iterator[tuple[Memory, str]]:
    """Active memories whose vector is "missing", was made by another "model", or is "different":
    made of another text, or not of the size of the newest."""
    last, size = 0, _newest_size(model)
    rows = Memory.everywhere.filter(status=Status.ACTIVE).select_related("vector").order_by("id")
    while page := list(rows.filter(id__gt=last)[:PAGE]):
        for memory in page:
            vector = getattr(memory, "vector", None)
            if vector is None:
                yield memory, "missing"
            elif vector.model != model:
                yield memory, "model"
            elif len(vector.data) != size or vector.print != fingerprint(embedded(memory)):
                yield memory, "different"
        last = page[-1].pk


@dataclass(frozen=True)
class Nearest:
    """`cosines` by primary key, nearest first; `mean` of the cosines of all `rows` compared."""

    cosines: dict[int, float]
    mean: float = 0.0
    rows: int = 0


def nearest(
    scope: Scope,
    model: str,
    question: np.ndarray,
    filters: Filters,
    *,
    beside: Collection[int] = (),
    limit: int = BEST,
) -> Nearest:
    """The `limit` active rows of the scope's user that pass the filters and lie nearest to the
    question, and those `beside` that have a vector.

    Each row's cosine is worked out; for an owner of more than `large.LARGE` rows the file tells
    of which. Vectors of another model, or of another size than the question's, are passed over.
    """
    if scope.user_id is None:
        raise ScopeError("a recall is always for one user")
    owner = Owner.objects.filter(workspace_id=scope.workspace_id, user_id=scope.user_id).first()
    if owner is None:
        return Nearest({})
    keys, mean, rows = None, None, 0
    if owner.active > large.LARGE:
        passing = _keys(_select(owner, "m.id", filters))
        keys = large.near(owner, model, question, passing, limit)
        mean, rows = large.mean(owner, model, question), passing.size
    found, matrix = _read(owner, model, question.size, filters, keys)
    cosines = matrix @ question
    if keys is None or len(keys) == rows:
        mean, rows = float(cosines.mean()) if found.size else 0.0, found.size
    best = np.lexsort((-found, -cosines))[:limit]
    chosen = dict(zip(found[best].tolist(), cosines[best].tolist(), strict=True))
    if more := [pk for pk in beside if pk not in chosen]:
        found, matrix = _read(owner, model, question.size, filters, more)
        chosen |= dict(zip(found.tolist(), (matrix @ question).tolist(), strict=True))
    return Nearest(chosen, mean, rows)


def refresh_file(owner: Owner, model: str) -> bool:
    """Make a large owner's file anew where it is missing or too far from the table; whether it
    was made."""
    if owner.active <= large.LARGE:
        return False
    size = _newest_size(model, owner)
    today = _keys(_select(owner, "v.memory_id", _ACTIVE, model=model, size=size))
    if not today.size or not large.is_stale(owner, model, today, size // STORED.itemsize):
        return False
    large.write(owner, model, _pages(owner, model, size))
    return True


def _pages(owner: Owner, model: str, size: int) -> Iterator[list[tuple[int, bytes]]]:
    last, columns = 0, "v.memory_id, v.data"
    while page := _select(owner, columns, _ACTIVE, model=model, size=size, after=last):
        yield page
        last = page[-1][0]


def _newest_size(model: str, owner: Owner | None = None) -> int:
    """Bytes of the newest vector, which the model of today made."""
    rows = Vector.objects.filter(model=model).order_by("-memory_id")
    if owner is not None:
        rows = rows.filter(
            memory__workspace_id=owner.workspace_id,
            memory__user_id=owner.user_id,
            memory__status=Status.ACTIVE,
        )
    newest = rows.first()
    return len(newest.data) if newest else 0


def _read(
    owner: Owner, model: str, dimensions: int, filters: Filters, keys: Sequence[int] | None
) -> tuple[np.ndarray, np.ndarray]:
    rows, size = [], dimensions * STORED.itemsize
    pieces = [None] if keys is None else [keys[n : n + KEYS] for n in range(0, len(keys), KEYS)]
    for some in pieces:
        columns = "v.memory_id, v.data"
        rows += _select(owner, columns, filters, model=model, size=size, keys=some)
    matrix = np.frombuffer(b"".join(row[1] for row in rows), STORED)
    return _keys(rows), matrix.reshape(len(rows), dimensions).astype(np.float32)


def _keys(rows: Sequence[tuple]) -> np.ndarray:
    return np.fromiter((row[0] for row in rows), np.int64, len(rows))


def _select(
    owner: Owner,
    columns: str,
    filters: Filters,
    *,
    model: str | None = None,
    size: int = 0,
    keys: Sequence[int] | None = None,
    after: int | None = None,
) -> list[tuple]:
    """An owner's rows that pass the filters; with a `model`, those that have its vector, of
    `size` bytes. With `after` one page of them by rising key."""
    joins, conditions, values, page = "", "", [owner.workspace_id, owner.user_id], ""
    if model is not None:
        joins = " CROSS JOIN memory_vector v ON v.memory_id = m.id"
        conditions, values = " AND v.model = %s AND length(v.data) = %s", [*values, model, size]
    if filters.days is not None:
        joins += f" CROSS JOIN {RECALL} ON {RECALL}.rowid = m.id"
    if keys is not None:
        conditions += f" AND m.id IN ({', '.join(['%s'] * len(keys))})"
        values += keys
    passed, own = filters.sql(f"{RECALL}.words", owner_prefix(owner.pk))
    conditions, values = conditions + passed, [*values, *own]
    if after is not None:
        page, values = f" AND m.id > %s ORDER BY m.id LIMIT {KEYS}", [*values, after]
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {columns} FROM memory_memory m{joins} "
            f"WHERE m.workspace_id = %s AND m.user_id = %s{conditions}{page}",
            values,
        )
        return cursor.fetchall()
