"""What a person chose for every device: language and time zone."""

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.conf import settings
from django.utils import timezone, translation

from audit.models import Preference
from memory.write.transaction import write_transaction


class PreferredMiddleware:
    """A logged-in person's own language and zone, over the browser's and the server's. One query
    by key, on each page: a choice made on another device holds here at once."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        language, zone = chosen(request.user)
        if language:
            translation.activate(language)
            request.LANGUAGE_CODE = translation.get_language()
        if zone is None:
            return self.get_response(request)
        with timezone.override(zone):
            return self.get_response(request)


def chosen(person) -> tuple[str, ZoneInfo | None]:
    """Language and zone of a person, "" and None where nothing was chosen, or what was chosen is
    known no more."""
    if not person.is_authenticated:
        return "", None
    rows = Preference.objects.filter(person_id=person.pk)
    language, name = rows.values_list("language", "zone").first() or ("", "")
    try:
        zone = ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        zone = None
    return (language if language in dict(settings.LANGUAGES) else ""), zone


def choose(person, **values: str) -> None:
    """Keep `language`, `zone` or both. Raises `QueueTimeout`."""
    with write_transaction():
        Preference.objects.update_or_create(person=person, defaults=values)
