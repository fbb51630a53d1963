"""The lists as files."""

import csv
import io
import json

import pytest

from audit.console import tables
from audit.console.table_lists import TABLES
from memory.models import Role
from tests import factories as make
from tests.audit.console.pages_kit import operator, queries, stranger, text_of

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


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_is_there_when_there_is_nothing_and_of_one_workspace(table):
    make.budget("640"), make.budget("1200"), make.ask("我的预算是多少")
    make.api_key()
    other = make.logged_in(make.person("ada", make.workspace("w2"), Role.ADMIN))
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
