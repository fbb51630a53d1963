"""Which entities a current memory speaks of: what two-hop questions and the graph follow."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from .memory import Memory
from .scope import Workspace


class LinkRole(models.TextChoices):
    ENTITY = "entity", _("entity")
    VALUE = "value", _("value")
    LINK = "link", _("linked entity")


class EntityLink(models.Model):
    """One active memory names one entity, as its own, as its value or among its links.

    Derived from the memories: `reindex` makes it anew. `key` is the name after the one normaliser.
    """

    memory = models.ForeignKey(Memory, models.CASCADE, related_name="entity_links")
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    user_id = models.CharField(max_length=200, blank=True)
    key = models.CharField(max_length=600)
    role = models.CharField(max_length=8, choices=LinkRole.choices)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["memory", "key", "role"], name="one_link_a_role"),
            models.CheckConstraint(
                condition=models.Q(role__in=LinkRole.values), name="link_known_role"
            ),
        ]
        indexes = [
            models.Index(fields=["workspace", "user_id", "key", "role"], name="link_by_key"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id} {self.role} {self.key}"
