"""A recall record under seal: its digest, and the document in which it is shared.

Every field has a leaf, SHA-256 over a salt and the field's value as canonical JSON; the digest is
SHA-256 over the record's id, its time and all leaves by name. A document shows a field as value
and salt, or keeps it back as the leaf alone: both give the same digest. Salts are keyed and of 16
bytes, so that a name or a short question cannot be guessed from its leaf.
"""

import hashlib
import hmac
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any
from uuid import UUID

from django.conf import settings

from memory import clock
from memory.index.candidates import DEFAULTS
from memory.models import Recall, RecallFeedback

FORMAT = "mase-recall/1"
SALT_BYTES = 16
# What stays readable in a redacted document. All else may name a person or repeat what one said.
OPEN = (
    "workspace_id", "surface", "triggered", "trigger_reason", "as_of", "profile", "analyser",
    "blocks", "tokens", "served", "took_ms", "turns_seen",
)  # fmt: skip
CLOSED = (
    "user_id", "agent_id", "session_id", "actor", "query", "query_used", "terms", "moves",
    "context",
)  # fmt: skip
OPEN_FILTERS = {"kinds", "since", "until", "limit", "budget_tokens", "prompt_tokens", "turns"}
OPEN_OF_CANDIDATE = (
    "memory_id", "turn_id", "rank", "score", "parts", "gate", "status", "revision", "stale",
)  # fmt: skip
CLOSED_OF_CANDIDATE = ("matched", "reason")
ANSWERED = ("answered_at", "prompt", "answer")
REDACTED = {*CLOSED, "filters_named", "candidate_texts", "prompt", "answer"}

Fields = dict[str, Any]


def digest(record: Recall, found: Sequence[Mapping[str, Any]]) -> str:
    """The digest of a record with its candidates, given by their columns in the order found."""
    leaves = leaves_of(record, _fields(record, [_candidate(DEFAULTS | row) for row in found]))
    return digest_of(head_of(record), leaves)


def fields_of(record: Recall) -> Fields:
    """All that was asked and given, by name, as the rows of the record have it now."""
    names = (*OPEN_OF_CANDIDATE, *CLOSED_OF_CANDIDATE)
    rows = record.candidates.order_by("id").values(*names)
    return _fields(record, [_candidate(row) for row in rows])


def outcome_of(record: Recall) -> Fields:
    """What came of it: prompt, answer and, numbered from 1, each feedback."""
    said = {name: getattr(record, name) for name in ANSWERED}
    for number, row in enumerate(record.feedback.order_by("id"), start=1):
        said |= _feedback(number, row)
    return said


def leaves_of(record: Recall, fields: Fields) -> dict[str, str]:
    """Each field's leaf, with this store's salts."""
    salts = salts_of(record, fields)
    return {name: leaf(salts[name], value) for name, value in fields.items()}


def export(record: Recall, redact: bool = False) -> dict[str, Any]:
    """The record as a document that `verify` takes. With `redact` every text of a person, and
    every name, is there only as its leaf; ids of memories, ranks, scores, gates and times stay.
    `erased_at` is there where an erasure took words out of the record, which was sealed anew."""
    head, made_at = head_of(record), plain(clock.now())
    outcome = outcome_of(record)
    return {
        "format": FORMAT,
        "id": head[0],
        "at": head[1],
        "fields": _shown(record, fields_of(record), redact),
        "outcome": {
            "fields": _shown(record, outcome, redact),
            "digest": digest_of([*head, record.digest, made_at], leaves_of(record, outcome)),
        },
        "digest": record.digest,
        "made_at": made_at,
        **({"erased_at": plain(record.erased_at)} if record.erased_at else {}),
    }


def head_of(record: Recall) -> list[str]:
    """The record's id and time."""
    return [str(record.public_id), plain(record.at)]


def digest_of(head: Sequence[str], leaves: Mapping[str, str]) -> str:
    """SHA-256 over the format, what stands at a document's head, and the leaves by name."""
    return hashlib.sha256(canonical([FORMAT, *head, sorted(leaves.items())])).hexdigest()


def leaf(salt: bytes, value: Any) -> str:
    """The hash that stands for a value."""
    return hashlib.sha256(salt + canonical(value)).hexdigest()


def salts_of(record: Recall, names: Iterable[str]) -> dict[str, bytes]:
    """Another salt for each record and field, and known to this store only."""
    message = b"recall:" + record.public_id.bytes
    key = hmac.digest(settings.PEPPER.encode(), message, "sha256")
    return {n: hashlib.blake2b(n.encode(), digest_size=SALT_BYTES, key=key).digest() for n in names}


def canonical(value: Any) -> bytes:
    """JSON without blanks, names sorted, in UTF-8."""
    return _ENCODER.encode(value).encode("utf-8", "surrogatepass")


def _fields(record: Recall, found: Sequence[Mapping[str, Any]]) -> Fields:
    fields = {name: getattr(record, name) for name in (*OPEN, *CLOSED)}
    filters = record.filters
    fields["filters"] = {name: filters[name] for name in filters if name in OPEN_FILTERS}
    fields["filters_named"] = {name: filters[name] for name in filters if name not in OPEN_FILTERS}
    fields["took_ms"] = _number(record.took_ms)
    fields["candidates"] = _table(OPEN_OF_CANDIDATE, found)
    fields["candidate_texts"] = _table(CLOSED_OF_CANDIDATE, found)
    return fields


def _candidate(row: Fields) -> Fields:
    for name in ("memory_id", "turn_id"):
        row[name] = row[name] and str(row[name])
    row["score"] = _number(row["score"])
    row["parts"] = {name: _number(value) for name, value in row["parts"].items()}
    return row


def _table(names: Sequence[str], found: Sequence[Mapping[str, Any]]) -> Fields:
    return {"columns": names, "rows": list(map(itemgetter(*names), found))}


def _feedback(number: int, row: RecallFeedback) -> Fields:
    return {
        f"feedback.{number}": {"verdict": row.verdict, "at": row.at},
        f"feedback.{number}.text": {"text": row.text, "actor": row.actor},
    }


def _shown(record: Recall, fields: Fields, redact: bool) -> dict[str, dict[str, Any]]:
    salts = salts_of(record, fields)
    return {
        name: {"sha256": leaf(salts[name], value)}
        if redact and (name in REDACTED or name.endswith(".text"))
        else {"value": json.loads(canonical(value)), "salt": salts[name].hex()}
        for name, value in fields.items()
    }


def plain(value: datetime | UUID) -> str:
    """A time in UTC, or an id, as text."""
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else str(value)


def _number(value: Any) -> Any:
    """Whole numbers without a fraction, as other programs write them back."""
    return int(value) if isinstance(value, float) and not value % 1 else value


# Made once: with the same options json.dumps makes one a call, which cost more than the hashing.
_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, default=plain
)
