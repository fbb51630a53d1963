"""A correction said in plain words: what it was understood to mean, before anything changes."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from .ids import new_id
from .ledger import Batch
from .recall import Recall
from .scope import ScopedManager, Workspace


class CorrectionVerdict(models.TextChoices):
    CORRECTION = "correction", _("correction")
    NOT_A_CORRECTION = "not_a_correction", _("not a correction")
    AMBIGUOUS = "ambiguous", _("ambiguous")


class CorrectionState(models.TextChoices):
    OPEN = "open", _("open")
    APPLIED = "applied", _("applied")
    DISMISSED = "dismissed", _("dismissed")


class Correction(models.Model):
    """The preview of a correction. `targets` binds it to rows: [{id, revision, set}]; applying
    touches these and no others, and none if one has moved. `blocked`: over the cap."""

    public_id = models.UUIDField(_("id"), unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    user_id = models.CharField(_("user"), max_length=200)
    agent_id = models.CharField(_("agent"), max_length=200, blank=True)
    session_id = models.CharField(_("session"), max_length=200, blank=True)
    recall = models.ForeignKey(Recall, models.PROTECT, related_name="+", null=True, blank=True)
    text = models.TextField(_("text"))
    verdict = models.CharField(_("verdict"), max_length=20, choices=CorrectionVerdict.choices)
    reason = models.CharField(_("reason"), max_length=64)
    message = models.TextField(blank=True)
    change = models.JSONField(default=dict)
    targets = models.JSONField(default=list)
    # Where it is ambiguous: the rows that may have been meant.
    candidates = models.JSONField(default=list)
    count = models.PositiveIntegerField(_("facts"), default=0)
    cap = models.PositiveIntegerField(_("cap"))
    blocked = models.BooleanField(_("blocked"), default=False)
    state = models.CharField(
        _("state"), max_length=16, choices=CorrectionState.choices, default=CorrectionState.OPEN
    )
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=200)
    surface = models.CharField(_("through"), max_length=32)
    expires_at = models.DateTimeField(_("good until"))
    batch = models.OneToOneField(Batch, models.PROTECT, related_name="+", null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    closed_by = models.CharField(max_length=200, blank=True)

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("correction")
        verbose_name_plural = _("corrections")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(verdict__in=CorrectionVerdict.values),
                name="correction_known_verdict",
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=CorrectionState.values),
                name="correction_known_state",
            ),
        ]
        indexes = [
            models.Index(fields=["workspace", "state", "id"], name="correction_by_state"),
        ]

    def __str__(self) -> str:
        return self.text[:80]
