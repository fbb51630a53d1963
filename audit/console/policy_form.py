"""The form of a policy, and what a preview says of the values in it."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from memory.models import Memory, PersonalData, Policies, Policy, PolicyChange, Scope
from memory.recall.simulate import Moved, Simulation, simulate
from memory.write.policies import MOST_HOURS, REASON_LIMIT, StalePolicy, awaiting
from memory.write.proposal import InvalidInput

ANSWERS_SHOWN = 20
HOURS = [MinValueValidator(1), MaxValueValidator(MOST_HOURS)]
# What the engine may object to in a policy, marked for the catalogues.
OBJECTIONS = (
    gettext_noop("is what it already says"),
    gettext_noop("has no policy of its own"),
    gettext_noop("is too long"),
)

# What another value does, beside what the value means.
EFFECTS = {
    "half_life_hours": gettext_lazy("Longer: old facts keep weight. Shorter: newer ones win."),
    "ttl_hours": gettext_lazy("Longer: less expires, and more of it is out of date."),
    "importance": gettext_lazy("Higher: it comes first where there is no room for all."),
    "single_valued": gettext_lazy("Off: nothing is ever superseded by a new value."),
    "review_required": gettext_lazy("On: nothing wrong slips in, and people have more to do."),
    "threshold": gettext_lazy("Higher: fewer guesses reach agents, and more waits for review."),
    "personal_data": gettext_lazy("Held costs a person's time, masked loses the data for good."),
    "merge_similar": gettext_lazy("On: fewer pairs to decide on. Off: every pair is a person's."),
}


def named(column: str) -> str:
    return capfirst(Policy._meta.get_field(column).verbose_name)


class PolicyForm(forms.Form):
    """The values of one policy, drawn from what rules there now. `version` is the one seen."""

    half_life_hours = forms.IntegerField(
        validators=HOURS,
        help_text=gettext_lazy(
            "In hours, such as 720 (a month). Freshness falls to 37 % after so long without a "
            "confirmation, in answers of the profile “confident”; no other profile uses it."
        ),
    )
    ttl_hours = forms.IntegerField(
        validators=HOURS,
        required=False,
        help_text=gettext_lazy(
            "In hours, such as 24 for stock that is counted daily; empty: no limit. So long after "
            "its last confirmation a memory is no longer given. An end that the writer gave stays."
        ),
    )
    importance = forms.TypedChoiceField(
        choices=[(n, n) for n in range(1, 6)],
        coerce=int,
        help_text=gettext_lazy(
            "From 1 (in passing) to 5 (to be heeded), for memories whose writer names none. "
            "Holds for later writes only."
        ),
    )
    single_valued = forms.BooleanField(
        required=False,
        help_text=gettext_lazy(
            "A new value takes the old one's place, such as a budget; else values stand side by "
            "side, such as visits. Holds for later writes only: what is stored stays as it is."
        ),
    )
    review_required = forms.BooleanField(
        required=False,
        help_text=gettext_lazy(
            "What is written is held until a person has approved it. Holds for later writes only."
        ),
    )
    threshold = forms.FloatField(
        validators=[MinValueValidator(0), MaxValueValidator(1)],
        help_text=gettext_lazy(
            "From 0 to 1. A memory below it is a candidate: not given to agents before it is said "
            "again or approved."
        ),
    )
    personal_data = forms.ChoiceField(
        choices=PersonalData.choices,
        help_text=gettext_lazy(
            "What becomes of a memory that holds a phone number, an e-mail address, an identity "
            "card or a bank card. Holds for later writes only."
        ),
    )
    merge_similar = forms.BooleanField(
        required=False,
        help_text=gettext_lazy(
            "A text that is 90 % the same as one of the same kind confirms it, unless a number, "
            "a name, a date or a negation differs; otherwise a person decides."
        ),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=REASON_LIMIT,
        required=False,
        help_text=gettext_lazy("Kept with the new version and in the ledger."),
    )
    version = forms.IntegerField(widget=forms.HiddenInput)
    previewed = forms.CharField(required=False, widget=forms.HiddenInput)

    CHOICES = ("importance", "personal_data")
    NUMBERS = ("half_life_hours", "ttl_hours", "importance", "threshold", "personal_data")
    SWITCHES = ("single_valued", "review_required", "merge_similar")

    def __init__(self, draft: Policy, data=None):
        super().__init__(data, initial=draft.values() | {"version": draft.version})
        self.drawn = draft
        self.step = (data or {}).get("step", "")
        for name in (*self.NUMBERS, *self.SWITCHES):
            self.fields[name].label = named(name)
            self.fields[name].help_text = explained(draft, name)
        for name, field in self.fields.items():
            style = "form-select" if name in self.CHOICES else "form-control"
            field.widget.attrs["class"] = "form-check-input" if name in self.SWITCHES else style
            if self.is_bound and name in self.errors:
                field.widget.attrs["class"] += " is-invalid"

    @property
    def numbers(self) -> list[forms.BoundField]:
        return [self[name] for name in self.NUMBERS]

    @property
    def switches(self) -> list[forms.BoundField]:
        return [self[name] for name in self.SWITCHES]

    @property
    def removing(self) -> bool:
        return self.step in ("remove", "preview-remove")

    @property
    def draft(self) -> Policy:
        """What was typed, as the next version of what was seen."""
        said = {name: self.cleaned_data[name] for name in (*self.NUMBERS, *self.SWITCHES)}
        return Policy(
            workspace_id=self.drawn.workspace_id,
            kind=self.drawn.kind,
            domain=self.drawn.domain,
            version=self.cleaned_data["version"],
            removed=self.removing,
            **(self.drawn.values() if self.removing else said),
        )

    @property
    def digest(self) -> str:
        """Names what a preview showed, so that only that is saved."""
        draft = self.draft
        seen = [draft.kind, draft.domain, draft.version, draft.removed, draft.values()]
        return hashlib.sha256(json.dumps(seen).encode()).hexdigest()

    @property
    def is_to_be_saved(self) -> bool:
        """Whether a button of the preview was pressed, with the values that it showed."""
        return self.step in ("save", "remove") and self.cleaned_data["previewed"] == self.digest

    def complain(self, error: InvalidInput | StalePolicy) -> None:
        if isinstance(error, StalePolicy):
            latest = error.latest
            self.add_error(
                None,
                _("%(actor)s changed this policy meanwhile. Nothing was saved.")
                % {"actor": latest.actor if latest else "—"},
            )
            return
        for name, message in error.errors:
            self.add_error(name if name in self.fields else None, _(message))


def explained(rules: Policy, name: str) -> str:
    """What a value of the policy means, what another one does, and what is usual there."""
    usual = Policies(rules.workspace_id).of(rules.kind).values()[name]
    told = _("Usual for this kind: %(value)s.") % {"value": shown_value(usual)}
    return f"{PolicyForm.base_fields[name].help_text} {EFFECTS[name]} {told}"


@dataclass(frozen=True)
class ValueChange:
    label: str
    old: str
    new: str


@dataclass(frozen=True)
class ShownMove:
    """`text` is None where the memory is gone since."""

    moved: Moved
    text: str | None


@dataclass(frozen=True)
class ShownAnswer:
    recall: Any
    leave: Sequence[ShownMove]
    come: Sequence[ShownMove]
    move: Sequence[ShownMove]


@dataclass(frozen=True)
class Preview:
    """What saving would change: values, rows that get another end, recorded answers."""

    changes: Sequence[ValueChange]
    rows: int
    simulation: Simulation
    answers: Sequence[ShownAnswer]

    @property
    def more(self) -> int:
        return len(self.simulation.changed) - len(self.answers)


def preview(scope: Scope, form: PolicyForm, rules: Policy, kind_rules: Policy) -> Preview:
    """`rules` is what holds now; `kind_rules` what holds where the domain's own is removed."""
    draft = form.draft
    after = kind_rules if draft.removed else draft
    found = simulate(scope, draft)
    return Preview(
        value_changes({n: (v, after.values()[n]) for n, v in rules.values().items()}),
        awaiting(scope, draft),
        found,
        _shown(scope, found),
    )


def value_changes(pairs: dict[str, tuple]) -> list[ValueChange]:
    """Those of the pairs (old, new) that differ, as a page shows them."""
    return [
        ValueChange(named(name), shown_value(old), shown_value(new))
        for name, (old, new) in pairs.items()
        if old != new
    ]


def shown_value(value: float | bool | str | None) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if value in PersonalData.values:
        return str(PersonalData(value).label)
    return _("none") if value is None else str(value)


def told(change: PolicyChange) -> list[ValueChange]:
    return value_changes(change.changes)


def _shown(scope: Scope, found: Simulation) -> list[ShownAnswer]:
    changed = found.changed[:ANSWERS_SHOWN]
    moved = [one for each in changed for one in (*each.leave, *each.come, *each.move)]
    rows = Memory.objects.within(scope).filter(public_id__in={one.memory_id for one in moved})
    texts = dict(rows.values_list("public_id", "text"))

    def shown(moves: Sequence[Moved]) -> list[ShownMove]:
        return [ShownMove(one, texts.get(one.memory_id)) for one in moves]

    return [
        ShownAnswer(each.record, shown(each.leave), shown(each.come), shown(each.move))
        for each in changed
    ]
