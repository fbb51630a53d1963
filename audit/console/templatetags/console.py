"""Tags and filters of the console's templates. All output is escaped here; memory text is
always shown as plain text."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django import template
from django.templatetags.static import static
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.timesince import timesince, timeuntil
from django.utils.translation import gettext

from audit.console.keyset import COUNT_CAP
from audit.console.links import links_of
from audit.console.reasons import read_as, told
from memory import clock
from memory.models.memory import Kind, Layer, Source
from memory.models.states import Status
from memory.text.reveal import oddities

register = template.Library()

ICONS = {
    Status.CANDIDATE: "circle-dashed",
    Status.QUARANTINED: "lock",
    Status.ACTIVE: "circle-check",
    Status.SUPERSEDED: "archive",
    Status.EXPIRED: "clock-off",
    Status.RETRACTED: "circle-x",
    Status.REJECTED: "ban",
    Kind.PREFERENCE: "heart",
    Kind.IDENTITY: "id",
    Kind.FACT: "file-text",
    Kind.RULE: "gavel",
    Kind.TASK_STATE: "progress",
    Kind.EVENT: "calendar-event",
    Kind.PROCEDURE: "list-numbers",
    Kind.INVENTORY: "package",
    Kind.OTHER: "tag",
    Source.USER_SAID: "message",
    Source.INFERRED: "bulb",
    Source.EXTERNAL_SYNC: "refresh",
    Source.IMPORTED: "file-import",
    "info": "info-circle",
    "success": "circle-check",
    "warning": "alert-triangle",
    "danger": "alert-circle",
}
LABELS = {
    str(choice.value): choice.label for names in (Status, Kind, Layer, Source) for choice in names
}
TONES = {
    "production": ("prod", "live", "生产", "正式"),
    "staging": ("stag", "pre", "预发"),
    "test": ("test", "qa", "uat", "测试"),
    "development": ("dev", "local", "demo", "开发", "演示"),
}
# Past a month "5 weeks ago" tells a reviewer less than the date itself.
RELATIVE_WITHIN = timedelta(days=30)
# A script shows the exact time in its place, for those who cannot hover.
RELATIVE = mark_safe(' data-relative=""')
NOTHING = mark_safe('<span class="text-secondary">—</span>')


@register.simple_tag
def icon(name: str) -> SafeString:
    """The sprite's symbol `name`; decoration only, so the text beside it must say the same."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>',
        static("img/icons.svg"),
        name,
    )


@register.simple_tag
def icon_of(value: str) -> SafeString:
    """The icon of a state, kind, source or alert level; nothing for an unknown one."""
    name = ICONS.get(str(value))
    return icon(name) if name else mark_safe("")


@register.filter
def label(value: str) -> str:
    """A stored name (state, kind, layer, source, action) in the reader's language."""
    text = str(value or "")
    return str(LABELS.get(text) or (gettext(text.replace("_", " ")) if text else ""))


@register.filter
def reason(text: str) -> str:
    """Why something was done. What the program itself wrote is in the reader's language; what a
    person or an agent wrote stays."""
    return told(text)


@register.filter
def unseen(value) -> str:
    """What a field holds that nobody sees, by number; a field cannot show badges."""
    return " ".join(odd.label for odd in oddities(value)) if isinstance(value, str) else ""


@register.filter
def how_read(how: str) -> str:
    """How a memory was read, in the reader's language."""
    return read_as(how)


@register.filter
def environment_tone(name: str) -> str:
    """What an installation is, by the name that its operator gave it: "production", "staging",
    "test", "development", or "other"."""
    words = name.lower()
    return next(
        (tone for tone, starts in TONES.items() if any(s in words for s in starts)), "other"
    )


@register.filter
def alert_level(level: str) -> str:
    """Django's message levels and ours as the four that alerts have."""
    return {"error": "danger", "debug": "info"}.get(level, level or "info")


@register.filter
def number(value, capped: bool = False) -> str:
    """12345 → "12,345", or "12,345+" if the count stopped there; no integer: as it is."""
    text = f"{value:,}" if isinstance(value, int) else str(value)
    return f"{text}+" if capped else text


@register.filter
def counted(value: int) -> str:
    """A count that was not made beyond `COUNT_CAP` + 1: "10,000+" for this."""
    return number(min(value, COUNT_CAP), value > COUNT_CAP)


@register.filter
def up_to_cap(rows) -> int:
    """How many rows a relation holds, read no further than `counted` tells."""
    return rows.order_by()[: COUNT_CAP + 1].count()


@register.filter
def short_id(value) -> str:
    """The last eight characters: ids begin with their time, so neighbours share the head."""
    text = str(value)
    return text if len(text) <= 8 else f"…{text[-8:]}"


@register.filter
def absolute(moment: datetime) -> str:
    """2026-03-01 14:05:09 UTC+08:00, in the reader's zone."""
    text = timezone.localtime(moment).isoformat(sep=" ", timespec="seconds")
    return f"{text[:19]} UTC{text[19:]}"


def _relative(moment: datetime) -> str:
    now = clock.now()
    gap = abs(now - moment)
    if gap < timedelta(minutes=1):
        return gettext("just now")
    if gap > RELATIVE_WITHIN:
        return f"{timezone.localtime(moment):%Y-%m-%d}"
    if moment < now:
        return gettext("%(time)s ago") % {"time": timesince(moment, now, depth=1)}
    return gettext("in %(time)s") % {"time": timeuntil(moment, now, depth=1)}


@register.simple_tag
def when(moment: datetime | None, full: bool = False) -> SafeString:
    """A `<time>`: relative within 30 days, else the date; the whole instant on hover, or, with
    `full`, written out. None is a dash."""
    if moment is None:
        return NOTHING
    shown = absolute(moment) if full else _relative(moment)
    return format_html(
        '<time datetime="{}" title="{}"{}>{}</time>',
        moment.isoformat(timespec="seconds"),
        _relative(moment) if full else absolute(moment),
        "" if full else RELATIVE,
        shown,
    )


@register.simple_tag
def word_diff(old: str, new: str) -> SafeString:
    """What left `old` as `<del>` and what came into `new` as `<ins>`, word by word."""
    from memory.text.diff import word_diff as pieces_of

    marks = {"same": "{}", "del": "<del>{}</del>", "add": "<ins>{}</ins>"}
    pieces = [format_html(marks[piece.op], piece.text) for piece in pieces_of(old, new)]
    return format_html('<span class="diff">{}</span>', format_html_join("", "{}", zip(pieces)))


@register.inclusion_tag("console/blocks/links.html")
def links_in(*texts: str) -> dict:
    """The addresses in some texts, dead until a person asks for one."""
    return {"links": links_of("\n".join(filter(None, texts)))}


@register.simple_tag
def quoted(text: str, start: int | None, end: int | None) -> SafeString:
    """`text` with its characters start to end marked; a span that does not fit marks nothing."""
    if start is None or end is None or not 0 <= start < end <= len(text):
        return format_html("{}", text)
    return format_html("{}<mark>{}</mark>{}", text[:start], text[start:end], text[end:])


@register.simple_tag(takes_context=True)
def table_url(context, form: str, table: str = "") -> str:
    """Where the list of this page, or another `table` for the same address, is a file (see
    `audit.console.tables`), with its filters; "" for a page that lists nothing of its own."""
    match = context["request"].resolver_match
    try:
        address = reverse(f"{table or match.url_name}-table", kwargs={**match.kwargs, "form": form})
    except NoReverseMatch:
        return ""
    return address + url_with(context, "peek", None)


@register.simple_tag(takes_context=True)
def url_with(context, *pairs) -> str:
    """The page's query string with `name value` pairs replaced, all else kept; None removes.

    For names known only at run time; Django's `querystring` does the rest. A changed filter
    starts at the first page, so `cursor` goes unless it is named; `done` was told of once.
    """
    changes = dict(zip(pairs[::2], pairs[1::2], strict=True))
    query = context["request"].GET.copy()
    for name, value in {"cursor": None, "done": None, **changes}.items():
        query.pop(name, None)
        if value is not None:
            query[name] = value
    return f"?{query.urlencode()}"


@register.filter
def percent(share: float | None) -> str:
    """A share of one as a width of an SVG of 100 units; outside 0 to 1 it is cut off."""
    return f"{100 * min(max(float(share or 0), 0.0), 1.0):.1f}"


@register.filter
def decimals(value: float) -> str:
    """0.8 → "0.80": two decimals, so that numbers stand under each other."""
    return f"{float(value):.2f}"


@dataclass(frozen=True)
class Span:
    """A validity on a line of 100 units: where it starts, how long it is, where now stands."""

    start: str
    length: str
    now: str
    ended: bool


@register.simple_tag
def span(begin: datetime | None, end: datetime | None) -> Span | None:
    """The line runs from `begin` to the later of now and `end`; None without a beginning."""
    if begin is None:
        return None
    now = clock.now()
    last = max(now, end or now)
    # A tenth on each side shows that time went on before and goes on after.
    whole = max((last - begin).total_seconds(), 1.0) * 1.25
    at = {m: (m - begin).total_seconds() / whole + 0.1 for m in (begin, end or last, now)}
    length = at[end or last] - at[begin] if end else 0.9
    return Span(percent(0.1), percent(length), percent(at[now]), bool(end and end <= now))
