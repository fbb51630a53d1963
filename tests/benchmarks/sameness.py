"""How well possible duplicates are told: labelled pairs of tests/data/sameness.jsonl.

    .venv/bin/python -m tests.benchmarks.sameness

"seen" pairs were there when the rules were made, "unseen" ones were written before the rules had
met them; the rules were mended once after that.
"""

import json
import os
from pathlib import Path

PAIRS = Path(__file__).parents[1] / "data" / "sameness.jsonl"


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "mase_site.settings"
    import django

    django.setup()
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    print("| pairs | language | number | precision | recall | merge by themselves | wrongly |")
    print("|---|---|---|---|---|---|---|")
    for seen in (True, False):
        for language in ("zh", "en"):
            chosen = [r for r in rows if (r["seen"], r["lang"]) == (seen, language)]
            print(measure("seen" if seen else "unseen", language, chosen))


def measure(name: str, language: str, rows: list[dict]) -> str:
    """A line of the table."""
    from memory.text.similar import likeness

    told = [(likeness(row["a"], row["b"]), row["same"]) for row in rows]
    offered = [same for how, same in told if how.is_possible]
    merged = [same for how, same in told if how.is_same]
    precision = sum(offered) / len(offered) if offered else 0.0
    recall = sum(offered) / sum(same for _, same in told)
    figures = f"{len(rows)} | {precision:.2f} | {recall:.2f}"
    return f"| {name} | {language} | {figures} | {len(merged)} | {merged.count(False)} |"


if __name__ == "__main__":
    main()
