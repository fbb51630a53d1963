"""Numbers, hours and days that are spelt in words, as figures."""

import re

from . import similar_words as w

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_STEPS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "亿": 10**8}
_UNITS = (
    "个|只|条|次|人|位|名|元|块|天|周|年|月|号|日|点|小时|分钟|岁|楼|层|杯|瓶|盒|件|台|套|本|张|辆|公里|米"
    "|公斤|斤|吨|倍|折|成|份|页|章|轮|家|种|款|箱|袋|间|期|班|组|级|度|句|遍|门|颗|把|双|对"
)
_HAN_DIGIT = "[零〇一二两三四五六七八九十百千万亿]"
# Without a unit only what can be nothing else: 三千五, but neither 万一 nor 千万.
_HAN_NUMBER = re.compile(
    rf"(?<![周期拜]){_HAN_DIGIT}+(?=(?:{_UNITS}))|[一二两三四五六七八九十][十百千万]{_HAN_DIGIT}*"
)
# Also what only a reader of values has to know: 十二 without a unit, and years.
_FIGURED = re.compile(
    rf"{_HAN_NUMBER.pattern}|(?<![周期拜])十[一二三四五六七八九](?!{_HAN_DIGIT})"
    rf"|[零〇一二两三四五六七八九]{{4,}}|\A{_HAN_DIGIT}+\Z"
)
_WEEK = "一二三四五六日天"
_WEEKDAY_HAN = re.compile(rf"(?:周|星期|礼拜)([{_WEEK}])")
_WEEKDAY = re.compile(rf"\b(?:{w.WEEKDAYS_EN})\b")
_MERIDIEM = re.compile(r"\b([01]?[0-9])(?::([0-5][0-9]))? ?([ap])\.?m\b\.?")
_PART_OF_DAY = re.compile(
    r"(凌晨|早上|早晨|上午|中午|下午|傍晚|晚上|今晚|夜里)的?([01]?[0-9])(?=[点时:])"
)
_LATE = frozenset({"下午", "傍晚", "晚上", "今晚"})
_MONTH = "|".join(f"{name}[a-z]*" for name in w.MONTHS_EN)
_MONTH_DAY = re.compile(
    rf"\b(?:(?P<m>{_MONTH}) (?P<d>[0-3]?[0-9])(?:st|nd|rd|th)?"
    rf"|(?:the )?(?P<d2>[0-3]?[0-9])(?:st|nd|rd|th)?(?: of)? (?P<m2>{_MONTH}))\b"
)
_MONTH_ALONE = re.compile(rf"(?<=\bin )(?:{_MONTH})\b|(?<=\bby )(?:{_MONTH})\b")
_ORDINAL = re.compile(r"\b([0-9]+)(?:st|nd|rd|th)\b")
_THOUSANDS = re.compile(r"\b([0-9]+(?:\.[0-9]+)?)k\b")
_SMALL = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14,
    "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
    "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_BIG = {"hundred": 100, "thousand": 1000, "million": 10**6}
_SPELT = re.compile(
    rf"\b(?:{'|'.join([*_SMALL, 'dozen'])})(?:[- ](?:and )?(?:{'|'.join([*_SMALL, *_BIG])}))*\b"
)
_SINGLE = frozenset({"一", "one"})


def spelt_out(text: str) -> tuple[str, set[str]]:
    """A normalised text with its numbers and hours in figures and its days taken out, and these
    days: 周三 and Wednesday are one, as are 每天 and daily, 下午3点 and 3 pm.

    A single "one" (一个, one of) counts nothing and goes.
    """
    days: set[str] = set()
    text = _MERIDIEM.sub(_hour_of_meridiem, text)
    text = _WEEKDAY_HAN.sub(lambda m: _take(days, f"day {min(_WEEK.index(m[1]), 6)}"), text)
    text = _WEEKDAY.sub(lambda m: _take(days, f"day {_weekday(m[0])}"), text)
    text = _HAN_NUMBER.sub(lambda m: "" if m[0] in _SINGLE else str(han_number(m[0])), text)
    text = _PART_OF_DAY.sub(_hour_of_part, text)
    text = _MONTH_DAY.sub(_month_day, text)
    text = _MONTH_ALONE.sub(lambda m: f"{_month(m[0])}月", text)
    text = _ORDINAL.sub(r"\1", text)
    text = _THOUSANDS.sub(lambda m: f"{float(m[1]) * 1000:.0f}", text)
    text = _SPELT.sub(lambda m: "" if m[0] in _SINGLE else str(_english_number(m[0])), text)
    text = w.DAY.sub(lambda m: _take(days, w.DAYS[m[0]]), text)
    return text, days


def in_figures(text: str) -> str:
    """A normalised text with its numbers in Chinese characters in figures, all else as it is:
    预算一千二 is 预算1200, 十二 is 12. A single 一 stays."""
    return _FIGURED.sub(lambda m: m[0] if m[0] == "一" else str(han_number(m[0])), text)


def han_number(text: str) -> int:
    """A number in Chinese characters: 三千二百 is 3200, 一万二 is 12000, 二〇二六 is 2026."""
    if len(text) > 1 and all(char in _DIGITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    whole = part = digit = 0
    step = 10
    for char in text:
        if char in _DIGITS:
            digit = _DIGITS[char]
            if digit == 0:
                step = 10
        elif char in _STEPS:
            step = _STEPS[char]
            part += (digit or (1 if char == "十" else 0)) * step
            digit = 0
        else:
            step = _MYRIADS[char]
            whole = (whole + part + digit) * step
            part = digit = 0
    # 一千二 is 1200: a last digit without its step stands one step below.
    return whole + part + digit * (step // 10 if digit else 0)


def _english_number(text: str) -> int:
    whole = part = 0
    for word in re.split(r"[- ]", text):
        if word in _SMALL:
            part += _SMALL[word]
        elif word == "dozen":
            part += 12
        elif word in _BIG:
            part = (part or 1) * _BIG[word]
            if _BIG[word] >= 1000:
                whole, part = whole + part, 0
    return whole + part


def _take(days: set[str], day: str) -> str:
    days.add(day)
    return " "


def _weekday(word: str) -> int:
    return ("mo", "tu", "we", "th", "fr", "sa", "su").index(word[:2])


def _month(word: str) -> int:
    return w.MONTHS_EN.index(word[:3]) + 1


def _month_day(match: re.Match) -> str:
    month, day = match["m"] or match["m2"], match["d"] or match["d2"]
    return f"{_month(month)}月{int(day)}号"


def _hour_of_meridiem(match: re.Match) -> str:
    hour = int(match[1]) % 12 + (12 if match[3] == "p" else 0)
    return f"{hour}:{match[2] or '00'}"


def _hour_of_part(match: re.Match) -> str:
    hour = int(match[2])
    return str(hour + 12 if match[1] in _LATE and hour < 12 else hour)
