"""The certificate of an erasure: what was removed where, under a keyed hash, and verifying it."""

import hmac
import html
import json
import re
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from memory import clock
from memory.index.storage import secure_delete
from memory.models import Change, Erasure, Scope

from ..ledger import ERASE

FORMAT = "mase-erasure/1"
LIMIT = 4_000_000
# In the order of the certificate.
PLACES = (
    "rows", "summaries", "history", "reasons", "turns", "extractions", "recalls", "feedback",
    "corrections", "duplicate_pairs", "index", "vectors", "tasks", "findings", "put_off",
    "questions", "saved_views", "jobs", "job_rows", "working", "images", "answers",
)  # fmt: skip
_EMBEDDED = re.compile(r'<pre id="certificate">(.*?)</pre>', re.DOTALL)


class NoCertificate(ValueError):
    """What was given is no certificate; the message says why."""


@dataclass(frozen=True)
class Verification:
    """`signed`: the certificate is as this installation made it. `in_store`: "equal" (its
    tombstones and its entries of the ledger stand), "differs", "missing" (no such erasure in the
    scope) or "not_asked"."""

    signed: bool
    in_store: str

    @property
    def valid(self) -> bool:
        return self.signed and self.in_store in ("equal", "not_asked")


def erasures(scope: Scope) -> QuerySet[Erasure]:
    """The erasures of a scope, one tombstone for each: that of the memory which was named."""
    rows = Erasure.objects.within(scope).exclude(removed__has_key="with")
    return rows.select_related("batch", "workspace")


def find_erasure(scope: Scope, erasure_id: UUID) -> Erasure | None:
    """The erasure that a tombstone belongs to, by the tombstone's id; None: not in this scope."""
    kept = Erasure.objects.within(scope).filter(public_id=erasure_id).first()
    return kept and erasures(scope).filter(batch=kept.batch_id).first()


def certificate(erasure: Erasure) -> dict[str, Any]:
    """The document of an erasure: of the memory nothing but ids, times and keyed hashes."""
    removed = erasure.removed
    document = {
        "format": FORMAT,
        "id": str(erasure.public_id),
        "workspace": erasure.workspace.name,
        "user_id": erasure.user_id,
        "at": erasure.at.isoformat(),
        "actor": erasure.actor,
        "surface": erasure.surface,
        "reason": erasure.reason,
        "batch_id": str(erasure.batch.public_id),
        "memories": _memories(erasure),
        "removed": [
            {"place": name, "count": removed[name]} for name in PLACES if removed.get(name)
        ],
        "also_held_by": {
            "count": removed.get("also_count", 0),
            "memories": removed.get("also", []),
        },
        "files": {
            "scrubbed_at": erasure.scrubbed_at and erasure.scrubbed_at.isoformat(),
            "overwritten": secure_delete(),
        },
        "made_at": clock.now().isoformat(),
    }
    return document | {"signature": _signature(document)}


def read_certificate(data: bytes) -> dict[str, Any]:
    """A certificate from its file, JSON or HTML. Raises `NoCertificate`."""
    if len(data) > LIMIT:
        raise NoCertificate(f"is larger than {LIMIT:,} bytes")
    try:
        text = data.decode("utf-8-sig")
        if embedded := _EMBEDDED.search(text):
            text = html.unescape(embedded[1])
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise NoCertificate("is neither JSON nor a certificate's page") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise NoCertificate(f"is not of the format {FORMAT}")
    return document


def verify_certificate(document: dict[str, Any], scope: Scope | None = None) -> Verification:
    """Whether a certificate is as it was made; with a scope, also whether what it says still
    stands there."""
    unsigned = {name: value for name, value in document.items() if name != "signature"}
    signature = document.get("signature")
    try:
        signed = isinstance(signature, str) and hmac.compare_digest(
            signature.encode(), _signature(unsigned).encode()
        )
    except UnicodeEncodeError:
        signed = False
    if scope is None:
        return Verification(signed, "not_asked")
    try:
        found = find_erasure(scope, UUID(str(document.get("id"))))
    except ValueError:
        found = None
    if found is None:
        return Verification(signed, "missing")
    now = certificate(found)
    moved = ("files", "made_at", "signature")
    same = all(document.get(name) == now[name] for name in now if name not in moved)
    return Verification(signed, "equal" if same else "differs")


def _memories(erasure: Erasure) -> list[dict[str, Any]]:
    """A tombstone that came with an export has no entry in this ledger."""
    rows = Erasure.everywhere.filter(batch=erasure.batch_id).order_by("pk")
    entries = Change.objects.filter(batch=erasure.batch_id, action=ERASE)
    known = {entry.memory_id: entry for entry in entries.only("memory_id", "hash")}
    return [
        {
            "id": str(row.memory_id),
            "fact": str(row.fact),
            "digest": row.digest,
            "entry": entry and entry.pk,
            "hash": entry and entry.hash,
        }
        for row, entry in ((row, known.get(row.memory_id)) for row in rows)
    ]


def _signature(document: dict[str, Any]) -> str:
    message = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hmac.digest(settings.PEPPER.encode(), b"erasure:" + message.encode(), "sha256").hex()
