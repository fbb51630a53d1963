"""One decision about many memories at once: each draws up one plan."""

from collections.abc import Iterable, Mapping
from typing import Any

from memory.models import Kind, Memory, Scope, Source, Status, layer_of, policies_of
from memory.text.normalise import UnstorableText, clean

from .confidence import stated, trust
from .held import SecretRefused, secrets_in
from .plan import Conflict
from .planner import Planner
from .policies import DOMAIN_LIMIT, end_under
from .proposal import NAME_LIMIT, PART_LIMIT, InvalidInput
from .review import plan_merge
from .waiting import confirm

# The columns that can be filled in where the writer left them empty, with the longest value.
FILLABLE = {
    "agent_id": NAME_LIMIT,
    "session_id": NAME_LIMIT,
    "source": 16,
    "domain": DOMAIN_LIMIT,
}


# What can be set, with the longest value of those that are texts.
SETTABLE = {"domain": DOMAIN_LIMIT, "tag": PART_LIMIT, "kind": 16, "importance": 1}


def plan_confirm_all(
    scope: Scope, memories: Iterable[Memory], planner: Planner | None = None
) -> Planner:
    """Say that active memories still hold. Raises `Conflict` for others."""
    planner = planner or Planner(scope)
    for memory in memories:
        _check_active(memory)
        confirm(planner, memory, planner.now)
    return planner


def plan_fill(scope: Scope, memories: Iterable[Memory], given: Mapping[str, str]) -> Planner:
    """Write what is given into the columns that a memory lacks; what it says of itself stays.

    What a memory states does not change, so this is no new version of it. A domain brings its
    policy's end with it. Raises `InvalidInput` for a column or value that cannot be filled in,
    `Conflict` for memories that are not active.
    """
    given = _checked(given)
    planner, policies = Planner(scope), policies_of(scope.workspace_id)
    for memory in memories:
        _check_active(memory)
        sets: dict[str, Any] = {n: value for n, value in given.items() if not getattr(memory, n)}
        if not sets:
            continue
        filled = planner.change(memory, "fill", **sets)
        if "domain" in sets:
            ends = end_under(policies, filled)
            if any(getattr(filled, name) != value for name, value in ends.items()):
                planner.change(filled, "policy", **ends)
    return planner


def plan_set(
    scope: Scope,
    memories: Iterable[Memory],
    name: str,
    value: str,
    planner: Planner | None = None,
) -> Planner:
    """Give memories a domain, kind or importance in place of the one they have, or one more tag.

    What they state does not change, so this is no new version. Domain and kind bring their
    policy's end with them, the kind also whether a key has one value. `value` as `settable` gives
    it. Raises `Conflict` for a memory that is not active, or that would be a second current value
    of its key.
    """
    planner, policies = planner or Planner(scope), policies_of(scope.workspace_id)
    for memory in memories:
        _check_active(memory)
        sets: dict[str, Any] = {name: value}
        if name == "tag":
            sets = {"tags": [*memory.tags, value]}
        elif name == "importance":
            sets = {"importance": int(value)}
        elif name == "kind":
            sets |= _of_kind(planner, memory, policies.of(value, memory.domain).single_valued)
            sets["layer"] = layer_of(value)
        after = planner.change(memory, "amend", **sets)
        if name in ("domain", "kind"):
            ends = end_under(policies, after)
            if any(getattr(after, column) != end for column, end in ends.items()):
                planner.change(after, "policy", **ends)
    return planner


def settable(name: str, value: str) -> str:
    """A value for `plan_set`, cleaned. Raises `InvalidInput`, `SecretRefused` for a secret."""
    try:
        cleaned = clean(value, SETTABLE[name]).strip()
    except UnstorableText as error:
        raise InvalidInput([("to", str(error))]) from error
    if not cleaned:
        raise InvalidInput([("to", "is needed")])
    if name == "kind" and cleaned not in Kind.values:
        raise InvalidInput([("to", f"one of {', '.join(Kind.values)}")])
    if name == "importance" and cleaned not in "12345":
        raise InvalidInput([("to", "a whole number from 1 to 5")])
    if found := secrets_in({"to": cleaned}):
        raise SecretRefused(found)
    return cleaned


def _of_kind(planner: Planner, memory: Memory, single_valued: bool) -> dict[str, Any]:
    """Whether a memory's key has one value under another kind. Raises `Conflict` where it has one
    already."""
    single_valued = single_valued and bool(memory.entity and memory.attribute)
    if single_valued and not memory.single_valued:
        key = (memory.user_id, memory.agent_id, memory.entity_key, memory.attribute_key)
        rival = planner.current(*key)
        if rival is not None and rival.public_id != memory.public_id:
            raise Conflict(f"{rival.public_id} is already current for that entity and attribute")
    return {"single_valued": single_valued}


def plan_merge_same(scope: Scope, memories: Iterable[Memory]) -> Planner:
    """Merge the memories of one user that say exactly the same into the best sourced one of them:
    first what has evidence, then the more trusted source, the surer, the older. One that none of
    the others repeats stays as it is. Raises `Conflict` for memories that are not active."""
    groups: dict[tuple[str, str], list[Memory]] = {}
    for memory in memories:
        groups.setdefault((memory.user_id, memory.fingerprint), []).append(memory)
    planner = Planner(scope)
    for group in groups.values():
        if len(group) > 1:
            keep, *others = sorted(group, key=_worth)
            plan_merge(scope, keep, others, planner)
    return planner


def _worth(memory: Memory) -> tuple:
    return (
        memory.turn_id is None,
        -trust(memory.source),
        -stated(memory.confidence),
        memory.pk,
    )


def _check_active(memory: Memory) -> None:
    if memory.status != Status.ACTIVE:
        raise Conflict(f"{memory.public_id} is not active; it is {memory.status}")


def _checked(given: Mapping[str, str]) -> dict[str, str]:
    errors, cleaned = [], {}
    for name, value in given.items():
        if name not in FILLABLE:
            errors.append((name, "cannot be filled in"))
            continue
        try:
            cleaned[name] = clean(value, FILLABLE[name]).strip()
        except UnstorableText as error:
            errors.append((name, str(error)))
            continue
        if not cleaned[name]:
            errors.append((name, "is needed"))
        elif name == "source" and cleaned[name] not in Source.values:
            errors.append((name, f"one of {', '.join(Source.values)}"))
    if errors or not given:
        raise InvalidInput(errors or [("", "name a field to fill in")])
    return cleaned
