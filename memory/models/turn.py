"""The dialogue log: what was said, kept apart from what is remembered."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from .ids import new_id
from .scope import ScopedManager, Workspace


class TurnRole(models.TextChoices):
    USER = "user", _("user")
    ASSISTANT = "assistant", _("assistant")
    SYSTEM = "system", _("system")
    TOOL = "tool", _("tool")


class Turn(models.Model):
    """One utterance. Append-only: a saved turn is never changed, but that an erasure blots out
    what it held of a memory, character for character."""

    public_id = models.UUIDField(_("id"), unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    user_id = models.CharField(_("user"), max_length=200, blank=True)
    agent_id = models.CharField(_("agent"), max_length=200, blank=True)
    session_id = models.CharField(_("session"), max_length=200, blank=True)
    role = models.CharField(_("role"), max_length=16, choices=TurnRole.choices)
    content = models.TextField(_("content"))
    occurred_at = models.DateTimeField(_("occurred"))
    created_at = models.DateTimeField(_("stored"))
    metadata = models.JSONField(default=dict, blank=True)
    erased_at = models.DateTimeField(_("erased"), null=True, blank=True)

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("turn")
        verbose_name_plural = _("turns")
        constraints = [
            models.CheckConstraint(condition=models.Q(role__in=TurnRole.values), name="turn_role")
        ]
        indexes = [
            models.Index(fields=["workspace", "id"], name="turn_by_workspace"),
            models.Index(
                fields=["workspace", "user_id", "session_id", "id"], name="turn_by_session"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.role}: {self.content[:80]}"
