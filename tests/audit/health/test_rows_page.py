"""The page behind a number shows exactly the rows that were counted."""

import re

import pytest

from audit.health.check import MemoryCheck
from audit.health.registry import checks
from audit.health.report import run_report
from memory.models import Status
from tests import factories as make

from . import makers

pytestmark = pytest.mark.django_db
ID = re.compile(r"/memories/([0-9a-f-]{36})/")


def shown(client, url):
    answer = client.get(url)
    assert answer.status_code == 200
    return set(ID.findall(answer.content.decode()))


def found(check_id):
    return run_report(make.scope(), [check_id]).findings[0]


def spoil():
    """A row for each of these checks, and one that none has anything against."""
    scope = make.scope()
    named = {"entity": "Kiln", "attribute": "温度", "kind": "fact"}
    makers.complete(scope, text="The sound row")
    makers.kept_as(scope, "好的，谢谢")
    makers.kept_as(scope, "库 存 清 单 在 抽 屉 里")
    makers.kept_as(scope, "他的手机是13912345678")
    makers.complete(scope, value="900", agent_id="helper", **named)
    makers.complete(scope, value="950", agent_id="planner", **named)
    makers.altered(makers.complete(scope, text="Perhaps"), confidence=0.1)
    secret = makers.kept_as(scope, "card 5105105105105100")
    makers.altered(secret, status=Status.RETRACTED)


@pytest.mark.parametrize(
    ("check_id", "count"),
    [
        ("junk", 1),
        ("unsearchable_chinese", 1),
        ("personal_data_at_rest", 1),
        ("secrets_at_rest", 1),
        ("conflicting_actives", 2),
        ("low_confidence", 1),
    ],
)
def test_the_link_opens_the_rows(check_id, count):
    spoil()
    finding = found(check_id)
    assert finding.count == count
    assert shown(make.logged_in(make.person()), finding.url) == set(finding.sample)


def test_a_stranger_finds_none_of_them_there():
    spoil()
    url = found("junk").url
    stranger = make.logged_in(make.person("sam", make.workspace("w2")))
    assert shown(stranger, url) == set()


def test_what_is_read_later_is_no_row_yet():
    spoil()
    url = found("junk").url
    makers.kept_as(make.scope(), "收到！")
    client = make.logged_in(make.person())
    assert len(shown(client, url)) == 1
    found("junk")
    assert len(shown(client, url)) == 2


@pytest.mark.parametrize(
    "check_id", [name for name, check in checks().items() if isinstance(check, MemoryCheck)]
)
def test_a_check_without_findings_has_no_link(check_id):
    makers.complete(make.scope(), text="The sound row")
    finding = found(check_id)
    assert (finding.count, finding.url) == (0, None)
