"""Which things a sentence ties together: "X uses Y", "X is supplied by Y", X使用Y, X由Y供应.

A few forms of plain sentences, read for texts whose writer named no linked entities. What is
asked, denied, supposed or told of the past ties nothing.
"""

import re

from memory.text import statement_words as w
from memory.text.language import language
from memory.text.names import could_be_name
from memory.text.normalise import key, visible

_LIMIT, _MOST = 200, 6
_SENTENCE = re.compile(r"[\n\r;；，。!！…?？]|,(?![0-9])|\.(?:\s|$)")
_ZH_NAME = r"[^\s的了着过在和与把被由是为,，、]{2,20}"
_ZH_FORMS = (
    re.compile(rf"(?P<x>{_ZH_NAME})(?:现在)?(?:使用|采用|选用)(?:的是)?了?(?P<y>[^的]{{2,40}})$"),
    re.compile(rf"(?P<x>{_ZH_NAME})(?:现在)?由(?P<y>{_ZH_NAME}?)(?:独家|负责)?(?:供应|供货|提供|生产)$"),
    re.compile(rf"(?P<y>{_ZH_NAME}?)(?:给|为|向)(?P<x>{_ZH_NAME}?)(?:供应|供货|提供)(?P<z>[^的]{{0,20}})$"),
    re.compile(rf"(?P<x>{_ZH_NAME}?)的(?:供应商|供货商|厂家|原料|材料|用料)是(?P<y>{_ZH_NAME})$"),
    re.compile(rf"(?P<x>{_ZH_NAME}?)(?:属于|隶属于?|依赖于?)(?P<y>{_ZH_NAME})$"),
)  # fmt: skip
_EN_NAME = r"(?:the |our )?(?P<{}>[\w][\w'&/.-]*(?: [\w'&/.-]+){{{{0,{}}}}})"
_X, _Y = _EN_NAME.format("x", 4).format(), _EN_NAME.format("y", 8).format()
_EN_FORMS = tuple(
    re.compile(rf"{_X} (?:now |currently )?{verb} {_Y}$", re.IGNORECASE)
    for verb in (
        "uses",
        "(?:is|are) (?:supplied|delivered|provided|made|produced|built|run) by",
        "(?:is|are) (?:made|built) (?:of|from)",
        "(?:is|are) part of",
        "(?:belongs to|depends on|relies on)",
        "(?:supplies|delivers|provides|produces)",
    )
)
_VERBS = re.compile(
    r"使用|采用|选用|供应|供货|提供|生产|供货商|厂家|原料|材料|用料|属于|隶属|依赖|"
    r"\b(?:uses|supplied|delivered|provided|made|produced|built|run|part|belongs|depends|relies|"
    r"supplies|delivers|provides|produces)\b",
    re.IGNORECASE,
)
_ZH_LEAD = re.compile("^(?:我们的?|目前|现在|当前|其中|另外|今年)")
_ZH_AND = re.compile("和|与|、|以及")
_EN_AND = re.compile(r" and |, ", re.IGNORECASE)
# Where the thing ends and how, when or what for begins.
_EN_TAIL = re.compile(
    r" (?:for|in|on|at|to|from|with|as|by|via|since|because|during|when|while|every|each|per)\b.*",
    re.IGNORECASE,
)
_ZH_TAIL = re.compile("(?:来|做|作为|作|进行|制作|为|用于).*")
_NOBODY = {
    "我", "我们", "用户", "本人", "自己", "大家", "公司", "客户", "i", "we", "user", "the user",
    "everyone", "somebody", "someone", "customer", "people",
}  # fmt: skip


def relations(text: str) -> tuple[str, ...]:
    """The things that a text ties together, as it writes them, in order; never one alone. Empty
    where it plainly ties none, or is longer than 200 characters."""
    text = visible(text)
    if len(text) > _LIMIT or not _VERBS.search(text):
        return ()
    found: dict[str, str] = {}
    for part in _SENTENCE.split(text):
        sentence = part.strip() if part else ""
        if sentence and _VERBS.search(sentence):
            read = _chinese if language(sentence) == "zh" else _english
            for name in read(sentence):
                found.setdefault(key(name), name)
    return tuple(found.values())[:_MOST]


def _chinese(sentence: str) -> list[str]:
    if w.ZH_NOT_PLAIN.search(sentence):
        return []
    sentence = _ZH_LEAD.sub("", sentence)
    for form in _ZH_FORMS:
        if match := form.fullmatch(sentence):
            groups = match.groupdict()
            others = _ZH_AND.split(_ZH_TAIL.sub("", groups["y"]))
            return _named([groups["x"], *others, groups.get("z") or ""])
    return []


def _english(sentence: str) -> list[str]:
    lowered = sentence[:1].lower() + sentence[1:]
    if w.EN_NOT_PLAIN.search(lowered):
        return []
    for form in _EN_FORMS:
        if match := form.fullmatch(sentence):
            others = _EN_AND.split(_EN_TAIL.sub("", match["y"]))
            return _named([match["x"], *others])
    return []


def _named(names: list[str]) -> list[str]:
    bare = [re.sub(r"(?i)^(?:the|an?|our|some) ", "", name.strip()) for name in names]
    found = [name for name in bare if could_be_name(key(name)) and key(name) not in _NOBODY]
    return found if len(found) > 1 else []
