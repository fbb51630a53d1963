"""The ledger: every change of a memory, in batches, chained by a keyed hash.

An entry's hash covers the entry before it, its own number and digests of its payload (the row
before and after) and of its batch's reason, not these themselves: what is erased later takes them
along and the chain still verifies. Entries name their memory by public id, not by a foreign key,
so that they stay readable after their subject is gone.
"""

import hmac
import json

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from .ids import new_id
from .scope import ScopedManager, Workspace

GENESIS = "0" * 64


class Batch(models.Model):
    """What changed together, and can be undone together."""

    public_id = models.UUIDField(_("id"), unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    user_id = models.CharField(_("user"), max_length=200, blank=True)
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=200)
    surface = models.CharField(_("through"), max_length=32)
    verb = models.CharField(_("what"), max_length=32)
    reason = models.TextField(_("reason"), blank=True)
    # What the chain covers instead of the reason, which an erasure may have to take away.
    reason_digest = models.CharField(max_length=64)
    undoes = models.OneToOneField(
        "self", models.PROTECT, related_name="undone_by", null=True, blank=True
    )

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("batch")
        verbose_name_plural = _("batches")
        indexes = [
            models.Index(fields=["workspace", "id"], name="batch_by_workspace"),
            models.Index(fields=["workspace", "at", "id"], name="batch_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} by {self.actor} at {self.at:%Y-%m-%d %H:%M}"

    @property
    def is_undone(self) -> bool:
        return hasattr(self, "undone_by")


class Change(models.Model):
    """One ledger entry: one memory, before and after."""

    batch = models.ForeignKey(Batch, models.PROTECT, related_name="changes")
    memory_id = models.UUIDField(_("memory"))
    fact = models.UUIDField()
    at = models.DateTimeField(_("time"))
    action = models.CharField(_("what"), max_length=32)
    status_before = models.CharField(max_length=16, blank=True)
    status_after = models.CharField(max_length=16)
    revision_before = models.PositiveIntegerField(null=True)
    revision_after = models.PositiveIntegerField()
    payload = models.JSONField(null=True)
    payload_digest = models.CharField(max_length=64)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64, unique=True)

    class Meta:
        verbose_name = _("change")
        verbose_name_plural = _("changes")
        indexes = [
            models.Index(fields=["memory_id", "at"], name="change_by_memory"),
            models.Index(fields=["fact", "id"], name="change_by_fact"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.memory_id}"

    @property
    def before(self) -> dict | None:
        return self.payload["before"] if self.payload else None

    @property
    def after(self) -> dict | None:
        return self.payload["after"] if self.payload else None

    def sealed_hash(self) -> str:
        """The hash that this entry must bear, over its own columns and its batch's."""
        return sealed(
            self.previous_hash, self.pk,
            self.batch.public_id.hex, self.batch.workspace_id, self.batch.user_id,
            self.batch.at.isoformat(), self.batch.actor, self.batch.surface, self.batch.verb,
            self.batch.reason_digest, self.batch.undoes_id,
            self.memory_id.hex, self.fact.hex, self.at.isoformat(), self.action,
            self.status_before, self.status_after, self.revision_before, self.revision_after,
            self.payload_digest,
        )  # fmt: skip


def payload_digest(payload: dict | None) -> str:
    return sealed(_SORTED.encode(payload))


def reason_digest(reason: str) -> str:
    return sealed("reason", reason)


def sealed(*parts: object) -> str:
    """The keyed hash of the ledger over plain values, told apart by their places."""
    # Of a byte that was never text, as only a damaged store has it, the hash is another one.
    message = b"ledger:" + _COMPACT.encode(parts).encode("utf-8", "surrogateescape")
    return hmac.digest(settings.PEPPER.encode(), message, "sha256").hex()


_SORTED = json.JSONEncoder(sort_keys=True, ensure_ascii=False)
_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
