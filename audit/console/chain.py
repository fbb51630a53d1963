"""Verifying the ledger's chain from a page."""

from django import forms
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.http import require_safe

from memory.models import Batch
from memory.write.ledger import MOST_AT_ONCE, Break, contains, is_long, walk

from .access import auditing, seat
from .pages import page

# What `walk` may say, marked for the catalogues.
WHATS = (
    gettext_noop("was erased, and no tombstone tells of it"),
    gettext_noop("was erased, and its tombstone was altered"),
    gettext_noop("holds again what was erased"),
    gettext_noop("has lost its before and after, and nothing says that they were erased"),
    gettext_noop("has lost its reason, and nothing says that it was erased"),
    gettext_noop("had its reason altered"),
)


class ChainForm(forms.Form):
    contains = forms.RegexField(
        r"^\s*[0-9a-fA-F]{64}\s*$",
        label=gettext_lazy("A head that was noted earlier (may be left out)"),
        required=False,
        max_length=80,
        error_messages={"invalid": gettext_lazy("A head has 64 hexadecimal digits.")},
    )


@require_safe
@auditing
def verify(request):
    """The form; with `verify` the chain is walked, unless it is too long for a page."""
    asked = "verify" in request.GET
    form = ChainForm(request.GET if asked else None)
    context = {"form": form, "most": MOST_AT_ONCE}
    if asked and form.is_valid():
        context |= {"too_long": True} if is_long() else _told(request, form)
    context["crumbs"] = [(_("Activity"), reverse("activity")), (_("Verify the ledger"), None)]
    return page(request, "console/chain.html", context)


def _told(request, form: ChainForm) -> dict:
    found, asked = walk(), form.cleaned_data["contains"].strip().lower()
    return {
        "walk": found,
        "broken": found.broken and _broken(request, found.broken),
        "asked": asked,
        "contains": bool(asked) and contains(asked),
    }


def _broken(request, broken: Break) -> str:
    """All workspaces share the chain; whose entry it is, only its own is told."""
    mine = Batch.objects.within(seat(request).scope).filter(pk=broken.row.batch_id)
    if not mine.exists():
        return _("The shared chain is broken at an entry of another workspace.")
    said = {"number": broken.number, "what": _(broken.what)}
    return _("Entry %(number)d %(what)s.") % said
