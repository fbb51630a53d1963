"""What the pages of acceptance questions take and show: the filter, the form, what a recall or a
correction fills it with."""

from collections import Counter
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_filters import CharFilter, ChoiceFilter, FilterSet

from audit.models import Question, QuestionKind
from audit.questions import manage
from audit.questions.ask import live
from audit.questions.manage import Draft
from audit.questions.results import with_last
from memory.models import Correction, CorrectionState, Memory, Recall, Scope, Status
from memory.text.language import language
from memory.text.normalise import key
from memory.write.held import SecretRefused
from memory.write.proposal import InvalidInput

from .keyset import COUNT_CAP
from .listing import State

USERS_LISTED, MADE_BEFORE = 8, 5
SECRET = gettext_lazy("This looks like a secret, and a secret is not kept in a question.")
RESULTS = {
    "failed": gettext_lazy("failed"),
    "passed": gettext_lazy("holds"),
    "never": gettext_lazy("never asked"),
}
_PASSED = {"failed": False, "passed": True, "never": None}
TABS = {"live": gettext_lazy("Asked"), "archived": gettext_lazy("Archived")}
_WHAT = {
    "zh": ("我的{attribute}是什么？", "{entity}的{attribute}是什么？", "{entity}是什么？"),
    "en": (
        "What is my {attribute}?",
        "What is the {attribute} of {entity}?",
        "What is the {entity}?",
    ),
}


class QuestionFilter(FilterSet):
    """The questions that the address chooses; a value that means nothing chooses nothing. Those
    archived stand under a tab of their own."""

    q = CharFilter(
        field_name="text", lookup_expr="icontains", label=gettext_lazy("Search"), max_length=200
    )
    user_id = CharFilter(label=gettext_lazy("User"), max_length=200)
    kind = ChoiceFilter(choices=QuestionKind.choices, label=gettext_lazy("Kind"))
    result = ChoiceFilter(
        choices=tuple(RESULTS.items()), method="by_result", label=gettext_lazy("Last result")
    )

    def __init__(self, data, scope: Scope):
        asked = data.get("status", "")
        self.scope, self.tab = scope, asked if asked in TABS else "live"
        rows = Question.objects.within(scope)
        super().__init__(data, with_last(rows.filter(archived_at__isnull=self.tab == "live")))

    @property
    def wanted(self) -> dict[str, Any]:
        """What was asked for and understood."""
        self.form.is_valid()
        return {name: value for name, value in self.form.cleaned_data.items() if value}

    def without(self, name: str) -> "QuestionFilter":
        """The same choice with one filter dropped."""
        data = self.data.copy()
        data.pop(name, None)
        return QuestionFilter(data, self.scope)

    def by_result(self, rows: QuerySet, name: str, value: str) -> QuerySet:
        passed = _PASSED[value]
        if passed is None:
            return rows.filter(last_passed__isnull=True)
        return rows.filter(last_passed=passed)

    def tabs(self) -> list[State]:
        """Those asked and those archived, with their counts."""
        rows = Question.objects.within(self.scope).order_by()
        found = []
        for name, text in TABS.items():
            count = rows.filter(archived_at__isnull=name == "live")[: COUNT_CAP + 1].count()
            capped = count > COUNT_CAP
            found.append(State(name, text, min(count, COUNT_CAP), capped, name == self.tab))
        return found

    def facets(self) -> list[tuple[str, str, list[dict[str, Any]]]]:
        """Title, parameter and options of each filter that has a choice of values."""
        rows = list(self.qs.order_by().values_list("last_passed", "kind", "user_id")[:COUNT_CAP])
        name_of = {passed: name for name, passed in _PASSED.items()}
        counted = {
            "result": Counter(name_of[row[0]] for row in rows),
            "kind": Counter(row[1] for row in rows),
            "user_id": Counter(dict(Counter(row[2] for row in rows).most_common(USERS_LISTED))),
        }
        labels = {"result": RESULTS, "kind": dict(QuestionKind.choices), "user_id": {}}
        return [
            (str(self.filters[name].label), name, self._options(name, counts, labels[name]))
            for name, counts in counted.items()
        ]

    def _options(self, name: str, counts: Counter, labels: dict) -> list[dict[str, Any]]:
        chosen = self.wanted.get(name)
        if chosen and chosen not in counts:
            counts[chosen] = 0
        return [
            {
                "value": value,
                "text": labels.get(value, value),
                "count": count,
                "active": value == chosen,
            }
            for value, count in counts.most_common()
        ]


class QuestionForm(forms.Form):
    """A question as a person writes it, its values one a line."""

    user_id = forms.CharField(label=gettext_lazy("User"), max_length=manage.NAME_LIMIT)
    text = forms.CharField(
        label=gettext_lazy("Question"),
        max_length=manage.TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("As the user would ask it: 请问我上次说的预算上限是多少？"),
    )
    kind = forms.ChoiceField(
        label=gettext_lazy("Kind"),
        choices=QuestionKind.choices,
        help_text=gettext_lazy(
            "Expired: the forbidden value was true once. One thing taken for another: a value "
            "counts for the thing that its clause names. Negation: write values with their “not” "
            "(不吃香菜). Present words: the forbidden old preference may be told, but only as a "
            "record with its labels, under the rule that present words win."
        ),
    )
    expected = forms.CharField(
        label=gettext_lazy("Expected values"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("One a line. Each must stand in what the agent is given."),
    )
    forbidden = forms.CharField(
        label=gettext_lazy("Forbidden values"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("One a line. None of them may stand there."),
    )
    now_said = forms.CharField(
        label=gettext_lazy("Said just now"),
        required=False,
        max_length=manage.TEXT_LIMIT,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Only for present words against an old preference."),
    )
    agent_id = forms.CharField(
        label=gettext_lazy("Agent"), required=False, max_length=manage.NAME_LIMIT
    )
    session_id = forms.CharField(
        label=gettext_lazy("Session"), required=False, max_length=manage.NAME_LIMIT
    )
    note = forms.CharField(label=gettext_lazy("Note"), required=False, max_length=manage.NOTE_LIMIT)

    LISTS = ("expected", "forbidden")

    def __init__(self, data=None, draft: Draft | None = None):
        super().__init__(data, initial=_as_typed(draft or Draft()))
        self.fields["user_id"].widget.attrs["list"] = "known-users"
        for name, field in self.fields.items():
            style = "form-select" if isinstance(field, forms.ChoiceField) else "form-control"
            field.widget.attrs["class"] = style
            if self.is_bound and name in self.errors:
                field.widget.attrs["class"] += " is-invalid"

    @classmethod
    def sent(cls, draft: Draft) -> "QuestionForm":
        """As if somebody had typed the draft and sent it."""
        return cls(_as_typed(draft))

    @property
    def draft(self) -> Draft:
        said = self.cleaned_data
        return Draft(**said | {name: _lines(said[name]) for name in self.LISTS})

    def complain(self, error: InvalidInput) -> None:
        """What was objected to, at the fields that it is about; nothing typed is lost."""
        for name, message in error.errors:
            field = name if name in self.fields else None
            self.add_error(field, SECRET if isinstance(error, SecretRefused) else _(message))
            if field:
                self.fields[field].widget.attrs["class"] += " is-invalid"


def made_from(scope: Scope, **origin: UUID) -> list[Question]:
    """The questions that were made from a recall (`from_recall`) or correction before."""
    return list(live(scope).filter(**origin).order_by("-id")[:MADE_BEFORE])


def values_of(given: Sequence[Any]) -> list[tuple[str, bool]]:
    """The values of the memories that a recall gave, best first, each once; the best is chosen."""
    found = {key(r.memory.value): r.memory.value for r in given if r.memory and r.memory.value}
    return [(value, place == 0) for place, value in enumerate(found.values())]


def of_recall(recall: Recall, expected: Sequence[str] = ()) -> Draft:
    """The question that a recall was, with the values that a person chose."""
    return Draft(
        user_id=recall.user_id,
        text=recall.query,
        agent_id=recall.agent_id,
        session_id=recall.session_id,
        expected=tuple(expected),
    )


def of_correction(scope: Scope, correction: Correction) -> Draft:
    """Whether an applied correction holds: its new values are expected, its old ones forbidden.
    Asked as the recall that it answered, else for what the first fact is about."""
    if correction.state != CorrectionState.APPLIED or correction.batch is None:
        return Draft(user_id=correction.user_id)
    changes = list(correction.batch.changes.order_by("id"))
    rows = Memory.objects.within(scope.narrow(correction.user_id)).in_bulk(
        [change.memory_id for change in changes], field_name="public_id"
    )
    old, new = [], []
    for change in changes:
        row = rows.get(change.memory_id)
        if row is None or not row.value:
            continue
        if not change.status_before:
            new.append(row)
        elif change.status_before == Status.ACTIVE and change.status_after != Status.ACTIVE:
            old.append(row)
    expected = {key(row.value): row.value for row in new}
    forbidden = {key(r.value): r.value for r in old if key(r.value) not in expected}
    first = next(iter([*new, *old]), None)
    return Draft(
        user_id=correction.user_id,
        text=correction.recall.query if correction.recall else _asking(first) if first else "",
        kind=QuestionKind.EXPIRED.value if forbidden else QuestionKind.PLAIN.value,
        expected=tuple(expected.values()),
        forbidden=tuple(forbidden.values()),
        agent_id=correction.agent_id,
        session_id=correction.session_id,
        note=correction.text[: manage.NOTE_LIMIT],
    )


def _asking(memory: Memory) -> str:
    own, of_entity, of_slot = _WHAT[language(memory.text)]
    if memory.entity_key == "user":
        return own.format(attribute=memory.attribute)
    template = of_slot if memory.attribute_key in ("", "value") else of_entity
    return template.format(entity=memory.entity, attribute=memory.attribute)


def _as_typed(draft: Draft) -> dict[str, str]:
    said = dict(vars(draft))
    return said | {name: "\n".join(said[name]) for name in QuestionForm.LISTS}


def _lines(text: str) -> tuple[str, ...]:
    return tuple(line.strip() for line in text.splitlines() if line.strip())
