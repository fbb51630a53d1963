"""Parts of speech of Chinese words, from jieba's dictionary.

The words are those of `segment`, so that its bounds hold here too; jieba's own tagger guesses
at unknown words in time that grows with the square of a run. The table is read on first use
(350,000 words, 0.5 s, 40 MB).
"""

import importlib.util
import sys
import threading
from functools import cache
from pathlib import Path

from . import segment

_loading = threading.Lock()
UNKNOWN = "x"


def tagged(run: str) -> list[tuple[str, str]]:
    """The words of a run of Chinese characters, each with its tag (n, v, a, nr, ...; "x" where
    the dictionary has none)."""
    table = _table()
    return [(word, table.get(word, UNKNOWN)) for word in segment.cut(run)]


def _table() -> dict[str, str]:
    with _loading:
        return _read()


@cache
def _read() -> dict[str, str]:
    table = {}
    found = importlib.util.find_spec("jieba")
    with Path(found.origin).with_name("dict.txt").open(encoding="utf-8") as lines:
        for line in lines:
            word, _, tag = line.split()
            # There are 60 different tags: one string each.
            table[word] = sys.intern(tag)
    return table
