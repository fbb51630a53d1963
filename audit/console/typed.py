"""Filters typed as text: `is:superseded user:alice conf:<0.5 -source:inferred 预算`.

Words that are no filter stay what they are: words to search for. Nothing typed is an error.
"""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from memory.models import Kind, Source, Status

# What can be typed before the colon, and the parameter that it sets.
KEYS = {
    "is": "status",
    "kind": "kind",
    "source": "source",
    "user": "user_id",
    "agent": "agent_id",
    "session": "session_id",
    "domain": "domain",
    "entity": "entity",
    "attribute": "attribute",
    "tag": "tag",
    "check": "check",
    "conf": "confidence",
    "importance": "importance",
    "since": "since",
    "until": "until",
}
CHOICES = {
    "status": (*Status.values, "any"),
    "kind": tuple(Kind.values),
    "source": (*Source.values, "none"),
}
# What may be said not to be, "-kind:event"; its parameter begins with `NOT`.
NOT = "not_"
NEGATED = ("status", "kind", "source", "user_id", "agent_id", "session_id", "domain")
# These may be typed more than once; of the others the last one counts.
MANY = frozenset({"status", "kind", "source", *(NOT + name for name in NEGATED)})
RANGES = frozenset({"confidence", "importance"})
_TOKEN = re.compile(r'(?<!\S)([-!！－]?)([a-z]+)[:：](?:"([^"]*)"|(\S+))', re.IGNORECASE)
_RANGE = re.compile(r"(?:[<>]=?|=)?\d+(?:\.\d+)?\Z")
_LENGTH = 1000


@dataclass(frozen=True)
class Typed:
    """`words` are to be searched for; `filters` are (parameter, value), in the order typed;
    `unknown` are tokens that look like filters and are none, and stay among the words."""

    words: str
    filters: tuple[tuple[str, str], ...] = ()
    unknown: tuple[str, ...] = ()


def read_typed(text: str, lacking: Collection[str] = ()) -> Typed:
    """What somebody typed into the search field of a list without the filters `lacking`. Never
    raises."""
    filters: list[tuple[str, str]] = []
    unknown: list[str] = []

    def taken(found: re.Match) -> str:
        name = parameter(found[2].lower(), negated=bool(found[1]))
        value = (found[3] if found[3] is not None else found[4]).strip()
        if name is None or name in lacking or not _fits(name.removeprefix(NOT), value):
            unknown.append(found[0])
            return found[0]
        filters.append((name, _spelt(name.removeprefix(NOT), value)))
        return " "

    words = _TOKEN.sub(taken, text[:_LENGTH])
    return Typed(" ".join(words.split()), tuple(_last_of_each(filters)), tuple(unknown))


def parameter(key: str, *, negated: bool = False) -> str | None:
    """What is typed before the colon as the parameter that it sets; None for what sets none."""
    name = KEYS.get(key)
    if not negated:
        return name
    return NOT + name if name in NEGATED else None


def spelt_out(request, lacking: Collection[str] = ()) -> str:
    """The address that says as parameters what was typed as filters into `q`; "" where nothing
    was. What is typed takes the place of what the address said before."""
    typed = read_typed(request.GET.get("q", ""), lacking)
    if not typed.filters:
        return ""
    query = request.GET.copy()
    query.pop("cursor", None)
    query["q"] = typed.words
    for name in {name for name, _ in typed.filters}:
        query.setlist(name, [value for other, value in typed.filters if other == name])
    if not typed.words:
        del query["q"]
    return f"{request.path}?{query.urlencode()}"


def written(filters: Iterable[tuple[str, str]], words: str = "") -> str:
    """The text that `read_typed` reads as these filters and words."""
    keys = {name: key for key, name in KEYS.items()}
    keys |= {NOT + name: f"-{keys[name]}" for name in NEGATED}
    tokens = [f"{keys[name]}:{quoted(value)}" for name, value in filters if name in keys]
    return " ".join([*tokens, words]).strip()


def in_range(value: float, wanted: str) -> bool:
    """Whether a number is in a range as it is typed: "<0.5", ">=3", "4"."""
    sign, number = bounds(wanted)
    return {
        "<": value < number, "<=": value <= number, ">": value > number, ">=": value >= number,
        "=": value == number,
    }[sign]  # fmt: skip


def bounds(wanted: str) -> tuple[str, float]:
    """A typed range as its sign and number. Raises `ValueError` for what is none."""
    if not _RANGE.match(wanted):
        raise ValueError(wanted)
    sign = wanted.rstrip("0123456789.")
    return sign or "=", float(wanted[len(sign) :])


def _fits(name: str, value: str) -> bool:
    if name in CHOICES:
        return value.lower() in CHOICES[name]
    if name in RANGES:
        return bool(_RANGE.match(value))
    return bool(value)


def _spelt(name: str, value: str) -> str:
    return value.lower() if name in CHOICES else value


def _last_of_each(filters: list[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    last = {name: place for place, (name, _) in enumerate(filters)}
    seen: set[tuple[str, str]] = set()
    for place, one in enumerate(filters):
        if one not in seen and (one[0] in MANY or last[one[0]] == place):
            seen.add(one)
            yield one


def quoted(value: str) -> str:
    """A value as it is typed after the colon."""
    return f'"{value}"' if re.search(r"\s", value) else value
