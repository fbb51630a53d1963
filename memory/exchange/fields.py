"""Fields of a foreign row, read one by one: each complaint names its field."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime
from math import isfinite
from typing import Any

from memory.models import Kind, Source, Status

from .record import Record, Reject

# Epochs beyond this are milliseconds: as seconds they lie in the year 5138.
_MILLISECONDS = 1e11
_FIRST, _LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_FRACTION = re.compile(r"(\.\d{6})\d+")
RAW_TEXT, RAW_FIELDS = 1000, 60
STATES = {
    "active": Status.ACTIVE, "activated": Status.ACTIVE, "current": Status.ACTIVE,
    "resolving": Status.QUARANTINED, "paused": Status.QUARANTINED,
    "quarantined": Status.QUARANTINED, "needs_review": Status.QUARANTINED,
    "conflicted": Status.QUARANTINED, "candidate": Status.CANDIDATE, "proposed": Status.CANDIDATE,
    "archived": Status.EXPIRED, "expired": Status.EXPIRED,
    "deleted": Status.RETRACTED, "retracted": Status.RETRACTED, "invalidated": Status.RETRACTED,
    "superseded": Status.SUPERSEDED, "rejected": Status.REJECTED,
}  # fmt: skip


class Fields:
    """One row, given by its names. What is wrong in it is collected in `errors`."""

    def __init__(self, number: int, row: Mapping[str, Any]) -> None:
        self.number, self.row = number, row
        self.errors: list[tuple[str, str]] = []
        self.naive: list[str] = []

    def text(self, *names: str) -> str:
        """The first of these that is there, as text."""
        for name in names:
            value = self.row.get(name)
            if value is None or value == "":
                continue
            if isinstance(value, str):
                return value.strip()
            if isinstance(value, bool):
                return str(value).lower()
            if isinstance(value, int | float):
                return _number_text(value)
            self.errors.append((name, "is not a text"))
            return ""
        return ""

    def moment(self, *names: str) -> datetime | None:
        """A time; one without its offset is taken for UTC and noted in `naive`."""
        for name in names:
            value = self.row.get(name)
            if value is None or value == "":
                continue
            found = read_moment(value)
            if found is None:
                self.errors.append((name, "is not a time"))
                return None
            moment, is_naive = found
            if is_naive:
                self.naive.append(name)
            return moment
        return None

    def number_in(self, name: str, low: float, high: float) -> float | None:
        value = self.row.get(name)
        if value is None or value == "":
            return None
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = low - 1
        if isinstance(value, bool) or not low <= number <= high:
            self.errors.append((name, f"is not a number from {low:g} to {high:g}"))
            return None
        return number

    def importance(self, name: str = "importance") -> int | None:
        number = self.number_in(name, 1, 5)
        return None if number is None else round(number)

    def names(self, *names: str) -> tuple[str, ...]:
        """A list of names; a text is one in JSON, or is split at commas, semicolons and 、."""
        for name in names:
            value = self.row.get(name)
            if not value:
                continue
            if isinstance(value, str):
                value = _list_in(value) or re.split(r"[,;，；、|]", value)
            if not isinstance(value, list | tuple):
                self.errors.append((name, "is not a list"))
                return ()
            told = [one.get("name") if isinstance(one, Mapping) else one for one in value]
            return tuple(dict.fromkeys(str(one).strip() for one in told if one not in (None, "")))
        return ()

    def choice(self, name: str, values: Iterable[str]) -> str:
        """One of ours, or "" for a word that is not."""
        value = self.row.get(name)
        return value if isinstance(value, str) and value in values else ""

    def kind(self, name: str = "kind") -> str:
        return self.choice(name, Kind.values)

    def source(self, name: str = "source") -> str:
        return self.choice(name, Source.values)

    def state(self, *names: str) -> str:
        """The state of ours that a word of theirs means; active where it is not said."""
        said = self.text(*names).lower()
        if said and said not in STATES:
            self.errors.append((names[0], f"an unknown state: {said[:40]}"))
        return STATES.get(said, Status.ACTIVE)

    def metadata(self, name: str = "metadata") -> dict[str, Any]:
        """An object, also one that is written as text."""
        value = self.row.get(name)
        if isinstance(value, str) and value.strip().startswith("{"):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return {name: value}
        return dict(value) if isinstance(value, Mapping) else {}

    def record(self, **fields: Any) -> Record | Reject:
        """The record, or what was wrong with its fields."""
        if self.errors:
            return self.reject()
        if self.naive:
            told = {"times_without_offset": sorted(set(self.naive))}
            fields["metadata"] = {**fields.get("metadata", {}), **told}
        return Record(self.number, raw=self.row, **fields)

    def reject(self, code: str = "invalid") -> Reject:
        told = "; ".join(f"{name}: {message}" for name, message in self.errors)
        return Reject(self.number, code, told, self.row)


def read_moment(value: Any) -> tuple[datetime, bool] | None:
    """(the instant, whether it came without an offset), or None for what is no time between 1970
    and 2200. Takes ISO 8601, a day, seconds or milliseconds since 1970."""
    try:
        moment = _moment(value)
    except (ValueError, OverflowError, OSError):
        return None
    if moment is None:
        return None
    is_naive = moment.tzinfo is None
    moment = moment.replace(tzinfo=UTC) if is_naive else moment.astimezone(UTC)
    return (moment, is_naive) if _FIRST <= moment <= _LAST else None


def digest_id(*parts: str) -> str:
    """An id for what has none at its source: the same parts give the same one."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def each(
    rows: Iterable[Any], read: Callable[[int, Mapping[str, Any]], Any], first: int = 1
) -> Iterable[Any]:
    """What `read` makes of each row that is an object; any other is a `Reject`."""
    for number, row in enumerate(rows, start=first):
        if isinstance(row, Mapping):
            yield read(number, row)
        else:
            yield Reject(number, "not_an_object", "is not an object", {"value": shown(row)})


def shown(value: Any, depth: int = 4) -> Any:
    """A value as it is told back: bounded in depth, in fields and in length."""
    if isinstance(value, str):
        return value if len(value) <= RAW_TEXT else value[:RAW_TEXT] + "…"
    if value is None or isinstance(value, bool | int | float):
        return str(value) if isinstance(value, float) and not isfinite(value) else value
    if isinstance(value, Mapping) and depth:
        kept = list(value.items())[:RAW_FIELDS]
        return {str(name)[:200]: shown(inner, depth - 1) for name, inner in kept}
    if isinstance(value, list | tuple) and depth:
        return [shown(inner, depth - 1) for inner in value[:RAW_FIELDS]]
    return str(value)[:RAW_TEXT]


def _listed(text: str) -> list[Any]:
    """A list that is written as text: in JSON, or divided by signs."""
    if text.startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list):
            return found
    return re.split(r"[,;，；、|]", text)


def _moment(value: Any) -> datetime | None:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        seconds = value / 1000 if abs(value) > _MILLISECONDS else value
        return datetime.fromtimestamp(seconds, UTC)
    if not isinstance(value, str):
        return None
    text = value.strip()
    if re.fullmatch(r"\d{9,13}(\.\d+)?", text):
        return _moment(float(text))
    text = re.sub(r"^(\d{4})[/.](\d{1,2})[/.](\d{1,2})", _dashes, text)
    # SQLite and Python write " UTC" and nine figures of a second.
    text = _FRACTION.sub(r"\1", text.replace(" UTC", "+00:00"))
    return datetime.fromisoformat(text)


def _list_in(text: str) -> list[Any] | None:
    """The list that a text is in JSON, as tables have it."""
    try:
        value = json.loads(text) if text.startswith("[") else None
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _dashes(found: re.Match) -> str:
    year, month, day = found.groups()
    return f"{year}-{int(month):02}-{int(day):02}"


def _number_text(value: float) -> str:
    """A number as a person writes it: 3 for 3.0, all its figures for an id."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)
