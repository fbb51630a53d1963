"""Which of the known entities the recent turns of a session named."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from memory.text.normalise import key, normalise
from memory.text.patterns import DENSE, DENSE_RUN
from memory.text.stopwords import STOPWORDS

TURNS, TURN_CHARACTERS, KNOWN = 6, 2000, 2000
_SPEAKER = "user"
_BESIDE_DENSE = re.compile(rf"(?<=[{DENSE}]) | (?=[{DENSE}])")


@dataclass(frozen=True)
class Mention:
    """An entity that a turn named. `turn` counts back: 0 is the newest turn. `domain` is that of
    the memories about it, where known."""

    entity: str
    domain: str = ""
    turn: int = 0


def mentions(
    turn_texts: Sequence[str],
    known_entities: Iterable[str],
    domains: Mapping[str, str] | None = None,
) -> list[Mention]:
    """Which known entities the turns name, newest turn first, in a turn the last named first.

    `turn_texts` come newest first; the first 6 are read, 2,000 characters of each, against the
    first 2,000 entities. `domains` gives an entity's domain. Width, case and script do not
    matter; Latin names match as whole words, and inside a longer known name a shorter one does
    not count.
    """
    names = {}
    for entity in islice(known_entities, KNOWN):
        names.setdefault(name_key(entity), entity)
    by_length = sorted(filter(None, names), key=len, reverse=True)
    found = []
    for turn, text in enumerate(turn_texts[:TURNS]):
        shown, last = compact(text[:TURN_CHARACTERS]), {}
        # Looking for 2,000 names took 26 ms; most do not even begin in the text.
        pairs = {shown[i : i + 2] for i in range(len(shown))}
        for name in by_length:
            if name[:2] in pairs and (found_at := places(name, shown)):
                last[name] = found_at[-1]
                shown = _without(shown, found_at, len(name))
        for name in sorted(last, key=last.get, reverse=True):
            entity = names[name]
            found.append(Mention(entity, (domains or {}).get(entity, ""), turn))
    return found


@lru_cache(maxsize=16384)
def name_key(entity: str) -> str:
    """An entity as it is looked for; empty for what is no name of its own."""
    name = compact(key(entity))
    return "" if len(name) < 2 or name == _SPEAKER or name in STOPWORDS else name


def compact(text: str) -> str:
    """Normalised, without the spaces that some put between Chinese and Latin: A 型号, A型号."""
    return _BESIDE_DENSE.sub("", normalise(text))


def places(name: str, text: str) -> list[int]:
    """Where a name stands, as a whole word where it is in Latin letters."""
    found, start = [], text.find(name)
    while start >= 0:
        end = start + len(name)
        before, after = text[max(start - 2, 0) : start][::-1], text[end : end + 2]
        if not (_goes_on(name[0], before) or _goes_on(name[-1], after)):
            found.append(start)
        start = text.find(name, end)
    return found


def _goes_on(edge: str, beyond: str) -> bool:
    """Whether a Latin word with `edge` at its end goes on in the next two characters: Apollo is
    not in Apollo-3, but ends a sentence before a full stop."""
    if not _latin(edge) or not beyond:
        return False
    return _latin(beyond[0]) or (beyond[0] in "-_." and _latin(beyond[1:]))


def _latin(char: str) -> bool:
    return char.isalnum() and not DENSE_RUN.match(char)


def _without(text: str, starts: list[int], length: int) -> str:
    for place in starts:
        text = text[:place] + "\0" * length + text[place + length :]
    return text
