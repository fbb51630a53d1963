"""`manage.py health`: formats, languages and exit codes."""

import json
import os
import re
import subprocess
import sys
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError

from audit.health.registry import checks
from audit.health.report import latest_report
from audit.models import HealthReport
from memory.write.queue import QueueTimeout

from . import makers

MANAGE = Path(__file__).resolve().parents[3] / "manage.py"


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)


def health(*arguments):
    """The exit code that the shell would see, and what was printed."""
    out = StringIO()
    try:
        call_command("health", *arguments, stdout=out)
    except CommandError as error:
        return error.returncode, out.getvalue()
    return 0, out.getvalue()


def test_a_clean_store_exits_0(here):
    makers.complete(here, text="一切正常")
    code, printed = health("--fail-on", "warning")
    assert code == 0
    assert printed.count("[ok]") == len(checks())


@pytest.mark.parametrize(("fail_on", "code"), [("warning", 1), ("error", 0)])
def test_a_warning_fails_only_where_asked(here, fail_on, code):
    makers.overdue(here, text="The voucher")
    assert health("--fail-on", fail_on)[0] == code


@pytest.mark.parametrize("fail_on", ["warning", "error"])
def test_an_error_always_fails(here, fail_on):
    makers.served(here, makers.retracted(here, text="旧的报价"), stale=True)
    assert health("--fail-on", fail_on)[0] == 1


def test_the_default_fails_on_errors_only(here):
    memory = makers.overdue(here, text="The voucher")
    assert health()[0] == 0
    makers.lose_from_index(memory)
    assert health()[0] == 1


def test_the_text_names_what_was_found_and_what_to_do(here):
    memory = makers.overdue(here, text="The voucher")
    printed = health()[1]
    assert "[warning] Expired but still active: 1 (100.0%)" in printed
    assert str(memory.public_id) in printed
    assert "manage.py maintain" in printed


def test_one_workspace_hides_the_others(here, there):
    makers.served(there, makers.retracted(there, text="Wrong there"), stale=True)
    code, printed = health("--workspace", "here", "--format", "json")
    assert code == 0
    assert [report["workspace"] for report in json.loads(printed)["reports"]] == ["here"]


def test_without_a_name_all_are_reported_and_the_worst_decides(here, there):
    makers.served(there, makers.retracted(there, text="Wrong there"), stale=True)
    code, printed = health("--format", "json")
    body = json.loads(printed)
    assert (code, body["worst"]) == (1, "error")
    assert {r["workspace"]: r["worst"] for r in body["reports"]} == {"here": "ok", "there": "error"}


def test_save_keeps_a_report_of_each_workspace(here, there):
    health()
    assert HealthReport.everywhere.count() == 0
    makers.overdue(there, text="The voucher")
    assert health("--save")[0] == 0
    assert (latest_report(here).worst, latest_report(there).worst) == ("ok", "warning")


@pytest.mark.parametrize(("fail_on", "failing"), [("warning", 2), ("error", 1)])
def test_junit_has_a_case_for_each_check(here, fail_on, failing):
    makers.lose_from_index(makers.overdue(here, text='<优惠> & "more"'))
    code, printed = health("--format", "junit", "--fail-on", fail_on)
    root = ElementTree.fromstring(printed.encode())
    suite = root.find("testsuite")
    cases = suite.findall("testcase")
    assert code == 1
    assert {case.get("name") for case in cases} == set(checks())
    assert suite.get("tests") == str(len(cases))
    assert suite.get("failures") == str(len(suite.findall("testcase/failure"))) == str(failing)
    assert len(suite.findall("testcase/system-out")) == 2 - failing
    drift = suite.find("testcase[@name='index_drift']/failure")
    assert (drift.get("type"), drift.get("message")) == ("error", "Index drift: 1")
    assert float(suite.get("time")) >= 0


def test_junit_of_a_clean_store_has_no_failure(here):
    suite = ElementTree.fromstring(health("--format", "junit")[1].encode()).find("testsuite")
    assert suite.get("failures") == "0"
    assert suite.findall("testcase/*") == []


def test_the_html_stands_alone(here):
    memory = makers.overdue(here, text="The voucher")
    printed = health("--format", "html")[1]
    assert "<style>" in printed
    assert "<script" not in printed
    assert not re.search(r"(?:https?:)?//\w|@import|url\(| src=| href=", printed)
    assert str(memory.public_id) in printed
    assert "Expired but still active" in printed


@pytest.mark.parametrize(
    ("environment", "arguments", "language"),
    [
        ({}, [], "en"),
        ({"LANGUAGE": "zh_CN:en"}, [], "zh-hans"),
        ({"LANG": "zh_CN.UTF-8"}, [], "zh-hans"),
        ({"LANG": "C.UTF-8"}, [], "en"),
        ({"LANGUAGE": "tlh:zh_CN"}, [], "zh-hans"),
        ({"LANGUAGE": "zh_CN"}, ["--lang", "en"], "en"),
        ({}, ["--lang", "zh-hans"], "zh-hans"),
    ],
)
def test_the_language_is_that_of_the_option_or_the_environment(
    here, monkeypatch, environment, arguments, language
):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert f'<html lang="{language}"' in health("--format", "html", *arguments)[1]


@pytest.mark.parametrize("name", ["nowhere", ""])
def test_an_unknown_workspace_could_not_run(here, name):
    assert health("--workspace", name) == (2, "")


def test_a_store_without_workspaces_could_not_run(db):
    assert health() == (2, "")


@pytest.mark.parametrize("error", [DatabaseError("no such table"), RuntimeError("surprise")])
def test_a_check_that_fails_could_not_run(here, monkeypatch, error):
    def fail():
        raise error

    monkeypatch.setattr(checks()["index_drift"], "look", fail)
    assert health() == (2, "")


def test_a_report_that_cannot_be_kept_could_not_run(here, monkeypatch):
    def fail(scope, report):
        raise QueueTimeout("busy")

    monkeypatch.setattr("audit.management.commands.health.save_report", fail)
    assert health("--save") == (2, "")


@pytest.mark.parametrize("arguments", [["--format", "pdf"], ["--fail-on", "ok"], ["--no-such"], []])
def test_the_shell_sees_2_for_wrong_options_and_for_no_database(tmp_path, arguments):
    done = subprocess.run(
        [sys.executable, str(MANAGE), "health", *arguments],
        env=os.environ | {"MASE_DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr
    assert done.stderr.strip()
