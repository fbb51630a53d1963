"""Telling other systems what happened."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from .ids import new_id
from .scope import ScopedManager, Workspace


class Webhook(models.Model):
    """An address that is told of events. `secret` signs what is sent; it is shown once."""

    public_id = models.UUIDField(_("id"), unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    url = models.CharField(_("address"), max_length=2000)
    events = models.JSONField(_("events"), default=list)
    secret = models.CharField(max_length=100)
    created_at = models.DateTimeField(_("created"))
    actor = models.CharField(_("by"), max_length=200)
    paused_at = models.DateTimeField(_("paused"), null=True, blank=True)

    class Meta:
        ordering = ["id"]
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")

    def __str__(self) -> str:
        return self.url


class Delivery(models.Model):
    """One event on its way to one webhook: written with the event, tried until it is taken or
    given up. `payload` names rows by id and holds no text of a memory."""

    public_id = models.UUIDField(_("id"), unique=True, default=new_id, editable=False)
    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    event = models.CharField(_("event"), max_length=40)
    payload = models.JSONField(default=dict)
    at = models.DateTimeField(_("time"))
    # Not before this; null: it is over.
    due_at = models.DateTimeField(null=True, blank=True)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    status = models.PositiveSmallIntegerField(_("answer"), null=True, blank=True)
    error = models.CharField(_("error"), max_length=200, blank=True)
    done_at = models.DateTimeField(_("delivered"), null=True, blank=True)

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        indexes = [
            models.Index(fields=["webhook", "id"], name="delivery_by_webhook"),
            models.Index(
                fields=["due_at"], condition=models.Q(due_at__isnull=False), name="delivery_due"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.webhook_id}"
