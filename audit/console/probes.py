"""Probes for whoever runs the server; no key, no words about the content."""

from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import JsonResponse


@login_not_required
def alive(request):
    """The process answers."""
    return JsonResponse({"status": "ok"})


@login_not_required
def ready(request):
    """The database answers and is migrated; 503 otherwise."""
    try:
        with connection.cursor() as cursor:
            tables = connection.introspection.table_names(cursor)
    except DatabaseError:
        tables = []
    is_ready = "memory_fts_recall" in tables
    return JsonResponse(
        {"status": "ok" if is_ready else "not ready"}, status=200 if is_ready else 503
    )
