"""Reading a turn for what is worth remembering: asked for with the turn, done in the background."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from .ledger import Batch
from .scope import Workspace
from .turn import Turn


class Extraction(models.Model):
    """One turn's reading. It is asked for in the transaction that stores the turn and marked done
    in the one that stores what was found, so that a killed worker loses and repeats nothing."""

    turn = models.OneToOneField(Turn, models.PROTECT, primary_key=True, related_name="extraction")
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    # What the writer said of every memory that is found: kind, domain, source, tags …
    fields = models.JSONField(default=dict)
    actor = models.CharField(_("by"), max_length=200)
    surface = models.CharField(_("through"), max_length=32)
    reason = models.TextField(_("reason"), blank=True)
    asked_at = models.DateTimeField()
    attempts = models.PositiveSmallIntegerField(default=0)
    # Not before this, after a failed attempt.
    due_at = models.DateTimeField()
    done_at = models.DateTimeField(null=True, blank=True)
    # "rules", or the name of the model; `note` says why it was not the model.
    read_by = models.CharField(max_length=200, blank=True)
    note = models.CharField(max_length=300, blank=True)
    batch = models.ForeignKey(Batch, models.PROTECT, related_name="+", null=True, blank=True)

    class Meta:
        verbose_name = _("extraction")
        verbose_name_plural = _("extractions")
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=models.Q(done_at__isnull=True),
                name="extraction_due",
            )
        ]

    def __str__(self) -> str:
        return f"{self.turn_id}: {self.read_by or 'waiting'}"
