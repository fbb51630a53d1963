"""The keys that a phrase may name: entity and attribute that together are the whole phrase."""

import re
from types import ModuleType

from memory.text.normalise import key

from . import words_en, words_zh

LONGEST = 60
# A statement without an attribute gives its entity one of this name (预算是800).
USER, VALUE = "user", "value"
_OF = re.compile(r" (?:of|for|in|at|on|from|with) ")
_HAS = re.compile(r"['’]s? ")
_MINE = re.compile(r"^(?:my|mine|our)\s+")


def pairs(phrase: str, zh: bool) -> list[tuple[str, str]]:
    """(entity, attribute) in the order of likelihood; one of both may be "".

    Nothing of the phrase is left out but small words between them (那边, the), so that 张三丰的电话
    does not name 张三.
    """
    phrase = key(phrase)[:LONGEST]
    if not phrase:
        return []
    found = _chinese(phrase) if zh else _english(phrase)
    whole = phrase if zh else words_en.ARTICLE.sub("", phrase)
    found += [(whole, VALUE), ("", whole)]
    return list(dict.fromkeys(pair for pair in found if any(pair)))


def entity_keys(entity: str) -> tuple[str, ...]:
    """The keys under which an entity may be stored: with its article and without."""
    bare = words_en.ARTICLE.sub("", entity)
    return (entity,) if not bare[:1].isascii() else tuple({entity, bare, f"the {bare}"})


def says_nothing(phrase: str, w: ModuleType) -> bool:
    return bool(w.NOTHING.match(phrase))


def _chinese(phrase: str) -> list[tuple[str, str]]:
    found = []
    if mine := words_zh.SELF.match(phrase):
        found.append((USER, phrase[mine.end() :]))
    if ours := words_zh.OURS.match(phrase):
        phrase = phrase[ours.end() :]
        found += [("", phrase), (phrase, VALUE)]
    splits = [(m.start(), m.end()) for m in re.finditer("的", phrase)]
    splits = splits[::-1] + [(i, i) for i in range(1, len(phrase))]
    for left, right in splits:
        entity = re.sub(rf"(?<=..)(?:{words_zh.BETWEEN})+$", "", phrase[:left])
        attribute = re.sub(f"^(?:{words_zh.BETWEEN})+(?=..)", "", phrase[right:])
        attribute = words_zh.NEW.sub("", attribute)
        found += [(phrase[:left].strip(), attribute.strip()), (entity.strip(), attribute.strip())]
    return [pair for pair in found if len(pair[0]) > 1 and len(pair[1]) > 1]


def _english(phrase: str) -> list[tuple[str, str]]:
    found = []
    if mine := _MINE.match(phrase):
        found.append((USER, phrase[mine.end() :]))
    bare = words_en.ARTICLE.sub("", phrase)
    for between in _OF.finditer(bare):
        found.append((bare[between.end() :], bare[: between.start()]))
    for has in _HAS.finditer(phrase):
        found.append((phrase[: has.start()], phrase[has.end() :]))
        if phrase[has.start() - 1] == "s":
            found.append((phrase[: has.start() + 1], phrase[has.end() :]))
    spaces = [match.start() for match in re.finditer(" ", bare)]
    found += [(bare[:i], bare[i + 1 :]) for i in spaces]
    return [(entity, words_en.NEW.sub("", attribute)) for entity, attribute in found if entity]
