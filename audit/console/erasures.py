"""Erasing a memory after a look at what will go; what was erased, with its certificate."""

import json
from functools import wraps
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from memory.models import Erasure, Memory
from memory.write import queue
from memory.write.erase.certificate import (
    LIMIT,
    PLACES,
    NoCertificate,
    certificate,
    erasures,
    find_erasure,
    read_certificate,
    verify_certificate,
)
from memory.write.erase.road import ErasedFact, erase, preview
from memory.write.erase.subject import Removed
from memory.write.erase.tombstones import brought_back, erasure_of
from memory.write.plan import Conflict, StalePlan
from memory.write.working_cache import OutOfReach

from .access import auditing, erasing, memory_or_404, seat
from .correction import Reason
from .keyset import paginate
from .pages import page

# What a person types to show that this is meant.
WORD = "erase"
NAMES = {
    "rows": gettext_lazy("versions of the memory"),
    "summaries": gettext_lazy("summaries of sessions that tell it"),
    "history": gettext_lazy("entries of the ledger: what they said"),
    "reasons": gettext_lazy("reasons of changes"),
    "turns": gettext_lazy("turns of the dialogue: blotted out"),
    "extractions": gettext_lazy("readings of turns"),
    "recalls": gettext_lazy("recall records: question, context, answer"),
    "feedback": gettext_lazy("feedback on recalls"),
    "corrections": gettext_lazy("corrections in plain words"),
    "duplicate_pairs": gettext_lazy("possible duplicates"),
    "index": gettext_lazy("rows of the search indexes"),
    "vectors": gettext_lazy("vectors of meaning"),
    "tasks": gettext_lazy("notes of background tasks"),
    "findings": gettext_lazy("findings"),
    "put_off": gettext_lazy("notes that put a review off"),
    "questions": gettext_lazy("acceptance questions"),
    "saved_views": gettext_lazy("saved views of lists"),
    "jobs": gettext_lazy("jobs: what was asked for"),
    "job_rows": gettext_lazy("jobs: what was told of single rows"),
    "working": gettext_lazy("values of working memory"),
    "images": gettext_lazy("images with their files"),
    "answers": gettext_lazy("answers kept for requests that are sent again"),
}
IN_STORE = {
    "equal": ("success", gettext_lazy("Its tombstones and ledger entries stand in this store.")),
    "differs": ("danger", gettext_lazy("This store says something else of this erasure.")),
    "missing": ("warning", gettext_lazy("This workspace has no such erasure.")),
}


class EraseForm(Reason):
    """Why, and the word that shows it is meant."""

    typed = forms.CharField(label=gettext_lazy("Type “erase”"), max_length=20)

    def clean_typed(self) -> str:
        if self.cleaned_data["typed"].strip().lower() != WORD:
            raise forms.ValidationError(_("Type the word erase."))
        return WORD


def or_tombstone(view):
    """Of a memory that was erased from this workspace the page says so, with 410."""

    @wraps(view)
    def shown(request, memory_id: UUID, *args, **kwargs):
        try:
            return view(request, memory_id, *args, **kwargs)
        except Http404:
            kept = erasure_of(seat(request).scope, memory_id)
            if kept is None:
                raise
            return _one_page(request, find_erasure(seat(request).scope, kept.public_id), 410)

    return shown


@require_http_methods(["GET", "HEAD", "POST"])
@or_tombstone
@erasing
def erase_one(request, memory_id: UUID):
    """GET: what will go, by place, and the form. POST: it goes, for good."""
    chosen = memory_or_404(request, memory_id)
    try:
        return _erase_page(request, chosen)
    except OutOfReach:
        # Working memory may say it too, and could not be looked at.
        messages.error(request, _("Nothing was erased: the cache does not answer. Try again."))
        return redirect("memory", chosen.public_id)


def _erase_page(request, chosen: Memory):
    initial = {"revision": chosen.revision}
    form = EraseForm(request.POST if request.method == "POST" else None, initial=initial)
    if form.is_valid():
        try:
            done = _erased(request, chosen, form.cleaned_data)
            return redirect("erasure", done.erasure.public_id)
        except StalePlan:
            form.add_error(None, _("This memory was changed meanwhile. Look at it again."))
        except Conflict:
            form.add_error(None, _("Nothing was changed: something else changed with it."))
        except queue.QueueTimeout:
            form.add_error(None, _("The store is busy and nothing was changed. Try again."))
    found = preview(seat(request).scope, chosen)
    context = {
        "memory": chosen,
        "form": form,
        "counts": counts(found),
        "also": found.also,
        "crumbs": [
            (_("Memories"), reverse("memories")),
            (str(chosen), reverse("memory", args=[chosen.public_id])),
            (_("Erase"), None),
        ],
    }
    return page(request, "console/erase.html", context, status=422 if form.errors else 200)


@require_safe
@auditing
def list_erasures(request):
    """What was erased, newest first."""
    found = paginate(erasures(seat(request).scope), "-id", request.GET.get("cursor"))
    rows = [(row, sum(n for _name, n in _removed(row))) for row in found]
    return page(request, "console/erasures.html", {"page": found, "rows": rows})


@require_safe
@auditing
def one(request, erasure_id: UUID):
    """One erasure: what was removed where, and its certificate to take away."""
    return _one_page(request, _found(request, erasure_id))


@require_safe
@auditing
def download(request, erasure_id: UUID, form: str):
    """The certificate as a file: JSON, or HTML that needs no other host."""
    found = _found(request, erasure_id)
    document = certificate(found)
    text = json.dumps(document, ensure_ascii=False, indent=2)
    if form == "html":
        context = {"document": document, "text": text, "removed": _removed(found)}
        text = render_to_string("console/certificate.html", context | {"language": get_language()})
    name = f"erasure-{found.public_id}.{form}"
    return HttpResponse(
        text.encode(),
        content_type="application/json" if form == "json" else "text/html; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "private, no-store",
        },
    )


@require_http_methods(["GET", "HEAD", "POST"])
@auditing
def verify(request):
    """GET: a form for a certificate. POST: what the file is worth."""
    if request.method != "POST":
        return _verify_page(request, {})
    file = request.FILES.get("document")
    if file is None:
        return _verify_page(request, {"problem": _("Choose a file.")}, 422)
    if file.size > LIMIT:
        return _verify_page(request, {"problem": _("The file is too large.")}, 413)
    try:
        document = read_certificate(file.read())
    except NoCertificate:
        return _verify_page(request, {"problem": _("Not the certificate of an erasure.")}, 422)
    result = verify_certificate(document, seat(request).scope)
    signed = (
        ("success", _("The certificate is as it was made here."))
        if result.signed
        else ("danger", _("The certificate was changed, or was not made here."))
    )
    told = {"findings": [signed, IN_STORE[result.in_store], *_came_back(request, document)]}
    told["file"] = file.name
    return _verify_page(request, told)


def counts(found: Removed) -> list[tuple[str, int]]:
    """Pairs for people of what is removed where, in the certificate's order."""
    return [(NAMES[name], found.counts[name]) for name in PLACES if found.counts.get(name)]


def _erased(request, chosen: Memory, said: dict) -> ErasedFact:
    return erase(seat(request).scope, chosen, said["reason"], seen=said["revision"])


def _removed(row: Erasure) -> list[tuple[str, int]]:
    return counts(Removed(row.removed))


def _found(request, erasure_id: UUID) -> Erasure:
    found = find_erasure(seat(request).scope, erasure_id)
    if found is None:
        raise Http404
    return found


def _came_back(request, document: dict) -> list[tuple[str, str]]:
    try:
        found = find_erasure(seat(request).scope, UUID(str(document.get("id"))))
    except ValueError:
        return []
    if found is None or not brought_back(found):
        return []
    return [("warning", _("An import has brought it back since."))]


def _one_page(request, found: Erasure, status: int = 200):
    context = {
        "erasure": found,
        "document": certificate(found),
        "brought_back": [one | {"at": parse_datetime(one["at"])} for one in brought_back(found)],
        "counts": _removed(found),
        "also": found.removed.get("also", []),
        "more": found.removed.get("also_count", 0) - len(found.removed.get("also", [])),
        "crumbs": [(_("Erasures"), reverse("erasures")), (str(found.memory_id)[-8:], None)],
    }
    return page(request, "console/erasure.html", context, status=status)


def _verify_page(request, context: dict, status: int = 200):
    crumbs = [(_("Erasures"), reverse("erasures")), (_("Verify a certificate"), None)]
    return page(
        request, "console/erasure_verify.html", {"crumbs": crumbs, **context}, status=status
    )
