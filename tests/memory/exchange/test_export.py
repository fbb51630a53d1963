"""Exports into a folder, and of another day."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from memory import clock
from memory.exchange.export import export
from memory.models import Change, Memory
from tests import factories as make
from tests.memory.write.test_undo_property import START
from tests.memory.write.verbs import amend, retract

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def contents(folder) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def story() -> None:
    with clock.at(START):
        make.budget("500")
        make.remember(text="本喜欢茶", user_id="本")
    with clock.at(START + DAY):
        make.budget("800")


def test_a_file_a_user_a_block_a_memory(tmp_path):
    story()
    call_command("export_text", out=tmp_path)
    files = contents(tmp_path)
    assert set(files) == {"ann.txt", "本.txt"}
    head, old, new = files["ann.txt"].split("\n\n")
    assert head == "# memories of ann"
    assert "version: 1\nstatus: superseded\n" in old
    assert "version: 2\nstatus: active\n" in new
    assert "text: 我的预算是800元\n" in new


def test_the_same_store_gives_the_same_bytes_and_leaves_files_alone(tmp_path):
    story()
    export(make.scope(), tmp_path)
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()}
    export(make.scope(), tmp_path)
    assert before == {
        path: (path.read_bytes(), path.stat().st_mtime_ns) for path in tmp_path.iterdir()
    }


def test_a_new_version_moves_no_other_block(tmp_path):
    story()
    with clock.at(START):
        other = make.remember(text="Ann likes tea")
    export(make.scope(), tmp_path)
    before = contents(tmp_path)["ann.txt"].splitlines()
    amend(Memory.everywhere.get(value="800"), value="900")
    export(make.scope(), tmp_path)
    after = contents(tmp_path)["ann.txt"].splitlines()
    gone = [line.partition(":")[0] for line in before if line not in after]
    assert set(gone) <= {"status", "updated_at", "valid_to", "superseded_by", "revision"}
    start = after.index(f"memory {other.public_id}")
    assert after[start:] == before[before.index(f"memory {other.public_id}") :]


def test_as_it_was(tmp_path):
    story()
    call_command("export_text", out=tmp_path, as_of=START.isoformat(), user="ann")
    assert set(contents(tmp_path)) == {"ann.txt"}
    assert "800" not in contents(tmp_path)["ann.txt"]
    assert "status: active" in contents(tmp_path)["ann.txt"]


@pytest.mark.parametrize("as_of", ["soon", "2026-03-01", "2999-01-01T00:00:00+00:00"])
def test_no_time_and_no_future(tmp_path, as_of):
    story()
    with pytest.raises(CommandError, match="--as-of") as refused:
        call_command("export_text", out=tmp_path, as_of=as_of)
    assert refused.value.returncode == 2
    assert contents(tmp_path) == {}


def test_what_was_erased_leaves_the_folder_too(tmp_path):
    story()
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    export(make.scope(), tmp_path)
    Memory.everywhere.filter(user_id="本").delete()
    export(make.scope(user_id="ann"), tmp_path)
    assert "本.txt" in contents(tmp_path)
    export(make.scope(), tmp_path)
    assert set(contents(tmp_path)) == {"ann.txt", "notes.txt"}
    export(make.scope(user_id="notes"), tmp_path)
    assert contents(tmp_path)["notes.txt"] == "mine"


def test_another_workspace_is_not_in_it(tmp_path):
    story()
    make.remember(make.scope(make.workspace("w2")), text="Sam likes tea", user_id="sam")
    call_command("export_text", out=tmp_path, workspace="w1")
    assert set(contents(tmp_path)) == {"ann.txt", "本.txt"}


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    story()
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(CommandError, match="cannot write"):
        call_command("export_text", out=tmp_path / "file" / "deeper")


def test_the_state_before_an_erasure_does_not_come_back(tmp_path):
    with clock.at(START):
        row = make.remember(text="Ann likes tea")
    with clock.at(START + DAY):
        retract(row)
    Change.objects.filter(memory_id=row.public_id).update(payload=None)
    Memory.everywhere.filter(pk=row.pk).delete()
    export(make.scope(), tmp_path, START)
    assert contents(tmp_path) == {}
