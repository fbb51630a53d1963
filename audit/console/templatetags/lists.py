"""Tags of the lists."""

from django import template
from django.utils.safestring import SafeString

from audit.console import memory_row
from audit.console.columns import Columns
from audit.console.curl import curl_of
from memory.models import Memory

register = template.Library()


@register.simple_tag(takes_context=True)
def curl(context) -> str:
    """The shell's line that asks the API for the page's list; "" where there is none."""
    return curl_of(context["request"])


@register.simple_tag
def cell(columns: Columns, memory: Memory, name: str) -> str:
    """A column of a memory."""
    return columns.cell(memory, name)


@register.simple_tag
def cells(columns: Columns, memory: Memory) -> SafeString:
    """The columns of a memory beside its statement."""
    return memory_row.cells(columns, memory)


@register.simple_tag
def statement(memory: Memory, query: str = "", with_choice: bool = False) -> SafeString:
    """What a memory says, in a list."""
    return memory_row.statement(memory, query, with_choice=with_choice)


@register.simple_tag
def peek_address(memory: Memory) -> str:
    return memory_row.address("memory-peek", memory.public_id)
