"""What each kind of memory is held to, per workspace and domain."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from django.db import models
from django.utils.translation import gettext_lazy as _

from .memory import Kind
from .scope import Workspace


@dataclass(frozen=True)
class Defaults:
    """Half-life and hard TTL in hours; None: never expires."""

    half_life_hours: int
    single_valued: bool
    importance: int
    ttl_hours: int | None = None


DAY, YEAR = 24, 24 * 365
# Half-lives of preference (720 h) and task state (12 h) and the 24 h limit of live stock are
# the seeds' own; the others follow how long such a statement is usually good for.
DEFAULTS: dict[str, Defaults] = {
    Kind.PREFERENCE: Defaults(720, True, 4),
    Kind.IDENTITY: Defaults(YEAR, True, 4),
    Kind.FACT: Defaults(90 * DAY, True, 3),
    Kind.RULE: Defaults(YEAR, True, 5),
    Kind.TASK_STATE: Defaults(12, True, 3),
    Kind.EVENT: Defaults(30 * DAY, False, 2),
    Kind.PROCEDURE: Defaults(180 * DAY, True, 3),
    Kind.INVENTORY: Defaults(DAY, True, 4, ttl_hours=24),
    Kind.OTHER: Defaults(30 * DAY, False, 2),
}

VALUES = (
    "half_life_hours", "ttl_hours", "single_valued", "importance", "review_required", "threshold",
    "personal_data", "merge_similar",
)  # fmt: skip


class PersonalData(models.TextChoices):
    """What becomes of a memory that holds a phone number, an identity card or the like."""

    HOLD = "hold", _("held for review")
    MASK = "mask", _("masked")
    KEEP = "keep", _("kept")


class Policy(models.Model):
    """What a kind of memory is held to, in one domain or (domain "") in every other.

    Append-only: a change is a new version, the newest one rules, and the one of any day can be
    read. `removed`: from this version on the domain has no policy of its own.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="policies")
    kind = models.CharField(_("kind"), max_length=16, choices=Kind.choices)
    domain = models.CharField(_("domain"), max_length=100, blank=True)
    version = models.PositiveIntegerField(_("version"), default=1)
    half_life_hours = models.PositiveIntegerField(_("half-life, hours"))
    ttl_hours = models.PositiveIntegerField(_("hard limit, hours"), null=True, blank=True)
    single_valued = models.BooleanField(_("one value at a time"))
    importance = models.PositiveSmallIntegerField(_("default importance"))
    review_required = models.BooleanField(_("review required"), default=False)
    # From this confidence on a memory is active; below it is a candidate.
    threshold = models.FloatField(_("needed confidence"), default=0.5)
    personal_data = models.CharField(
        _("personal data"),
        max_length=8,
        choices=PersonalData.choices,
        default=PersonalData.HOLD,
    )
    merge_similar = models.BooleanField(_("merge by similarity"), default=False)
    removed = models.BooleanField(_("removed"), default=False)
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=200)
    reason = models.CharField(_("reason"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("policy")
        verbose_name_plural = _("policies")
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "kind", "domain", "version"], name="one_policy_a_version"
            ),
            models.CheckConstraint(
                condition=models.Q(importance__gte=1, importance__lte=5), name="policy_importance"
            ),
            models.CheckConstraint(
                condition=models.Q(half_life_hours__gte=1)
                & (models.Q(ttl_hours__isnull=True) | models.Q(ttl_hours__gte=1)),
                name="policy_hours",
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=Kind.values), name="policy_known_kind"
            ),
            models.CheckConstraint(
                condition=models.Q(threshold__gte=0, threshold__lte=1), name="policy_threshold"
            ),
            models.CheckConstraint(
                condition=models.Q(personal_data__in=PersonalData.values),
                name="policy_personal_data",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}{self.domain and f' / {self.domain}'}, version {self.version}"

    def values(self) -> dict[str, int | bool | None]:
        """What it holds a memory to, by column."""
        return {name: getattr(self, name) for name in VALUES}


class Policies:
    """The policies of a workspace at one moment: of its kinds, and of the domains of a kind."""

    def __init__(self, workspace_id: int, found: Iterable[Policy] = ()):
        self.workspace_id = workspace_id
        self._found = {(kind, ""): _default(workspace_id, kind) for kind in DEFAULTS}
        for policy in found:
            if not policy.removed:
                self._found[policy.kind, policy.domain] = policy
            elif policy.domain:
                self._found.pop((policy.kind, policy.domain), None)

    def of(self, kind: str, domain: str = "") -> Policy:
        """The policy that rules a memory: its domain's own, else its kind's."""
        return self._found.get((kind, domain)) or self._found[kind, ""]

    def own(self, kind: str, domain: str) -> Policy | None:
        """The domain's own policy, if it has one."""
        return self._found.get((kind, domain))

    def domains(self, kind: str) -> list[str]:
        """The domains that the kind's own policy does not rule."""
        return sorted(domain for of, domain in self._found if of == kind and domain)

    def all(self) -> list[Policy]:
        """Kinds in their usual order, each followed by its domains."""
        order = list(DEFAULTS)
        return [
            self._found[key]
            for key in sorted(self._found, key=lambda key: (order.index(key[0]), key[1]))
        ]

    def with_(self, policy: Policy) -> "Policies":
        """The same with one more or another policy, as if it were saved."""
        return Policies(self.workspace_id, [*self._found.values(), policy])


@dataclass(frozen=True)
class PolicyChange:
    """One version, and what it changed of what ruled there before: column to (old, new)."""

    policy: Policy
    changes: dict[str, tuple] = field(default_factory=dict)


def policy_changes(workspace_id: int) -> list[PolicyChange]:
    """Every version that was ever saved, oldest first."""
    found, rules = [], Policies(workspace_id)
    for policy in Policy.objects.filter(workspace_id=workspace_id).order_by("at", "id"):
        before = rules.of(policy.kind, policy.domain).values()
        rules = rules.with_(policy)
        after = rules.of(policy.kind, policy.domain).values()
        moved = {
            name: (before[name], after[name]) for name in VALUES if before[name] != after[name]
        }
        found.append(PolicyChange(policy, moved))
    return found


def policy_draft(policies: Policies, kind: str, domain: str = "") -> Policy:
    """What rules there now, to be changed and saved as the next version; not itself saved."""
    last = Policy.objects.filter(workspace_id=policies.workspace_id, kind=kind, domain=domain)
    version = last.aggregate(last=models.Max("version"))["last"] or 0
    return Policy(
        workspace_id=policies.workspace_id,
        kind=kind,
        domain=domain,
        version=version,
        **policies.of(kind, domain).values(),
    )


@lru_cache(maxsize=4096)
def _default(workspace_id: int, kind: str) -> Policy:
    default = DEFAULTS[kind]
    return Policy(
        workspace_id=workspace_id,
        kind=kind,
        version=0,
        half_life_hours=default.half_life_hours,
        ttl_hours=default.ttl_hours,
        single_valued=default.single_valued,
        importance=default.importance,
    )


def policies_of(workspace_id: int, moment: datetime | None = None) -> Policies:
    """The policies that rule now, or that ruled at `moment`."""
    found = Policy.objects.filter(workspace_id=workspace_id).order_by("version")
    return Policies(workspace_id, found if moment is None else found.filter(at__lte=moment))
