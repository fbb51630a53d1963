"""Rows by what their policy says."""

from collections.abc import Callable, Hashable
from functools import reduce
from operator import or_
from typing import TypeVar

from django.db.models import Q

from memory.models import Policies, Policy

T = TypeVar("T", bound=Hashable)


def by_policy(policies: Policies, told: Callable[[Policy], T]) -> dict[T, Q]:
    """For each answer of `told`, the memories whose policy gives it; with only one answer that
    is all of them."""
    groups: dict[T, list[Q]] = {}
    for policy in policies.all():
        groups.setdefault(told(policy), []).append(_ruled(policies, policy))
    if len(groups) == 1:
        return dict.fromkeys(groups, Q())
    return {answer: reduce(or_, found) for answer, found in groups.items()}


def where(policies: Policies, is_so: Callable[[Policy], bool]) -> Q:
    """The memories whose policy is so; none of them where no policy is."""
    return by_policy(policies, is_so).get(True, Q(pk__in=()))


def _ruled(policies: Policies, policy: Policy) -> Q:
    kind = Q(kind=policy.kind)
    if policy.domain:
        return kind & Q(domain=policy.domain)
    others = policies.domains(policy.kind)
    return kind & ~Q(domain__in=others) if others else kind
