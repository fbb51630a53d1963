"""Answering with a page or with its part."""

from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers

from audit.reveal import revealed


def wants_part(request) -> bool:
    """Whether htmx asks for the fragment. Back asks for the whole page although it carries
    htmx's header."""
    return bool(request.htmx and not request.htmx.history_restore_request)


def page(request, template: str, context: dict, *, part: str = "", status: int = 200):
    """Render `template`, or its fragment `part` for htmx, with nothing hidden in it; never kept by
    a shared cache."""
    chosen = part if part and wants_part(request) else template
    response = render(request, chosen, context, status=status)
    response.content = revealed(response.content.decode())
    patch_vary_headers(response, ["HX-Request", "HX-History-Restore-Request", "Cookie"])
    patch_cache_control(response, private=True, no_cache=True)
    return response
