"""Does the gate keep what is worth keeping? Labelled utterances, read from a folder.

    MASE_BENCH_DATA=/path/to/data .venv/bin/python -m tests.benchmarks.should_store

`should_store/*.json`: [{"text", "src", "label"}], label "1" keep, "0" drop, "b" not counted.
"""

import json
import os
from pathlib import Path


def main() -> None:
    folder = Path(os.environ.get("MASE_BENCH_DATA", "")) / "should_store"
    if not folder.is_dir():
        raise SystemExit("MASE_BENCH_DATA must name the folder that holds should_store/")
    os.environ["DJANGO_SETTINGS_MODULE"] = "mase_site.settings"
    import django

    django.setup()
    print("| set | language | utterances | precision | recall | F1 | borderline kept |")
    print("|---|---|---|---|---|---|---|")
    for path in sorted(folder.glob("*.json")):
        rows = json.loads(path.read_text(encoding="utf-8"))
        for language in ("zh", "en", "all"):
            chosen = [row for row in rows if language in ("all", _language(row["text"]))]
            if chosen:
                print(measure(path.stem, language, chosen))


def _language(text: str) -> str:
    from memory.text.language import language

    return language(text)


def measure(name: str, language: str, rows: list[dict]) -> str:
    """A line of the table; counts labels "1" and "0" only."""
    from memory.write.gate import worth

    verdicts = [(row["label"], worth(row["text"]).keep) for row in rows]
    kept = verdicts.count(("1", True))
    wrong, missed = verdicts.count(("0", True)), verdicts.count(("1", False))
    precision = kept / (kept + wrong) if kept + wrong else 0.0
    recall = kept / (kept + missed) if kept + missed else 0.0
    both = 2 * precision * recall / (precision + recall) if kept else 0.0
    counted = sum(label in "01" for label, _ in verdicts)
    figures = f"{precision:.2f} | {recall:.2f} | {both:.2f}"
    border = f"{verdicts.count(('b', True))}/{len(rows) - counted}"
    return f"| {name} | {language} | {counted} | {figures} | {border} |"


if __name__ == "__main__":
    main()
