"""No file of the data folder holds a byte of it."""

import json
import sqlite3
from pathlib import Path

import pytest
from django.db import connection

from memory.index.schema import TERMS
from memory.jobs.tasks import scrub_files
from memory.models import Erasure
from memory.text.terms import index_terms
from memory.write.erase import files
from memory.write.erase.road import erase
from tests import factories as make

pytestmark = pytest.mark.django_db(transaction=True)
TEXTS = ("绝密代号青鹭 zqcanary7788", "the blue heron code is quxcanary9931")


def forms() -> list[bytes]:
    """The texts, their parts and the tokens of the index, as files may have them."""
    texts = [*TEXTS, "绝密代号青鹭", "zqcanary7788", "quxcanary9931", "zqcanary", "quxcanary"]
    words = [w for text in TEXTS for w in index_terms(text).words if len(w) > 5 or "鹭" in w]
    return [
        form
        for text in (*texts, *words)
        for form in (text.encode(), text.encode("utf-16-le"), json.dumps(text)[1:-1].encode())
    ]


def holding() -> list[str]:
    folder = Path(connection.settings_dict["NAME"]).parent
    return [
        f"{path.name}: {form!r}"
        for path in folder.rglob("*")
        if path.is_file()
        for form in forms()
        if form in path.read_bytes()
    ]


def store() -> list:
    for number in range(60):
        make.remember(text=f"普通填充内容 filler {number * 7919}")
    rows = []
    for text in TEXTS:
        said = make.turn(content=f"记住：{text}")
        rows.append(make.remember(text=text, turn_id=said.public_id, reason=text))
        make.ask(text)
    for number in range(60):
        make.turn(content=f"后来的话 later {number * 7919}")
    return rows


def vocabulary() -> set[str]:
    with connection.cursor() as cursor:
        found = set()
        for table in TERMS.values():
            cursor.execute(f"SELECT term FROM {table}")
            found |= {term for (term,) in cursor.fetchall()}
    return found


def test_no_file_holds_it():
    rows = store()
    assert holding()
    for row in rows:
        assert erase(make.scope(), row, "x").scrubbed
    assert holding() == []
    assert not [term for term in vocabulary() if "canary" in term or "鹭" in term]
    assert not Erasure.everywhere.filter(scrubbed_at=None).exists()


def test_a_reader_in_the_way_leaves_it_to_the_job():
    rows = store()
    reader = sqlite3.connect(connection.settings_dict["NAME"])
    try:
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM memory_memory").fetchone()
        done = [erase(make.scope(), row, "x") for row in rows]
        assert not any(one.scrubbed for one in done)
        assert files.is_due()
    finally:
        reader.close()
    assert scrub_files.call() == {"scrubbed": True}
    assert holding() == []
    assert not files.is_due()
    assert not Erasure.everywhere.filter(scrubbed_at=None).exists()


def test_what_the_pages_still_hold_is_written_over(monkeypatch):
    row = make.remember(text=TEXTS[0])
    connection.cursor().execute("PRAGMA secure_delete=OFF")
    try:
        assert erase(make.scope(), row, "x").scrubbed
    finally:
        connection.cursor().execute("PRAGMA secure_delete=ON")
    assert holding() == []
