"""What axe finds wrong with a page as it stands."""

import json

# For `axe_violations`: colours alone, or all but colours.
COLOURS = {"only": ("color-contrast",)}
SHAPES = {"without": ("color-contrast",)}
LISTS = ("tbody > tr", "ol > li", "ul > li")


def axe_violations(page, *, rows: int = 2, only=(), without=()) -> list[str]:
    """By the rules that are named, or by all. Rows repeat their markup, and the contrast of each
    text costs milliseconds: in a list the first `rows` are looked at."""
    from axe_playwright_python.base import AXE_SCRIPT

    options = {"resultTypes": ["violations"], "preload": False}
    if only:
        options["runOnly"] = list(only)
    options["rules"] = {rule: {"enabled": False} for rule in without}
    within = {"include": [["html"]], "exclude": [[f"main {rest(one, rows)}"] for one in LISTS]}
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate(f"axe.run({json.dumps(within)}, {json.dumps(options)})")["violations"]
    return [f"{v['id']}: {[node['target'] for node in v['nodes']][:3]}" for v in found]


def rest(selector: str, rows: int) -> str:
    return f"{selector}:nth-child(n+{rows + 1})"


def fits(page) -> bool:
    """No sideways scrolling of the page itself."""
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth + 1")
