"""What the people's side keeps: health reports."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from memory.models import Workspace
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
