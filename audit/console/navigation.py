"""Where one can go from every page."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

# Title, then the entries: the address's name, text and symbol.
_GROUPS: tuple[tuple[Any, tuple[tuple[str, Any, str], ...]], ...] = (
    ("", (("dashboard", _("Dashboard"), "layout-dashboard"),)),
    (
        _("Memory"),
        (
            ("memories", _("Memories"), "database"),
            ("history", _("History"), "history"),
            ("difference", _("Difference"), "git-merge"),
            ("images", _("Images"), "eye"),
            ("working", _("Working memory"), "clock"),
            ("activity", _("Activity"), "activity"),
            ("erasures", _("Erasures"), "trash"),
        ),
    ),
    (
        _("Recall"),
        (
            ("recall-explorer", _("Recall"), "search"),
            ("recalls", _("Recall log"), "list-details"),
            ("questions", _("Questions"), "check"),
            ("diagnose", _("Diagnose"), "bulb"),
        ),
    ),
    (
        _("To decide"),
        (
            ("review", _("Review"), "circle-dashed"),
            ("corrections", _("Corrections"), "pencil"),
            ("inbox", _("Inbox"), "alert-triangle"),
        ),
    ),
    (
        _("Store"),
        (
            ("health", _("Health"), "heartbeat"),
            ("imports", _("Imports"), "file-import"),
            ("jobs", _("Jobs"), "progress"),
            ("settings", _("Settings"), "settings"),
        ),
    ),
)


@dataclass(frozen=True)
class Entry:
    """A link of the frame. `badge` is how much waits there, "" for nothing, and `badge_text` says
    so to who hears it."""

    text: Any
    symbol: str
    address: str
    is_current: bool = False
    badge: str = ""
    badge_text: Any = ""


@dataclass(frozen=True)
class Group:
    """Entries under a title, "" for none."""

    title: Any
    entries: list[Entry]


def navigation(console) -> list[Group]:
    """What a person may open; `console` is the frame's view of the request."""
    return [Group(title, list(_entries(console, of))) for title, of in _GROUPS]


def section_of(path: str) -> str:
    """The entry whose address begins the path, "" for none."""
    names = [name for _title, entries in _GROUPS for name, _text, _symbol in entries]
    if path == reverse("dashboard"):
        return "dashboard"
    return next((name for name in names[1:] if path.startswith(reverse(name))), "")


def _entries(console, of: tuple) -> Iterator[Entry]:
    badges = {"review": _("waiting"), "inbox": _("open")}
    for name, text, symbol in of:
        if name == "erasures" and not console.may_audit:
            continue
        badge = {"review": "waiting", "inbox": "open_findings"}.get(name)
        yield Entry(
            text,
            symbol,
            reverse(name),
            console.section == name,
            getattr(console, badge) if badge else "",
            badges.get(name, ""),
        )
