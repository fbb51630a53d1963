"""Letta's agent file: the memory blocks of each agent."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.exchange.fields import Fields, read_moment
from memory.exchange.record import Item, Record, Reject
from memory.exchange.source import FormatError, Source
from memory.write.proposal import TEXT_LIMIT

from . import Format, Options

_KEPT = ("label", "description", "limit", "read_only")


def _sniff(source: Source) -> bool:
    if not source.beginning.startswith("{"):
        return False
    try:
        return _blocks(source.document) is not None
    except FormatError:
        return False


def _blocks(document: Any) -> list[Any] | None:
    if not isinstance(document, Mapping):
        return None
    blocks = document.get("blocks", document.get("core_memory"))
    is_agents = "agents" in document or "core_memory" in document
    return blocks if is_agents and isinstance(blocks, list) else None


def _read(source: Source, options: Options) -> Iterator[Item]:
    """One block is one memory, whole: it is one text to the agent that writes it."""
    blocks = _blocks(source.document)
    if blocks is None:
        raise FormatError("no_rows", "holds no blocks")
    owners = _owners(source.document)
    made = read_moment(source.document.get("created_at"))
    for number, row in enumerate(blocks, start=1):
        if not isinstance(row, Mapping):
            yield Reject(number, "not_an_object", "is not an object")
            continue
        item = _block(number, row, owners, options)
        yield _dated(item, made) if isinstance(item, Record) else item


def _block(number: int, row: Mapping[str, Any], owners: Mapping[str, str], options: Options):
    fields = Fields(number, row)
    text, label = fields.text("value"), fields.text("label")
    if len(text) > TEXT_LIMIT:
        fields.errors.append(("value", f"is longer than {TEXT_LIMIT:,} characters"))
    agent = owners.get(str(row.get("id")), owners.get("", ""))
    kept = {name: row[name] for name in _KEPT if row.get(name) not in (None, "")}
    return fields.record(
        text=text,
        user_id=options.user_id,
        agent_id=options.agent_id or agent,
        summary=fields.text("description")[:500],
        tags=(label,) if label else (),
        external_id=f"{agent}/{label or row.get('id') or number}",
        metadata={**fields.metadata(), "letta": kept},
    )


def _owners(document: Mapping[str, Any]) -> dict[str, str]:
    """The agent of each block's id; "" is that of a file of one agent."""
    agents = document.get("agents")
    if not isinstance(agents, list):
        return {"": str(document.get("name") or "")}
    found = {}
    for agent in agents:
        if isinstance(agent, Mapping):
            name = str(agent.get("name") or agent.get("id") or "")
            found |= {str(one): name for one in agent.get("block_ids") or []}
            if len(agents) == 1:
                found[""] = name
    return found


def _dated(record: Record, made: tuple | None) -> Record:
    return Record(**{**vars(record), "created_at": made[0]}) if made else record


FORMAT = Format("letta", _("Letta: agent file (.af)"), _sniff, _read)
