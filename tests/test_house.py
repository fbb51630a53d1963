"""The rules that keep the house in shape, read off the source."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = [
    path
    for package in ("mase_site", "memory", "audit")
    for path in (ROOT / package).rglob("*.py")
    if "migrations" not in path.parts
]


def lines_with(pattern: str, *allowed: str) -> list[str]:
    """Source lines that match, outside the allowed folders and files."""
    found = []
    for path in SOURCE:
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(allowed):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if re.search(pattern, line):
                found.append(f"{name}:{number}: {line.strip()}")
    return found


def test_only_the_index_speaks_engine_sql():
    assert lines_with(r"\.cursor\(|RawSQL|\.raw\(|\.extra\(", "memory/index/") == []


def test_a_transaction_is_opened_in_one_place_and_a_still_view_in_another():
    allowed = ("memory/write/transaction.py", "memory/index/storage.py")
    assert lines_with(r"\batomic\(", *allowed) == []


def test_time_comes_from_one_clock():
    assert lines_with(r"datetime\.now|timezone\.now|utcnow|time\.time\(", "memory/clock.py") == []


def test_rows_across_scopes_are_for_the_engine_alone():
    allowed = (
        "memory/models/", "memory/write/", "memory/index/", "memory/recall/recorder.py",
        "memory/jobs/work.py", "memory/jobs/runners.py",
        "audit/health/report.py", "audit/health/checks/index_drift.py",
    )  # fmt: skip
    assert lines_with(r"\.everywhere\b", *allowed) == []


def test_only_apply_saves_a_memory():
    saving = r"Memory\.\w+\.(create|bulk_create|update|bulk_update)\(|memory\.save\("
    prepared = r"\b(insert|update)_row\("
    allowed = ("memory/write/apply.py", "memory/index/prepared.py")
    assert lines_with(f"{saving}|{prepared}", *allowed) == []


def test_imports_go_down():
    command = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"
    done = subprocess.run(
        [sys.executable, "-c", command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("readme", ["README.md", "README.zh-hans.md"])
def test_every_setting_is_in_the_readme(readme):
    settings = (ROOT / "mase_site" / "settings.py").read_text(encoding="utf-8")
    names = set(re.findall(r'"(MASE_[A-Z_]+)"', settings))
    text = (ROOT / readme).read_text(encoding="utf-8")
    assert sorted(name for name in names if f"`{name}`" not in text) == []
