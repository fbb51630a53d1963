"""Verifying a shared recall record: by itself, and against the store where that has it."""

import re
from collections.abc import Collection
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from memory.models import Recall, Scope
from memory.text.strict_json import NotStrict, loads

from .sealed import ANSWERED, FORMAT, digest_of, fields_of, head_of, leaf, leaves_of, outcome_of

# A prompt and an answer of 400,000 Chinese characters each are 2.4 MB.
DOCUMENT_LIMIT = 4_000_000
_TOP = {"format", "id", "at", "fields", "outcome", "digest", "made_at"}
_MAY_BE = {"erased_at"}
_HASH = re.compile(r"[0-9a-f]{64}")
_SALT = re.compile(r"[0-9a-f]{32}")


class UnreadableDocument(ValueError):
    """What was given is no document of a recall record; the message says why."""


class NotJson(UnreadableDocument):
    """It is not even JSON."""


@dataclass(frozen=True)
class Verification:
    """`valid`: the document holds by itself, and the store's record, where there is one, equals
    it. `digest` is worked out from the document's fields.

    `in_store`: "equal", "differs", "erased" (the record holds, but an erasure took words out of it
    after the document was made: what it was then cannot be told), "missing" (no such record in
    the scope) or "not_asked".
    `differences` names "digest" or "outcome" where the document does not hold by itself, each
    field that the store has otherwise, and "record.digest" where the store's own record was
    changed after it was made. `redacted` names the fields that are there only as hashes.
    """

    valid: bool
    digest: str
    in_store: str
    differences: tuple[str, ...]
    redacted: tuple[str, ...]


def read_document(data: bytes) -> dict[str, Any]:
    """A document from its bytes. Raises `NotJson` and `UnreadableDocument`."""
    if len(data) > DOCUMENT_LIMIT:
        raise UnreadableDocument(f"is larger than {DOCUMENT_LIMIT:,} bytes")
    try:
        document = loads(data, each_once=True)
    except NotStrict as error:
        kind = NotJson if error.code == "not_json" else UnreadableDocument
        raise kind(str(error)) from error
    return document


def verify(document: Any, scope: Scope | None = None) -> Verification:
    """Work out a document's digest and compare; with a scope, also with the record there.

    Raises `UnreadableDocument` for what is not shaped like a record's document.
    """
    _check_shape(document)
    head = [document["id"], document["at"]]
    leaves = _leaves(document["fields"])
    told = document["outcome"]
    outcome = _leaves(told["fields"])
    found = digest_of(head, leaves)
    differences = []
    if found != document["digest"]:
        differences.append("digest")
    if digest_of([*head, document["digest"], document["made_at"]], outcome) != told["digest"]:
        differences.append("outcome")
    in_store = "not_asked"
    if scope is not None:
        record = Recall.objects.within(scope).filter(public_id=UUID(document["id"])).first()
        unlike = _unlike(record, document, leaves, outcome) if record else []
        in_store = ("differs" if unlike else "equal") if record else "missing"
        if unlike and record.erased_at and not {"at", "record.digest"} & set(unlike):
            in_store, unlike = "erased", []
        differences += unlike
    entries = {**document["fields"], **told["fields"]}
    redacted = tuple(name for name, entry in entries.items() if "sha256" in entry)
    return Verification(not differences, found, in_store, tuple(differences), redacted)


def as_dict(result: Verification) -> dict[str, Any]:
    """The result as plain data, the same for HTTP and the command."""
    return asdict(result) | {
        "differences": list(result.differences),
        "redacted": list(result.redacted),
    }


def _unlike(
    record: Recall, document: dict, leaves: dict[str, str], outcome: dict[str, str]
) -> list[str]:
    """Names of what the store has otherwise. What came of it may have been added since."""
    kept, head = leaves_of(record, fields_of(record)), head_of(record)
    names = [name for name in sorted(leaves | kept) if leaves.get(name) != kept.get(name)]
    known = leaves_of(record, outcome_of(record))
    order = list(known)
    said = max((order.index(name) for name in outcome if name in known), default=-1)
    due = set(order[: max(said + 1, len(ANSWERED))]) | set(outcome)
    if document["outcome"]["fields"].get("answered_at", {}).get("value", "") is None:
        due -= set(ANSWERED)
    names += [name for name in sorted(due) if outcome.get(name) != known.get(name)]
    if document["at"] != head[1]:
        names.append("at")
    if record.digest != digest_of(head, kept):
        names.append("record.digest")
    return names


def _leaves(entries: dict[str, dict]) -> dict[str, str]:
    return {
        name: entry["sha256"]
        if "sha256" in entry
        else leaf(bytes.fromhex(entry["salt"]), entry["value"])
        for name, entry in entries.items()
    }


def _check_shape(document: Any) -> None:
    if not isinstance(document, dict):
        raise UnreadableDocument("is not a JSON object")
    if document.get("format") != FORMAT:
        raise UnreadableDocument(f"format: only {FORMAT} is known")
    _check_names("", document, _TOP, _MAY_BE)
    _check_id(document["id"])
    _check_moment("at", document["at"])
    _check_moment("made_at", document["made_at"])
    _check_moment("erased_at", document.get("erased_at", document["at"]))
    _check_hex("digest", document["digest"], _HASH)
    _check_entries("fields", document["fields"])
    if not isinstance(document["outcome"], dict):
        raise UnreadableDocument("outcome: not an object")
    _check_names("outcome.", document["outcome"], {"fields", "digest"})
    _check_entries("outcome.fields", document["outcome"]["fields"])
    _check_hex("outcome.digest", document["outcome"]["digest"], _HASH)


def _check_entries(place: str, entries: Any) -> None:
    if not isinstance(entries, dict):
        raise UnreadableDocument(f"{place}: not an object")
    for name, entry in entries.items():
        if not isinstance(entry, dict) or set(entry) not in ({"value", "salt"}, {"sha256"}):
            raise UnreadableDocument(f"{place}.{name[:60]}: a value with its salt, or a sha256")
        if "sha256" in entry:
            _check_hex(f"{place}.{name[:60]}.sha256", entry["sha256"], _HASH)
        else:
            _check_hex(f"{place}.{name[:60]}.salt", entry["salt"], _SALT)


def _check_names(
    place: str, found: dict, known: set[str], may_be: Collection[str] = frozenset()
) -> None:
    for name in sorted(known - set(found)):
        raise UnreadableDocument(f"{place}{name}: is missing")
    for name in sorted(set(found) - known - set(may_be)):
        raise UnreadableDocument(f"{place}{name[:60]}: is not part of a record's document")


def _check_hex(place: str, value: Any, pattern: re.Pattern) -> None:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise UnreadableDocument(f"{place}: not a hash in small hexadecimal digits")


def _check_id(value: Any) -> None:
    try:
        is_id = isinstance(value, str) and str(UUID(value)) == value
    except ValueError:
        is_id = False
    if not is_id:
        raise UnreadableDocument("id: not the id of a record")


def _check_moment(place: str, value: Any) -> None:
    try:
        is_moment = isinstance(value, str) and datetime.fromisoformat(value).tzinfo is not None
    except ValueError:
        is_moment = False
    if not is_moment:
        raise UnreadableDocument(f"{place}: not a time with its offset")
