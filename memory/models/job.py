"""Work that takes longer than a request: imports, exports, bulk changes, reports."""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from .ids import new_id
from .scope import ScopedManager, Workspace


class JobState(models.TextChoices):
    QUEUED = "queued", _("queued")
    RUNNING = "running", _("running")
    DONE = "done", _("done")
    FAILED = "failed", pgettext_lazy("of a job", "failed")
    CANCELLED = "cancelled", _("cancelled")


class Job(models.Model):
    """What was asked for, how far it is and what came of it. `done` of `total` rows; `params` are
    what was asked, `result` counts and batches, both without the texts themselves."""

    public_id = models.UUIDField(_("id"), unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    user_id = models.CharField(_("user"), max_length=200, blank=True)
    kind = models.CharField(_("kind"), max_length=20)
    state = models.CharField(
        _("state"), max_length=10, choices=JobState.choices, default=JobState.QUEUED
    )
    actor = models.CharField(_("by"), max_length=200)
    surface = models.CharField(_("through"), max_length=32)
    reason = models.TextField(_("reason"), blank=True)
    params = models.JSONField(default=dict)
    result = models.JSONField(default=dict)
    done = models.PositiveIntegerField(_("done"), default=0)
    total = models.PositiveIntegerField(_("of"), null=True, blank=True)
    error = models.TextField(_("error"), blank=True)
    created_at = models.DateTimeField(_("asked"))
    started_at = models.DateTimeField(_("started"), null=True, blank=True)
    # A worker that is killed stops moving this: another one takes the job up where it stood.
    moved_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(_("finished"), null=True, blank=True)

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("job")
        verbose_name_plural = _("jobs")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=JobState.values), name="job_known_state"
            )
        ]
        indexes = [
            models.Index(fields=["workspace", "id"], name="job_by_workspace"),
            models.Index(
                fields=["kind", "id"],
                condition=models.Q(state__in=["queued", "running"]),
                name="job_waiting",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id}: {self.state}"


class JobRow(models.Model):
    """What became of one row of a job that is worth telling: what was rejected, and why."""

    job = models.ForeignKey(Job, models.CASCADE, related_name="rows")
    number = models.PositiveIntegerField(_("row"))
    action = models.CharField(_("what became of it"), max_length=20)
    memory_id = models.UUIDField(_("memory"), null=True, blank=True)
    code = models.CharField(max_length=64, blank=True)
    message = models.TextField(_("why"), blank=True)
    # The row as it came, masked, so that it can be put right and offered again.
    raw = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["job", "id"], name="job_row_by_id")]

    def __str__(self) -> str:
        return f"{self.job_id} row {self.number}: {self.action}"
