"""What is left of an erased memory: that it was there, and that it is gone."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from .ids import new_id
from .ledger import Batch
from .scope import ScopedManager, Workspace


class Erasure(models.Model):
    """The tombstone of one memory, and the certificate of its removal.

    `digest` is a keyed hash of what it said: text that comes back in an import is known again
    without being kept. `removed` counts what was taken away, by where it lay: {"rows": 3, …}.
    `scrubbed_at`: when the files themselves were free of it.
    """

    public_id = models.UUIDField(_("id"), unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    user_id = models.CharField(_("user"), max_length=200, blank=True)
    memory_id = models.UUIDField(_("memory"), unique=True)
    fact = models.UUIDField()
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=200)
    surface = models.CharField(_("through"), max_length=32)
    reason = models.TextField(_("reason"), blank=True)
    digest = models.CharField(max_length=64)
    batch = models.ForeignKey(Batch, models.PROTECT, related_name="erasures")
    removed = models.JSONField(default=dict)
    scrubbed_at = models.DateTimeField(_("files scrubbed"), null=True, blank=True)

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("erasure")
        verbose_name_plural = _("erasures")
        indexes = [
            models.Index(fields=["workspace", "id"], name="erasure_by_workspace"),
            models.Index(fields=["workspace", "digest"], name="erasure_by_digest"),
            models.Index(fields=["fact"], name="erasure_by_fact"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} erased at {self.at:%Y-%m-%d %H:%M}"
