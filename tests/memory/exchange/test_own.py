"""This store's own exports, brought into another store by the road of imports."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command

from memory.exchange import jsonl, out
from memory.exchange.bring import Incoming, bring_in, preview
from memory.exchange.choice import choose
from memory.models import Memory, Turn
from tests import factories as make
from tests.memory.exchange.test_export_memories import HOSTILE, story
from tests.memory.exchange.test_restore import emptied, written

pytestmark = pytest.mark.django_db


def other():
    return make.scope(make.workspace("w2"))


def test_each_fact_comes_as_one_chain(tmp_path):
    story()
    path = written(tmp_path / "a.jsonl", with_ledger=True)
    incoming = Incoming(other(), path)
    assert incoming.format.name == jsonl.FORMAT
    report = bring_in(incoming)
    assert report.counts["rejected"] == 0
    rows = Memory.objects.within(other())
    assert set(rows.values_list("value", "status", "version")) >= {
        ("500", "superseded", 1), ("800", "active", 2)
    }  # fmt: skip
    assert rows.get(text="本喜欢茶").metadata["号"] == "12345678901234567890"
    assert rows.get(text="Ann likes tea").status == "retracted"
    assert Turn.objects.within(other()).get().content == "我的预算是500元"
    entries = rows.count()
    bring_in(Incoming(other(), path))
    assert rows.count() == entries


def test_a_broken_line_takes_no_other_with_it(tmp_path):
    make.remember(text="Ann likes tea")
    make.remember(text="Ann likes cake")
    lines = written(tmp_path / "a.jsonl").read_text(encoding="utf-8").splitlines()
    (tmp_path / "b.jsonl").write_text(
        "\n".join([lines[0], lines[1][:50], lines[2], '{"type": "other"}']), encoding="utf-8"
    )
    report = preview(Incoming(other(), tmp_path / "b.jsonl"))
    assert [(one.number, one.code) for one in report.rejects] == [
        (2, "bad_json"), (4, "unknown_type")
    ]  # fmt: skip
    assert report.counts["added"] == 1


def test_a_table_comes_back_with_every_value(tmp_path):
    for number, value in enumerate([*HOSTILE, "'=1", "''+2"]):
        make.remember(
            entity=f"s{number}", attribute="v", value=value, tags=(value, "a, b"), kind="fact"
        )
    path = tmp_path / "a.csv"
    path.write_bytes(out.spooled("csv", choose(make.scope()), bom=True).read())
    bring_in(Incoming(other(), path))
    columns = ("entity", "value", "tags")
    before, after = (
        sorted(Memory.objects.within(scope).values_list(*columns), key=str)
        for scope in (make.scope(), other())
    )
    assert after == before


def test_the_command_brings_an_export_back_exactly(tmp_path):
    story()
    path = written(tmp_path / "a.jsonl")
    ids = set(Memory.everywhere.values_list("public_id", flat=True))
    emptied()
    said = io.StringIO()
    call_command("import_memories", path, exact=True, dry_run=True, workspace="w1", stdout=said)
    assert "memories: 4" in said.getvalue()
    assert Memory.everywhere.count() == 0
    said = io.StringIO()
    call_command("import_memories", path, exact=True, json=True, workspace="w1", stdout=said)
    told = json.loads(said.getvalue())
    assert (told["counts"], told["sealed"]) == ({"turns": 1, "memories": 4}, True)
    assert set(Memory.everywhere.values_list("public_id", flat=True)) == ids
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(CommandError) as refused:
        call_command("import_memories", path, exact=True, workspace="w1")
    assert refused.value.returncode == 2


def test_csv_is_one_row_a_memory():
    make.remember(text='one\ntwo, "three"')
    rows = list(csv.reader(io.StringIO(out.spooled("csv", choose(make.scope())).read().decode())))
    assert len(rows) == 2
