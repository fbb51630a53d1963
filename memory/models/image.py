"""An image that is remembered by what is on it."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from .ids import new_id
from .scope import ScopedManager, Workspace


class Image(models.Model):
    """The file lies in the data folder under its hash. Its caption and transcript are memories,
    which name it in their metadata; here they stand as they were given."""

    public_id = models.UUIDField(_("id"), unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    user_id = models.CharField(_("user"), max_length=200, blank=True)
    sha256 = models.CharField(max_length=64)
    media_type = models.CharField(_("type"), max_length=40)
    size = models.PositiveIntegerField(_("bytes"))
    width = models.PositiveIntegerField(_("width"))
    height = models.PositiveIntegerField(_("height"))
    name = models.CharField(_("name"), max_length=300, blank=True)
    caption = models.TextField(_("caption"), blank=True)
    transcript = models.TextField(_("transcript"), blank=True)
    # Who wrote these: "caller", or the name of the model.
    read_by = models.CharField(max_length=200, blank=True)
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=200)
    removed_at = models.DateTimeField(_("removed"), null=True, blank=True)

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("image")
        verbose_name_plural = _("images")
        indexes = [
            models.Index(fields=["workspace", "user_id", "id"], name="image_by_user"),
            models.Index(fields=["workspace", "sha256"], name="image_by_hash"),
        ]

    def __str__(self) -> str:
        return self.name or self.sha256[:12]
