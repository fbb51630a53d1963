"""manage.py import_memories."""

import json

import pytest
from django.core.management import CommandError, call_command

from memory.models import Memory
from memory.write.erase.road import erase
from tests.factories import remember, scope, workspace
from tests.memory.exchange.imports.files import mem0, row, write_json

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path):
    workspace()
    rows = [row(1, "我的预算是800元"), row(2, "likes tea"), row(3, "")]
    return write_json(tmp_path / "m.json", mem0(*rows))


def run(capsys, *arguments, **options) -> str:
    call_command("import_memories", *map(str, arguments), **options)
    return capsys.readouterr().out


def test_a_dry_run_tells_and_writes_nothing(file, capsys):
    told = run(capsys, file, "--user", "ann", "--dry-run")
    assert "mem0: 3 rows (nothing was written)" in told
    assert "added: 2" in told
    assert "row 3 rejected, invalid: text:" in told
    assert not Memory.everywhere.exists()


def test_an_import_can_be_run_again(file, capsys):
    first = json.loads(run(capsys, file, "--user", "ann", "--agent", "bot", "--json"))
    assert (first["counts"], first["format"]) == ({"added": 2, "rejected": 1}, "mem0")
    assert len(first["batches"]) == 1
    assert set(Memory.everywhere.values_list("user_id", "agent_id")) == {("ann", "bot")}
    again = json.loads(run(capsys, file, "--user", "ann", "--agent", "bot", "--json"))
    assert again["counts"] == {"skipped": 2, "rejected": 1}
    assert again["batches"] == []
    assert Memory.everywhere.count() == 2


def test_strict_ends_with_1_when_a_row_was_rejected(file, capsys):
    with pytest.raises(CommandError, match="1 rows were rejected") as refused:
        run(capsys, file, "--user", "ann", "--strict")
    assert refused.value.returncode == 1
    assert Memory.everywhere.count() == 2


def test_a_file_that_cannot_be_read_ends_with_2(tmp_path, capsys):
    workspace()
    missing = tmp_path / "none.json"
    broken = tmp_path / "broken.bin"
    broken.write_bytes(b"\x00nothing")
    for path, told in ((missing, "cannot be read"), (broken, "none of the known formats")):
        with pytest.raises(CommandError, match=told) as refused:
            run(capsys, path, "--user", "ann")
        assert refused.value.returncode == 2


def test_columns_are_mapped(tmp_path, capsys):
    workspace()
    path = tmp_path / "t.csv"
    path.write_text("型号,说什么\nK1,likes tea\n", encoding="utf-8")
    run(capsys, path, "--user", "ann", "--format", "csv", "--map", "说什么=text",
        "--map", "型号=external_id")  # fmt: skip
    assert Memory.everywhere.get().external_id == "K1"
    with pytest.raises(CommandError, match="COLUMN=FIELD") as refused:
        run(capsys, path, "--user", "ann", "--map", "nonsense")
    assert refused.value.returncode == 2


def test_what_was_erased_comes_back_only_where_the_command_says_so(file, capsys):
    erase(scope(), remember(text="likes tea"), reason="asked to")
    told = run(capsys, file, "--user", "ann")
    assert "erased 1" in told
    for more in ([], ["--reason", "asked again", "--exact"]):
        with pytest.raises(CommandError, match="--restore-erased needs --reason"):
            run(capsys, file, "--user", "ann", "--restore-erased", *more)
    told = run(capsys, file, "--user", "ann", "--restore-erased", "--reason", "asked again")
    assert "brought_back 1" in told
    assert Memory.everywhere.filter(text="likes tea").count() == 1
