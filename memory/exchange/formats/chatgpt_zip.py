"""ChatGPT's export archive: what it wrote to its memory stands among the messages, addressed to
"bio"."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.exchange.fields import Fields, digest_id
from memory.exchange.record import Item, Record, Reject
from memory.exchange.source import FormatError, Source

from . import Format, Options
from .prose import Statement, statements

_BIO = "bio"


def _sniff(source: Source) -> bool:
    name = source.named("conversations.json")
    try:
        talks = source.member_document(name) if name else None
    except FormatError:
        return False
    return isinstance(talks, list) and any(
        isinstance(one, Mapping) and "mapping" in one for one in talks[:5]
    )


def _read(source: Source, options: Options) -> Iterator[Item]:
    name = source.named("conversations.json")
    talks = source.member_document(name) if name else None
    if not isinstance(talks, list):
        raise FormatError("no_rows", "holds no conversations.json with a list")
    number = 0
    for talk in talks:
        nodes = talk.get("mapping") if isinstance(talk, Mapping) else None
        if not isinstance(nodes, Mapping):
            number += 1
            yield Reject(number, "not_an_object", "is no conversation")
            continue
        session = str(talk.get("conversation_id") or talk.get("id") or "")
        for node in nodes.values():
            number += 1
            message = node.get("message") if isinstance(node, Mapping) else None
            if isinstance(message, Mapping) and message.get("recipient") == _BIO:
                yield from _written(number, message, session, options)


def _written(
    number: int, message: Mapping[str, Any], session: str, options: Options
) -> Iterator[Item]:
    fields = Fields(number, message)
    at = fields.moment("create_time")
    content = message.get("content")
    parts = content.get("parts") if isinstance(content, Mapping) else None
    said = [part for part in parts if isinstance(part, str)] if isinstance(parts, list) else []
    if fields.errors or not said:
        yield fields.reject() if fields.errors else Reject(number, "empty", "holds no text")
        return
    for one in _lines("\n".join(said)):
        yield Record(
            number,
            text=one.text,
            user_id=options.user_id,
            agent_id=options.agent_id or "chatgpt",
            session_id=session,
            created_at=one.at or at,
            external_id=digest_id("chatgpt", one.text),
            metadata={"under": one.heading} if one.heading else {},
            raw={"text": one.text},
        )


def _lines(text: str) -> Iterator[Statement]:
    """One call is one statement, of one or more sentences; only a list is more."""
    found = list(statements(text))
    if len(text.splitlines()) > 1:
        yield from found
    elif found:
        yield Statement(1, text.strip(), at=found[0].at) if not found[0].at else found[0]


FORMAT = Format("chatgpt", _("ChatGPT: export archive"), _sniff, _read)
