"""The commands export_recall and verify_recall as somebody at a terminal uses them."""

import json
from io import StringIO
from pathlib import Path
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from memory.models import Recall
from memory.recall.verify import DOCUMENT_LIMIT
from tests import factories as make

pytestmark = pytest.mark.django_db


def run(*arguments) -> str:
    out = StringIO()
    call_command(*map(str, arguments), stdout=out, no_color=True)
    return out.getvalue()


def refused(*arguments) -> CommandError:
    with pytest.raises(CommandError) as error:
        run(*arguments)
    return error.value


def record() -> Recall:
    make.budget("1375")
    return make.ask("我的预算还剩多少").record


def test_a_printed_document_verifies(tmp_path):
    kept, file = record(), tmp_path / "shared.json"
    file.write_text(run("export_recall", kept.public_id), encoding="utf-8")
    assert kept.query in file.read_text(encoding="utf-8")
    out = run("verify_recall", file)
    assert out == f"valid: the record in this store says the same\ndigest {kept.digest}\n"


def test_a_redacted_file_holds_no_text_and_verifies(tmp_path):
    kept, file = record(), tmp_path / "shared.json"
    assert run("export_recall", kept.public_id, "--redact", "--out", file) == ""
    for secret in ("预算", "1375元", '"ann"'):
        assert secret not in file.read_text(encoding="utf-8")
    out = run("verify_recall", file)
    assert out.startswith("valid: ")
    assert "kept back as hashes: " in out
    assert f"digest {kept.digest}" in out


def test_without_the_store(tmp_path):
    kept, file = record(), tmp_path / "shared.json"
    run("export_recall", kept.public_id, "--out", file)
    Recall.everywhere.all().delete()
    assert "this store has no such record" in run("verify_recall", file)
    data = json.loads(run("verify_recall", file, "--alone", "--json"))
    assert (data["valid"], data["in_store"]) == (True, "not_asked")


def test_what_is_not_valid_exits_with_1(tmp_path):
    kept, file = record(), tmp_path / "shared.json"
    run("export_recall", kept.public_id, "--out", file)
    Recall.everywhere.update(query="另一个问题")
    out = StringIO()
    with pytest.raises(CommandError) as error:
        call_command("verify_recall", str(file), stdout=out)
    assert error.value.returncode == 1
    assert "NOT VALID: the record in this store differs" in out.getvalue()
    assert "differs in: query, record.digest" in out.getvalue()
    file.write_text(file.read_text(encoding="utf-8").replace("预算", "余额"), encoding="utf-8")
    assert refused("verify_recall", file, "--alone").returncode == 1


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "not JSON"),
        (b"\x00\xff", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"{}", "format"),
        (b" " * (DOCUMENT_LIMIT + 1), "larger than"),
    ],
)
def test_what_cannot_be_read_exits_with_2(tmp_path, content, told):
    make.workspace()
    file = tmp_path / "shared.json"
    file.write_bytes(content)
    error = refused("verify_recall", file)
    assert error.returncode == 2
    assert told in str(error)


def test_no_file_and_no_place_exit_with_2(tmp_path):
    kept = record()
    assert refused("verify_recall", tmp_path / "none.json").returncode == 2
    assert refused("verify_recall", tmp_path).returncode == 2
    nowhere = tmp_path / "none" / "shared.json"
    assert refused("export_recall", kept.public_id, "--out", nowhere).returncode == 2
    assert not Path(nowhere).exists()


def test_a_record_of_another_workspace_is_none():
    kept = record()
    make.workspace("w2")
    foreign = str(refused("export_recall", kept.public_id, "--workspace", "w2"))
    missing = str(refused("export_recall", UUID(int=9), "--workspace", "w1"))
    assert foreign.replace(str(kept.public_id), "ID") == missing.replace(str(UUID(int=9)), "ID")
    assert "--workspace" in str(refused("export_recall", kept.public_id))
    assert "invalid" in str(refused("export_recall", "7"))
