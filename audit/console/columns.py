"""Which columns a list of memories shows: as the address says, else as the person chose last."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import Http404, QueryDict
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.functional import cached_property
from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from audit.models import Preference
from memory.models import Memory
from memory.write.transaction import write_transaction

from .access import reading
from .templatetags.console import when

PARAMETER = "columns"


@dataclass(frozen=True)
class Column:
    """A column by its name in the address; its head, also where rows are cards."""

    name: str
    title: Any


_OF_ALL = (
    Column("user", _("User")),
    Column("agent", _("Agent")),
    Column("session", _("Session")),
    Column("kind", _("Kind")),
    Column("state", _("State")),
    Column("source", _("Source")),
    Column("domain", _("Domain")),
    Column("tags", _("Tags")),
    Column("entity", _("Entity")),
    Column("attribute", _("Attribute")),
    Column("value", _("Value")),
    Column("confidence", _("Confidence")),
    Column("importance", _("Importance")),
    Column("valid_from", _("Valid from")),
    Column("updated", _("Updated")),
    Column("created", _("First remembered")),
    Column("version", _("Version")),
    Column("id", _("Id")),
)
_OF_HISTORY = (
    Column("statement", _("What changed")),
    *(column for column in _OF_ALL if column.name not in ("state", "updated")),
    Column("why", _("Why")),
    Column("by", _("By")),
    Column("updated", _("When")),
)
# The first of each page stays: a row without its statement is no row.
OFFERED = {"memories": (Column("statement", _("Memory")), *_OF_ALL), "history": _OF_HISTORY}
USUAL = {
    "memories": (
        "statement", "user", "kind", "state", "confidence", "importance", "updated", "created",
    ),
    "history": ("statement", "user", "why", "by", "updated"),
}  # fmt: skip
# Of two that are both shown the second stands below the first: two words, one width.
_BELOW = {"state": "kind", "importance": "confidence", "created": "updated"}


# What has a block of its own: the block, and the name that it gives the value.
_BLOCKS = {
    "kind": ("kind", "kind"),
    "state": ("status", "status"),
    "source": ("source", "source"),
    "confidence": ("confidence", "value"),
    "importance": ("importance", "value"),
    "id": ("id", "id"),
}
_ATTRIBUTES = {
    "user": "user_id", "agent": "agent_id", "session": "session_id", "state": "status",
    "updated": "updated_at", "created": "created_at", "id": "public_id",
}  # fmt: skip
_TIMES = frozenset({"valid_from", "updated", "created"})
_LONGEST = 120


class Columns:
    """The columns of one page for one person; what nobody knows (any more) is left out."""

    def __init__(self, request, page: str):
        self.page, self.offered = page, OFFERED[page]
        asked = request.GET.getlist(PARAMETER)
        self._said = asked or _preferred(request.user, page)
        self._rendered: dict[tuple[str, Any], SafeString] = {}

    @cached_property
    def shown(self) -> list[Column]:
        """In the order of the page, not of the asking."""
        wanted = {self.offered[0].name, *(self._said or USUAL[self.page])}
        return [column for column in self.offered if column.name in wanted]

    @cached_property
    def groups(self) -> list[list[Column]]:
        """As they stand beside each other, each with what stands below it."""
        groups: list[list[Column]] = []
        for column in self.shown:
            if groups and groups[-1][-1].name == _BELOW.get(column.name):
                groups[-1].append(column)
            else:
                groups.append([column])
        return groups

    @cached_property
    def cells(self) -> list[list[Column]]:
        """The groups beside the statement."""
        return self.groups[1:]

    @cached_property
    def beside(self) -> list[tuple[SafeString, list[str]]]:
        """Of each of `cells` the title and the names."""
        return [(escape(group[0].title), [column.name for column in group]) for group in self.cells]

    @property
    def heads(self) -> list[list[tuple[str, Any]]]:
        return [[(column.name, column.title) for column in group] for group in self.groups]

    def cell(self, memory: Memory, name: str) -> str:
        """A memory's column as it is shown. A block is rendered once for each value: a template
        for each of 350 cells took a fifth of the page's time."""
        value = getattr(memory, _ATTRIBUTES.get(name, name))
        if name in _TIMES:
            return when(value)
        if name not in _BLOCKS:
            text = ", ".join(value) if isinstance(value, list) else str(value or "")
            return short(text, _LONGEST) or "—"
        if (name, value) not in self._rendered:
            block, known_as = _BLOCKS[name]
            rendered = render_to_string(f"console/blocks/{block}.html", {known_as: value})
            self._rendered[name, value] = rendered
        return self._rendered[name, value]

    @property
    def choices(self) -> list[tuple[Column, bool]]:
        """All that can be chosen, and whether it is."""
        shown = self.shown
        return [(column, column in shown) for column in self.offered[1:]]


def short(text: str, most: int) -> str:
    """Cut to `most` characters; the usual text, which is shorter, is not counted through."""
    return text if len(text) <= most else Truncator(text).chars(most)


def names_of(page: str) -> list[str]:
    return [column.name for column in OFFERED[page]]


@require_POST
@reading
def choose(request):
    """Keep the columns of a list (`page`, `columns`) for this person, and show its `query` with
    them; none of them, or `usual`: the usual ones."""
    page = request.POST.get("page", "")
    if page not in OFFERED:
        raise Http404
    asked = () if "usual" in request.POST else request.POST.getlist(PARAMETER)
    chosen = [name for name in names_of(page) if name in asked]
    _prefer(request, page, chosen)
    query = QueryDict(request.POST.get("query", "").lstrip("?"), mutable=True)
    query.setlist(PARAMETER, chosen)
    query.pop("cursor", None)
    return redirect(f"{reverse(page)}?{query.urlencode()}")


def _preferred(person, page: str) -> Sequence[str]:
    kept = Preference.objects.filter(pk=person.pk).values_list("columns", flat=True).first()
    return (kept or {}).get(page, ())


def _prefer(request, page: str, chosen: list[str]) -> None:
    # With a person's first choice the browser's theme becomes the person's.
    first = {"theme": request.theme}
    with write_transaction():
        preference, _made = Preference.objects.get_or_create(person=request.user, defaults=first)
        others = {name: kept for name, kept in preference.columns.items() if name != page}
        preference.columns = others | ({page: chosen} if chosen else {})
        preference.save(update_fields=["columns"])
