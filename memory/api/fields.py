"""The types of what agents send."""

import json
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, StringConstraints

from memory.models import Kind, Source, TurnRole
from memory.text.normalise import clean
from memory.write.proposal import NAME_LIMIT, PART_LIMIT, SUMMARY_LIMIT, TAG_LIMIT, TEXT_LIMIT
from memory.write.turns import CONTENT_LIMIT

REASON_LIMIT = 2000
METADATA_LIMIT = 32_768
# Far enough from both ends of what a datetime holds that no offset and no lifetime passes them.
YEARS = range(1000, 9000)
LONGEST_TTL = 100 * 366 * 86400


def read_moment(value: Any) -> datetime:
    """An instant in UTC from ISO 8601 with an offset; raises `ValueError`."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            raise ValueError("an ISO 8601 time such as 2026-03-01T09:00:00+08:00") from None
    if not isinstance(value, datetime):
        raise ValueError("an ISO 8601 time such as 2026-03-01T09:00:00+08:00")
    if value.tzinfo is None:
        raise ValueError("a time needs its offset, such as +08:00 (in an address: %2B08:00)")
    if value.year not in YEARS:
        raise ValueError(f"a year from {YEARS.start} to {YEARS.stop - 1}")
    return value.astimezone(UTC)


def _one_user(name: str) -> str:
    name = clean(name, NAME_LIMIT).strip()
    if name in ("", "*"):
        raise ValueError("name one user")
    return name


def _small(value: dict) -> dict:
    if len(json.dumps(value)) > METADATA_LIMIT:
        raise ValueError(f"at most {METADATA_LIMIT} characters as JSON")
    return value


def _cleaned(text: str) -> str:
    return clean(text, CONTENT_LIMIT)


Moment = Annotated[datetime, BeforeValidator(read_moment)]
UserId = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=NAME_LIMIT),
    AfterValidator(_one_user),
]
Name = Annotated[str, Field(max_length=NAME_LIMIT), AfterValidator(_cleaned)]
Part = Annotated[str, Field(max_length=PART_LIMIT)]
Text = Annotated[str, Field(max_length=TEXT_LIMIT)]
Said = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=TEXT_LIMIT)]
# A stock figure may come as a number; it is kept as it was written.
Value = Annotated[str, Field(max_length=TEXT_LIMIT, coerce_numbers_to_str=True)]
NewValue = Annotated[
    str,
    Field(coerce_numbers_to_str=True),
    StringConstraints(strip_whitespace=True, min_length=1, max_length=TEXT_LIMIT),
]
Summary = Annotated[str, Field(max_length=SUMMARY_LIMIT)]
Domain = Annotated[str, Field(max_length=100)]
Parts = Annotated[list[Part], Field(max_length=TAG_LIMIT)]
Importance = Annotated[int, Field(strict=True, ge=1, le=5)]
Confidence = Annotated[float, Field(strict=True, ge=0, le=1)]
Metadata = Annotated[dict[str, Any], AfterValidator(_small)]
TtlSeconds = Annotated[int, Field(strict=True, ge=1, le=LONGEST_TTL)]
Reason = Annotated[str, Field(max_length=REASON_LIMIT), AfterValidator(_cleaned)]
Content = Annotated[str, Field(max_length=CONTENT_LIMIT)]
Limit = Annotated[int, Field(ge=1, le=200)]

KindName = Literal[tuple(Kind.values)]
SourceName = Literal[tuple(Source.values)]
RoleName = Literal[tuple(TurnRole.values)]


class Body(Schema):
    """A body that refuses what it does not know, so that a misspelt field is not lost."""

    model_config = ConfigDict(extra="forbid")


class Reasoned(Body):
    reason: Reason = ""
