"""Two memories that may say the same in other words, and what a person decided about them."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from .ledger import Batch
from .scope import ScopedManager, Workspace


class PairState(models.TextChoices):
    OPEN = "open", _("open")
    MERGED = "merged", _("merged")
    APART = "apart", _("kept apart")


class DuplicatePair(models.Model):
    """A pair of active memories of one user, by public id, the older first. A pair that was kept
    apart is not offered again."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    user_id = models.CharField(_("user"), max_length=200, blank=True)
    first = models.UUIDField()
    second = models.UUIDField()
    score = models.FloatField(_("similarity"))
    state = models.CharField(
        _("state"), max_length=16, choices=PairState.choices, default=PairState.OPEN
    )
    found_at = models.DateTimeField(_("found"))
    decided_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.CharField(max_length=200, blank=True)
    reason = models.CharField(_("reason"), max_length=500, blank=True)
    batch = models.ForeignKey(Batch, models.PROTECT, related_name="+", null=True, blank=True)

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("possible duplicate")
        verbose_name_plural = _("possible duplicates")
        constraints = [
            models.UniqueConstraint(fields=["workspace", "first", "second"], name="one_pair"),
            models.CheckConstraint(
                condition=models.Q(state__in=PairState.values), name="pair_known_state"
            ),
        ]
        indexes = [models.Index(fields=["workspace", "state", "id"], name="pair_by_state")]

    def __str__(self) -> str:
        return f"{self.first} / {self.second}: {self.state}"
