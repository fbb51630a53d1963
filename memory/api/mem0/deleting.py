"""Deleting all that a filter meets, as retractions, behind the cap."""

import json
from typing import Any

from memory.models import Memory, Scope, Status
from memory.write.proposal import InvalidInput
from memory.write.retract import Retracted, retract_all

from .filters import ENTITIES, Conditions, read_filters
from .form import APP

# A superseded version is history, and is not given to anybody.
DELETED = (Status.ACTIVE, Status.CANDIDATE, Status.QUARANTINED, Status.EXPIRED)
NAMES = (*ENTITIES, APP)
# What says nothing about which memories are meant.
BESIDE = ("org_id", "project_id", "filters", "confirm_token", "reason")


def asked_to_delete(request) -> tuple[Conditions, str, str]:
    """Which memories the address means, the token and the reason. A misspelt name is refused: it
    would leave the rest to mean more."""
    said = {name: request.GET[name] for name in request.GET}
    if unknown := sorted(set(said) - {*NAMES, *BESIDE}):
        raise InvalidInput([(name, "no such name here") for name in unknown])
    filters = _filters(said.get("filters", ""))
    names = [{name: said[name]} for name in NAMES if name in said]
    wanted = read_filters({"AND": [*names, *filters]} if names or filters else {})
    if not wanted.names:
        raise InvalidInput([("user_id", "name one user, agent, app or run: all is too many")])
    return wanted, said.get("confirm_token", ""), said.get("reason", "")


def delete_all(scope: Scope, wanted: Conditions, token: str, reason: str) -> dict[str, Any]:
    """Retract them. Raises `OverTheCap` with count, sample and the token that lets it pass."""
    scope = scope.narrow(wanted.names.get("user_id"))
    rows = wanted.rows(Memory.objects.within(scope)).filter(status__in=DELETED)
    return deleted_form(retract_all(scope, rows, reason=reason, token=token))


def deleted_form(done: Retracted) -> dict[str, Any]:
    return {
        "message": "Memories deleted successfully!",
        "count": done.count,
        "batch_ids": [str(batch.public_id) for batch in done.batches],
    }


def _filters(text: str) -> list[dict]:
    if not text:
        return []
    try:
        filters = json.loads(text)
    except (ValueError, RecursionError):
        filters = None
    if not isinstance(filters, dict):
        raise InvalidInput([("filters", "JSON; or user_id, agent_id, app_id, run_id beside")])
    return [filters]
