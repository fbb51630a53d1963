"""Claude's memories.json, alone or in the export archive, and what was said beside it."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.exchange.fields import Fields, each
from memory.exchange.record import Item, Reject, Said
from memory.exchange.source import FormatError, Source
from memory.models import TurnRole

from . import Format, Options
from .prose import records, statements

_ROLES = {"human": TurnRole.USER, "user": TurnRole.USER, "assistant": TurnRole.ASSISTANT}
_PLACE = 1_000_000


def memories_of(document: Any, options: Options) -> Iterator[Item]:
    """Prose about a person and about each project, as candidates: a model wrote it."""
    rows = document if isinstance(document, list) else [document]
    for number, row in enumerate(rows):
        if not isinstance(row, Mapping):
            yield Reject(number + 1, "not_an_object", "is not an object")
            continue
        first = number * _PLACE
        if isinstance(said := row.get("conversations_memory"), str):
            yield from records(statements(said), options, "claude", first=first)
        projects = row.get("project_memories")
        for project, said in projects.items() if isinstance(projects, Mapping) else ():
            if isinstance(said, str):
                yield from records(
                    statements(said), options, f"claude/{project}", first=first, project=project
                )


def turns_of(conversations: Any, options: Options) -> Iterator[Item]:
    """The messages of every conversation, as turns of a session of its id."""
    if not isinstance(conversations, list):
        raise FormatError("no_rows", "conversations.json holds no list")
    number = 0
    for talk in conversations:
        messages = talk.get("chat_messages") if isinstance(talk, Mapping) else None
        session = str(talk.get("uuid") or "") if isinstance(talk, Mapping) else ""
        if not isinstance(messages, list):
            number += 1
            yield Reject(number, "not_an_object", "is no conversation")
            continue
        yield from filter(
            None,
            each(messages, lambda n, row, s=session: _turn(n, row, s, options), first=number + 1),
        )
        number += len(messages)


def _turn(number: int, row: Mapping[str, Any], session: str, options: Options) -> Item | None:
    fields = Fields(number, row)
    content = fields.text("text")
    at = fields.moment("created_at")
    if fields.errors:
        return fields.reject()
    if not content:
        return None
    return Said(
        number,
        _ROLES.get(fields.text("sender"), TurnRole.TOOL),
        content,
        fields.text("uuid") or f"{session}/{number}",
        user_id=options.user_id,
        agent_id=options.agent_id or "claude",
        session_id=session,
        at=at,
        raw=row,
    )


def is_memories(document: Any) -> bool:
    first = document[0] if isinstance(document, list) and document else document
    return isinstance(first, Mapping) and (
        "conversations_memory" in first or "project_memories" in first
    )


def _sniff(source: Source) -> bool:
    if not source.beginning.startswith(("[", "{")):
        return False
    try:
        return is_memories(source.document)
    except FormatError:
        return False


FORMAT = Format(
    "claude-json",
    _("Claude: memories.json"),
    _sniff,
    lambda source, options: memories_of(source.document, options),
)
