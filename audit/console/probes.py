"""Probes for whoever runs the server; no key, no words about the content."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError
from django.http import JsonResponse

from memory.index.storage import is_installed


@login_not_required
def alive(request):
    """The process answers."""
    return JsonResponse({"status": "ok"})


@login_not_required
def ready(request):
    """The database answers and is migrated; 503 otherwise."""
    try:
        is_ready = is_installed()
    except DatabaseError:
        is_ready = False
    return JsonResponse(
        {"status": "ok" if is_ready else "not ready"}, status=200 if is_ready else 503
    )
