"""Thresholds: from when on a health check warns or fails, each change with its reason."""

from dataclasses import dataclass
from math import ceil

from django import forms
from django.contrib import messages
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext, pgettext
from django.views.decorators.http import require_http_methods, require_safe

from audit.health.check import Check, Limits
from audit.health.compare import percent
from audit.health.registry import UnknownCheck, check, checks
from audit.health.thresholds import (
    REASON_LIMIT,
    save_threshold,
    threshold_of,
    thresholds_of,
    versions,
)
from audit.models import Threshold
from memory.models import Right
from memory.write import queue
from memory.write.proposal import InvalidInput

from .access import demand, may_administer, seat
from .memory import BUSY
from .pages import page

VERSIONS = 50
EFFECT = gettext_noop("Smaller: it is told of sooner, and more often without need.")
UNITS = {"share": gettext_lazy("share"), "rows": gettext_lazy("rows")}


@dataclass(frozen=True)
class Row:
    """One check with the limits that rule and its own; `is_own`: the workspace has set them."""

    check: Check
    warning: str
    error: str
    default: str
    is_own: bool


class LimitForm(forms.Form):
    """Both limits, in percent where the check goes by a share. Empty: never."""

    warning_from = forms.FloatField(label=gettext_lazy("Warning from"), required=False)
    error_from = forms.FloatField(label=gettext_lazy("Error from"), required=False)
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=REASON_LIMIT)

    def __init__(self, judged: Check, limits: Limits, data=None):
        self.factor = 100 if judged.unit == "share" else 1
        initial = {name: _typed(value, self.factor) for name, value in limits._asdict().items()}
        super().__init__(data, initial=initial)
        most = 100 if judged.unit == "share" else 1e12
        for name in limits._fields:
            self.fields[name].validators += [MinValueValidator(0), MaxValueValidator(most)]
            self.fields[name].help_text = f"{_help(judged)} {_(EFFECT)}"
        for name, field in self.fields.items():
            wrong = self.is_bound and name in self.errors
            field.widget.attrs["class"] = "form-control is-invalid" if wrong else "form-control"

    @property
    def limits(self) -> Limits:
        said = (self.cleaned_data[name] for name in Limits._fields)
        return Limits(*(None if value is None else value / self.factor for value in said))


@require_safe
def limits(request):
    """Every check with its limits."""
    rules = thresholds_of(seat(request).scope)
    shown = [
        _row(one, rules[one.id])
        for one in sorted(checks().values(), key=lambda each: str(each.title))
        if not one.is_figure
    ]
    context = {
        "rows": shown,
        "may_administer": may_administer(request),
        "crumbs": [(_("Settings"), reverse("settings")), (_("Health checks"), None)],
    }
    return page(request, "console/check_limits.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def one(request, check_id: str):
    """One check's limits, their history and, for an admin, the form."""
    if request.method == "POST":
        demand(request, Right.ADMINISTER)
    judged, scope = check_or_404(check_id), seat(request).scope
    rules = threshold_of(scope, judged)
    form = LimitForm(judged, rules, request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            saved = save_threshold(
                scope, judged.id, *form.limits, reason=form.cleaned_data["reason"]
            )
        except InvalidInput as error:
            for name, message in error.errors:
                form.add_error(name if name in form.fields else None, message)
        except queue.QueueTimeout:
            messages.error(request, BUSY)
        else:
            messages.success(request, _("Version %(n)d is saved.") % {"n": saved.version})
            return redirect("check-limit", judged.id)
    context = {
        "judged": judged,
        "row": _row(judged, rules),
        "form": form,
        "may_administer": may_administer(request),
        "versions": [_version(judged, kept) for kept in versions(scope, judged.id)[:VERSIONS]],
        "crumbs": [
            (_("Settings"), reverse("settings")),
            (_("Health checks"), reverse("check-limits")),
            (str(judged.title), None),
        ],
    }
    status = 422 if form.is_bound else 200
    return page(request, "console/check_limit.html", context, status=status)


def check_or_404(check_id: str) -> Check:
    try:
        judged = check(check_id)
    except UnknownCheck:
        raise Http404 from None
    if judged.is_figure:
        raise Http404
    return judged


def _row(judged: Check, rules: Limits) -> Row:
    own = judged.limits
    default = f"{shown(judged, own.warning_from)} / {shown(judged, own.error_from)}"
    warning, error = (shown(judged, value) for value in rules)
    return Row(judged, warning, error, default, rules != own)


def _version(judged: Check, kept: Threshold) -> tuple[Threshold, str, str]:
    return kept, shown(judged, kept.warning_from), shown(judged, kept.error_from)


def shown(judged: Check, value: float | None) -> str:
    """A limit as people read it: 5.0%, or a number with its unit."""
    if value is None:
        return pgettext("of a limit", "never")
    if judged.unit == "share":
        return percent(value)
    number = f"{int(value):,}" if value == int(value) else f"{value:,}"
    if judged.unit != "rows":
        return f"{number} {UNITS.get(judged.unit, judged.unit)}"
    return ngettext("%(n)s row", "%(n)s rows", ceil(value)) % {"n": number}


def _typed(value: float | None, factor: int) -> float | int | None:
    if value is None:
        return None
    value = round(value * factor, 6)
    return int(value) if value == int(value) else value


def _help(judged: Check) -> str:
    if judged.unit == "share":
        return _("In percent, from 0 to 100; empty: never.")
    return _("In %(unit)s, 0 or more; empty: never.") % {
        "unit": UNITS.get(judged.unit, judged.unit)
    }
