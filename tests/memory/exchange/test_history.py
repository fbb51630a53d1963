"""The ledger as a git history, read by git itself: without git these tests fail, and say so."""

import io
import shutil
import subprocess
from datetime import timedelta

import pytest
from django.core.management import call_command

from memory import clock
from memory.exchange.export import files
from memory.exchange.history import stream
from memory.models import Batch, Change, Memory
from memory.write.undo import undo
from tests import factories as make
from tests.memory.write.test_undo_property import START
from tests.memory.write.verbs import amend, retract

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)


def git(folder, *words: str, given: bytes | None = None) -> str:
    found = shutil.which("git")
    assert found, "these tests need git"
    done = subprocess.run(
        [found, "-c", "core.quotePath=false", "-C", str(folder), *words],
        input=given, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def imported(folder, scope=None, since=None):
    git(folder, "init", "-q", "-b", "main")
    git(folder, "fast-import", "--quiet", given=b"".join(stream(scope or make.scope(), since)))
    return folder


def subjects(folder) -> list[str]:
    return git(folder, "log", "--reverse", "--format=%s").splitlines()


def story() -> None:
    with clock.at(START):
        make.budget("500", reason="头一次\n说的")
    with clock.at(START + DAY):
        make.remember(text="本喜欢茶", user_id="本")
    with clock.at(START + 2 * DAY):
        amend(Memory.everywhere.get(value="500"), value="800")


def test_a_commit_a_batch_with_who_when_and_why(tmp_path):
    story()
    imported(tmp_path)
    assert subjects(tmp_path) == ["remember: 头一次 说的", "remember", "amend: said so"]
    first = git(tmp_path, "log", "--reverse", "--format=%an|%ae|%aI|%cI").splitlines()[0]
    assert first == "|".join(
        [
            "person:ann",
            "person:ann@console",
            "2026-03-01T09:00:00+00:00",
            "2026-03-01T09:00:00+00:00",
        ]
    )
    batch = Batch.everywhere.order_by("id").first()
    assert f"batch {batch.public_id}" in git(tmp_path, "log", "--reverse", "--format=%B")


def test_only_what_a_batch_touched_is_in_its_commit(tmp_path):
    story()
    imported(tmp_path)
    told = git(tmp_path, "log", "--reverse", "--format=%s", "--name-only").split("\n\n")
    assert [part.splitlines()[0] for part in told[1:]] == ["ann.txt", "本.txt", "ann.txt"]
    lines = git(tmp_path, "show", "--format=", "-U0", "HEAD").splitlines()
    assert "-status: active" in lines
    assert "+status: superseded" in lines
    assert "+text: 我的预算是800元" in lines
    assert not [line for line in lines if line.startswith("-text")]


def test_each_commit_is_the_export_of_its_time(tmp_path):
    story()
    with clock.at(START + 3 * DAY):
        retract(Memory.everywhere.get(user_id="本"))
    with clock.at(START + 4 * DAY):
        undo(make.scope(), Batch.everywhere.order_by("id").last())
    imported(tmp_path)
    commits = git(tmp_path, "rev-list", "--reverse", "HEAD").split()
    batches = list(Batch.everywhere.order_by("id"))
    assert len(commits) == len(batches) == 5
    for commit, batch in zip(commits, batches, strict=True):
        names = git(tmp_path, "ls-tree", "--name-only", commit).splitlines()
        tree = {name: git(tmp_path, "show", f"{commit}:{name}") for name in names}
        assert tree == dict(files(make.scope(), batch.at))


def test_since_begins_with_the_store_as_it_was(tmp_path):
    story()
    imported(tmp_path, since=START + DAY)
    assert subjects(tmp_path) == [
        "the store as it was at 2026-03-02T09:00:00+00:00", "amend: said so",
    ]  # fmt: skip
    assert set(git(tmp_path, "ls-tree", "--name-only", "HEAD~").split()) == {"ann.txt", "本.txt"}


def test_one_user_alone(tmp_path):
    story()
    imported(tmp_path, make.scope(user_id="本"))
    assert subjects(tmp_path) == ["remember"]
    assert git(tmp_path, "ls-tree", "--name-only", "HEAD").split() == ["本.txt"]


def test_another_workspace_is_not_in_it(tmp_path):
    story()
    make.remember(make.scope(make.workspace("w2")), text="Sam likes tea", user_id="sam")
    imported(tmp_path)
    assert "Sam" not in git(tmp_path, "log", "-p")


def test_what_was_erased_stands_in_no_commit(tmp_path):
    story()
    Memory.everywhere.filter(user_id="本").delete()
    Change.objects.filter(payload__after__user_id="本").update(payload=None)
    imported(tmp_path)
    assert "喜欢茶" not in git(tmp_path, "log", "-p")
    assert len(subjects(tmp_path)) == 3


def test_odd_names_and_reasons_are_only_text(tmp_path):
    make.remember(
        make.scope(actor="key:<b>\nx"),
        text="done\nM 100644",
        user_id='q"x\ny',
        reason="a\n\ndone\n",
    )
    imported(tmp_path)
    assert git(tmp_path, "log", "--format=%an").strip() == "key: b x"
    assert len(git(tmp_path, "ls-tree", "--name-only", "HEAD").splitlines()) == 1
    git(tmp_path, "fsck", "--strict")


def test_an_empty_store_is_an_empty_stream(tmp_path):
    make.workspace()
    assert b"".join(stream(make.scope())) == b"feature done\ndone\n"


def test_the_command_writes_bytes(tmp_path):
    story()
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    call_command("export_history", stdout=out)
    assert out.buffer.getvalue() == b"".join(stream(make.scope()))
