"""Scope: whose memories a request may see. A type, so that forgetting it is an error."""

from dataclasses import dataclass, replace

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from .rights import RIGHTS, Right, Role


class Workspace(models.Model):
    """A store of memories with its people and keys; nothing crosses from one to another."""

    name = models.SlugField(_("name"), unique=True)
    title = models.CharField(_("title"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        ordering = ["name"]
        verbose_name = _("workspace")
        verbose_name_plural = _("workspaces")

    def __str__(self) -> str:
        return self.title or self.name


class Membership(models.Model):
    """A person's role in a workspace."""

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="memberships")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="memberships",
        verbose_name=_("person"),
    )
    role = models.CharField(_("role"), max_length=16, choices=Role.choices, default=Role.VIEWER)

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        constraints = [
            models.UniqueConstraint(fields=["workspace", "person"], name="one_role_a_person"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="known_role"),
        ]

    def __str__(self) -> str:
        return f"{self.person} in {self.workspace}: {self.role}"

    def may(self, right: Right) -> bool:
        return self.role in RIGHTS[right]

    @property
    def may_correct(self) -> bool:
        return self.may(Right.CORRECT)

    @property
    def may_erase(self) -> bool:
        return self.may(Right.ERASE)


class ScopeError(Exception):
    """A query or write came without a scope, or asked for more than its scope holds."""


@dataclass(frozen=True)
class Scope:
    """What a credential gives: one workspace, perhaps one user in it, and who is acting.

    `actor` is what the ledger keeps: "person:ann", "key:support-bot", "command".
    `surface` says through which door: "api", "console", "command".
    """

    workspace_id: int
    actor: str
    surface: str
    user_id: str | None = None

    def __post_init__(self):
        if not self.workspace_id or not self.actor or not self.surface:
            raise ScopeError("a scope needs a workspace, an actor and a surface")
        if self.user_id is not None and not self.user_id.strip():
            raise ScopeError("a scope's user is a name or None, never empty")

    def narrow(self, user_id: str | None) -> "Scope":
        """The same scope for one user; asking for another than the bound one raises."""
        if user_id is None or user_id == self.user_id:
            return self
        if self.user_id is not None or not user_id.strip():
            raise ScopeError("outside the scope of this credential")
        return replace(self, user_id=user_id)


class UnscopedQuery(ScopeError):
    """Somebody asked a scoped table for rows without saying whose."""


class ScopedQuerySet(models.QuerySet):
    def _narrowed(self, scope: Scope) -> "ScopedQuerySet":
        rows = self.filter(workspace_id=scope.workspace_id)
        return rows if scope.user_id is None else rows.filter(user_id=scope.user_id)


class ScopedManager(models.Manager.from_queryset(ScopedQuerySet)):
    """Rows only through `within(scope)`; every other way in raises `UnscopedQuery`."""

    def get_queryset(self):
        raise UnscopedQuery(f"{self.model.__name__}: say within(scope)")

    def within(self, scope: Scope) -> ScopedQuerySet:
        if not isinstance(scope, Scope):
            raise UnscopedQuery(f"{self.model.__name__}: not a scope: {scope!r}")
        return ScopedQuerySet(self.model, using=self._db)._narrowed(scope)


class Owner(models.Model):
    """The index's number for one (workspace, user), and how many rows it holds: active memories
    and turns.

    Derived from the tables: `reindex` rebuilds it. Every indexed term starts with the
    number, so a query of one owner cannot reach another's terms.
    """

    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    user_id = models.CharField(max_length=200, blank=True)
    active = models.PositiveIntegerField(default=0)
    turns = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["workspace", "user_id"], name="one_number_an_owner"),
        ]

    def __str__(self) -> str:
        return f"{self.workspace_id}/{self.user_id}"
