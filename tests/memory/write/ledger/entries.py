"""The columns of an entry and of its batch, and altering them past the guard."""

from django.db import connection

from memory.index.schema import UNGUARD
from memory.models import Change

CHANGE_COLUMNS = {
    "batch_id": "(SELECT MIN(id) FROM memory_batch)",
    "memory_id": "'00000000000000000000000000000000'",
    "fact": "'00000000000000000000000000000000'",
    "at": "'2020-01-01 00:00:00'",
    "action": "'add '",
    "status_before": "'expired'",
    "status_after": "'expired'",
    "revision_before": "77",
    "revision_after": "77",
    "payload": '\'{"before": null, "after": null}\'',
    "payload_digest": "'0'",
    "previous_hash": "'0'",
    "hash": "'0'",
}
BATCH_COLUMNS = {
    "public_id": "'00000000000000000000000000000000'",
    "workspace_id": "(SELECT MAX(id) FROM memory_workspace)",
    "user_id": "'ben'",
    "at": "'2020-01-01 00:00:00'",
    "actor": "'person:ben'",
    "surface": "'api '",
    "verb": "'import'",
    "reason": "'no reason'",
    "reason_digest": "'0'",
    "undoes_id": "(SELECT MIN(id) FROM memory_batch)",
}


def middle() -> Change:
    return Change.objects.order_by("id")[4]


def unguarded(sql: str) -> None:
    with connection.cursor() as cursor:
        for statement in UNGUARD:
            cursor.execute(statement)
        cursor.execute(sql)
        assert cursor.rowcount == 1
