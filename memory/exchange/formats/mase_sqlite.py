"""The database of MASE: its dialogue log, fact sheet with history, governed facts, procedures.

Older files lack columns and tables; what is there is read.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext_lazy as _

from memory.exchange.fields import Fields, read_moment
from memory.exchange.record import Item, Older, Reject, Said
from memory.exchange.source import Rows, Source
from memory.models import Kind, Status, TurnRole

from . import Format, Options

_KINDS = {
    "user_preferences": Kind.PREFERENCE, "people_relations": Kind.FACT,
    "project_status": Kind.TASK_STATE, "finance_budget": Kind.FACT,
    "location_events": Kind.EVENT, "general_facts": Kind.FACT,
}  # fmt: skip
_KEPT = (
    "category", "source_reason", "supersede_reason", "visibility", "tenant_id", "workspace_id",
    "sensitivity", "claim_type", "qualifiers_json", "procedure_type", "source_media_id",
)  # fmt: skip


def _sniff(source: Source) -> bool:
    tables = source.tables
    return "thread_id" in tables.get("memory_log", set()) or (
        {"entity_key", "entity_value"} <= tables.get("entity_state", set())
    )


def _read(source: Source, options: Options) -> Iterator[Item]:
    """The number of a row counts through its table; its id tells the table."""
    with source.database() as database:
        database.check()
        yield from _log(database, options)
        yield from _superseded(database, options)
        yield from _sheet(database, options)
        yield from _facts(database, options)
        for number, row in enumerate(database.read("procedure_registry"), start=1):
            yield _procedure(number, row, options)


def _log(database: Rows, options: Options) -> Iterator[Item]:
    for number, row in enumerate(database.read("memory_log", "id"), start=1):
        fields = Fields(number, row)
        role = fields.text("role").lower()
        at = fields.moment("timestamp", "created_at")
        content = fields.text("content")
        if not content:
            yield Reject(number, "empty", "content: is empty", row)
            continue
        yield (
            fields.reject()
            if fields.errors
            else Said(
                number,
                role if role in TurnRole.values else TurnRole.TOOL,
                content,
                f"memory_log:{row.get('id')}",
                user_id=options.user_id,
                agent_id=options.agent_id,
                session_id=fields.text("thread_id"),
                at=at,
                metadata={"mase": told} if (told := _kept(row)) else {},
                raw=row,
            )
        )


def _superseded(database: Rows, options: Options) -> Iterator[Item]:
    """Entries of the log that took the place of others: what was said there is a memory with its
    earlier values."""
    rows, before, replaced = {}, {}, set()
    for number, row in enumerate(database.read("memory_log", "id"), start=1):
        if row.get("content"):
            rows[row.get("id")] = (number, row)
    for log_id, (_number, row) in rows.items():
        if (by := _whole(row.get("superseded_by"))) in rows and by != log_id:
            before[by] = log_id
            replaced.add(log_id)
    told: set[Any] = set()
    for log_id in [one for one in before if one not in replaced]:
        number, row, older = _chain(log_id, rows, before, told)
        fields = Fields(number, row)
        values = [(Fields(number, one), one) for one in older]
        yield fields.record(
            text=fields.text("content"),
            user_id=options.user_id,
            agent_id=options.agent_id,
            session_id=fields.text("thread_id"),
            created_at=fields.moment("timestamp", "created_at"),
            external_id=f"memory_log:{log_id}",
            older=tuple(
                Older(one.text("content"), one.moment("timestamp", "created_at"))
                for one, _row in values
            ),
            turn=f"memory_log:{log_id}",
            metadata={"mase": _kept(row)},
        )


def _sheet(database: Rows, options: Options) -> Iterator[Item]:
    """A fact of the sheet with the values that it had before, as one chain."""
    logged = {row.get("id") for row in database.read("memory_log") if row.get("content")}
    older: dict[tuple, list[Mapping[str, Any]]] = {}
    for row in database.read("entity_state_history", "id"):
        older.setdefault(_place(row), []).append(row)
    for number, row in enumerate(database.read("entity_state"), start=1):
        fields = Fields(number, row)
        history = older.get(_place(row), [])
        name, value = fields.text("entity_key"), fields.text("entity_value")
        if not name or not value:
            fields.errors.append(("entity_value", "key and value are needed"))
        category = fields.text("category") or "general_facts"
        importance = fields.number_in("importance_score", 0, 1)
        log_id = row.get("source_log_id")
        is_over = row.get("archived") in (1, "1", True)
        yield fields.record(
            entity="user" if category == "user_preferences" else _spaced(category),
            attribute=_spaced(name),
            value=value,
            user_id=options.user_id,
            agent_id=options.agent_id,
            kind=_KINDS.get(category, Kind.FACT),
            importance=None if importance is None else 1 + round(importance * 4),
            created_at=fields.moment("updated_at"),
            expires_at=fields.moment("will_expire_at"),
            state=Status.EXPIRED if is_over else Status.ACTIVE,
            external_id=f"entity_state:{'/'.join(map(str, _place(row)))}",
            older=tuple(_values(history)),
            turn=f"memory_log:{log_id}" if log_id in logged else "",
            metadata={"mase": _kept(row)},
        )


def _values(history: list[Mapping[str, Any]]) -> Iterator[Older]:
    """Each old value began when the one before it was replaced; of the first nobody knows."""
    began = None
    for row in history:
        value = str(row.get("old_value") or "")
        if value:
            yield Older("", began, value)
        at = read_moment(row.get("superseded_at"))
        began = at[0] if at else None


def _facts(database: Rows, options: Options) -> Iterator[Item]:
    """Governed facts, those that took the place of others with these as their chain."""
    rows = {row.get("fact_id"): (n, row) for n, row in enumerate(database.read("facts"), start=1)}
    before, replaced = {}, set()
    for edge in database.read("fact_edges"):
        new, old = _ends(edge)
        if edge.get("edge_type") == "supersedes" and new in rows and old in rows:
            before[new] = old
            replaced.add(old)
    # A fact whose successor is in the file comes with it; a circle of them comes one by one.
    told: set[Any] = set()
    heads = [fact_id for fact_id in rows if fact_id not in replaced]
    for fact_id in [*heads, *rows]:
        if fact_id not in told:
            yield _fact(*_chain(fact_id, rows, before, told), options)


def _chain(fact_id: Any, rows: dict, before: dict, told: set) -> tuple[int, Mapping, list]:
    number, row = rows[fact_id]
    older = []
    while fact_id is not None and fact_id not in told:
        told.add(fact_id)
        older.append(rows[fact_id][1])
        fact_id = before.get(fact_id)
    return number, row, older[:0:-1]


def _fact(number: int, row: Mapping[str, Any], older: list, options: Options) -> Item:
    fields = Fields(number, row)
    parts = {name: fields.text(name) for name in ("subject", "predicate", "object")}
    if not all(parts.values()):
        fields.errors.append(("object", "subject, predicate and object are needed"))
    values = []
    for one in older:
        earlier = Fields(number, one)
        value = earlier.text("object")
        values.append(Older("", earlier.moment("valid_from", "observed_at", "created_at"), value))
    return fields.record(
        entity=parts["subject"],
        attribute=_spaced(parts["predicate"]),
        value=parts["object"],
        user_id=options.user_id,
        agent_id=options.agent_id,
        kind=Kind.FACT,
        confidence=fields.number_in("confidence", 0, 1),
        created_at=fields.moment("observed_at", "created_at"),
        updated_at=fields.moment("updated_at"),
        valid_from=fields.moment("valid_from"),
        valid_to=fields.moment("valid_to"),
        state=fields.state("status"),
        external_id=f"facts:{row.get('fact_id')}",
        older=tuple(one for one in values if one.value),
        metadata={"mase": _kept(row)},
    )


def _procedure(number: int, row: Mapping[str, Any], options: Options) -> Item:
    fields = Fields(number, row)
    return fields.record(
        text=fields.text("content"),
        user_id=options.user_id,
        agent_id=options.agent_id,
        kind=Kind.PROCEDURE,
        created_at=fields.moment("updated_at"),
        external_id=f"procedure_registry:{fields.text('procedure_key')}",
        metadata={"mase": _kept(row)},
    )


def _place(row: Mapping[str, Any]) -> tuple:
    names = ("category", "entity_key", "tenant_id", "workspace_id")
    return tuple(str(row.get(name) or "") for name in names)


def _ends(edge: Mapping[str, Any]) -> tuple[Any, Any]:
    new = edge.get("from_fact_id", edge.get("from_id", edge.get("from")))
    return new, edge.get("to_fact_id", edge.get("to_id", edge.get("to")))


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, str) and value.isdecimal() else value


def _spaced(name: str) -> str:
    return name.replace("_", " ").strip()


def _kept(row: Mapping[str, Any]) -> dict[str, Any]:
    kept = {name: row[name] for name in _KEPT if row.get(name) not in (None, "")}
    return json.loads(json.dumps(kept, default=str))


FORMAT = Format("mase-db", _("MASE: its database"), _sniff, _read)
