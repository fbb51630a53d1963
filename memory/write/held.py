"""The screen at the door: what is refused, what is held back, and why.

One rule for secrets: turns are masked, memories are refused. A turn keeps its sense without the
secret; a memory of a secret has none. A reason is masked like a turn.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from memory.models import Memory, PersonalData, Policy, Status
from memory.text.normalise import key
from memory.text.screen import INSTRUCTION, PERSONAL, SECRET, Finding, masked, screen

from .proposal import InvalidInput, Proposal

# Why a memory is held back: the codes of `Memory.held_for`.
PERSONAL_DATA, PLANTED, REVIEW = "personal_data", "instruction", "review_required"
LOW_CONFIDENCE, CONFLICT, NO_EVIDENCE = "low_confidence", "conflict", "no_evidence"
# With one of these it waits for a person; with the others alone, for being said again.
FOR_A_PERSON = frozenset({PERSONAL_DATA, PLANTED, REVIEW})

_TEXTS = ("text", "value", "summary", "quote", "entity", "attribute", "domain")
# Names that the writer's own system gives: an address among them is nobody's data to hold.
IDS = ("user_id", "agent_id", "session_id", "external_id")
_MASK = re.compile(
    r"\[(?:api key|password|token|bearer token|private key|payment card|connection string)\]"
)

Reason = dict[str, Any]


class SecretRefused(InvalidInput):
    """A memory holds a secret. Names the fields and the rules, never the secret."""

    code = "secret_refused"

    def __init__(self, found: Iterable["Found"]):
        told = {(one.field, f"looks like a secret ({one.finding.rule})"): None for one in found}
        super().__init__(list(told))


@dataclass(frozen=True)
class Found:
    """A finding and its field; in `metadata` the field names the way to it, such as
    "metadata.contact"."""

    field: str
    finding: Finding


@dataclass(frozen=True)
class Look:
    """A checked proposal that holds no secret, and what else was found in it."""

    proposal: Proposal
    found: tuple[Found, ...]

    def under(self, policy: Policy) -> tuple[Proposal, list[Reason]]:
        """The proposal as the policy lets it be stored, and why it is held back.

        The quote is left as it stands in the turn, so that its place is found; `stored_quote`
        masks it after that.
        """
        proposal, found = self.proposal, self.found
        if policy.personal_data == PersonalData.MASK and _families(found) & {PERSONAL}:
            proposal = without_personal_data(proposal)
            # The places of what is left have moved.
            found = tuple(_found(proposal)) if _families(found) & {INSTRUCTION} else ()
        return proposal, [
            {
                "code": PERSONAL_DATA if one.finding.family == PERSONAL else PLANTED,
                "field": one.field,
                "rule": one.finding.rule,
                "start": one.finding.start,
                "end": one.finding.end,
            }
            for one in found
            if one.finding.family == INSTRUCTION or policy.personal_data == PersonalData.HOLD
        ]


def look(proposal: Proposal) -> Look:
    """Screen every field of a checked proposal. Raises `SecretRefused`."""
    found = list(_found(proposal))
    if secrets := [one for one in found if one.finding.family == SECRET]:
        raise SecretRefused(secrets)
    return Look(proposal, tuple(found))


def found_in(row: Proposal | Memory) -> list[Found]:
    """What the screen finds in the fields of a proposal, or of a row as it is kept."""
    return list(_found(row))


def found_in_json(name: str, value: Any) -> list[Found]:
    """What the screen finds in a JSON value and in the names of its parts."""
    return list(_in_metadata(name, value))


def status_of(held: Iterable[Reason]) -> str:
    """The state in which a new row with these reasons begins."""
    codes = {reason["code"] for reason in held}
    if not codes:
        return Status.ACTIVE
    return Status.QUARANTINED if codes & FOR_A_PERSON else Status.CANDIDATE


def without_secrets(text: str) -> str:
    """The text with its secrets masked."""
    return masked(text, screen(text).of(SECRET)) if text else text


def metadata_without_secrets(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return _mapped(metadata, _of_families(SECRET))


def holds_a_mask(text: str) -> bool:
    """Whether a secret was masked in this text."""
    return bool(_MASK.search(text))


def without_personal_data(proposal: Proposal) -> Proposal:
    """The proposal with personal data masked everywhere but in its ids and its quote."""
    hide = _of_families(PERSONAL)
    texts = {name: hide(getattr(proposal, name)) for name in _TEXTS if name != "quote"}
    return replace(
        proposal,
        **texts,
        tags=tuple(map(hide, proposal.tags)),
        links=tuple(map(hide, proposal.links)),
        metadata=_mapped(proposal.metadata, hide),
    )


def stored_quote(quote: str, policy: Policy) -> str:
    """A quote as the policy lets it be stored."""
    return _of_families(PERSONAL)(quote) if policy.personal_data == PersonalData.MASK else quote


def secrets_in(fields: Mapping[str, str]) -> list[Found]:
    return [Found(name, f) for name, text in fields.items() for f in screen(text).of(SECRET)]


def _families(found: Iterable[Found]) -> set[str]:
    return {one.finding.family for one in found}


def _of_families(*families: str) -> Callable[[str], str]:
    def hidden(text: str) -> str:
        found = [one for one in screen(text).findings if one.family in families]
        return masked(text, found)

    return hidden


def _found(p: Proposal | Memory) -> Iterator[Found]:
    for name in _TEXTS:
        yield from _in(name, getattr(p, name))
    for name in IDS:
        yield from (one for one in _in(name, getattr(p, name)) if one.finding.family != PERSONAL)
    for name in ("tags", "links"):
        for number, text in enumerate(getattr(p, name)):
            yield from _in(f"{name}.{number}", text)
    # A value is told a secret by the name of what it is a value of.
    named = [f"{p.entity} {p.attribute}".strip()]
    if key(p.attribute) == "value":
        named.append(p.entity)
    for name in named:
        yield from _beside(name, p.value, "value")
    yield from _in_metadata("metadata", p.metadata)


def _in(field: str, text: str) -> Iterator[Found]:
    if text:
        yield from (Found(field, finding) for finding in screen(text).findings)


def _beside(name: str, value: str, field: str) -> Iterator[Found]:
    """The secrets that only the name beside it shows."""
    if not (name and value):
        return
    said = f"{name}: {value}"
    for finding in screen(said).of(SECRET):
        start = finding.start - len(said) + len(value)
        if start >= 0:
            end = finding.end - len(said) + len(value)
            yield Found(field, replace(finding, start=start, end=end))


def _in_metadata(path: str, value: Any) -> Iterator[Found]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            found = list(_in(path, str(name)))
            yield from found
            # A key that is itself a finding is not told.
            below = path if found else f"{path}.{name}"
            if not isinstance(inner, Mapping | list | bool | None):
                yield from _beside(str(name), str(inner), below)
            yield from _in_metadata(below, inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _in_metadata(path, inner)
    elif isinstance(value, str | int) and not isinstance(value, bool):
        yield from _in(path, str(value))


def _mapped(value: Any, hide: Callable[[str], str], name: str = "") -> Any:
    """JSON with every string in it hidden, keys too; a number that is a finding becomes text."""
    if isinstance(value, Mapping):
        return {hide(str(k)): _mapped(inner, hide, str(k)) for k, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(inner, hide, name) for inner in value]
    if isinstance(value, str | int) and not isinstance(value, bool):
        plain = str(value)
        said = hide(f"{name}: {plain}") if name else hide(plain)
        hidden = said[len(name) + 2 :] if name and said.startswith(f"{name}: ") else hide(plain)
        return value if hidden == plain else hidden
    return value
