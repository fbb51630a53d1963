"""What the review queue is asked, and what is decided there."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _

from memory import clock
from memory.models import Kind

from .review_kinds import Asked, Token, kinds
from .review_paging import PAGE
from .view_queries import Known

REASON_LIMIT = 500
AGES = (1, 7, 30)
LONGEST_SNOOZE = timedelta(days=366)
TAKE_BACK = "unsnooze"
# To take a decision back needs no reason of its own.
WITHOUT_REASON = frozenset({TAKE_BACK, "offer"})


class Filter(forms.Form):
    """What the address asks for; what does not parse asks for nothing."""

    status = forms.CharField(required=False, max_length=32)
    reason = forms.CharField(required=False, max_length=64)
    user_id = forms.CharField(required=False, max_length=200)
    kind = forms.ChoiceField(required=False, choices=[("", ""), *Kind.choices])
    days = forms.TypedChoiceField(
        required=False, choices=[("", ""), *((n, n) for n in AGES)], coerce=int, empty_value=0
    )
    memory = forms.UUIDField(required=False)
    snoozed = forms.BooleanField(required=False)

    def asked(self) -> Asked:
        self.is_valid()
        said = {name: value for name, value in self.cleaned_data.items() if value}
        tab = said.pop("status", "")
        return Asked(tab=tab if tab in {kind.name for kind in kinds()} else "", **said)


QUERIES = Known.of_form(Filter, status=lambda: {kind.name for kind in kinds()})


class Decision(forms.Form):
    """What is decided, about which items, and why."""

    verb = forms.CharField(max_length=20, required=False)
    reason = forms.CharField(max_length=REASON_LIMIT, required=False)
    until = forms.DateField(required=False)

    def __init__(self, data: QueryDict):
        super().__init__(data)
        # A page shows no more.
        texts = dict.fromkeys(data.getlist("item")[:PAGE])
        self.tokens = [Token.read(text) for text in texts]

    def clean(self) -> dict[str, Any]:
        said = self.cleaned_data
        verb, day = said.get("verb"), said.get("until")
        if not verb:
            self.add_error(None, _("Choose what to do."))
        if not self.tokens:
            self.add_error(None, _("Choose at least one item."))
        if not said.get("reason") and verb not in WITHOUT_REASON and "reason" not in self.errors:
            self.add_error("reason", _("Say why, in at most 500 characters."))
        if verb == "snooze" and not (day and _is_to_come(day)):
            self.add_error("until", _("Choose a day to come, at most a year away."))
        return said


def begin(day: date) -> datetime:
    """The first moment of a day, in the reader's zone."""
    return timezone.make_aware(datetime.combine(day, time()))


def _is_to_come(day: date) -> bool:
    today = timezone.localdate(clock.now())
    return today < day <= today + LONGEST_SNOOZE
