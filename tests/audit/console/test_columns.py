import re
from urllib.parse import parse_qs, urlsplit

import pytest

from audit.console import columns
from audit.models import Preference
from tests import factories as make
from tests.audit.console.pages_kit import operator, queries, text_of, viewer

pytestmark = pytest.mark.django_db


def heads(response) -> list[str]:
    """The words in the heads of the list's columns."""
    head = text_of(response).partition("<thead>")[2].partition("</thead>")[0]
    return re.findall(r">\s*([A-Z][\w ]+?)\s*<", head)


def choose(client, *names: str, page: str = "memories", query: str = "?status=any", **more):
    said = {"page": page, "columns": names, "query": query} | more
    return client.post("/columns/", said)


def test_the_usual_columns_stand_where_nobody_chose():
    make.budget("1200")
    assert heads(operator().get("/memories/")) == [
        "Memory", "User", "Kind", "State", "Confidence", "Importance", "Updated",
        "First remembered",
    ]  # fmt: skip


def test_the_address_says_which_columns_there_are():
    make.remember(
        text="the office is upstairs", agent_id="helper", session_id="s-1", domain="厨房",
        tags=("急件", "b"), source="user_said",
    )  # fmt: skip
    page = operator().get("/memories/?columns=tags&columns=agent&columns=domain&columns=source")
    assert heads(page) == ["Memory", "Agent", "Source", "Domain", "Tags"]
    for shown in ("helper", "厨房", "急件, b", "the office is upstairs"):
        assert shown in text_of(page)


def test_every_column_can_be_shown_at_once():
    row, client = make.budget("1200"), operator()
    names = columns.names_of("memories")
    page = client.get("/memories/", {"columns": names})
    assert len(heads(page)) == len(names)
    assert str(row.public_id) in text_of(page)
    make.budget("800")
    page = client.get("/history/", {"columns": columns.names_of("history")})
    assert len(heads(page)) == len(columns.names_of("history"))


def test_what_is_no_column_is_none_and_the_statement_stays():
    make.budget("1200")
    page = operator().get("/memories/?columns=smell&columns=user&columns=why")
    assert heads(page) == ["Memory", "User"]
    assert "我的预算是1200元" in text_of(page)


def test_a_choice_is_in_the_address_and_remembered_for_this_person_and_list():
    make.budget("800"), make.budget("1200")
    client = operator()
    answer = choose(client, "user", "domain", "smell", query="?status=any&cursor=x&columns=id")
    assert parse_qs(urlsplit(answer["Location"]).query) == {
        "status": ["any"], "columns": ["user", "domain"],
    }  # fmt: skip
    for address in (answer["Location"], "/memories/"):
        assert heads(client.get(address)) == ["Memory", "User", "Domain"]
    assert "Why" in heads(client.get("/history/"))
    assert "Kind" in heads(viewer().get("/memories/"))
    # An address that says otherwise wins and changes nothing.
    assert heads(client.get("/memories/?columns=id")) == ["Memory", "Id"]
    assert Preference.objects.get().columns == {"memories": ["user", "domain"]}


def test_the_usual_ones_come_back_and_other_lists_keep_theirs():
    make.budget("800"), make.budget("1200")
    client = operator()
    choose(client, "user", page="history", query="")
    choose(client, "user")
    answer = choose(client, "user", usual="on")
    assert answer["Location"] == "/memories/?status=any"
    assert "Kind" in heads(client.get("/memories/"))
    assert heads(client.get("/history/")) == ["What changed", "User"]


def test_a_person_who_reads_may_choose_and_nobody_outside(client):
    reader = viewer()
    assert choose(reader, "user").status_code == 302
    assert choose(client, "user")["Location"].startswith("/login/")
    assert reader.get("/columns/").status_code == 405
    assert choose(reader, "user", page="recalls").status_code == 404


def test_the_menu_tells_what_is_shown():
    make.budget("1200")
    page = text_of(operator().get("/memories/?columns=tags"))
    assert re.search(r'value="tags" checked', page)
    assert not re.search(r'value="user" checked', page)
    assert 'name="columns" value="statement"' not in page


def test_more_rows_and_columns_ask_no_more_questions():
    client = operator()
    make.budget("1200")
    address = "/memories/?" + "&".join(f"columns={name}" for name in columns.names_of("memories"))
    few = queries(client, address)
    for n in range(4):
        make.remember(text=f"note {n}", user_id=f"u{n}")
    assert queries(client, address) == few


def test_the_first_choice_keeps_the_theme_that_the_browser_had():
    client = operator()
    client.cookies["theme"] = "dark"
    choose(client, "user")
    assert Preference.objects.get().theme == "dark"
    client.cookies["theme"] = "light"
    choose(client, "kind")
    assert Preference.objects.get().theme == "dark"
    assert 'data-bs-theme="dark"' in text_of(client.get("/memories/"))
