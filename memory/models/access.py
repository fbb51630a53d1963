"""Who read what, and answers that are given again to a repeated request."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from .key import ApiKey
from .scope import ScopedManager, Workspace


class Access(models.Model):
    """One memory was read by somebody, outside a recall (whose record says it for its own)."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    user_id = models.CharField(_("user"), max_length=200, blank=True)
    memory_id = models.UUIDField(_("memory"))
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=200)
    surface = models.CharField(_("through"), max_length=32)
    how = models.CharField(_("how"), max_length=16)

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("access")
        verbose_name_plural = _("accesses")
        indexes = [
            models.Index(fields=["memory_id", "-id"], name="access_by_memory"),
            models.Index(fields=["at"], name="access_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} {self.how} by {self.actor}"


class GivenAnswer(models.Model):
    """What a POST with an `Idempotency-Key` was answered; the same request again gets the same.

    `status` is null while the first is still being answered. Kept for a day.
    """

    key = models.ForeignKey(ApiKey, models.CASCADE, related_name="+")
    name = models.CharField(max_length=255)
    request = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True)
    headers = models.JSONField(default=dict)
    body = models.TextField(blank=True)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "name"], name="one_answer_a_request")]
        indexes = [models.Index(fields=["at"], name="answer_by_time")]

    def __str__(self) -> str:
        return f"{self.key_id}: {self.name}"
