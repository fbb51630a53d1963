"""An owner with too many vectors to read at each question: they stand once more in a file of
their own, in the data folder, which usearch runs through without reading it in."""

import os
import tempfile
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

import numpy as np
from usearch.index import MetricKind, search

from memory.models import Owner

from .vector_files import folder, path_of

# Reading vectors out of their table and comparing them costs 2 ms of CPU for 100 rows, 4 for 1,000,
# 36 for 10,000 (making the question's own vector 25) and 255 for 50,000; with the file 46.
LARGE = 10_000
# A file that lacks, or has too many, more than this share of its rows is made anew.
STALE = 0.05
STORED = np.dtype("<f2")
_KEY = np.dtype("<i8")
# Keys, vectors, and the mean of these.
_Kept = tuple[np.ndarray, np.ndarray, np.ndarray]


def write(owner: Owner, model: str, pages: Iterable[list[tuple[int, bytes]]]) -> int:
    """Put an owner's rows, keys and vectors of one size by rising key, in its file; how many."""
    folder().mkdir(mode=0o700, exist_ok=True)
    keys: list[int] = []
    handle, name = tempfile.mkstemp(dir=folder(), suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            for page in pages:
                keys += [pk for pk, _ in page]
                file.writelines(data for _, data in page)
            file.write(np.array(keys, _KEY).tobytes())
        os.replace(name, path_of(owner, model))
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return len(keys)


def is_stale(owner: Owner, model: str, keys: np.ndarray, size: int) -> bool:
    """Whether the file is missing or too far from these keys, which are those of today."""
    kept = _opened(owner, model, size)
    if kept is None:
        return True
    return np.setxor1d(kept[0], keys, assume_unique=True).size > STALE * max(keys.size, 1)


def near(
    owner: Owner, model: str, question: np.ndarray, passing: np.ndarray, limit: int
) -> list[int] | None:
    """Of the keys in `passing` those `limit` nearest to the question by the file, and those that
    the file does not have. None where there is no file, or it has too few of them to help."""
    if passing.size <= LARGE:
        return passing.tolist()
    kept = _opened(owner, model, question.size)
    if kept is None:
        return None
    keys, matrix, _ = kept
    new = np.setdiff1d(passing, keys, assume_unique=True)
    if new.size > LARGE:
        return None
    asked, wide = question.astype(STORED), 4 * limit
    while True:
        wide = min(wide, keys.size)
        found = search(matrix, asked, wide, MetricKind.IP, exact=True, threads=1).keys
        chosen = keys[np.asarray(found).astype(np.int64)]
        chosen = chosen[np.isin(chosen, passing)][:limit]
        if chosen.size == limit or wide == keys.size:
            return [*chosen.tolist(), *new.tolist()]
        wide *= 4


def mean(owner: Owner, model: str, question: np.ndarray) -> float:
    """The mean cosine of the rows in the file; 0 where there is none."""
    kept = _opened(owner, model, question.size)
    return float(kept[2] @ question) if kept else 0.0


def _opened(owner: Owner, model: str, size: int) -> _Kept | None:
    path = path_of(owner, model)
    try:
        state = path.stat()
    except FileNotFoundError:
        return None
    row = size * STORED.itemsize + _KEY.itemsize
    if not size or not state.st_size or state.st_size % row:
        return None
    return _mapped(path, size, state.st_size // row, state.st_mtime_ns, state.st_ino)


@lru_cache(maxsize=16)
def _mapped(path: Path, size: int, rows: int, changed: int, inode: int) -> _Kept:
    """`changed` and `inode` make a new file another entry."""
    matrix = np.memmap(path, STORED, "r", 0, (rows, size))
    keys = np.fromfile(path, _KEY, rows, offset=rows * size * STORED.itemsize)
    return keys, matrix, matrix.mean(axis=0, dtype=np.float32)
