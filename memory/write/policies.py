"""Changing a policy: its next version, and another end for the rows whose end a policy makes."""

import time
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from memory import clock
from memory.models import (
    Batch,
    Kind,
    Memory,
    PersonalData,
    Policies,
    Policy,
    Scope,
    ScopeError,
    Status,
    Workspace,
    policies_of,
    policy_draft,
)
from memory.text.normalise import UnstorableText, clean

from . import queue
from .apply import apply
from .draft import expiry
from .held import without_secrets
from .plan import Conflict
from .planner import Planner
from .proposal import InvalidInput
from .transaction import write_transaction

BATCH = 500
# What a request waits for: 2.7 ms a row on one quiet core. The rest is upkeep's.
AT_ONCE, SECONDS = 2000, 5.0
# A hundred years.
MOST_HOURS = 876_000
DOMAIN_LIMIT, REASON_LIMIT = 100, 500


class StalePolicy(Conflict):
    """Somebody saved another version since the one that was seen. `latest` is that version."""

    def __init__(self, latest: Policy | None):
        self.latest = latest
        told = f"{latest}, by {latest.actor}" if latest else "there is no such version"
        super().__init__(f"the policy was changed meanwhile: {told}")


@dataclass(frozen=True)
class Saved:
    """A version that rules now. `batches` gave so many rows another end (`redated`); `left` rows
    get theirs from upkeep."""

    policy: Policy
    batches: tuple[Batch, ...]
    redated: int
    left: int


def checked(draft: Policy) -> Policy:
    """The same with its domain cleaned; raises `InvalidInput` naming each field."""
    draft, errors = copy(draft), []
    try:
        draft.domain = clean(draft.domain, DOMAIN_LIMIT).strip()
    except UnstorableText as error:
        errors.append(("domain", str(error)))
    if draft.kind not in Kind.values:
        errors.append(("kind", f"one of {', '.join(Kind.values)}"))
    if not _whole(draft.half_life_hours, MOST_HOURS):
        errors.append(("half_life_hours", f"a whole number from 1 to {MOST_HOURS}"))
    if draft.ttl_hours is not None and not _whole(draft.ttl_hours, MOST_HOURS):
        errors.append(("ttl_hours", f"a whole number from 1 to {MOST_HOURS}, or none"))
    if not _whole(draft.importance, 5):
        errors.append(("importance", "a whole number from 1 to 5"))
    if not 0 <= draft.threshold <= 1:
        errors.append(("threshold", "from 0 to 1"))
    if draft.personal_data not in PersonalData.values:
        errors.append(("personal_data", f"one of {', '.join(PersonalData.values)}"))
    if errors:
        raise InvalidInput(errors)
    return draft


def save_policy(scope: Scope, draft: Policy, *, reason: str) -> Saved:
    """Make the draft the next version of its kind and domain, for all users of the workspace.

    `draft.version` is the version that it was drawn from. The active rows that it rules and
    whose end a policy made get another one, in the ledger, verb "policy"; now at most `AT_ONCE`
    of them and those of about `SECONDS`. What has ended already stays so, and of a change of
    `single_valued`, importance or review only later writes know.

    Raises `InvalidInput`, `StalePolicy`, `ScopeError`, `queue.QueueTimeout`; then nothing has
    changed.
    """
    draft = checked(draft)
    with write_transaction():
        stands = policies_of(scope.workspace_id).own(draft.kind, draft.domain)
        if stands and not draft.removed and stands.values() == draft.values():
            raise InvalidInput([("policy", "is what it already says")])
        policy = _next(scope, draft, reason)
    return _spread(scope, policy)


def remove_policy(scope: Scope, draft: Policy, *, reason: str) -> Saved:
    """From now on the draft's domain goes by its kind's policy. Raises as `save_policy` does."""
    if policies_of(scope.workspace_id).own(draft.kind, draft.domain) is None or not draft.domain:
        raise InvalidInput([("domain", "has no policy of its own")])
    draft = copy(draft)
    draft.removed = True
    return save_policy(scope, draft, reason=reason)


def take_back(scope: Scope, kind: str, domain: str, version: int, *, reason: str = "") -> Saved:
    """Let what ruled before a version rule again, as the next version. Raises `StalePolicy` unless
    that version is the newest, and as `save_policy` does."""
    earlier = Policy.objects.filter(workspace_id=scope.workspace_id).order_by("version")
    own = Q(kind=kind, domain=domain)
    ruled_then = Policies(scope.workspace_id, earlier.exclude(own & Q(version__gte=version)))
    draft = policy_draft(ruled_then, kind, domain)
    draft.version = version
    draft.removed = bool(domain) and ruled_then.own(kind, domain) is None
    return save_policy(scope, draft, reason=reason)


def awaiting(scope: Scope, draft: Policy) -> int:
    """How many rows would get another end if the draft ruled."""
    policies = policies_of(scope.workspace_id).with_(draft)
    return _differing(scope, policies, draft).count()


def ruled(scope: Scope, policies: Policies, policy: Policy) -> QuerySet[Memory]:
    """The memories of whatever state that the policy of that kind and domain rules, or would."""
    rows = Memory.objects.within(scope).filter(kind=policy.kind)
    if policy.domain:
        return rows.filter(domain=policy.domain)
    return rows.exclude(domain__in=policies.domains(policy.kind))


def end_under(policies: Policies, memory: Memory) -> dict[str, Any]:
    """The columns that say when a memory's time is over, as the policies make them: from when it
    was last confirmed. An end that the writer gave stays."""
    if memory.expires_at is not None and memory.ttl_hours is None:
        return {"expires_at": memory.expires_at, "ttl_hours": None}
    rules = policies.of(memory.kind, memory.domain)
    return expiry(rules, memory.confirmed_at or memory.created_at)


def redate_due() -> int:
    """Give every row the end that its policy makes, where a request left that to upkeep; how
    many rows. Kinds whose policy nobody ever changed are not looked at."""
    done = 0
    for workspace in Workspace.objects.filter(policies__isnull=False).distinct():
        scope = Scope(workspace.pk, "maintenance", "command")
        touched = set(workspace.policies.values_list("kind", flat=True))
        for policy in policies_of(workspace.pk).all():
            if policy.kind in touched:
                done += sum(count for _, count in _redated(scope, policy))
    return done


def _whole(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most


def _next(scope: Scope, draft: Policy, reason: str) -> Policy:
    if scope.user_id is not None:
        raise ScopeError("a policy is for every user of a workspace")
    versions = Policy.objects.filter(
        workspace_id=scope.workspace_id, kind=draft.kind, domain=draft.domain
    )
    latest = versions.order_by("-version").first()
    if draft.version != (latest.version if latest else 0):
        raise StalePolicy(latest)
    try:
        reason = without_secrets(clean(reason, REASON_LIMIT).strip())
    except UnstorableText as error:
        raise InvalidInput([("reason", str(error))]) from error
    return Policy.objects.create(
        workspace_id=scope.workspace_id,
        kind=draft.kind,
        domain=draft.domain,
        version=draft.version + 1,
        removed=draft.removed,
        at=clock.now(),
        actor=scope.actor,
        reason=reason,
        **draft.values(),
    )


def _spread(scope: Scope, policy: Policy) -> Saved:
    batches: list[Batch] = []
    redated, give_up = 0, time.monotonic() + SECONDS
    try:
        for batch, count in _redated(scope, policy, AT_ONCE):
            batches.append(batch)
            redated += count
            if time.monotonic() > give_up:
                break
    except queue.QueueTimeout:
        # The policy stands; upkeep goes on where this stopped.
        pass
    policies = policies_of(scope.workspace_id)
    left = _differing(scope, policies, policy).count()
    return Saved(policy, tuple(batches), redated, left)


def _redated(scope: Scope, policy: Policy, most: int | None = None) -> Iterable[tuple[Batch, int]]:
    """Batches of rows that were given their end, each with its size, at most `most` rows."""
    done = 0
    while most is None or done < most:
        with queue.turn():
            policies = policies_of(scope.workspace_id)
            rows = list(_differing(scope, policies, policy).order_by("pk")[:BATCH])
            if not rows:
                return
            planner = Planner(scope)
            for memory in rows:
                planner.change(memory, "policy", **end_under(policies, memory))
            applied = apply(planner.plan("policy", f"{policy}: {policy.reason}".rstrip(": ")))
        done += len(rows)
        yield applied.batch, len(rows)


def _differing(scope: Scope, policies: Policies, policy: Policy) -> QuerySet[Memory]:
    """The active rows at that policy's kind and domain whose end another limit made."""
    hours = policies.of(policy.kind, policy.domain).ttl_hours
    made_so = Q(ttl_hours__isnull=True) if hours is None else Q(ttl_hours=hours)
    return (
        ruled(scope, policies, policy)
        .filter(status=Status.ACTIVE)
        .filter(Q(expires_at__isnull=True) | Q(ttl_hours__isnull=False, expires_at__gt=clock.now()))
        .exclude(made_so)
    )
