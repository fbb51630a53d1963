"""The troubleshooting manual as a page: choose what was noticed, say of which question, and see
the chain from retrieval to the model with the first cause named."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django import forms
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from audit.diagnose.case import open_case
from audit.diagnose.registry import symptoms
from audit.diagnose.run import diagnose as run
from audit.diagnose.told import Diagnosis, Fix, Step, Verdict
from memory.models import Recall, ScopeError
from memory.recall import InvalidRequest
from memory.write.revise import NotFound

from .access import Seat, seat
from .advice import sentence
from .log import users_of
from .pages import page
from .recall import EARLIEST, LAST
from .recalls import QUERY_SHOWN, TYPED_TIME

ANSWER_SHOWN = 2000
ICONS = {
    Verdict.FINE: "circle-check",
    Verdict.CAUSE: "alert-triangle",
    Verdict.UNKNOWN: "info-circle",
}
FIX_ICONS = {
    "retract": "ban",
    "correct": "pencil",
    "confirm": "check",
    "approve": "circle-dashed",
    "merge": "git-merge",
    "policy": "settings",
    "apply_correction": "check",
    "question": "list-details",
    "restore": "arrow-back-up",
    "reindex": "refresh",
}


class CaseForm(forms.Form):
    """What is diagnosed: a recall record, or a question and whose memory it asks."""

    symptom = forms.ChoiceField(
        choices=lambda: [(one.id, one.title) for one in symptoms().values()],
        widget=forms.HiddenInput,
    )
    query = forms.CharField(label=gettext_lazy("Query"), max_length=QUERY_SHOWN, required=False)
    user_id = forms.CharField(label=gettext_lazy("User"), max_length=200, required=False)
    recall = forms.UUIDField(label=gettext_lazy("Id of a recall record"), required=False)
    memory = forms.UUIDField(label=gettext_lazy("Id of the memory"), required=False)
    answer = forms.CharField(
        label=gettext_lazy("What the model said"), max_length=ANSWER_SHOWN, required=False
    )
    agent_id = forms.CharField(label=gettext_lazy("Agent"), max_length=200, required=False)
    session_id = forms.CharField(label=gettext_lazy("Session"), max_length=200, required=False)
    as_of = forms.DateTimeField(
        label=gettext_lazy("As the store was at"),
        required=False,
        widget=forms.DateTimeInput({"type": "datetime-local"}, format=TYPED_TIME),
    )

    MORE = ("agent_id", "session_id", "as_of")

    def __init__(self, asked):
        # A record or a question is asked for only once the symptom is chosen.
        names = self.base_fields.keys() - {"symptom"}
        super().__init__(asked if any(asked.get(name) for name in names) else None)
        self.initial = {name: asked[name] for name in self.base_fields if name in asked}

    def clean_as_of(self):
        moment = self.cleaned_data["as_of"]
        if moment is not None and not EARLIEST <= moment <= LAST:
            raise forms.ValidationError(_("Name a time between 1970 and 9000."))
        return moment

    def clean(self):
        said = self.cleaned_data
        if not self.errors and not said.get("recall"):
            if not said.get("query", "").strip():
                self.add_error("query", _("Give a question, or the id of a recall record."))
            elif not said.get("user_id", "").strip():
                self.add_error("user_id", _("Say whose memory is asked."))
        return said

    @property
    def more(self):
        return [self[name] for name in self.MORE]

    @property
    def says_more(self) -> bool:
        return any(self[name].value() for name in self.MORE)


@dataclass(frozen=True)
class Shown:
    """One step as the page shows it; `fixes` only those that the person may carry out."""

    step: Step
    icon: str
    fixes: Sequence[tuple[Fix, str, str]]


@require_safe
def diagnose(request):
    """The state is in the address; nothing is written, no recall is recorded."""
    here, form, found = seat(request), CaseForm(request.GET), None
    chosen = symptoms().get(request.GET.get("symptom", ""))
    if chosen and form.is_valid():
        try:
            found = _found(here, chosen.id, form)
        except NotFound:
            form.add_error("memory", _("There is no such memory in this workspace."))
        except InvalidRequest as error:
            form.add_error(None, "; ".join(message for _name, message in error.errors))
        except ScopeError:
            form.add_error(None, _("This record's question can no longer be asked."))
    context = {
        "form": form,
        "chosen": chosen,
        "choices": [(one, _address(request, symptom=one.id)) for one in symptoms().values()],
        "another": _address(request, symptom=None),
        "users": users_of(seat(request).scope) if chosen and not found else (),
        "found": found,
        "steps": _shown(found, may_correct=seat(request).membership.may_correct) if found else (),
    }
    return page(request, "console/diagnose.html", context)


def _found(at: Seat, symptom: str, form: CaseForm) -> Diagnosis | None:
    """None where there is no such record, which is then said at its field. Raises `NotFound`,
    `InvalidRequest`, `ScopeError`."""
    said = form.cleaned_data
    record = None
    if said["recall"]:
        record = Recall.objects.within(at.scope).filter(public_id=said["recall"]).first()
        if record is None:
            form.add_error("recall", _("There is no such recall in this workspace."))
            return None
    case = open_case(
        at.scope,
        record=record,
        query=said["query"],
        user_id=said["user_id"].strip() or None,
        agent_id=said["agent_id"],
        session_id=said["session_id"],
        as_of=said["as_of"],
        memory_id=said["memory"],
        answer=said["answer"],
    )
    return run(symptom, case)


def _shown(found: Diagnosis, *, may_correct: bool) -> list[Shown]:
    return [
        Shown(
            step,
            ICONS[step.verdict],
            [
                (
                    fix,
                    sentence(fix.advice) if fix.advice else fix.text,
                    FIX_ICONS.get(fix.kind, "search"),
                )
                for fix in step.fixes
                if may_correct or not fix.changes
            ],
        )
        for step in found.steps
    ]


def _address(request, **changes) -> str:
    said = {name: request.GET.get(name, "") for name in CaseForm.base_fields} | changes
    query = urlencode({name: value for name, value in said.items() if value})
    return f"{reverse('diagnose')}?{query}" if query else reverse("diagnose")
