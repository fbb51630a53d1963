"""How a run is printed: one module a format, each with `render(workspace, ran)`."""

from collections.abc import Callable

from audit.questions.ask import Ran

from . import json, junit, text

FORMATS: dict[str, Callable[[str, Ran], str]] = {
    "text": text.render,
    "json": json.render,
    "junit": junit.render,
}
