"""API keys: shown once, kept as a keyed digest."""

import hashlib
import hmac
import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from memory import clock

from .scope import Scope, Workspace

KEY_SCOPES = ("read", "write", "correct", "erase")
LAST_USED_EVERY = timedelta(minutes=1)


class ApiKeyManager(models.Manager):
    def issue(
        self,
        workspace: Workspace,
        name: str,
        scopes: list[str],
        *,
        user_id: str = "",
        expires_at: datetime | None = None,
        rate: int | None = None,
        replaces: "ApiKey | None" = None,
    ) -> tuple["ApiKey", str]:
        """Make a key. The second value is the key's text; it cannot be read again."""
        unknown = sorted(set(scopes) - set(KEY_SCOPES))
        if unknown or not scopes:
            raise ValueError(f"scopes are some of {', '.join(KEY_SCOPES)}; got {scopes!r}")
        prefix = secrets.token_hex(4)
        text = f"mase_{prefix}_{secrets.token_urlsafe(32)}"
        key = self.create(
            workspace=workspace,
            name=name,
            prefix=prefix,
            digest=digest(text),
            scopes=sorted(set(scopes)),
            user_id=user_id,
            created_at=clock.now(),
            expires_at=expires_at,
            rate=rate,
            replaces=replaces,
        )
        return key, text

    def rotate(self, key: "ApiKey", days: int) -> tuple["ApiKey", str]:
        """A new key in the place of a live one: same name, scopes, user and rate, and as long a
        life. The old one lives on for `days` at most (0: it ends now). In a write transaction.

        Raises `ValueError` for a key that is dead or was replaced already.
        """
        old = self.select_for_update().select_related("workspace").get(pk=key.pk)
        if not old.is_live:
            raise ValueError("this key is not in use any more")
        if old.replaced_by.exists():
            raise ValueError("this key was replaced already")
        now = clock.now()
        life = old.expires_at and old.expires_at - old.created_at
        made = self.issue(
            old.workspace,
            old.name,
            old.scopes,
            user_id=old.user_id,
            expires_at=life and now + life,
            rate=old.rate,
            replaces=old,
        )
        end = now + timedelta(days=days)
        end = min(end, old.expires_at) if old.expires_at else end
        self.filter(pk=old.pk).update(expires_at=end)
        return made

    def holding(self, text: str) -> "ApiKey | None":
        """The live key with this text, or None: unknown, wrong, expired and revoked alike."""
        parts = text.split("_", 2)
        if len(parts) != 3 or parts[0] != "mase":
            return None
        key = self.select_related("workspace").filter(prefix=parts[1]).first()
        known = key.digest if key else ""
        if not hmac.compare_digest(known, digest(text)) or not key.is_live:
            return None
        return key


class ApiKey(models.Model):
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="keys")
    name = models.CharField(_("name"), max_length=100)
    prefix = models.CharField(_("prefix"), max_length=16, unique=True)
    digest = models.CharField(max_length=64)
    scopes = models.JSONField(_("scopes"), default=list)
    user_id = models.CharField(_("bound to user"), max_length=200, blank=True)
    created_at = models.DateTimeField(_("created"))
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    last_used_at = models.DateTimeField(_("last used"), null=True, blank=True)
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    # The key whose place it took; that one lives on for a while, so that nobody is cut off.
    replaces = models.ForeignKey(
        "self", models.SET_NULL, related_name="replaced_by", null=True, blank=True
    )
    # Requests a minute; null: as the settings say.
    rate = models.PositiveIntegerField(_("requests a minute"), null=True, blank=True)

    objects = ApiKeyManager()

    class Meta:
        ordering = ["name", "id"]
        verbose_name = _("API key")
        verbose_name_plural = _("API keys")

    def __str__(self) -> str:
        return f"{self.name} (mase_{self.prefix}_…)"

    @property
    def is_live(self) -> bool:
        return self.revoked_at is None and (
            self.expires_at is None or self.expires_at > clock.now()
        )

    def scope(self) -> Scope:
        """What this key may see; its user, if it is bound to one, cannot be widened."""
        return Scope(self.workspace_id, f"key:{self.name}", "api", self.user_id or None)

    @property
    def use_is_due(self) -> bool:
        """Whether `last_used_at` is old enough to be written again."""
        return self.last_used_at is None or clock.now() - self.last_used_at > LAST_USED_EVERY


def digest(text: str) -> str:
    return hmac.new(settings.PEPPER.encode(), b"key:" + text.encode(), hashlib.sha256).hexdigest()
