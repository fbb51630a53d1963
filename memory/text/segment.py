"""The seam to jieba: loaded late, its cache in our own folder, and work bounded.

jieba's guessing of unknown words (HMM) is quadratic in a run of single characters: 100,000
times the same character took 50 s. Runs are cut into windows first, and a window that is
mostly single characters is not guessed at. `use_paddle` is never used: it installs packages.
"""

import logging
import tempfile
import threading
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

WINDOW = 64
# Chinese seldom has more single-character words in a row; longer stretches are not sentences.
SINGLES = 16
_loading = threading.Lock()


def warm() -> None:
    """Load the dictionary now (1-2 s), so that no question has to wait for it."""
    _tokenizer()


def cut(run: str) -> list[str]:
    """The words of a run of Chinese characters, one after the other; they join to `run`."""
    if len(run) < 2:
        return [run] if run else []
    words: list[str] = []
    start = 0
    while start < len(run):
        piece = _window(run[start : start + WINDOW])
        if start + WINDOW < len(run) and len(piece) > 1:
            # The last word may have been cut in two: it opens the next window.
            piece.pop()
        words += piece
        start += sum(map(len, piece))
    return words


def words(run: str) -> list[tuple[str, int, int]]:
    """The words of a run with their offsets, and before each the dictionary words inside it."""
    found, start = [], 0
    for word in cut(run):
        found += [(run[a:b], a, b) for a, b in _inside(word, start)]
        end = start + len(word)
        found.append((word, start, end))
        start = end
    return found


def in_dictionary(word: str) -> bool:
    """Whether jieba's dictionary has `word`; what the HMM guessed is not in it."""
    return bool(_tokenizer().FREQ.get(word))


def _inside(word: str, start: int) -> Iterator[tuple[int, int]]:
    for size in (2, 3):
        if len(word) > size:
            for i in range(len(word) - size + 1):
                if in_dictionary(word[i : i + size]):
                    yield start + i, start + i + size


def _window(piece: str) -> list[str]:
    if len(piece) > SINGLES:
        plain = list(_tokenizer().cut(piece, HMM=False))
        if _longest_singles(plain) > SINGLES:
            return plain
    return list(_tokenizer().cut(piece, HMM=True))


def _longest_singles(found: list[str]) -> int:
    longest = now = 0
    for word in found:
        now = now + 1 if len(word) == 1 else 0
        longest = max(longest, now)
    return longest


@cache
def _loaded():
    with warnings.catch_warnings():
        # jieba 0.42.1 has invalid escapes and asks for pkg_resources.
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel(logging.WARNING)
    folder = _folder()
    if folder is not None:
        # The default is a guessable name in a shared folder, read with marshal.
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        jieba.dt.tmp_dir = str(folder)
        jieba.dt.initialize()
    else:
        with tempfile.TemporaryDirectory() as own:
            jieba.dt.tmp_dir = own
            jieba.dt.initialize()
    return jieba.dt


def _tokenizer():
    if _loaded.cache_info().currsize:
        return _loaded()
    with _loading:
        return _loaded()


def _folder() -> Path | None:
    try:
        return Path(settings.DATA_DIR) / "jieba"
    except (AttributeError, ImproperlyConfigured):
        return None
