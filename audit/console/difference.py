"""The difference of two dates: what was added, superseded, retracted, expired, changed."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django import forms
from django.http import JsonResponse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from audit.models import HealthReport
from memory import clock
from memory.api.difference import ORDER, cursor_after, difference_form
from memory.index import keyset
from memory.models import Scope
from memory.recall import difference as roads
from memory.recall.difference import CHANGES, Difference, Moved
from memory.write.proposal import NAME_LIMIT

from .access import seat
from .differences import ALL, differences
from .differences import Difference as Field
from .listing import State
from .log import users_of
from .pages import page
from .past import read_time
from .templatetags.console import word_diff

PAGE_SIZE, USUAL_DAYS = 50, 7
LABELS = {
    roads.ADDED: gettext_lazy("Added"),
    roads.SUPERSEDED: gettext_lazy("Superseded"),
    roads.RETRACTED: gettext_lazy("Retracted"),
    roads.EXPIRED: gettext_lazy("Expired"),
    roads.CHANGED: gettext_lazy("Changed"),
    roads.WAITING: gettext_lazy("Came to wait for review"),
}
_FIELDS = tuple(name for name in ALL if name not in ("text", "summary"))


class MomentField(forms.CharField):
    """A day or a time, as an instant; of a day the time of it that `of_day` says."""

    def __init__(self, of_day: time, **options):
        super().__init__(required=False, max_length=40, **options)
        self.of_day = of_day

    def clean(self, value: str) -> datetime | None:
        text = super().clean(value)
        try:
            moment = read_time(text, self.of_day) if text else None
        except ValueError:
            raise forms.ValidationError(_("A date such as 2026-03-01.")) from None
        if moment and moment > clock.now():
            raise forms.ValidationError(_("That day is still to come."))
        return moment


class DifferenceForm(forms.Form):
    """Whole days: from the beginning of the first to the end of the last. Left out: the last
    seven."""

    since = MomentField(time.min, label=gettext_lazy("First day"))
    until = MomentField(time.max, label=gettext_lazy("Last day"))
    user_id = forms.CharField(label=gettext_lazy("User"), max_length=NAME_LIMIT, required=False)
    agent_id = forms.CharField(label=gettext_lazy("Agent"), max_length=NAME_LIMIT, required=False)
    change = forms.ChoiceField(choices=[("", ""), *LABELS.items()], required=False)

    def clean(self):
        said = super().clean()
        if not self.errors:
            said["until"] = said["until"] or clock.now()
            first = timezone.localdate(said["until"]) - timedelta(days=USUAL_DAYS - 1)
            said["since"] = said["since"] or read_time(str(first), time.min)
            if said["until"] < said["since"]:
                self.add_error("until", _("The last day is before the first."))
        return said


@dataclass(frozen=True)
class Shown:
    """One memory as the page tells it."""

    moved: Moved
    label: str
    marked: SafeString
    fields: list[Field]


@require_safe
def diff(request):
    """The difference that the address asks for; `change` shows one kind of it."""
    scope, form = seat(request).scope, DifferenceForm(request.GET)
    context = {"form": form, "users": users_of(scope), "ranges": _ranges(scope)}
    if form.is_valid():
        found = found_by(request, form, PAGE_SIZE)
        context |= {
            "rows": [_shown(moved) for moved in found.moved],
            "states": _tabs(found, form.cleaned_data["change"]),
            "next": cursor_after(found),
            "total": _total(found, form.cleaned_data["change"]),
            "is_cut": found.is_cut,
            "since": form.cleaned_data["since"],
            "until": form.cleaned_data["until"],
        }
    return page(request, "console/difference.html", context, status=200 if form.is_valid() else 422)


@require_safe
def diff_json(request):
    """What the page of the same query string shows, as the API gives it."""
    form = DifferenceForm(request.GET)
    if not form.is_valid():
        return JsonResponse({"errors": form.errors}, status=422)
    found = found_by(request, form, PAGE_SIZE)
    said = form.cleaned_data
    frame = {"since": said["since"].isoformat(), "until": said["until"].isoformat()}
    body = difference_form(found, said["change"], seat(request).workspace.name)
    return JsonResponse(frame | body, json_dumps_params={"ensure_ascii": False})


def found_by(request, form: DifferenceForm, limit: int) -> Difference:
    """The last `limit` of what moved, by a form that is valid and the address's cursor."""
    said, scope = form.cleaned_data, seat(request).scope
    try:
        _value, last, _side = keyset.read_cursor(request.GET.get("cursor", ""), ORDER)
    except ValueError:
        last = None
    return roads.difference(
        scope.narrow(said["user_id"] or None),
        said["since"],
        said["until"],
        agent_id=said["agent_id"] or None,
        change=said["change"],
        limit=limit,
        before_entry=last,
    )


def _shown(moved: Moved) -> Shown:
    before, after = moved.before or {}, moved.now
    old = "" if moved.change in (roads.ADDED, roads.WAITING) else before["text"]
    is_gone = moved.change in (roads.RETRACTED, roads.EXPIRED) or (
        moved.change == roads.SUPERSEDED and moved.new is None
    )
    tells_fields = moved.change == roads.CHANGED or moved.new is not None
    return Shown(
        moved,
        str(LABELS[moved.change]),
        word_diff(old, "" if is_gone else after["text"]),
        differences(before, after, _FIELDS) if tells_fields else [],
    )


def _tabs(found: Difference, chosen: str) -> list[State]:
    kinds = [
        State(name, str(LABELS[name]), found.counts[name], found.is_cut, name == chosen)
        for name in CHANGES
        if found.counts[name] or name == chosen
    ]
    return [State("", _("All"), _total(found, ""), found.is_cut, not chosen), *kinds]


def _total(found: Difference, chosen: str) -> int:
    return found.counts[chosen] if chosen else sum(found.counts.values())


def _ranges(scope: Scope) -> list[tuple[str, str]]:
    """(what it is called, its first day or time) of the spans that people ask for."""
    today = timezone.localdate(clock.now())
    ranges = [
        (_("Today"), str(today)),
        (_("7 days"), str(today - timedelta(days=6))),
        (_("30 days"), str(today - timedelta(days=29))),
    ]
    report = HealthReport.objects.within(scope).order_by("-at", "-id").first()
    if report:
        ranges.append((_("Since the last health report"), report.at.isoformat()))
    return ranges
