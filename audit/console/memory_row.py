"""The cells of a memory's row. Fifty rows by nodes of a template took half of a list's time."""

from functools import lru_cache
from uuid import UUID

from django.urls import get_script_prefix, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from memory.models import Memory

from .columns import Columns, short

TEXT, VALUE, LABEL = 240, 120, 80
_ANY = UUID(int=0)
_BELOW = mark_safe(' class="text-secondary"')


def statement(memory: Memory, query: str = "", *, with_choice: bool = False) -> SafeString:
    """What it says, as a link with this query, and its value; with a box to choose it by."""
    parts = [
        format_html(
            '<a class="plain" href="{}{}">{}</a>',
            address("memory", memory.public_id),
            query,
            short(memory.text, TEXT),
        )
    ]
    if with_choice:
        box = format_html(
            '<input class="form-check-input choice" type="checkbox" name="memory" value="{}"'
            ' form="bulk" aria-label="{}">',
            memory.public_id,
            short(memory.text, LABEL),
        )
        parts.insert(0, box)
    if memory.value:
        told = (memory.entity, memory.attribute, short(memory.value, VALUE))
        parts.append(format_html('<div class="text-secondary">{} · {} = {}</div>', *told))
    return format_html_join("", "{}", zip(parts))


def cells(columns: Columns, memory: Memory) -> SafeString:
    """Its cells beside the statement, each with what stands below it."""
    return format_html_join(
        "",
        '<td data-label="{}"><div>{}</div></td>',
        ((title, _cell(columns, memory, names)) for title, names in columns.beside),
    )


def _cell(columns: Columns, memory: Memory, names: list[str]) -> SafeString:
    first, *below = names
    parts = [format_html("<div>{}</div>", columns.cell(memory, first))]
    for name in below:
        style = _BELOW if name == "created" else ""
        parts.append(format_html("<div{}>{}</div>", style, columns.cell(memory, name)))
    return parts[0] if len(parts) == 1 else format_html_join("", "{}", zip(parts))


def address(name: str, public_id: UUID) -> str:
    """The address of a memory's page, looked up once for all of them."""
    return _pattern(name, get_script_prefix()).replace(str(_ANY), str(public_id))


@lru_cache
def _pattern(name: str, _prefix: str) -> str:
    return reverse(name, args=[_ANY])
