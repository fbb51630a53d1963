"""The memory.jsonl of the MCP memory server: entities with observations, and relations."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.exchange.fields import Fields, digest_id
from memory.exchange.record import Item, Reject
from memory.exchange.source import Source

from . import Format, Options
from .lines import first_object, objects

_TYPES = ("entity", "relation")


def _sniff(source: Source) -> bool:
    first = first_object(source)
    return _type(first) in _TYPES and ("entityType" in first or "relationType" in first)


def _type(row: Mapping[str, Any]) -> str:
    """What a line is; some servers leave it to be seen from its names."""
    if isinstance(row.get("type"), str):
        return row["type"]
    if "entityType" in row:
        return "entity"
    return "relation" if "relationType" in row else ""


def _read(source: Source, options: Options) -> Iterator[Item]:
    """One observation is one memory, and so is one relation, linked to both of its ends. Nothing
    here has an id: what says the same has the same."""
    for found in objects(source):
        if isinstance(found, Reject):
            yield found
        elif _type(found[1]) == "entity":
            yield from _entity(*found, options)
        elif _type(found[1]) == "relation":
            yield _relation(*found, options)
        else:
            number, row = found
            yield Reject(number, "unknown_type", "type: is neither entity nor relation", row)


def _entity(number: int, row: Mapping[str, Any], options: Options) -> Iterator[Item]:
    fields = Fields(number, row)
    name, said = fields.text("name"), row.get("observations", [])
    if not name:
        fields.errors.append(("name", "is needed"))
    if not isinstance(said, list):
        fields.errors.append(("observations", "is not a list"))
    if fields.errors:
        yield fields.reject()
        return
    for one in said:
        # Some servers keep an observation with its time.
        inner = Fields(number, one if isinstance(one, Mapping) else {"text": one})
        text = inner.text("text", "content")
        told = {"mcp": {"entity": name, "entity_type": fields.text("entityType")}}
        yield inner.record(
            text=text if name.casefold() in text.casefold() else f"{name}: {text}" if text else "",
            entity=name,
            user_id=options.user_id,
            agent_id=options.agent_id,
            created_at=inner.moment("timestamp", "createdAt"),
            external_id=digest_id("observation", name, text),
            metadata=told,
        )


def _relation(number: int, row: Mapping[str, Any], options: Options) -> Item:
    fields = Fields(number, row)
    ends = {name: fields.text(name) for name in ("from", "to", "relationType")}
    fields.errors += [(name, "is needed") for name, value in ends.items() if not value]
    said = ends["relationType"].replace("_", " ")
    return fields.record(
        text=f"{ends['from']} {said} {ends['to']}",
        entity=ends["from"],
        links=(ends["from"], ends["to"]),
        user_id=options.user_id,
        agent_id=options.agent_id,
        created_at=fields.moment("timestamp", "createdAt"),
        external_id=digest_id("relation", *ends.values()),
        metadata={"mcp": {"relation": ends["relationType"]}},
    )


FORMAT = Format("mcp-memory", _("MCP memory server: memory.jsonl"), _sniff, _read)
