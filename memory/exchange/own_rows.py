"""From a line of this store's own export to the columns of a row, checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models

from memory.models import Erasure, Memory, PersonalData, Policies, Status, Turn
from memory.text.normalise import UnstorableText, clean
from memory.text.screen import PERSONAL, SECRET
from memory.write.draft import parts
from memory.write.held import (
    FOR_A_PERSON,
    PERSONAL_DATA,
    PLANTED,
    found_in,
    metadata_without_secrets,
    status_of,
    without_secrets,
)
from memory.write.proposal import TEXT_LIMIT, not_storable
from memory.write.snapshot import restored

from . import jsonl

_TEXTS = ("text", "value", "summary", "quote", "entity", "attribute", "domain", "external_id")
_LINKS = ("workspace", "turn", "supersedes", "superseded_by")


@dataclass
class Refused(Exception):
    """A row is not brought in. `code` is stable, the message is for people."""

    code: str
    message: str


def memory_row(line: Mapping[str, Any], workspace_id: int) -> dict[str, Any]:
    """All columns of a memory. What is derived from its texts is made anew. Raises `Refused`."""
    said = _columns(line, jsonl.MEMORY)
    try:
        row = restored(said) | {"workspace_id": workspace_id}
        row |= parts(row["entity"], row["attribute"], row["value"], row["text"])
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        raise Refused("invalid", "a field is missing or of another type") from error
    for name in _TEXTS:
        _check_text(name, row[name])
    if wrong := not_storable(row["metadata"]):
        raise Refused("invalid", f"metadata: {wrong}")
    for name in ("tags", "links", "held_for"):
        _check_list(name, row[name], dict if name == "held_for" else str)
    _check_fields(Memory(**row), _LINKS, said)
    return row


def turn_row(line: Mapping[str, Any], workspace_id: int) -> Turn:
    """A turn as it was. Raises `Refused`."""
    said = _columns(line, jsonl.TURN)
    row = Turn(**_typed(Turn, said), workspace_id=workspace_id)
    _check_fields(row, ("workspace",), said)
    _check_text("content", row.content, limit=100_000)
    if not isinstance(row.metadata, dict):
        raise Refused("invalid", "metadata: is not an object")
    return row


def tombstone_row(line: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a tombstone. Raises `Refused`."""
    row = _typed(Erasure, _columns(line, jsonl.ERASURE))
    if None in row.values() or len(str(row["digest"])) != 64:
        raise Refused("invalid", "is no tombstone")
    return row


def screened_memory(row: dict[str, Any], policies: Policies) -> dict[str, Any]:
    """The row as text from outside is taken in: a secret is refused, and what a person would have
    to look at waits for one. Personal data waits too, unless it is kept by policy: a row that
    comes back as it was is not masked. Raises `Refused`."""
    keeps = policies.of(row["kind"], row["domain"]).personal_data == PersonalData.KEEP
    found = found_in(Memory(**row))
    if secrets := sorted({one.field for one in found if one.finding.family == SECRET}):
        raise Refused("secret_refused", f"{', '.join(secrets)}: looks like a secret")
    doubts = [
        {
            "code": PERSONAL_DATA if one.finding.family == PERSONAL else PLANTED,
            "field": one.field,
            "rule": one.finding.rule,
            "start": one.finding.start,
            "end": one.finding.end,
        }
        for one in found
        if not (keeps and one.finding.family == PERSONAL)
    ]
    held = {doubt["code"] for doubt in doubts} & FOR_A_PERSON
    if row["status"] == Status.ACTIVE and held:
        return row | {"status": status_of(doubts), "held_for": doubts}
    return row


def screened_turn(row: Turn) -> Turn:
    """The turn with its secrets masked."""
    row.content = without_secrets(row.content)
    row.metadata = metadata_without_secrets(row.metadata)
    return row


def _columns(line: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    missing = sorted(told for told in names.values() if told not in line)
    if missing:
        raise Refused("invalid", f"lacks {', '.join(missing)}")
    return {name: line[told] for name, told in names.items()}


def _typed(model: type[models.Model], said: dict[str, Any]) -> dict[str, Any]:
    fields = {field.attname: field for field in model._meta.concrete_fields}
    try:
        return {name: fields[name].to_python(value) for name, value in said.items()}
    except (ValidationError, TypeError, ValueError) as error:
        raise Refused("invalid", "a field is of another type") from error


def _check_fields(row: models.Model, links: tuple[str, ...], said: Mapping[str, Any]) -> None:
    try:
        row.clean_fields(exclude=links)
    except ValidationError as error:
        told = "; ".join(f"{n}: {' '.join(m)}" for n, m in error.message_dict.items())
        raise Refused("invalid", told) from error
    for field in row._meta.concrete_fields:
        value = getattr(row, field.attname)
        if value is None and not field.null and not field.primary_key:
            raise Refused("invalid", f"{field.attname}: is missing")
        if not isinstance(field, models.DateTimeField):
            continue
        if (value is None and said.get(field.attname)) or (value and value.tzinfo is None):
            raise Refused("invalid", f"{field.attname}: is no time with its offset")


def _check_text(name: str, value: Any, limit: int = TEXT_LIMIT) -> None:
    try:
        if isinstance(value, str) and clean(value, limit) == value:
            return
    except UnstorableText as error:
        raise Refused("invalid", f"{name}: {error}") from error
    raise Refused("invalid", f"{name}: is not a text as it is stored")


def _check_list(name: str, value: Any, kind: type) -> None:
    if not isinstance(value, list) or not all(isinstance(one, kind) for one in value):
        raise Refused("invalid", f"{name}: is not a list of its kind")
    if wrong := not_storable({name: value}):
        raise Refused("invalid", f"{name}: {wrong}")
