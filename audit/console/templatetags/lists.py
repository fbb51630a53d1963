"""Tags of the lists."""

from django import template

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
