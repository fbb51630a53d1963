"""The page between a text and where its link leads."""

from urllib.parse import urlsplit

from django.core import signing
from django.http import Http404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from .access import seat
from .links import SALT, host_of
from .pages import page


@require_safe
def link(request):
    """The whole address, and the way to it. Only what this console signed: nobody can send a
    person here with an address of theirs."""
    seat(request)
    try:
        address = signing.loads(request.GET.get("to", ""), salt=SALT)
    except signing.BadSignature:
        raise Http404 from None
    parts = urlsplit(address)
    context = {
        "address": address,
        "host": host_of(address),
        "written": parts.hostname or "",
        "has_user": "@" in parts.netloc,
        "crumbs": [(_("Memories"), reverse("memories")), (_("Link"), None)],
    }
    return page(request, "console/link.html", context)
