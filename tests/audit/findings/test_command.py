"""`manage.py findings`: what it prints and how it exits."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError

from audit.findings.work import resolve
from memory.write.queue import QueueTimeout
from tests import factories as make

from . import makers

pytestmark = pytest.mark.django_db


def findings(*arguments) -> tuple[int, str]:
    """The exit code that the shell would see, and what was printed."""
    out = StringIO()
    try:
        call_command("findings", *arguments, stdout=out)
    except CommandError as error:
        return error.returncode, out.getvalue()
    return 0, out.getvalue()


def test_a_clean_log_exits_0():
    make.budget("640")
    make.ask("预算")
    assert findings() == (0, "w1: 0 open, 0 of them reopened (1 recalls read, 0 new occurrences)\n")


def test_an_open_finding_exits_1_and_is_named():
    memory = makers.retracted(text="旧的门牌号")
    makers.recorded(memory, stale=True)
    code, printed = findings()
    assert code == 1
    assert f"memory {memory.public_id}, user ann: 1 times" in printed
    assert findings("--fail-on", "nothing")[0] == 0
    assert findings("--fail-on", "reopened")[0] == 0


def test_what_was_resolved_exits_0_until_it_happens_again():
    memory = makers.retracted(text="旧的门牌号")
    makers.recorded(memory, stale=True)
    findings()
    resolve(make.scope(), makers.findings()[0], "fixed")
    assert findings()[0] == 0
    makers.recorded(memory, stale=True)
    assert findings("--fail-on", "reopened")[0] == 1


def test_as_json():
    memory = makers.retracted(text="旧的门牌号")
    makers.recorded(memory, stale=True)
    code, printed = findings("--json")
    (one,) = json.loads(printed)["workspaces"]
    assert (code, one["workspace"], one["read"], one["new"], one["open"]) == (1, "w1", 1, 1, 1)
    assert one["findings"][0]["memory_id"] == str(memory.public_id)


def test_the_whole_log_is_read_and_the_list_is_short(monkeypatch):
    monkeypatch.setattr("audit.management.commands.findings.SHOWN", 2)
    monkeypatch.setattr("audit.findings.scan.PAGE", 2)
    for number in range(5):
        makers.recorded(makers.retracted(text=f"note {number}"), stale=True)
    printed = findings()[1]
    assert "5 open" in printed
    assert "and 3 more" in printed


def test_one_workspace_hides_the_others():
    there = make.scope(make.workspace("w2"))
    makers.recorded(makers.retracted(there, text="their note"), in_scope=there, stale=True)
    make.workspace()
    assert findings("--workspace", "w1")[0] == 0
    assert findings("--workspace", "w2")[0] == findings()[0] == 1


def test_without_a_workspace_it_could_not_run():
    assert findings() == (2, "")
    make.workspace()
    assert findings("--workspace", "nowhere") == (2, "")


@pytest.mark.parametrize("error", [DatabaseError("no such table"), QueueTimeout("busy")])
def test_what_stops_the_scan_could_not_run(monkeypatch, error):
    def fail(*_, **__):
        raise error

    make.workspace()
    monkeypatch.setattr("audit.management.commands.findings.scan", fail)
    assert findings() == (2, "")
