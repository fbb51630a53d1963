"""The lists as files."""

import csv
import io
import json

import pytest

from audit.console import tables
from audit.console.table_lists import TABLES
from audit.health.thresholds import save_threshold
from memory.models import Role
from memory.write.webhooks import add_webhook
from memory.write.working import put
from tests import factories as make
from tests.audit.console.pages_kit import operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def as_json(client, address: str) -> dict:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer["Content-Type"] == "application/json"
    return json.loads(answer.content)


def as_csv(client, address: str) -> list[dict[str, str]]:
    answer = client.get(address)
    assert answer.status_code == 200
    text = answer.content.decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_file_holds_what_the_page_lists_by_the_same_filters():
    make.budget("1200")
    make.remember(text="茶要热的", user_id="bo", kind="preference")
    client = operator()
    every = as_json(client, "/memories.json")
    assert (every["total"], every["cut"]) == (2, False)
    told = as_json(client, "/memories.json?user_id=bo")
    assert [row["text"] for row in told["items"]] == ["茶要热的"]
    assert [row["value"] for row in as_csv(client, "/memories.csv?kind=fact")] == ["1200"]
    page = text_of(client.get("/memories/?user_id=bo"))
    assert 'href="/memories.csv?user_id=bo"' in page


def test_former_values_are_in_their_own_file():
    make.budget("640"), make.budget("1200")
    client = operator()
    assert [row["value"] for row in as_csv(client, "/history.csv")] == ["640"]
    assert [row["value"] for row in as_csv(client, "/memories.csv")] == ["1200"]


def test_the_past_has_its_file_too():
    make.budget("640")
    rows = as_json(operator(), "/memories.json?as_of=2020-01-01")
    assert rows["items"] == []


def test_a_cell_is_never_a_formula_and_numbers_stay_numbers():
    make.budget("=1+1"), make.budget("-40", attribute="余额")
    values = {row["value"] for row in as_csv(operator(), "/memories.csv")}
    assert values == {"'=1+1", "-40"}


def test_more_than_fits_is_cut_and_said(monkeypatch):
    monkeypatch.setattr(tables, "MOST", 2)
    for number in range(3):
        make.remember(text=f"茶要热的，第{number}种")
    client = operator()
    answer = client.get("/memories.csv")
    assert answer["X-Cut"] == "true"
    assert "-first-2.csv" in answer["Content-Disposition"]
    assert len(as_csv(client, "/memories.csv")) == 2
    told = as_json(client, "/memories.json")
    assert (told["total"], told["cut"]) == (2, True)


WHOLE = [table for table in TABLES if "<" not in table.place]
# What the code itself brings along is every workspace's.
BUILT_IN = {"check-limits", "settings-policies", "people"}


@pytest.mark.parametrize("table", WHOLE, ids=lambda table: table.name)
def test_every_table_is_there_when_there_is_nothing_and_of_one_workspace(table):
    make.budget("640"), make.budget("1200"), make.ask("我的预算是多少")
    make.api_key()
    other = make.logged_in(make.person("ada", make.workspace("w2"), Role.ADMIN))
    if table.name in BUILT_IN:
        items = as_json(other, f"/{table.place}.json")["items"]
        assert len(as_csv(other, f"/{table.place}.csv")) == len(items) > 0
        return
    assert as_json(other, f"/{table.place}.json")["items"] == []
    assert as_csv(other, f"/{table.place}.csv") == []


@pytest.mark.parametrize("place", ["memories", "recalls", "activity", "settings/keys"])
def test_json_and_csv_hold_the_same_rows(place):
    make.budget("640"), make.budget("1200"), make.ask("我的预算是多少")
    make.api_key()
    client = operator()
    items = as_json(client, f"/{place}.json")["items"]
    rows = as_csv(client, f"/{place}.csv")
    assert len(items) == len(rows) > 0
    assert list(items[0]) == list(rows[0])


@pytest.mark.parametrize("place", ["memories", "activity", "recalls", "corrections", "questions"])
def test_more_rows_ask_no_more_questions(place):
    client = operator()

    def add(number: int):
        make.budget(str(number))
        make.ask("我的预算是多少")
        make.remember(text=f"茶要热的，第{number}种")

    add(1)
    few = queries(client, f"/{place}.json")
    add(2), add(3)
    assert queries(client, f"/{place}.json") == few


def test_what_waits_for_review_is_named_with_its_text():
    make.remember(text="也许喜欢爬山", confidence=0.2, source="inferred")
    rows = as_json(operator(), "/review.json")["items"]
    assert [row["text"] for row in rows] == ["也许喜欢爬山"]


def test_no_other_form_is_there_and_a_stranger_sees_nothing():
    make.budget("640")
    assert operator().get("/memories.xml").status_code == 404
    assert as_json(stranger(), "/memories.json")["items"] == []


def admin():
    return make.logged_in(make.person("ada", role=Role.ADMIN))


def test_the_settings_have_their_files():
    client = admin()
    hook = add_webhook(make.scope(), "https://93.184.216.34/hook", ["memory.added"])
    make.budget("640")
    (person,) = as_csv(client, "/settings/people.csv")
    assert (person["person"], person["role"]) == ("ada", "admin")
    assert 'href="/settings/people.csv?"' in text_of(client.get("/settings/people/"))
    (told,) = as_json(client, "/settings/webhooks.json")["items"]
    assert (told["url"], "secret" in told) == ("https://93.184.216.34/hook", False)
    (sent,) = as_json(client, f"/settings/webhooks/{hook.public_id}.json")["items"]
    assert sent["event"] == "memory.added"
    page = text_of(client.get(f"/settings/webhooks/{hook.public_id}/"))
    assert f'href="/settings/webhooks/{hook.public_id}.csv?"' in page
    save_threshold(make.scope(), "exact_duplicates", 0.1, 0.2, "fewer alarms")
    rows = {row["check"]: row for row in as_json(client, "/settings/checks.json")["items"]}
    own = rows["exact_duplicates"]
    assert (own["warning_from"], own["error_from"], own["is_own"]) == (0.1, 0.2, True)
    (kept,) = as_json(client, "/settings/checks/exact_duplicates.json")["items"]
    assert (kept["version"], kept["reason"]) == (1, "fewer alarms")
    make.policy("fact", ttl_hours=12)
    rows = as_json(client, "/settings/policies.json")["items"]
    assert {row["kind"]: row["ttl_hours"] for row in rows}["fact"] == 12
    assert [row["version"] for row in as_json(client, "/settings/policies/fact.json")["items"]]
    assert client.get("/settings/policies/nothing.json").status_code == 404
    assert client.get("/settings/checks/nothing.json").status_code == 404


def test_what_one_page_lists_is_a_file_too():
    first, _ = make.budget("640"), make.budget("1200")
    make.ask("我的预算是多少")
    client = make.logged_in(make.person("otto", role=Role.AUDITOR))
    client.get(f"/memories/{first.public_id}/")
    rows = as_json(client, f"/memories/{first.public_id}/history.json")["items"]
    assert [row["action"] for row in rows] == ["add", "supersede", "add"]
    batch = rows[0]["batch_id"]
    assert [row["action"] for row in as_csv(client, f"/activity/{batch}.csv")] == ["add"]
    assert f'href="/activity/{batch}.csv?"' in text_of(client.get(f"/activity/{batch}/"))
    read = as_json(client, f"/memories/{first.public_id}/accesses.json")["items"]
    told = {(row["actor"], row["how"]) for row in read}
    assert told == {("person:otto", how) for how in ("page", "export")}
    assert client.get(f"/memories/{first.public_id}/accesses.csv").status_code == 200
    assert viewer().get(f"/memories/{first.public_id}/accesses.csv").status_code == 403
    theirs = make.logged_in(make.person("sam", make.workspace("w2"), Role.ADMIN))
    for place in (f"/memories/{first.public_id}/history", f"/activity/{batch}"):
        assert theirs.get(f"{place}.json").status_code == 404


def test_working_memory_and_reports_over_time():
    put(make.scope(user_id="ann"), "s1", "step", {"at": 3})
    client = operator()
    (session,) = as_json(client, "/working.json")["items"]
    (item,) = as_json(client, f"/working/{session['name']}.json")["items"]
    assert (item["key"], item["value"]) == ("step", {"at": 3})
    assert as_csv(client, f"/working/{session['name']}.csv")[0]["value"] == '{"at": 3}'
    client.post("/health/")
    (then,) = as_json(client, "/health/trends.json")["items"]
    assert then["active"] == 0
    (point,) = as_csv(client, "/health/trends.csv?check=exact_duplicates")
    assert point["severity"] == "ok"


def test_a_difference_as_a_table_is_whole():
    for number in range(60):
        make.remember(text=f"茶要热的，第{number}种")
    client = operator()
    rows = as_csv(client, "/diff.csv?change=added")
    assert len(rows) == 60
    assert (rows[0]["change"], rows[0]["before"]) == ("added", "")
    assert rows[0]["after"] == "茶要热的，第59种"
    assert len(as_json(client, "/diff.json")["items"]) == 50
    refused = client.get("/diff.csv?since=yesterday")
    assert (refused.status_code, list(refused.json()["errors"])) == (422, ["since"])
