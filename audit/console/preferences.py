"""What a person chose for every device: language, time zone and theme."""

from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _

from audit.models import Preference
from memory.write.transaction import write_transaction

THEMES = {"light": _("Light"), "dark": _("Dark")}
# Where the theme stands of somebody who is not logged in, or never chose anything.
THEME_COOKIE = "theme"


class Chosen(NamedTuple):
    """ "" and None where nothing was chosen, or what was chosen is known no more. The theme is ""
    where it is the system's, None where the browser may say."""

    language: str = ""
    zone: ZoneInfo | None = None
    theme: str | None = None


class PreferredMiddleware:
    """A logged-in person's own language, zone and theme, over the browser's and the server's. One
    query by key, on each page: a choice made on another device holds here at once."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        found = chosen(request.user)
        kept = request.COOKIES.get(THEME_COOKIE, "") if found.theme is None else found.theme
        request.theme = kept if kept in THEMES else ""
        if found.language:
            translation.activate(found.language)
            request.LANGUAGE_CODE = translation.get_language()
        if found.zone is None:
            return self.get_response(request)
        with timezone.override(found.zone):
            return self.get_response(request)


def chosen(person) -> Chosen:
    """What a person chose; nothing for nobody."""
    if not person.is_authenticated:
        return Chosen()
    rows = Preference.objects.filter(person_id=person.pk).values_list("language", "zone", "theme")
    language, name, theme = rows.first() or ("", "", None)
    try:
        zone = ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        zone = None
    known = language if language in dict(settings.LANGUAGES) else ""
    return Chosen(known, zone, theme)


def choose(request, **values: str) -> None:
    """Keep `language`, `zone`, `theme` or several of them; with the first choice also the theme
    that the browser had. Raises `QueueTimeout`."""
    first = {"theme": request.theme} | values
    with write_transaction():
        rows = Preference.objects
        rows.update_or_create(person=request.user, defaults=values, create_defaults=first)
