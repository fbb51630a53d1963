"""Sharing one recall record: its file, with or without texts, and whether a file still holds."""

import json

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from memory.recall.sealed import export
from memory.recall.verify import (
    DOCUMENT_LIMIT,
    UnreadableDocument,
    Verification,
    read_document,
    verify,
)

from .access import recall_or_404, seat
from .pages import page

# What stands around the file in a form.
ENVELOPE = 10_000
# What the engine says of a file, marked for the catalogues.
WHYS = (
    gettext_noop("is nested too deeply"),
    gettext_noop("is not a JSON object"),
    gettext_noop("names something twice"),
    gettext_noop("holds a number that is too large"),
    gettext_noop("holds half of a character (a lone surrogate)"),
)
IN_STORE = {
    "equal": ("success", gettext_lazy("The record in this store says the same.")),
    "erased": (
        "info",
        gettext_lazy("An erasure took words out of the record in this store since."),
    ),
    "missing": ("info", gettext_lazy("This workspace has no such record to compare with.")),
    "differs": ("danger", gettext_lazy("The record in this store says something else.")),
}


@require_safe
def export_one(request, recall_id):
    """The record as a file; with `redact=true` without texts and names."""
    recall = recall_or_404(request, recall_id)
    redact = request.GET.get("redact") == "true"
    body = json.dumps(export(recall, redact), ensure_ascii=False, indent=2)
    name = f"recall-{recall.public_id}{'-redacted' if redact else ''}.json"
    return HttpResponse(
        body.encode("utf-8", "replace"),
        content_type="application/json",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "private, no-store",
        },
    )


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def verify_one(request):
    """GET: a form for a file. POST: what the file is worth. One that is too large is refused
    before it is read, and so before its token is looked for."""
    seat(request)
    size = request.META.get("CONTENT_LENGTH") or "0"
    if not size.isdecimal() or int(size) > DOCUMENT_LIMIT + ENVELOPE:
        return _page(request, {"problem": _too_large()}, 413)
    return _verified(request)


@csrf_protect
def _verified(request):
    if request.method != "POST":
        return _page(request, {})
    file = request.FILES.get("document")
    if file is None:
        return _page(request, {"problem": _("Choose a file.")}, 422)
    try:
        document = read_document(file.read())
        result = verify(document, seat(request).scope)
    except UnreadableDocument as error:
        why = {"why": _(str(error))}
        return _page(
            request, {"problem": _("Not the file of a recall record: %(why)s.") % why}, 422
        )
    told = {"result": result, "file": file.name, "recall_id": document["id"]}
    return _page(request, told | {"findings": findings(result)})


def findings(result: Verification) -> list[tuple[str, str]]:
    """What was found, as alerts: of the file itself, of the store, and both together."""
    holds = not {"digest", "outcome"} & set(result.differences)
    found = [
        ("success", _("The file is as it was exported."))
        if holds
        else ("danger", _("The file was changed after it was exported."))
    ]
    level, text = IN_STORE[result.in_store]
    found.append((level, text))
    if "record.digest" in result.differences:
        found.append(("danger", _("The record in this store was changed after it was made.")))
    return found


def _too_large() -> str:
    size = {"size": f"{DOCUMENT_LIMIT:,}"}
    return _("The file is larger than %(size)s bytes.") % size


def _page(request, context: dict, status: int = 200):
    crumbs = [(_("Recall log"), reverse("recalls")), (_("Verify a record"), None)]
    return page(request, "console/verify.html", {"crumbs": crumbs, **context}, status=status)
