"""The hygiene lab: drop in another system's export, see what is wrong with it, take the plan and
the cleaned export away. Nothing of it is stored, but that what a worker found waits a day."""

import base64
import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from audit.health.check import Severity
from audit.health.formats import FORMATS as REPORTS
from audit.hygiene.clean import NotCleaned
from audit.hygiene.lab import MB, Look, Refused, look_at
from audit.hygiene.plan import DECIDE, DROP, FILL, MASK
from audit.hygiene.work import begin
from memory.exchange.formats import AUTO, formats
from memory.exchange.source import FormatError
from memory.jobs import alive
from memory.write.queue import QueueTimeout

from .access import operating, seat
from .health import LEVELS
from .jobs import BUSY
from .pages import page

# A page waits for it; the command takes larger ones.
LARGEST_MB, SECONDS = 10, 120.0
# What stands around the file in a form.
ENVELOPE = 10_000
# A longer file is not put into the page; it is given as an answer of its own.
IN_PAGE = 1_000_000
STEPS_SHOWN, REJECTS_SHOWN = 200, 50
ANSWERS = (
    ("page", gettext_lazy("a page")),
    ("html", gettext_lazy("the report, HTML")),
    ("json", gettext_lazy("the report, JSON")),
    ("plan", gettext_lazy("the plan, JSON")),
    ("clean", gettext_lazy("the cleaned export")),
)
ACTIONS = {
    DROP: gettext_lazy("drop"),
    MASK: gettext_lazy("mask"),
    DECIDE: gettext_lazy("decide"),
    FILL: gettext_lazy("fill in"),
}


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@operating
def hygiene(request):
    """GET: a form for a file. POST: the look at it, as a page or as one of the files that come of
    it. One that is too large is refused before it is read."""
    size = request.META.get("CONTENT_LENGTH") or "0"
    if not size.isdecimal() or int(size) > LARGEST_MB * MB + ENVELOPE:
        return _page(request, {"problem": _too_large()}, 413)
    return _looked(request)


@csrf_protect
def _looked(request):
    if request.method != "POST":
        return _page(request, {})
    file, form = request.FILES.get("file"), request.POST.get("format", AUTO)
    if file is None:
        return _page(request, {"problem": _("Choose a file.")}, 422)
    try:
        if request.POST.get("answer", "page") == "page" and alive.is_there():
            job = begin(seat(request).scope, file.chunks(), file.name, _known(form), LARGEST_MB)
            return redirect("hygiene-look", job.public_id)
        return _answer(request, _look(file, form), file)
    except QueueTimeout:
        return _page(request, {"problem": BUSY}, 503)
    except (FormatError, Refused, NotCleaned) as error:
        problem = _("This export cannot be looked at: %(why)s.") % {"why": error}
        return _page(request, {"problem": problem}, 422)


def _known(form: str) -> str:
    if form not in (AUTO, *formats()):
        raise Refused("unknown_format", _("unknown format"))
    return form


def _look(file: UploadedFile, form: str) -> Look:
    form = _known(form)
    with tempfile.TemporaryDirectory(prefix="mase-upload-") as folder:
        path = Path(folder) / "export"
        with path.open("wb") as copy:
            for chunk in file.chunks():
                copy.write(chunk)
        return look_at(path, name=file.name, form=form, seconds=SECONDS, largest_mb=LARGEST_MB)


def _answer(request, look: Look, file: UploadedFile):
    answer = request.POST.get("answer", "page")
    if answer != "page" and answer in dict(ANSWERS):
        return as_file(look, answer, lambda: _cleaned(look, file))
    cleaned = None
    if look.can_be_cleaned:
        with suppress(NotCleaned):
            cleaned = _cleaned(look, file)
    return _page(request, found(look, cleaned))


def as_file(look: Look, answer: str, clean: Callable[[], bytes]) -> HttpResponse:
    """One of the files that come of a look. Raises what `clean` does."""
    if answer in ("html", "json"):
        text = REPORTS[answer]([look.report], Severity.ERROR)
        kind = "text/html; charset=utf-8" if answer == "html" else "application/json"
        return _file(text.encode(), f"hygiene.{answer}", kind)
    if answer == "plan":
        return _file(_plan(look), "plan.json", "application/json")
    return _file(clean(), f"cleaned-{look.name}", "application/octet-stream")


def found(look: Look, cleaned: bytes | None) -> dict[str, Any]:
    """What the page tells of a look."""
    found = [(one, LEVELS[one.severity]) for one in look.report.findings]
    files = [("plan.json", _("The plan, JSON"), _plan(look))]
    if cleaned is not None:
        files.append((f"cleaned-{look.name}", _("The cleaned export"), cleaned))
    return {
        "look": look,
        "level": LEVELS[look.report.worst],
        "found": [(one, level) for one, level in found if level != "success"],
        "clean": [one for one, level in found if level == "success"],
        "actions": [(ACTIONS[name], n) for name, n in look.actions.items()],
        "steps": [
            (step, look.ids.get(step.place, ""), ACTIONS[step.action])
            for step in look.steps[:STEPS_SHOWN]
        ],
        "more_steps": max(len(look.steps) - STEPS_SHOWN, 0),
        "rejects": look.rejects[:REJECTS_SHOWN],
        "more_rejects": max(len(look.rejects) - REJECTS_SHOWN, 0),
        "files": [
            (name, text, base64.b64encode(data).decode() if len(data) <= IN_PAGE else "")
            for name, text, data in files
        ],
    }


def _plan(look: Look) -> bytes:
    return json.dumps(look.plan_document(), ensure_ascii=False, indent=1).encode()


def _cleaned(look: Look, file: UploadedFile) -> bytes:
    file.seek(0)
    return look.cleaned(file.read())


def _file(data: bytes, name: str, kind: str) -> HttpResponse:
    response = HttpResponse(data, content_type=kind)
    response.headers["Content-Disposition"] = content_disposition_header(True, name)
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _too_large() -> str:
    return _("The file is larger than %(size)s MB; manage.py hygiene takes larger ones.") % {
        "size": LARGEST_MB
    }


def _page(request, context: dict, status: int = 200):
    context |= {
        "crumbs": [(_("Health"), reverse("health")), (_("Hygiene lab"), None)],
        "formats": [(AUTO, _("find out"))] + [(one.name, one.title) for one in formats().values()],
        "answers": ANSWERS,
        "chosen": {"format": request.POST.get("format", AUTO), "answer": "page"},
    }
    return page(request, "console/hygiene.html", context, status=status)
