"""A day that a question names: what happened or was said then is what is asked for."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from django.utils import timezone

from memory.index.filters import Days
from memory.text.language import language
from memory.text.normalise import fold
from memory.text.terms import Query, index_terms

from . import date_words as w

# Questions are short; a longer message tells of a day rather than asks about it.
_LONGEST = 160


@dataclass(frozen=True)
class Day:
    """The days from `first` to `last`, both included; `said` is how the question names them."""

    first: date
    last: date
    said: str

    def __str__(self) -> str:
        """ISO 8601: a day, or an interval of days."""
        return "/".join(day.isoformat() for day in dict.fromkeys((self.first, self.last)))

    def filter(self) -> Days:
        """What a row must be: of that time in the installation's zone, or a text that names the
        day."""
        zone = timezone.get_current_timezone()
        since = datetime.combine(self.first, time.min, zone)
        until = datetime.combine(self.last + timedelta(days=1), time.min, zone)
        return Days(since, until, tuple(_spelt(self.first)) if self.first == self.last else ())


def named_day(query: str, moment: datetime) -> Day | None:
    """The day that a question asks about, as seen from `moment`; None: no day is a filter.

    A day filters where the question asks what happened or was said on it: it stands as an
    adverbial ("on 2 May", "5月2日，", "我昨天…") beside a word of saying or of the past. It does
    not where it may be a limit or a part of the thing that is asked for: beside before, after,
    by, since, until, for, 之前, 以后, 到, 起…; as 5月2日的会议 or "the meeting on 2 May"; inside
    what was said (我说5月2日…); beside a deadline; in the future; with another day in the same
    question; in a message that does not ask. A day without a year is the latest such day that is
    not in the future; weeks begin on Monday. A row then passes that happened on the day or names
    it, and what happened on it is a candidate whatever its words. Where none passes, none is
    given: there is no second try without the day.
    """
    folded = fold(query[: _LONGEST + 1])
    if len(query) > _LONGEST or w.LIMITED.search(folded.text):
        return None
    found, today = list(w.DAY.finditer(folded.text)), timezone.localtime(moment).date()
    days = _days(found[0], today) if len(found) == 1 else None
    if days is None:
        return None
    start, end = found[0].span()
    chinese = found[0].lastgroup.startswith("zh") or not found[0][0].isascii()
    if found[0].lastgroup == "iso":
        chinese = language(folded.text) == "zh"
    before, after = folded.text[:start], folded.text[end:]
    if chinese:
        past = w.ZH_PAST if days[1] < today else w.ZH_DONE
        asks = _asks_chinese(before, after, past)
    else:
        asks = _asks_english(before, after, found[0])
    if not asks:
        return None
    return Day(*days, query[folded.starts[start] : folded.ends[end - 1]])


def of_a_day(query: Query, day: Day | None) -> Query:
    """The terms of a question whose day is a filter: the date itself is then not required."""
    if day is None:
        return query
    terms = (replace(term, required=term.required and term.kind != "date") for term in query.terms)
    return replace(query, terms=tuple(terms))


def _asks_chinese(before: str, after: str, past: re.Pattern) -> bool:
    if not w.ZH_BEFORE.search(before) or w.ZH_REPORTED.search(before):
        return False
    rest = w.ZH_PART_OF_DAY.sub("", after, count=1)
    if w.ZH_NOT_AFTER.match(rest) or not (w.ZH_AFTER.match(rest) or w.ZH_SUBJECT.search(before)):
        return False
    clause, *more = re.split(r"[,。;]\s?", rest.lstrip(", "), maxsplit=1)
    if w.ZH_RELATIVE.match(clause) or not past.search(before + rest):
        return False
    return bool(w.ZH_ASKS.search(clause) or (more and w.ZH_GOES_ON.match(more[0])))


def _asks_english(before: str, after: str, named: re.Match) -> bool:
    is_date = named.lastgroup in ("iso", "dmy", "mdy") or named["en_bare"]
    if w.EN_NOT_BEFORE.search(before) or (is_date and not w.EN_ON.search(before)):
        return False
    whole = f"{before} {after}"
    if w.EN_NOT_AFTER.match(after) or w.EN_AHEAD.search(whole) or not w.EN_PAST.search(whole):
        return False
    clause = w.EN_BREAK.split(before)[-1] + " " + w.EN_BREAK.split(after.lstrip(", "))[0]
    return bool(w.EN_ASKS.search(clause)) and bool(
        "?" in after or w.EN_BEGINS.match(clause.strip())
    )


def _days(named: re.Match, today: date) -> tuple[date, date] | None:
    """First and last day of what a question names; None where it is no such day, or not past."""
    try:
        first, last = _MAKERS[named.lastgroup](named, today)
    except (ValueError, OverflowError):
        return None
    return (first, min(last, today)) if first <= today else None


def _date(prefix: str) -> Callable[[re.Match, date], tuple[date, date]]:
    def make(named: re.Match, today: date) -> tuple[date, date]:
        month = named[f"{prefix}_month"]
        english = month.isascii() and month.isalpha()
        number = w.MONTHS.index(month[:3]) + 1 if english else _number(month)
        day, year = _number(named[f"{prefix}_day"]), named[f"{prefix}_year"]
        back = named["zh_which"] and {"今年": 0, "去年": 1, "前年": 2}[named["zh_which"]]
        if year or back is not None:
            found = date(int(year or today.year - back), number, day)
            return found, found
        # 29 February may be eight years back.
        past = (_real(today.year - step, number, day) for step in range(9))
        found = next((day for day in past if day and day <= today), None)
        if found is None:
            raise ValueError(named[0])
        return found, found

    return make


def _real(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _number(text: str) -> int:
    """1 to 39 in digits or Chinese numerals. Raises `ValueError`."""
    if text.isascii():
        return int(text)
    text = text.replace("两", "二")
    tens, ten, ones = text.rpartition("十")
    if len(tens) > 1 or len(ones) > 1:
        raise ValueError(text)
    return (w.ZH_DIGITS.index(tens) + 1 if tens else 1) * (10 if ten else 0) + (
        w.ZH_DIGITS.index(ones) + 1 if ones else 0
    )


def _ago(group: str) -> Callable[[re.Match, date], tuple[date, date]]:
    def make(named: re.Match, today: date) -> tuple[date, date]:
        text = named[group]
        day = today - timedelta(days=w.EN_NUMBERS.get(text) or _number(text))
        return day, day

    return make


def _back(named: re.Match, today: date) -> tuple[date, date]:
    first, last = w.BACK[named["back"]]
    return today - timedelta(days=first), today - timedelta(days=last)


def _week(named: re.Match, today: date) -> tuple[date, date]:
    monday = today - timedelta(days=today.weekday())
    which = named["zh_weeks"] or named["en_which"]
    name = named["zh_weekday"] or named["en_weekday"] or named["en_bare"]
    back = {"上上": 2, "上": 1, "last": 1, "这": 0, "本": 0, "this": 0}.get(which)
    if name in (None, "week"):
        first = monday - timedelta(weeks=back)
        return first, first + timedelta(days=6)
    place = w.ZH_WEEKDAYS[name] if name in w.ZH_WEEKDAYS else w.WEEKDAYS.index(name)
    if back is None or which == "last":
        # "Monday" is the latest one, "last Monday" the latest before today.
        latest = today - timedelta(days=1 if which else 0)
        day = latest - timedelta(days=(latest.weekday() - place) % 7)
    else:
        day = monday + timedelta(days=place, weeks=-back)
    return day, day


_MAKERS = {
    "zh_date": _date("zh"), "iso": _date("iso"), "dmy": _date("dmy"), "mdy": _date("mdy"),
    "zh_ago": _ago("zh_n"), "en_ago": _ago("en_n"), "back": _back, "zh_week": _week,
    "en_week": _week,
}  # fmt: skip


def _spelt(day: date) -> Iterator[tuple[str, ...]]:
    """The ways to write a day that the index knows, each as terms in a row."""
    month = _ENGLISH_MONTHS[day.month - 1]
    for text in (
        day.isoformat(), f"{day.month}月{day.day}日", f"{day.day} {month}", f"{month} {day.day}",
        f"{month[:3]} {day.day}", f"{day.day} {month[:3]}", f"{month} {_ordinal(day.day)}",
        f"{_ordinal(day.day)} of {month}",
    ):  # fmt: skip
        yield tuple(index_terms(text).words)


_ENGLISH_MONTHS = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
]  # fmt: skip


def _ordinal(day: int) -> str:
    ending = "th" if day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"
