"""How reports are printed: one module a format, each with `render(reports, fail_on)`."""

from collections.abc import Callable, Sequence

from audit.health.figures import Report

from . import html, json, junit, text

FORMATS: dict[str, Callable[[Sequence[Report], str], str]] = {
    "text": text.render,
    "json": json.render,
    "html": html.render,
    "junit": junit.render,
}
