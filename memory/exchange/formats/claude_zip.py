"""Claude's export archive: memories.json and conversations.json."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from memory.exchange.record import Item
from memory.exchange.source import FormatError, Source

from . import Format, Options
from .claude_json import is_memories, memories_of, turns_of


def _sniff(source: Source) -> bool:
    try:
        if name := source.named("memories.json"):
            return is_memories(source.member_document(name))
        name = source.named("conversations.json")
        talks = source.member_document(name) if name else None
    except FormatError:
        return False
    return isinstance(talks, list) and any(
        isinstance(one, dict) and "chat_messages" in one for one in talks[:5]
    )


def _read(source: Source, options: Options) -> Iterator[Item]:
    memories, talks = source.named("memories.json"), source.named("conversations.json")
    if memories is None and talks is None:
        raise FormatError("no_rows", "holds neither memories.json nor conversations.json")
    if talks:
        yield from turns_of(source.member_document(talks), options)
    if memories:
        yield from memories_of(source.member_document(memories), options)


FORMAT = Format("claude", _("Claude: export archive"), _sniff, _read)
