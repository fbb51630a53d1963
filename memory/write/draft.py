"""From a checked proposal to the columns of a row."""

import re
from datetime import datetime, timedelta
from typing import Any

from memory.models import Kind, Memory, Policy, Scope, Turn, layer_of
from memory.text.fingerprint import fingerprint
from memory.text.language import language
from memory.text.normalise import key, normalise

from .confidence import STARTING_CONFIDENCE
from .proposal import SUMMARY_LIMIT, InvalidInput, Proposal
from .relations import relations

SUMMARY_LENGTH = 160
# What a new version keeps of the one before it when the writer does not say.
INHERITED = ("kind", "domain", "importance", "tags", "links")
_SENTENCE_END = re.compile(r"(?<=[。！？!?])|(?<=[.])\s+|\n+")


def said_kind(proposal: Proposal, current: Memory | None) -> str:
    if proposal.kind:
        return proposal.kind
    if current is not None:
        return current.kind
    return Kind.FACT if proposal.attribute else Kind.OTHER


def said_domain(proposal: Proposal, current: Memory | None) -> str:
    return proposal.domain or (current.domain if current is not None else "")


def columns(proposal: Proposal, policy: Policy, current: Memory | None, scope: Scope) -> dict:
    """A row's columns but for state, fact, version and links, which the resolver decides."""
    p = proposal
    text = p.text or statement(p.entity, p.attribute, p.value)
    row: dict[str, Any] = {
        "user_id": p.user_id,
        "agent_id": p.agent_id,
        "session_id": p.session_id,
        **parts(p.entity, p.attribute, p.value, text),
        "text": text,
        "summary": p.summary or one_sentence(text),
        "kind": policy.kind,
        "layer": layer_of(policy.kind),
        "domain": p.domain,
        "tags": list(p.tags),
        "links": list(p.links),
        "source": p.source,
        "importance": p.importance or policy.importance,
        "confidence": p.confidence
        if p.confidence is not None
        else STARTING_CONFIDENCE.get(p.source),
        "single_valued": policy.single_valued and bool(p.entity and p.attribute),
        "occurred_at": p.occurred_at,
        "valid_from": p.valid_from,
        "valid_to": p.valid_to,
        "expires_at": p.expires_at,
        "external_id": p.external_id,
        "metadata": dict(p.metadata),
        **evidence(p, scope),
    }
    if current is not None:
        said = {
            "kind": p.kind, "domain": p.domain, "importance": p.importance,
            "tags": p.tags, "links": p.links,
        }  # fmt: skip
        row.update({name: getattr(current, name) for name in INHERITED if not said[name]})
        if not p.links:
            row["links"] = links_after(current, text)
        row["layer"] = layer_of(row["kind"])
    return row


def links_after(memory: Memory, text: str) -> list[str]:
    """A memory's links as its next version with that text has them: those that its own words made
    give way to those of the new ones, and its old value is linked no more."""
    linked, made = set(map(key, memory.links)), set(map(key, relations(memory.text)))
    kept = [name for name in memory.links if key(name) not in made | {memory.value_key}]
    new = relations(text) if made and made <= linked else ()
    return list(dict.fromkeys([*kept, *new]))


def expiry(policy: Policy, confirmed: datetime) -> dict[str, Any]:
    """The end that a policy gives a row last confirmed at that time, and the limit in hours that
    made it; both None where the policy has no limit."""
    hours = policy.ttl_hours
    ends = confirmed + timedelta(hours=hours) if hours else None
    return {"expires_at": ends, "ttl_hours": hours}


def parts(entity: str, attribute: str, value: str, text: str) -> dict[str, str]:
    """The named parts with their comparable keys, and the fingerprint of the statement."""
    named = [part for part in (entity, attribute, value) if part]
    return {
        "entity": entity,
        "attribute": attribute,
        "value": value,
        "entity_key": key(entity),
        "attribute_key": key(attribute),
        "value_key": key(value),
        "fingerprint": fingerprint(*named) if value else fingerprint(text),
    }


def statement(entity: str, attribute: str, value: str) -> str:
    """A plain sentence for a memory that came without one."""
    if language(f"{entity}{attribute}{value}") == "zh":
        subject = "我" if key(entity) == "user" else entity
        return f"{subject}的{attribute}是{value}"
    subject = "my" if key(entity) == "user" else f"{entity}'s"
    return f"{subject} {attribute} is {value}"


def restated(text: str, old: str, new: str, entity: str, attribute: str) -> str:
    """The sentence with its value replaced, or a plain one where that is not certain."""
    return with_value(text, old, new) or statement(entity, attribute, new)


def with_value(text: str, old: str, new: str) -> str | None:
    """The text with its one `old` replaced; None where it stands there not once but otherwise."""
    found = places(text, old)
    # The old value may stand there in another spelling as well (１２００ beside 1200).
    if len(found) == 1 == normalise(text).count(normalise(old)):
        return text[: found[0]] + new + text[found[0] + len(old) :]
    return None


def places(text: str, value: str) -> list[int]:
    """Where a value stands in a text as itself: 120 does not stand in 1200, nor in A-120."""
    if not value:
        return []
    before = r"(?<![A-Za-z0-9.\-])" if value[0].isascii() and value[0].isalnum() else ""
    after = r"(?![A-Za-z0-9]|[.,][0-9])" if value[-1].isascii() and value[-1].isalnum() else ""
    return [found.start() for found in re.finditer(before + re.escape(value) + after, text)]


def one_sentence(text: str) -> str:
    """The first sentence, at most `SUMMARY_LENGTH` characters, whole characters kept."""
    first = next((part.strip() for part in _SENTENCE_END.split(text) if part.strip()), text)
    if len(first) > SUMMARY_LENGTH:
        first = first[: SUMMARY_LENGTH - 1].rstrip() + "…"
    return first[:SUMMARY_LIMIT]


def evidence(proposal: Proposal, scope: Scope) -> dict[str, Any]:
    """The turn and the exact span that a memory came from; the quote must stand in the turn."""
    if proposal.turn_id is None:
        return {"turn_id": None, "evidence_start": None, "evidence_end": None, "quote": ""}
    turn = Turn.objects.within(scope).filter(public_id=proposal.turn_id).first()
    if turn is None:
        raise InvalidInput([("evidence.turn_id", "no such turn")])
    quote = proposal.quote or (proposal.text if proposal.text in turn.content else "")
    if proposal.quote and proposal.quote not in turn.content:
        raise InvalidInput([("evidence.quote", "does not stand in that turn")])
    start = turn.content.index(quote) if quote else None
    return {
        "turn_id": turn.public_id,
        "evidence_start": start,
        "evidence_end": start + len(quote) if quote else None,
        "quote": quote,
    }
