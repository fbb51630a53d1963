"""What each kind of memory is held to, per workspace."""

from dataclasses import dataclass

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


class Policy(models.Model):
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="policies")
    kind = models.CharField(_("kind"), max_length=16, choices=Kind.choices)
    half_life_hours = models.PositiveIntegerField(_("half-life, hours"))
    ttl_hours = models.PositiveIntegerField(_("hard limit, hours"), null=True, blank=True)
    single_valued = models.BooleanField(_("one value at a time"))
    importance = models.PositiveSmallIntegerField(_("default importance"))
    review_required = models.BooleanField(_("review required"), default=False)

    class Meta:
        verbose_name = _("policy")
        verbose_name_plural = _("policies")
        constraints = [
            models.UniqueConstraint(fields=["workspace", "kind"], name="one_policy_a_kind"),
            models.CheckConstraint(
                condition=models.Q(importance__gte=1, importance__lte=5), name="policy_importance"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.workspace}: {self.kind}"


def policies_of(workspace_id: int) -> dict[str, Policy]:
    """The policy of every kind; a kind without a row has the defaults."""
    found = {policy.kind: policy for policy in Policy.objects.filter(workspace_id=workspace_id)}
    for kind, default in DEFAULTS.items():
        found.setdefault(
            kind,
            Policy(
                workspace_id=workspace_id,
                kind=kind,
                half_life_hours=default.half_life_hours,
                ttl_hours=default.ttl_hours,
                single_valued=default.single_valued,
                importance=default.importance,
            ),
        )
    return found
