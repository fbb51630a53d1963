"""Findings with what became of them, and what a person put off."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from memory.models import Recall, Workspace
from memory.models.scope import ScopedManager


class FindingState(models.TextChoices):
    OPEN = "open", _("open")
    RESOLVED = "resolved", _("resolved")
    IGNORED = "ignored", _("ignored")


class Finding(models.Model):
    """Something about one fact that a person should look at, grouped over its occurrences.

    A resolved one opens again when it happens again; an ignored one only counts.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    check_name = models.CharField(_("check"), max_length=40)
    memory_id = models.UUIDField(_("memory"))
    # The owner of the memory, so that the finding is read within a scope.
    user_id = models.CharField(_("user"), max_length=200, blank=True)
    state = models.CharField(
        _("state"), max_length=16, choices=FindingState.choices, default=FindingState.OPEN
    )
    assigned_to = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+",
        verbose_name=_("assigned to"),
    )  # fmt: skip
    first_at = models.DateTimeField(_("first"))
    last_at = models.DateTimeField(_("last"))
    occurrences = models.PositiveIntegerField(_("times"), default=0)
    reopened = models.PositiveIntegerField(_("reopened"), default=0)

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("finding")
        verbose_name_plural = _("findings")
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "check_name", "memory_id"], name="one_finding_a_memory"
            ),
            models.CheckConstraint(
                condition=models.Q(state__in=FindingState.values), name="finding_known_state"
            ),
        ]
        indexes = [
            models.Index(fields=["workspace", "state", "last_at", "id"], name="finding_by_state")
        ]

    def __str__(self) -> str:
        return f"{self.check_name}: {self.memory_id}"


class Occurrence(models.Model):
    """One recall in which it happened. `how`: "given" (it was already invalid when it was handed
    out), "answered" (it became so before the answer) or "imported" (another system's log)."""

    finding = models.ForeignKey(Finding, models.CASCADE, related_name="found_in")
    recall = models.ForeignKey(Recall, models.CASCADE, related_name="+")
    how = models.CharField(max_length=16)
    status = models.CharField(_("state then"), max_length=16)
    at = models.DateTimeField(_("time"))

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["finding", "recall"], name="one_occurrence_a_recall")
        ]

    def __str__(self) -> str:
        return f"{self.finding_id} in {self.recall_id}: {self.how}"


class FindingEvent(models.Model):
    """What people, and the scan, did with a finding: opened, assigned, resolved, ignored,
    reopened, commented."""

    finding = models.ForeignKey(Finding, models.CASCADE, related_name="events")
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=200)
    verb = models.CharField(_("action"), max_length=16)
    text = models.TextField(_("text"), blank=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.verb} by {self.actor}"


class ScanMark(models.Model):
    """How far the scan for findings has read a workspace's recall log."""

    workspace = models.OneToOneField(Workspace, models.CASCADE, primary_key=True, related_name="+")
    recall_id = models.BigIntegerField(default=0)
    answered_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.workspace_id} to {self.recall_id}"


class ReviewMark(models.Model):
    """That something waiting for review was put off until a day. `item_type` names the queue's
    kind of item, `item_id` its public id."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    item_type = models.CharField(max_length=20)
    item_id = models.UUIDField()
    snoozed_until = models.DateTimeField(_("put off until"))
    reason = models.CharField(_("reason"), max_length=500, blank=True)
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "item_type", "item_id"], name="one_mark_an_item"
            )
        ]

    def __str__(self) -> str:
        return f"{self.item_type} {self.item_id} until {self.snoozed_until:%Y-%m-%d}"
