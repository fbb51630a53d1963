"""The forms of API keys."""

from datetime import timedelta

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from memory import clock
from memory.models import KEY_SCOPES, ApiKey, Workspace
from memory.write.transaction import write_transaction

SCOPE_TEXTS = {
    gettext_noop("read"): gettext_lazy("read: recall, list, history"),
    gettext_noop("write"): gettext_lazy("write: remember, log turns and answers"),
    gettext_noop("correct"): gettext_lazy("correct: change, confirm, retract, restore, undo"),
    gettext_noop("erase"): gettext_lazy("erase: remove for good"),
}
MOST_A_MINUTE = 1_000_000


def rate_field() -> forms.IntegerField:
    return forms.IntegerField(
        label=gettext_lazy("Requests a minute"),
        required=False,
        validators=[MinValueValidator(0), MaxValueValidator(MOST_A_MINUTE)],
    )


class KeyForm(forms.Form):
    """A new key. Its name is the actor in the ledger, so no two keys in use share one."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=100)
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Allowed to"),
        choices=[(scope, SCOPE_TEXTS[scope]) for scope in KEY_SCOPES],
    )
    user_id = forms.CharField(label=gettext_lazy("Only for user"), max_length=200, required=False)
    expires_days = forms.IntegerField(
        label=gettext_lazy("Expires after, days"),
        required=False,
        validators=[MinValueValidator(1), MaxValueValidator(3650)],
    )
    rate = rate_field()

    def __init__(self, workspace: Workspace, *args, **kwargs):
        self.workspace = workspace
        super().__init__(*args, **kwargs)

    def clean_name(self):
        name = self.cleaned_data["name"]
        if self.workspace.keys.filter(name=name, revoked_at=None).exists():
            raise forms.ValidationError(
                _("Another key has this name. Revoke it first, or choose another.")
            )
        return name

    def issue(self) -> tuple[ApiKey, str]:
        days = self.cleaned_data["expires_days"]
        with write_transaction():
            return ApiKey.objects.issue(
                self.workspace,
                self.cleaned_data["name"],
                self.cleaned_data["scopes"],
                user_id=self.cleaned_data["user_id"],
                expires_at=clock.now() + timedelta(days=days) if days else None,
                rate=self.cleaned_data["rate"],
            )


class RateForm(forms.Form):
    """How many requests a minute one key may make; empty: as the settings say."""

    rate = rate_field()


class RotateForm(forms.Form):
    """For how long the old key lives on beside the new one."""

    days = forms.IntegerField(
        label=gettext_lazy("The old key lives on for, days"),
        validators=[MinValueValidator(0), MaxValueValidator(90)],
    )
