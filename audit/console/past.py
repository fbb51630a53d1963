"""The day that a page shows the store on, as its address gives it."""

import re
from dataclasses import dataclass
from datetime import date, datetime, time

from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from memory import clock

YEARS = range(1970, 9000)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)


@dataclass(frozen=True)
class Then:
    """`moment` is None for the present, then `text` is "" and `problem` says what was wrong with
    what was asked, "" where nothing was."""

    moment: datetime | None = None
    text: str = ""
    problem: str = ""

    @property
    def query(self) -> str:
        """What a link to a page of the same day ends with, "" for the present."""
        return f"?{urlencode({'as_of': self.text})}" if self.moment else ""


def then(request) -> Then:
    """What `as_of` in the address asks for: a day, as it was at its end (today: now), or a time.
    What is no time, or is not over, is the present, with a word about it."""
    text = request.GET.get("as_of", "").strip()
    if not text:
        return Then()
    try:
        moment = read_time(text, time.max)
    except ValueError:
        return Then(problem=_("That is no date; this is the store as it is now."))
    if moment > clock.now():
        return Then(problem=_("That day is still to come; this is the store as it is now."))
    return Then(moment, text)


def read_time(text: str, of_day: time) -> datetime:
    """A day (2026-03-01) in the reader's zone at that time of it, today never later than now; or
    a time in ISO 8601. Raises `ValueError`."""
    is_day = bool(_DAY.match(text))
    if is_day:
        moment = datetime.combine(date.fromisoformat(text), of_day)
    else:
        moment = datetime.fromisoformat(text)
    if moment.year not in YEARS:
        raise ValueError(text)
    if moment.tzinfo is None:
        moment = timezone.make_aware(moment)
    is_today = is_day and text == str(timezone.localdate(clock.now()))
    return min(moment, clock.now()) if is_today else moment
