"""Backups of a store that goes on being used, and putting one back."""

import io
import json
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from django.conf import settings as django_settings
from django.core.management import CommandError, call_command
from django.db import connection

from memory.index import backup
from memory.management import backups
from memory.management.backups import BackupError, make_backup, read_backup, restore_backup
from memory.management.elsewhere import Failed, run_in, store_in
from memory.models import Memory
from memory.write.erase.road import erase
from tests import factories as make

pytestmark = pytest.mark.django_db(transaction=True)


def quiet(line: str) -> None:
    pass


def texts_in(path) -> set[str]:
    with closing(sqlite3.connect(path)) as rows:
        return {text for (text,) in rows.execute("SELECT text FROM memory_memory")}


class Writing:
    """Somebody who writes one memory after another, meanwhile."""

    def __enter__(self):
        self._stop, self.has_begun, self.written = threading.Event(), threading.Event(), 0
        self._thread = threading.Thread(target=self._write)
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._stop.set()
        self._thread.join()

    def _write(self):
        while not self._stop.wait(0.005):
            make.remember(text=f"note number {self.written} written meanwhile")
            self.written += 1
            if self.written == 3:
                self.has_begun.set()
        connection.close()


def test_a_backup_of_a_store_in_use_holds_and_comes_back(tmp_path):
    amended = make.budget("500")
    make.turn(content="我的预算是500元")
    secret = make.remember(text="Ann has a secret hobby: knitting")
    said = []
    with Writing() as writer:
        writer.has_begun.wait(60)
        manifest = make_backup(tmp_path / "b", say=said.append)
        meanwhile = writer.written
    assert manifest == read_backup(tmp_path / "b")
    assert 5 <= manifest["counts"]["memory_memory"] <= meanwhile + 3
    assert manifest["counts"]["memory_memory"] == len(texts_in(tmp_path / "b" / "mase.sqlite3"))
    assert manifest["left_out"] == ["secrets (pepper, secret_key, .env)", "images"]
    assert {path.name for path in (tmp_path / "b").iterdir()} == {"mase.sqlite3", "manifest.json"}
    assert [path.name for path in tmp_path.iterdir()] == ["b"]

    # What is erased after the backup does not come back with it.
    live = store_in(tmp_path / "live")
    live.parent.mkdir()
    erase(make.scope(), secret, "asked for")
    backup.copy(backup.store_path(), live)
    backup.set_log(live)
    with pytest.raises(BackupError, match="not empty"):
        restore_backup(tmp_path / "b", live, say=quiet)
    done = restore_backup(tmp_path / "b", live, force=True, say=quiet)
    assert done.erased == 1
    back = texts_in(live)
    assert amended.text in back
    assert secret.text not in back
    assert len(back) == manifest["counts"]["memory_memory"] - 1
    assert texts_in(done.aside) == set(Memory.everywhere.values_list("text", flat=True))
    assert {path.name for path in live.parent.iterdir()} == {live.name, done.aside.name}
    assert json.loads(run_in(live.parent, "check_store", seconds=300))["wrong"] == []


def small_backup(folder):
    """One that was not looked over, for what is refused before that."""
    made = folder / "b"
    made.mkdir()
    backup.copy(backup.store_path(), made / "mase.sqlite3")
    checked = {"ledger": {"entries": 0, "head": ""}}
    manifest = backups._manifest(made, checked, False, False)
    (made / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return made


def test_a_store_in_use_is_not_replaced(tmp_path):
    make.remember(text="Ann likes tea")
    made = small_backup(tmp_path)
    live = store_in(tmp_path)
    backup.copy(backup.store_path(), live)
    backup.set_log(live)
    with closing(sqlite3.connect(live)) as server:
        server.execute("SELECT COUNT(*) FROM memory_memory").fetchone()
        before = live.read_bytes()
        with pytest.raises(BackupError, match="in use"):
            restore_backup(made, live, force=True, say=quiet)
        assert live.read_bytes() == before


def test_a_damaged_backup_is_not_put_back(tmp_path):
    make.remember(text="Ann likes tea")
    made = small_backup(tmp_path)
    data = (made / "mase.sqlite3").read_bytes()
    (made / "mase.sqlite3").write_bytes(data[:-100] + b"x" * 100)
    with pytest.raises(BackupError, match="not as it was"):
        restore_backup(made, store_in(tmp_path), say=quiet)
    (made / "mase.sqlite3").write_bytes(data)
    manifest = json.loads((made / "manifest.json").read_text(encoding="utf-8"))
    for change, told in (
        ({"format": "other"}, "another format"),
        ({"counts": {}}, "other rows"),
        ({"files": {"../x": {"sha256": ""}}}, "not as it was"),
        ({"pepper_print": "0" * 64}, "another pepper"),
    ):
        (made / "manifest.json").write_text(json.dumps(manifest | change), encoding="utf-8")
        with pytest.raises(BackupError, match=told):
            restore_backup(made, store_in(tmp_path), say=quiet)
    (made / "manifest.json").unlink()
    with pytest.raises(BackupError, match="no backup"):
        restore_backup(made, store_in(tmp_path), say=quiet)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_a_copy_that_does_not_hold_is_no_backup(tmp_path, monkeypatch):
    def failing(*args, **kwargs):
        raise Failed("the search indexes differ")

    make.remember(text="Ann likes tea")
    monkeypatch.setattr(backups, "run_in", failing)
    with pytest.raises(BackupError, match="does not hold"):
        make_backup(tmp_path / "b", say=quiet)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mine").write_text("x", encoding="utf-8")
    with pytest.raises(BackupError, match="not empty"):
        make_backup(tmp_path / "b", say=quiet)


def test_the_check_tells_drift_and_a_broken_ledger(tmp_path):
    make.remember(text="Ann likes tea")
    backup.copy(backup.store_path(), store_in(tmp_path))
    with closing(sqlite3.connect(store_in(tmp_path), isolation_level=None)) as rows:
        rows.execute("DELETE FROM memory_fts_recall")
        rows.execute("DROP TRIGGER memory_change_no_update")
        rows.execute("UPDATE memory_change SET action = 'other'")
    with pytest.raises(Failed, match=r"indexes differ .* in 1 places; entry 1 of the ledger was"):
        run_in(tmp_path, "check_store", seconds=300)


def test_a_command_elsewhere_may_not_take_for_ever(tmp_path):
    with pytest.raises(Failed, match="longer than"):
        run_in(tmp_path, "worker", seconds=0.2)


def test_by_command_with_the_secrets(tmp_path, monkeypatch, settings):
    make.remember(text="Ann likes tea")
    said = io.StringIO()
    held = {"wrong": [], "ledger": {"entries": 1, "head": "abc"}, "erased": 0}
    monkeypatch.setattr(backups, "run_in", lambda *a, **k: json.dumps(held))
    settings.DATA_DIR = tmp_path / "data"
    (settings.DATA_DIR / "images" / "ab").mkdir(parents=True)
    (settings.DATA_DIR / "images" / "ab" / "abc").write_bytes(b"image")
    call_command("backup", tmp_path / "plain", stdout=said)
    assert "NOT in this backup: secrets" in said.getvalue()
    assert "Keep the pepper elsewhere" in said.getvalue()
    call_command("backup", tmp_path / "b", with_secrets=True, with_images=True, stdout=said)
    pepper = tmp_path / "b" / "secrets" / "pepper"
    assert pepper.read_text(encoding="utf-8") == django_settings.PEPPER
    assert pepper.stat().st_mode & 0o077 == 0
    with pytest.raises(CommandError, match="not empty"):
        call_command("backup", tmp_path / "b")
    settings.PEPPER = "another"
    new = store_in(tmp_path / "new")
    new.parent.mkdir()
    with pytest.raises(BackupError, match="another pepper"):
        restore_backup(tmp_path / "b", new, say=quiet)
    with pytest.raises(BackupError, match="no secrets"):
        restore_backup(tmp_path / "plain", new, with_secrets=True, say=quiet)
    monkeypatch.setenv("MASE_PEPPER", "a third")
    with pytest.raises(BackupError, match="would rule over"):
        restore_backup(tmp_path / "b", new, with_secrets=True, say=quiet)
    monkeypatch.delenv("MASE_PEPPER")
    done = restore_backup(tmp_path / "b", new, with_secrets=True, say=quiet)
    assert (done.aside, done.left) == (None, ())
    assert (new.parent / "images" / "ab" / "abc").read_bytes() == b"image"
    assert (new.parent / "pepper").exists()
    assert texts_in(new) == {"Ann likes tea"}


def test_restore_by_command_refuses_in_one_line(tmp_path):
    done = subprocess.run(
        [sys.executable, "manage.py", "restore", str(tmp_path / "none")],
        cwd=django_settings.BASE_DIR, capture_output=True, text=True, check=False,
        env={"MASE_DATA_DIR": str(tmp_path / "d"), "PATH": ""},
    )  # fmt: skip
    assert done.returncode == 1
    assert "is no backup" in done.stderr
    assert "Traceback" not in done.stderr
