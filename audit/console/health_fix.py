"""Dealing with a finding's rows at once: shown first, then done as one batch that can be undone."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from audit.health.fixes import CAP, REVIEWED, Fix, fixes_of
from audit.health.registry import UnknownCheck, check, rows_of
from memory.models import ForbiddenMove, Memory, Scope
from memory.write import queue
from memory.write.apply import apply
from memory.write.plan import Applied, Conflict, StalePlan
from memory.write.proposal import NAME_LIMIT, InvalidInput

from .access import operating, seat
from .back import with_done
from .effects import Effect, effects_of, moves_of
from .log import users_of
from .memory import BUSY
from .pages import page
from .review_forms import REASON_LIMIT

SHOWN = 50
MOVED = gettext_lazy("Nothing was changed: the rows have moved since you looked. Look again.")
TOO_MANY = gettext_lazy(
    "Nothing was changed: these are more rows than may be changed at once. Choose rows, or narrow "
    "them to one user."
)
REFUSED = gettext_lazy("Nothing was changed: another value is current for one of these facts.")
NOTHING = gettext_lazy("Nothing was changed: there is nothing to do about these rows.")


class TooMany(Exception):
    """More rows than may be changed at once."""


class FixForm(forms.Form):
    """What a fix asks for, whose rows, and why. `previewed` names the rows that were seen."""

    user_id = forms.CharField(
        label=gettext_lazy("Only of user"), max_length=NAME_LIMIT, required=False
    )
    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=REASON_LIMIT, required=False)
    previewed = forms.CharField(max_length=64, required=False, widget=forms.HiddenInput)

    def __init__(self, fix: Fix, data):
        super().__init__(data)
        for asked in fix.asks:
            choices = [("", "—"), *asked.choices]
            kept = {"label": asked.text, "required": False}
            self.fields[asked.name] = (
                forms.ChoiceField(choices=choices, **kept)
                if asked.choices
                else forms.CharField(max_length=NAME_LIMIT, **kept)
            )
        self.asks = [asked.name for asked in fix.asks]
        for name, field in self.fields.items():
            style = "form-select" if isinstance(field, forms.ChoiceField) else "form-control"
            field.widget.attrs["class"] = style + " is-invalid" * (name in self.errors)

    @property
    def asked(self) -> list[forms.BoundField]:
        return [self[name] for name in self.asks]

    @property
    def is_told(self) -> bool:
        """Whether all that the fix asks for is given."""
        return self.is_valid() and all(self.cleaned_data[name] for name in self.asks)


@dataclass(frozen=True)
class Preview:
    """`count` rows match, `bound` are those that can be changed now; `moves` says how many go from
    which state to which; `said` is the fix and what the person gave with it."""

    said: str
    count: int
    is_blocked: bool
    bound: Sequence[Memory]
    effects: Sequence[Effect]
    moves: Sequence[tuple[str, str, int]]

    @property
    def digest(self) -> str:
        """Names what was shown, so that only that is done."""
        rows = ",".join(f"{row.pk}:{row.revision}" for row in self.bound)
        return hashlib.sha256(f"{self.said} {rows}".encode()).hexdigest()

    @property
    def more(self) -> int:
        return self.count - len(self.effects)


@require_http_methods(["GET", "HEAD", "POST"])
@operating
def fix(request, check_id: str):
    """GET: the rows and what would become of them. POST: do it, if nothing has moved since."""
    if check_id in REVIEWED:
        return redirect(f"{reverse('review')}?status={REVIEWED[check_id]}")
    ways = fixes_of(check_id)
    try:
        judged = check(check_id)
    except UnknownCheck:
        raise Http404 from None
    if not ways:
        raise Http404
    said = request.POST if request.method == "POST" else request.GET
    way = next((one for one in ways if one.name == said.get("fix")), ways[0])
    form, scope, shown, status = FixForm(way, said), seat(request).scope, None, 200
    is_told = form.is_told
    if request.method == "POST" and is_told:
        applied = _tried(request, check_id, way, form)
        if applied is not None:
            address = f"{reverse('health-fix', args=[check_id])}?fix={way.name}"
            return redirect(with_done(address, applied.batch))
        status = 409
    if is_told:
        try:
            shown = preview(scope, _rows(scope, check_id, way, form), way, form.cleaned_data)
        except InvalidInput as error:
            _complain(form, error)
    context = {
        "judged": judged,
        "ways": ways,
        "way": way,
        "form": form,
        "preview": shown,
        "cap": CAP,
        "users": users_of(scope),
        "crumbs": [(_("Health"), reverse("health")), (str(judged.title), None)],
    }
    return page(request, "console/health_fix.html", context, status=status)


def preview(scope: Scope, rows: QuerySet[Memory], way: Fix, said: dict) -> Preview:
    """What the fix would make of these rows; of more than `CAP` of them only the first can be
    chosen one by one. Raises `InvalidInput`."""
    count = rows.count()
    bound = list(rows[: SHOWN if count > CAP else CAP])
    planner = way.plan(scope, bound, said)
    given = json.dumps([way.name, *(said[asked.name] for asked in way.asks)])
    moves, effects = moves_of(planner), effects_of(planner, bound[:SHOWN])
    return Preview(given, count, count > CAP, bound, effects, moves)


def _tried(request, check_id: str, way: Fix, form: FixForm) -> Applied | None:
    """What was applied; None with a message where nothing was changed."""
    if not form.cleaned_data["reason"].strip():
        form.add_error("reason", _("Say why, so that others can understand it later."))
        return None
    chosen = {_uuid(text) for text in request.POST.getlist("memory")[:SHOWN]}
    try:
        applied = _applied(seat(request).scope, check_id, way, form, chosen)
    except TooMany:
        messages.error(request, TOO_MANY)
    except (StalePlan, ForbiddenMove):
        messages.error(request, MOVED)
    except Conflict:
        messages.error(request, REFUSED)
    except queue.QueueTimeout:
        messages.error(request, BUSY)
    except InvalidInput as error:
        _complain(form, error)
    else:
        if applied.batch is not None:
            return applied
        messages.error(request, NOTHING)
    return None


def _applied(scope: Scope, check_id: str, way: Fix, form: FixForm, chosen: set[UUID]) -> Applied:
    """Do it to the rows that were seen, or to those chosen of them. Raises `StalePlan` where they
    are others by now, `TooMany`, and what `apply` raises."""
    said = form.cleaned_data
    with queue.turn():
        seen = preview(scope, _rows(scope, check_id, way, form), way, said)
        if seen.digest != said["previewed"]:
            raise StalePlan([row.public_id for row in seen.bound])
        rows = [row for row in seen.bound if not chosen or row.public_id in chosen]
        if len(rows) > CAP or (seen.is_blocked and not chosen):
            raise TooMany
        return apply(way.plan(scope, rows, said).plan(way.verb, said["reason"]))


def _rows(scope: Scope, check_id: str, way: Fix, form: FixForm) -> QuerySet[Memory]:
    said = form.cleaned_data
    rows = rows_of(check_id, scope).filter(**way.takes(said))
    if said["user_id"]:
        rows = rows.filter(user_id=said["user_id"])
    return rows.order_by(*way.order)


def _complain(form: FixForm, error: InvalidInput) -> None:
    for name, message in error.errors:
        form.add_error(name if name in form.fields else None, _(message))


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return UUID(int=0)
