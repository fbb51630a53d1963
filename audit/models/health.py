"""What health checks keep: reports, thresholds, and how far they have read."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from memory.models import Memory, Workspace
from memory.models.scope import ScopedManager


class HealthReport(models.Model):
    """A report as it was. `body` holds its figures without words, so that it reads in any
    language; it speaks of the whole workspace."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    at = models.DateTimeField(_("time"))
    worst = models.CharField(
        _("result"),
        max_length=8,
        choices=[("ok", _("ok")), ("warning", _("warning")), ("error", _("error"))],
    )
    body = models.JSONField()
    took_ms = models.FloatField(_("took, ms"))

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("health report")
        verbose_name_plural = _("health reports")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(worst__in=["ok", "warning", "error"]), name="report_known_worst"
            )
        ]
        indexes = [models.Index(fields=["workspace", "-at"], name="report_by_time")]

    def __str__(self) -> str:
        return f"{self.workspace} {self.at:%Y-%m-%d %H:%M}: {self.worst}"


class Counted(models.Model):
    """The memories that a check counted in the newest report of a large workspace, by their keys:
    the newest of them. Those that are gone since, or mended, are for the reader to leave out."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    check_name = models.CharField(max_length=40)
    at = models.DateTimeField()
    keys = models.JSONField(default=list)

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        constraints = [
            models.UniqueConstraint(fields=["workspace", "check_name"], name="one_counting_a_check")
        ]

    def __str__(self) -> str:
        return f"{self.check_name} of {self.workspace_id}"


class Threshold(models.Model):
    """From which share (0 to 1) or number of rows on a health check's finding is a warning, and
    from which an error; null: never. Append-only: the newest version of a check rules."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    check_name = models.CharField(_("check"), max_length=40)
    version = models.PositiveIntegerField(_("version"), default=1)
    warning_from = models.FloatField(_("warning from"), null=True, blank=True)
    error_from = models.FloatField(_("error from"), null=True, blank=True)
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=200)
    reason = models.CharField(_("reason"), max_length=500, blank=True)

    class Meta:
        verbose_name = _("threshold")
        verbose_name_plural = _("thresholds")
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "check_name", "version"], name="one_threshold_a_version"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.check_name}, version {self.version}"


class ReadMark(models.Model):
    """How far a check that has to read every text has read a workspace's memories, by their key;
    with another `version` of its rules it begins anew."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    check_name = models.CharField(max_length=40)
    version = models.CharField(max_length=64)
    upto = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "check_name"], name="one_read_mark")
        ]

    def __str__(self) -> str:
        return f"{self.check_name} of {self.workspace_id} up to {self.upto}"


class ReadHit(models.Model):
    """A memory whose text such a check found something in; `detail` says what, without the text."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    check_name = models.CharField(max_length=40)
    memory = models.ForeignKey(Memory, models.CASCADE, related_name="+")
    detail = models.JSONField(default=dict)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["check_name", "memory"], name="one_hit_a_memory")
        ]
        indexes = [models.Index(fields=["workspace", "check_name", "memory"], name="read_hits")]

    def __str__(self) -> str:
        return f"{self.check_name}: {self.memory_id}"
