"""Correcting a memory: what is asked, what it would change, and doing exactly that."""

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from memory.models import Kind, Memory, Scope
from memory.write import queue
from memory.write.apply import apply
from memory.write.plan import Applied, Conflict, StalePlan
from memory.write.planner import Planner
from memory.write.proposal import PART_LIMIT, TEXT_LIMIT, InvalidInput
from memory.write.revise import check_revision, find, plan_amend
from memory.write.snapshot import snapshot

from .differences import ALL, Difference, differences, shown

REASON_LIMIT = 1000
# What the engine may object to in a correction, marked for the catalogues.
OBJECTIONS = (
    gettext_noop("give a text, or an entity, an attribute and a value"),
    gettext_noop("a value needs an entity and an attribute"),
    gettext_noop("an attribute needs an entity"),
    gettext_noop("is what it already says"),
    gettext_noop("is too long"),
    gettext_noop("the new text no longer says it; give the new value too"),
)


class Reason(forms.Form):
    """Why a memory is changed."""

    reason = forms.CharField(label=gettext_lazy("Reason"), max_length=REASON_LIMIT)
    revision = forms.IntegerField(required=False, widget=forms.HiddenInput)


class Correction(Reason):
    """The fields that a person may correct. Each field carries what it said when the form was
    opened, so that a field left alone is no change, whatever happened since."""

    value = forms.CharField(
        label=gettext_lazy("Value"), required=False, max_length=TEXT_LIMIT, show_hidden_initial=True
    )
    text = forms.CharField(
        label=gettext_lazy("Text"),
        required=False,
        max_length=TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 3}),
        show_hidden_initial=True,
        help_text=gettext_lazy("Left as it is, it is restated with the new value."),
    )
    entity = forms.CharField(
        label=gettext_lazy("Entity"),
        required=False,
        max_length=PART_LIMIT,
        show_hidden_initial=True,
    )
    attribute = forms.CharField(
        label=gettext_lazy("Attribute"),
        required=False,
        max_length=PART_LIMIT,
        show_hidden_initial=True,
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"), choices=Kind.choices, show_hidden_initial=True
    )
    domain = forms.CharField(
        label=gettext_lazy("Domain"), required=False, max_length=100, show_hidden_initial=True
    )
    importance = forms.TypedChoiceField(
        label=gettext_lazy("Importance"),
        choices=[(n, n) for n in range(1, 6)],
        coerce=int,
        show_hidden_initial=True,
    )
    confidence = forms.FloatField(
        label=gettext_lazy("Confidence"),
        required=False,
        min_value=0,
        max_value=1,
        widget=forms.NumberInput(attrs={"step": "any"}),
        show_hidden_initial=True,
    )

    previewed = forms.CharField(required=False, widget=forms.HiddenInput)

    AMENDS = (
        "value", "text", "entity", "attribute", "kind", "domain", "importance", "confidence",
    )  # fmt: skip

    def __init__(self, memory: Memory, data=None):
        initial = {name: getattr(memory, name) for name in self.AMENDS}
        if data is not None:
            data = data.copy()
            for name in self.AMENDS:
                # A field that was not sent is not changed.
                data.setdefault(f"initial-{name}", "" if initial[name] is None else initial[name])
                data.setdefault(name, data[f"initial-{name}"])
        super().__init__(data, initial=initial | {"revision": memory.revision})
        self.memory = memory
        main = ("value", "reason") if memory.value else ("text", "reason")
        self.order_fields([*main, *(n for n in self.fields if n not in main)])
        self.main = [self[name] for name in main]
        self.more = [self[name] for name in self.AMENDS if name not in main]
        if not self.is_bound:
            self.fields[main[0]].widget.attrs["autofocus"] = True
        for name, field in self.fields.items():
            style = "form-select" if isinstance(field, forms.ChoiceField) else "form-control"
            field.widget.attrs["class"] = style
            if self.is_bound and name in self.errors:
                field.widget.attrs["class"] += " is-invalid"

    def clean_text(self) -> str:
        return self.cleaned_data["text"].replace("\r\n", "\n")

    def clean(self) -> dict[str, Any]:
        if not self.errors and not self.changes:
            self.add_error(self.main[0].name, _("Nothing is changed yet."))
        return self.cleaned_data

    @property
    def changes(self) -> dict[str, Any]:
        return {n: self.cleaned_data[n] for n in self.AMENDS if n in self.changed_data}

    @property
    def digest(self) -> str:
        """Names what a preview showed, so that only that is applied."""
        seen = [self.cleaned_data["revision"], self.changes]
        return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()

    @property
    def is_previewed(self) -> bool:
        return self.cleaned_data["previewed"] == self.digest

    @property
    def more_is_open(self) -> bool:
        names = {field.name for field in self.more}
        return self.is_bound and bool(names & {*self.changed_data, *self.errors})

    def complain(self, error: InvalidInput | StalePlan | Conflict) -> None:
        """What the engine objects to, at the fields that it is about; nothing typed is lost."""
        if isinstance(error, StalePlan):
            self.add_error(None, _("This memory was changed meanwhile. Nothing was corrected."))
            self.data["revision"] = self.memory.revision
        elif isinstance(error, Conflict):
            self.add_error(
                None, _("Another memory is already current for that entity and attribute.")
            )
        else:
            for name, message in error.errors:
                self.add_error(name if name in self.fields else None, _(message))


@dataclass(frozen=True)
class Touched:
    """A row that the correction changes, as it will be and as it is; `before` is None for the new
    version, whose changes are those against the one that it replaces."""

    memory: Memory
    before: Memory | None
    changes: list[Difference]


def preview(scope: Scope, form: Correction) -> list[Touched]:
    """What applying would change, row by row. Raises as `plan` does."""
    return touched_by(plan(scope, form), form.memory)


def touched_by(planner: Planner, memory: Memory) -> list[Touched]:
    """The rows that a change of this memory moves."""
    now = shown("valid_from", planner.now.isoformat())
    found = []
    for memory_id, after in planner.rows.items():
        before = planner.before.get(memory_id)
        if before is not None and before.pk is None:
            # One that the plan itself adds and then moves on.
            before = None
        moved = differences(snapshot(before or memory), snapshot(after), ALL)
        # The hour that counts is that of applying, not of looking.
        moved = [replace(d, new=_("when applied")) if d.new == now else d for d in moved]
        found.append(Touched(after, before, moved))
    return found


def carry_out(scope: Scope, form: Correction) -> Applied:
    """Apply what was previewed. Raises as `plan` and `apply` do; then nothing has changed."""
    with queue.turn():
        planned = plan(scope, form).plan("correct", form.cleaned_data["reason"])
        return apply(planned)


def plan(scope: Scope, form: Correction) -> Planner:
    """Raises `StalePlan` when the memory is not as the form showed it, `Conflict` when it cannot
    be corrected so, `InvalidInput` for values that cannot be kept."""
    memory = find(scope, form.memory.public_id)
    check_revision(memory, form.cleaned_data["revision"])
    return plan_amend(scope, memory, form.changes)
