"""Logging in too often with a wrong password: who is meant, and the page that says to wait."""

from axes.handlers.cache import AxesCacheHandler
from django.conf import settings
from django.shortcuts import render

from memory.index.lossy import cache


class Attempts(AxesCacheHandler):
    """Wrong passwords are counted in the cache; while it is down nobody is kept out by a count."""

    def __init__(self):
        self.cache = cache


def address_of(request) -> str:
    """The address that the request came from. Behind a proxy it is the last one that the proxy
    was asked by: whatever stands before it in the header, the client wrote itself."""
    if settings.BEHIND_PROXY:
        told = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip()
        if told:
            return told
    return request.META.get("REMOTE_ADDR", "")


def locked(request, response, credentials):
    """429: this name is not tried again from this address for a while."""
    wait = settings.AXES_COOLOFF_TIME
    minutes = int(wait.total_seconds() // 60)
    page = render(request, "registration/locked.html", {"minutes": minutes}, status=429)
    page["Retry-After"] = str(int(wait.total_seconds()))
    page["Cache-Control"] = "no-store"
    return page
