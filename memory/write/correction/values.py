"""Values by their type: what a new value can take the place of."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory.text.normalise import key

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAY = (
    r"(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:rs(?:day)?)?|fri(?:day)?|sat(?:urday)?"
    r"|sun(?:day)?)"
)
_NTH = r"\d{1,2}(?:st|nd|rd|th)"
_SMALL = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_HAN = "[一二两三四五六七八九十]"
_DAYPART = "凌晨|清晨|早上|上午|中午|下午|傍晚|晚上|今晚|夜里"
_PART = r"(?: (?:in the |at )?(?:morning|afternoon|evening|night|noon))"
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_CURRENCY = (
    "美元|美金|欧元|日元|港币|英镑|人民币|块钱|元|块|dollars?|bucks?|yuan|euros?|pounds?|cents?"
    "|usd|rmb|cny|eur|gbp|hkd"
)
_COUNTED = (
    "个小时|个月|个人|小时|分钟|公里|公斤|平米|毫升|名|件|台|箱|只|条|张|人|次|份|层|位|项|页|套"
    "|辆|本"
    "|款|个|间|天|周|岁|号楼|杯|瓶|盒|吨|米|克|斤|度|倍|折|kg|km|gb|mb|ms"
)
_PATTERNS = {
    "url": r"https?://[^\s,。]+|(?:www\.)[^\s,。]+",
    "email": r"[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+",
    "date": (
        rf"\d{{4}}-\d{{1,2}}-\d{{1,2}}|\d{{4}}/\d{{1,2}}/\d{{1,2}}"
        rf"|(?:\d{{4}}年|[今明去]年)?\d{{1,2}}月(?:\d{{1,2}}[日号]?|底|初|中旬|末)?"
        rf"|(?:这个月|本月|下个?月|上个?月)(?:\d{{1,2}}[日号]|[底初末])?"
        rf"|\d{{1,2}}[号日](?![楼店线])"
        rf"|(?:下下|下个?|这个?|本|上个?)?(?:周|星期|礼拜)[一二三四五六日天末]|大?[今明后昨]天"
        rf"|(?:下下|下个?|这个?|本|上个?)(?:周|星期|礼拜|月)(?:[初中底末])?|[今明后去]年"
        rf"|[月年]底"
        rf"|(?:the )?(?:{_NTH}|\d{{1,2}}) (?:of )?{_MONTH}(?:,? \d{{4}})?(?![a-z])"
        rf"|{_MONTH} (?:the )?(?:{_NTH}|\d{{1,2}}(?![:\d]))(?:,? \d{{4}})?"
        rf"|(?:the )?{_NTH}(?: of (?:this|next|the) month)?|\d{{1,2}} of (?:this|next) month"
        rf"|(?:(?:next|this|coming|on) )?{_WEEKDAY}(?: (?:this|next"
        rf"|after next) ?(?:week)?)?(?![a-z])"
        rf"|(?:the )?day after tomorrow|today|tomorrow|(?:next|this) (?:week(?:end)?|month)"
    ),
    "time": (
        rf"(?:{_DAYPART})?(?:\d{{1,2}}|{_HAN}{{1,2}})(?:点钟?|时)(?:半|一刻|\d{{1,2}}分?)?"
        rf"|(?:{_DAYPART})?\d{{1,2}}:\d{{2}}(?: ?[ap]\.?m\b\.?|{_PART})?"
        rf"|\d{{1,2}}(?:[:.]\d{{2}})? ?[ap]\.?m(?:\b\.?)|(?:half|quarter) (?:past"
        rf"|to) (?:\d{{1,2}}|{_SMALL}){_PART}?"
        rf"|(?:\d{{1,2}}|{_SMALL}) ?o[\"'’]?clock{_PART}?|\d{{1,2}}{_PART}"
        rf"|(?:morning|afternoon|evening|night) \d{{1,2}}(?::\d{{2}})?|noon|midnight"
        rf"|{_DAYPART}(?!\d)"
    ),
    "version": r"v\d{1,9}(?:\.\d{1,9}){0,5}(?:-[a-z0-9.]{1,20})?|\d{1,9}(?:\.\d{1,9}){2,5}",
    "phone": (
        r"\+\d{1,3}[- ]?\d[\d -]{5,14}\d|(?:\d{3,4}-){1,2}\d{4,8}|1[3-9]\d{9}"
        r"|\(\d{3}\) ?\d{3}-\d{4}"
    ),
    "percent": rf"{_NUMBER} ?(?:%|percent|per cent)|百分之{_NUMBER}",
    "number": (
        rf"[$¥€£] ?{_NUMBER} ?(?:[km](?![a-z])|thousand|million|[百千万亿]{{1,2}})?(?:{_CURRENCY})?"
        rf"|{_NUMBER} ?(?:[km](?![a-z])|thousand|million|[百千万亿]{{1,2}})? ?"
        rf"(?:(?:{_CURRENCY})(?![a-z])|(?:{_COUNTED})(?![a-z]))?"
        rf"|{_HAN}{{1,3}}(?:{_COUNTED})|(?:{_SMALL})(?![a-z])"
    ),
    "id": (
        r"[a-z]{1,12}(?:[-_/]\d|\d{2})[a-z0-9]*(?:[-_/][a-z0-9]+)*"
        r"|\d+[-_]?[a-z]+[-_]?\d+[a-z0-9-]*"
    ),
}
# In this order: a phone number is no number, and the digits of an id are nothing by themselves.
_FIND = re.compile(
    r"(?<![a-z0-9.$#_@/-])(?:"
    + "|".join(
        f"(?P<{name}>{_PATTERNS[name]})"
        for name in ("url", "email", "phone", "date", "time", "version", "percent", "id", "number")
    )
    + r")(?![a-z0-9_]|[-.:][0-9])",
)
_JOINED = re.compile(r"(?:,? ?(?:at |的|on )?| ?, ?| and )\Z")
_DIGITS = re.compile(_NUMBER)
_SCALE = {
    "k": 10**3, "thousand": 10**3, "m": 10**6, "million": 10**6, "百": 100, "千": 10**3,
    "万": 10**4,    "亿": 10**8,
}  # fmt: skip
_SMALL_VALUE = {word: str(n) for n, word in enumerate(_SMALL.split("|"), 1)} | {
    sign: str(n) for n, sign in enumerate("一二三四五六七八九十", 1)
}
_SMALL_VALUE["两"] = "2"
_BOOL = {
    "true": True,
    "yes": True,
    "是": True,
    "有": True,
    "false": False,
    "no": False,
    "否": False,
}
_PLACE = re.compile(
    r"[路街道巷弄园区村镇号大厦广场][^,。]{0,12}?\d+ ?(?:号楼|[号弄栋楼室层座])\Z"
    r"|^\d+ [a-z' ]+ (?:road|street|avenue|lane|drive|boulevard|square|court|rd|st|ave|blvd)\b"
)
_SPACE = re.compile(r"[\s,]+")
_ARTICLE = re.compile(r"^(?:on|at|the) ")


@dataclass(frozen=True)
class Value:
    """`kind`: date, time, moment (both), number, percent, id, version, phone, email, url, bool,
    place (a street and number) or text. `unit` is a number's own, "money" for any currency.
    `start:end` is its place."""

    text: str
    kind: str
    start: int = 0
    end: int = 0
    unit: str = ""
    parts: tuple["Value", ...] = ()


def values(text: str) -> list[Value]:
    """The typed values in a normalised text, in order; a day and its time are one moment."""
    found: list[Value] = []
    for match in _FIND.finditer(text):
        value = Value(match[0], match.lastgroup, *match.span(), _unit(match))
        last = found[-1] if found else None
        if last and _is_moment(last, value) and _JOINED.fullmatch(text[last.end : value.start]):
            whole = text[last.start : value.end]
            found[-1] = Value(whole, "moment", last.start, value.end, parts=(last, value))
        else:
            found.append(value)
    return found


def typed(text: str) -> Value:
    """The value that a whole text is; of kind "text" where it is none of the others."""
    text = key(text)
    if text in _BOOL:
        return Value(text, "bool", 0, len(text))
    found = values(_ARTICLE.sub("", text))
    if len(found) == 1 and found[0].end - found[0].start == len(_ARTICLE.sub("", text)):
        return found[0]
    return Value(text, "place" if _PLACE.search(text) else "text", 0, len(text))


def fits(new: Value, old: Value) -> bool:
    """Whether `new` can take the place of `old`: a time does not replace a person, nor pieces
    money."""
    if new.kind == old.kind == "number":
        return not new.unit or not old.unit or new.unit == old.unit
    if new.kind == old.kind:
        return True
    return any({new.kind, old.kind} <= family for family in _FAMILIES) or (
        new.kind == "number" and old.kind in _SPELT_AS_NUMBER and not new.unit
    )


PLAIN = frozenset(["text", "place"])
_FAMILIES = ({"date", "moment"}, {"time", "moment"}, {"place", "text"})
_SPELT_AS_NUMBER = {"version", "phone", "id"}


def same_value(a: str, b: str) -> bool:
    """Equal after normalising, or one number in two spellings (3000, 3,000元; 5万, 50000)."""
    a, b = key(a), key(b)
    if _SPACE.sub("", a) == _SPACE.sub("", b):
        return True
    left, right = typed(a), typed(b)
    if left.kind == right.kind == "number" and fits(left, right):
        return amount(left.text) == amount(right.text) is not None
    if left.kind == right.kind == "version":
        return left.text.lstrip("v") == right.text.lstrip("v")
    return left.kind == right.kind == "date" and _date(a) == _date(b)


def amount(text: str) -> float | None:
    """A number's size: 5万元 and ¥50,000 are both 50000."""
    found = _DIGITS.search(text)
    if found is None:
        word = next((w for w in sorted(_SMALL_VALUE, key=len, reverse=True) if w in text), None)
        return float(_SMALL_VALUE[word]) if word else None
    size = float(found[0].replace(",", ""))
    scale = re.match(r" ?(thousand|million|[km](?![a-z])|[百千万亿]{1,2})", text[found.end() :])
    for sign in [scale[1]] if scale and scale[1].isascii() else scale[1] if scale else ():
        size *= _SCALE[sign]
    return size


def _unit(match: re.Match) -> str:
    if match.lastgroup != "number":
        return ""
    text = match[0]
    if text[0] in "$¥€£" or re.search(rf"(?:{_CURRENCY})\Z", text):
        return "money"
    found = re.search(rf"(?:{_COUNTED})\Z", text)
    return found[0] if found else ""


def _is_moment(a: Value, b: Value) -> bool:
    return {a.kind, b.kind} == {"date", "time"}


def _date(text: str) -> tuple[str, ...]:
    """A date's parts however they are ordered: 10th of March, March 10."""
    text = re.sub(r"(\d)(?:st|nd|rd|th)", r"\1", text)
    words = re.findall(r"\d+|[a-z]{3,}|[\u4e00-\u9fff]", text)
    short = (word[:3] if word[:1].isalpha() and word.isascii() else word for word in words)
    return tuple(sorted(word for word in short if word not in {"the", "日", "号", "月"}))


def inside(text: str, old: Value) -> Iterator[Value]:
    """The values in `text` that fit `old`; a moment's day or time where only that fits."""
    for value in values(text):
        yield from (part for part in (value, *value.parts) if fits(part, old))
