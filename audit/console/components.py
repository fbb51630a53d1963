"""Every building block of the pages with invented data, in both themes: for whoever changes one,
and for the tests that look at it. For staff only; nothing on it leads anywhere or does anything.
"""

import re
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from functools import cache, wraps
from itertools import groupby
from pathlib import Path

from django.conf import settings
from django.http import Http404, QueryDict
from django.template.loader import get_template
from django.urls import resolve
from django.utils import translation
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from .component_blocks import blocks
from .component_data import Sample, frame
from .component_parts import parts
from .pages import page

FOLDER = "console"
THEMES = ("light", "dark")
# All of them at once are 24,000 pixels high and take three times as long as any other page.
GROUPS = {
    "frame": _("Frame"),
    "lists": _("Lists"),
    "memories": _("Memories"),
    "records": _("Records"),
    "forms": _("Forms"),
    "parts": _("Larger parts"),
    "all": _("All"),
}
# The comment that opens every block: what it is, and what it takes.
_USE = re.compile(r"\{#\s*(.*?)\s*#\}")
# Samples stand many times on the page: each has ids of its own.
_NAMES = re.compile(
    r'(?<=\s)(id|for|name|list|form|popovertarget|aria-(?:labelledby|describedby|controls|owns))="([^"]+)"'
)
# A sample is no landmark of the page that it is shown on, and no title of it.
_LANDMARK = re.compile(r"<(nav|aside|section|header|footer)\b")
_END = re.compile(r"</(nav|aside|section|header|footer)>")
_NAMED_FORM = re.compile(r'(<form\b[^>]*?)\saria-label="[^"]*"')
_AWAKE = re.compile(
    r'\s(?:hx-[\w:-]+|method|action)="[^"]*"|\s(?:popover|hidden|autofocus)(?=[\s>])'
)
_TAG = re.compile(r"<(\w+)")
# Where a block is a part of something, that stands around it.
_AROUND = {
    "li": '<ul class="list-unstyled mb-0">{}</ul>',
    "thead": '<table class="table table-sm">{}</table>',
}
_LINK = re.compile(r'(<a\b[^>]*?\shref=")[^"]*"')


@dataclass(frozen=True)
class Shown:
    """A sample as the page has it: once a theme."""

    said: str
    themes: tuple[tuple[str, SafeString], ...]


@dataclass(frozen=True)
class Component:
    """A block with its samples. `file` is where it lives, `use` what its first line says."""

    name: str
    file: str
    use: str
    samples: tuple[Shown, ...]


def for_staff(view):
    """A view that is not there for anybody else."""

    @wraps(view)
    def guarded(request, *args, **kwargs):
        if not request.user.is_staff:
            raise Http404
        return view(request, *args, **kwargs)

    return guarded


@require_safe
@for_staff
def components(request):
    """One group of them, or with `group=all` every one, in the person's language or in the one
    that `lang` names."""
    group = request.GET.get("group", "")
    group = group if group in GROUPS else next(iter(GROUPS))
    language = request.GET.get("lang", "")
    if language not in dict(settings.LANGUAGES):
        language = translation.get_language()
    with translation.override(language):
        context = {
            "components": list(shown(request, group)),
            "groups": [(name, text, name == group) for name, text in GROUPS.items()],
            "languages": settings.LANGUAGES,
        }
        return page(request, "console/components.html", context)


def samples() -> list[Sample]:
    """Made anew each time: their dates are of today, their words in the reader's language."""
    return [*blocks(), *parts()]


def shown(request, group: str = "all") -> Iterable[Component]:
    """Each block of the group in turn; the same one's samples stand together."""
    number = 0
    chosen = [sample for sample in samples() if group in (sample.group, "all")]
    for template, looks in groupby(chosen, key=lambda sample: sample.template):
        drawn = []
        for sample in looks:
            number += 1
            drawn.append(Shown(sample.said, tuple(_themes(request, sample, number))))
        name = Path(template).stem.lstrip("_").replace("_", " ")
        yield Component(name, f"templates/{FOLDER}/{template}", use_of(template), tuple(drawn))


@cache
def use_of(template: str) -> str:
    """What the comment on a template's first line says; "" where it has none."""
    path = Path(get_template(f"{FOLDER}/{template}").origin.name)
    found = _USE.search(path.read_text(encoding="utf-8").partition("\n")[0])
    return found[1] if found else ""


def _themes(request, sample: Sample, number: int) -> Iterable[tuple[str, SafeString]]:
    drawn = render(request, sample)
    for theme in THEMES:
        if sample.as_text:
            yield theme, format_html("<pre><code>{}</code></pre>", drawn.strip())
        else:
            yield theme, mark_safe(asleep(drawn, f"-{number}-{theme}"))  # noqa: S308


def render(request, sample: Sample) -> str:
    """The block's HTML on the page that the sample stands on, with nothing read from the store."""
    path, _, query = sample.address.partition("?")
    there = copy(request)
    there.path = there.path_info = path
    there.GET, there.resolver_match = QueryDict(query), _view_at(path)
    there.views = sample.context.get("shelf")
    context = frame() | sample.context
    return get_template(f"{FOLDER}/{sample.template}").render(context, there)


_view_at = cache(resolve)


def asleep(html: str, suffix: str) -> str:
    """The HTML with ids of its own, that sends, asks for and leads to nothing. What would open
    over the page stands open in it."""
    opened = _TAG.search(html)
    around = _AROUND.get(opened[1] if opened else "", "{}")
    html = _AWAKE.sub("", _NAMED_FORM.sub(r"\1", around.format(html))).replace('role="search"', "")
    html = _LINK.sub(r'\1#main"', html).replace("<form", '<form method="dialog"')
    html = html.replace('<details class="menu', '<details open class="menu')
    html = _END.sub("</div>", _LANDMARK.sub('<div role="group"', html))
    html = html.replace("<h1", "<h3").replace("</h1>", "</h3>")
    return _NAMES.sub(lambda found: f'{found[1]}="{_apart(found[2], suffix)}"', html)


def _apart(names: str, suffix: str) -> str:
    return " ".join(f"{name}{suffix}" for name in names.split())
