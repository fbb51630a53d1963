"""How a person wants the console."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class Preference(models.Model):
    """Kept with the person, not with the browser. "" leaves a choice to the browser (language), to
    the server (zone) or to the system (theme); `columns` are the columns of a list that somebody
    chose, by its page."""

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="+"
    )
    language = models.CharField(_("language"), max_length=10, blank=True)
    zone = models.CharField(_("time zone"), max_length=64, blank=True)
    theme = models.CharField(_("theme"), max_length=8, blank=True)
    columns = models.JSONField(_("columns"), default=dict, blank=True)

    class Meta:
        verbose_name = _("preference")
        verbose_name_plural = _("preferences")

    def __str__(self) -> str:
        return str(self.person)
