"""Going to another of a person's workspaces."""

from urllib.parse import urlsplit

from django.http import Http404
from django.shortcuts import redirect
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from .context import SESSION_WORKSPACE, Console


@require_POST
def switch(request):
    """POST `workspace` (its key) and `next`; 404 for one that is not the person's."""
    wanted = request.POST.get("workspace", "")
    chosen = next((w for w in Console(request).workspaces if str(w.pk) == wanted), None)
    if chosen is None:
        raise Http404
    request.session[SESSION_WORKSPACE] = chosen.pk
    return redirect(_place(request, request.POST.get("next", "")))


def _place(request, address: str) -> str:
    """The same list in the other workspace. Filters, and a page about one thing, stay behind:
    what they name is not there."""
    home = reverse("dashboard")
    if not url_has_allowed_host_and_scheme(
        address, {request.get_host()}, require_https=request.is_secure()
    ):
        return home
    path = urlsplit(address).path
    try:
        found = resolve(path)
    except Resolver404:
        return home
    return home if found.kwargs or found.args else path
