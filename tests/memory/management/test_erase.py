import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from memory.models import Erasure, Memory
from memory.write.erase.certificate import certificate
from tests import factories as make

pytestmark = pytest.mark.django_db
SECRET = "绝密代号青鹭 zqcanary7788"


def run(*arguments) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out, no_color=True)
    return out.getvalue()


def test_without_yes_it_only_tells():
    row = make.remember(text=SECRET)
    other = make.remember(text=f"又及 {SECRET}")
    told = run("erase", str(row.public_id), "--reason", "x")
    assert "rows: 1" in told
    assert f"also holds these words: {other.public_id}" in told
    assert "nothing has changed" in told
    assert Memory.everywhere.count() == 2


def test_with_yes_it_goes_and_cannot_go_twice():
    row = make.remember(text=SECRET)
    told = run("erase", str(row.public_id), "--reason", "x", "--yes")
    kept = Erasure.everywhere.get()
    assert f"tombstone {kept.public_id}" in told
    assert kept.actor == "command"
    with pytest.raises(CommandError, match=f"tombstone {kept.public_id}"):
        run("erase", str(row.public_id), "--reason", "x", "--yes")


def test_what_is_not_there_is_refused():
    make.workspace()
    with pytest.raises(CommandError, match="no memory"):
        run("erase", "00000000-0000-7000-8000-000000000007", "--reason", "x", "--yes")
    with pytest.raises(CommandError, match="--reason"):
        run("erase", str(make.remember(text=SECRET).public_id), "--reason", " ", "--yes")


def test_a_certificate_is_verified_from_its_file(tmp_path):
    run("erase", str(make.remember(text=SECRET).public_id), "--reason", "x", "--yes")
    document = certificate(Erasure.everywhere.get())
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(document), "utf-8")
    assert "as it was made" in run("verify_erasure", str(file))
    assert "no store was asked" in run("verify_erasure", str(file), "--alone")
    file.write_text(json.dumps(document | {"reason": "other"}), "utf-8")
    with pytest.raises(CommandError, match="not valid") as refused:
        run("verify_erasure", str(file))
    assert refused.value.returncode == 1
    file.write_text("{}", "utf-8")
    with pytest.raises(CommandError) as refused:
        run("verify_erasure", str(file))
    assert refused.value.returncode == 2
    with pytest.raises(CommandError, match="cannot read"):
        run("verify_erasure", str(tmp_path / "none"))
