"""The lab as a whole: nothing of an export stays behind."""

import io
import json
import os
import tempfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from audit.hygiene import lab
from audit.hygiene.lab import Refused, look_at
from audit.models import HealthReport
from memory import clock
from memory.management.elsewhere import Failed
from memory.models import Batch, Job, Memory, Turn, Workspace
from tests.audit.hygiene.samples import DROPPED, KEY, written

pytestmark = pytest.mark.django_db


def rows() -> list[int]:
    models = (Memory, Turn, Batch, Job, HealthReport)
    return [Workspace.objects.count(), *(model.everywhere.count() for model in models)]


def test_by_command_with_the_plan_and_the_cleaned_export(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    path, before = written(tmp_path), rows()
    said, heard = io.StringIO(), io.StringIO()
    plan, clean = tmp_path / "plan.json", tmp_path / "clean.json"
    with pytest.raises(CommandError, match="hygiene: error") as ended:
        call_command(
            "hygiene", path, out_plan=plan, clean=clean, lang="en", stdout=said, stderr=heard
        )
    assert ended.value.returncode == 1
    assert rows() == before
    assert list((tmp_path / "tmp").iterdir()) == []
    assert "Exact duplicates: 2" in said.getvalue()
    assert "row 2 m2 drop: says exactly the same as m1 (row 1)" in said.getvalue()
    assert "rows 8" in heard.getvalue()
    told = json.loads(plan.read_text(encoding="utf-8"))
    assert (told["rows"], told["actions"]["drop"]) == (8, len(DROPPED))
    assert {s["external_id"] for s in told["steps"] if s["action"] == "drop"} == DROPPED
    assert clean.stat().st_mode & 0o077 == 0
    left = json.loads(clean.read_text(encoding="utf-8"))
    assert {row["id"] for row in left["results"]} == {"m1", "m3", "m5", "m7"}
    assert KEY not in clean.read_text(encoding="utf-8")


def test_a_file_that_is_none_is_refused_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "a").write_bytes(b"\x00\x01")
    with pytest.raises(Refused, match="none of the known formats"):
        look_at(tmp_path / "a")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_what_a_killed_look_left_goes_with_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name, age in (("mase-hygiene-old", 7200), ("mase-hygiene-new", 60), ("other", 7200)):
        (tmp_path / name).mkdir()
        then = clock.now().timestamp() - age
        os.utime(tmp_path / name, (then, then))
    monkeypatch.setattr(lab, "_run", failing)
    with pytest.raises(Refused):
        look_at(written(tmp_path))
    assert {p.name for p in tmp_path.iterdir()} == {"mase-hygiene-new", "other", "export.json"}


def failing(*args):
    raise Refused("failed", "no")


def test_what_takes_too_long_or_is_too_large(tmp_path, monkeypatch):
    def late(folder: Path, *command, **options):
        (folder / "mase.sqlite3").write_bytes(b"x")
        raise Failed("took longer than 1 seconds")

    monkeypatch.setattr(lab, "run_in", late)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    with pytest.raises(Refused, match="took longer"):
        look_at(written(tmp_path))
    assert list((tmp_path / "tmp").iterdir()) == []
    with pytest.raises(Refused, match="larger than 0 MB"):
        look_at(written(tmp_path), largest_mb=0)
    with pytest.raises(Refused, match="cannot be read"):
        look_at(tmp_path / "none")
    with pytest.raises(CommandError) as refused:
        call_command("hygiene", tmp_path / "none")
    assert refused.value.returncode == 2
