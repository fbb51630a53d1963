"""Views of a list that people keep."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from memory.models import Workspace


class SavedView(models.Model):
    """A list's query under a name: one person's own, or shared with the workspace; with a role,
    what people of that role see first."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    page = models.CharField(_("page"), max_length=40)
    name = models.CharField(_("name"), max_length=80)
    query = models.CharField(_("query"), max_length=2000, blank=True)
    shared = models.BooleanField(_("shared"), default=False)
    default_for = models.CharField(_("default for role"), max_length=16, blank=True)
    created_at = models.DateTimeField(_("created"))

    class Meta:
        ordering = ["name", "id"]
        verbose_name = _("saved view")
        verbose_name_plural = _("saved views")
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "owner", "page", "name"], name="one_view_a_name"
            ),
            models.UniqueConstraint(
                fields=["workspace", "page", "default_for"],
                condition=~models.Q(default_for=""),
                name="one_default_view_a_role",
            ),
        ]

    def __str__(self) -> str:
        return self.name
