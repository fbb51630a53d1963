"""What Claude or ChatGPT write when they are asked for all that they remember, pasted into a file:
lines "[2026-01-15] - text"."""

from collections.abc import Iterator

from django.utils.translation import gettext_lazy as _

from memory.exchange.record import Item
from memory.exchange.source import Source

from . import Format, Options
from .prose import DATED, records, statements


def _sniff(source: Source) -> bool:
    lines = [line for line in source.beginning.splitlines() if line.strip()]
    return any(DATED.match(line) for line in lines[:50])


def _read(source: Source, options: Options) -> Iterator[Item]:
    """Dated lines were listed one by one by who remembers them; the rest is prose around them."""
    found = list(statements(source.text))
    dated = {n for n, line in enumerate(source.text.splitlines(), start=1) if DATED.match(line)}
    kept = [one for one in found if one.line in dated] if dated else found
    yield from records(kept, options, "paste", is_sure=bool(dated))


FORMAT = Format("paste", _("Text pasted from Claude or ChatGPT"), _sniff, _read)
