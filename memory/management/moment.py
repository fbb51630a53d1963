"""Times as options of commands."""

from datetime import datetime

from django.core.management.base import CommandError

from memory.index.past import InTheFuture, check_past


def read_moment(option: str, text: str | None) -> datetime | None:
    """The time that an option gives, None where it was left out. Ends the command (exit 2) for
    what is no time with its offset, or is not over yet."""
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        # Also what is well written, but no such day or hour.
        moment = None
    if moment is None or moment.tzinfo is None:
        wanted = "a time with its offset such as 2026-03-01T09:00+08:00"
        raise CommandError(f"{option} takes {wanted}", returncode=2)
    try:
        check_past(moment)
    except InTheFuture as error:
        raise CommandError(f"{option} {error}", returncode=2) from error
    return moment
