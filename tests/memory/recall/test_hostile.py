"""What nobody would ask in earnest: a clear refusal or a normal answer, by every door, and work
that stays bounded. Terms, not seconds, are what is bounded here: each costs about the same."""

import io
import json
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from memory.models import Memory, Recall
from memory.recall.request import QUERY_LIMIT
from memory.text.terms import CHARACTERS, TERMS, query_terms
from tests.factories import logged_in, person, remember, scope, turn
from tests.memory.api.calls import call, fields_named, owner, post

pytestmark = pytest.mark.django_db

# Every question here is short enough to be taken; what it asks may be nothing at all.
TAKEN = {
    "one letter": "z" * QUERY_LIMIT,
    "one character": "茶" * QUERY_LIMIT,
    "rare characters": "龖" * 9000,
    "short run, again and again": "红茶绿茶" * 4000,
    "all characters": "".join(map(chr, range(0x4E00, 0x4E00 + 6000))),
    "all words": " ".join(f"tea{number}" for number in range(2500)),
    "signs": "~!@#$%^&*()_+{}|:\"<>?`-=[]\\;',./" * 300,
    "quotes": "\"'“”「」`" * 2000,
    "engine's own words": 'NEAR(tea kettle, 3) AND words : tea* OR NOT ^"tea" {bigrams} + -',
    "nothing visible": "\u200b\u200d\u2060\ufeff\u00ad\u034f" * 50,
    "letters with hidden ones": "t\u200be\u2060a\u00ad",
    "right to left": "\u202eaet\u202c \u2067tea\u2069",
    "marks without end": "e" + "\u0301" * 15_000,
    "joined pictures": "👨‍👩‍👧‍👦" * 2000,
    "digits": "9" * QUERY_LIMIT,
    "addresses": "t+e@a." * 3000,
    "links": "https://tea.example/" * 900,
    "days": "6月3日我说了" * 2500,
    "full width": "ＴＥＡ　５００ｇ" * 1500,
    "pronouns": "它还有吗" * 4000,
    "small talk": "哈" * QUERY_LIMIT,
}
# Each with the field that is to blame.
REFUSED = {
    "nothing": "",
    "spaces": " \t\u3000\n\u2003",
    "too long": "z" * (QUERY_LIMIT + 1),
    "far too long": "茶" * 100_000,
    "a million": "z" * 1_000_000,
    "half a character": "tea \ud83c",
    "the other half": "\udf75 tea",
    "a NUL": "tea\0kettle",
}


@pytest.fixture(autouse=True)
def _store():
    for text in ("红茶要三克", "The kettle holds tea for two", "Tea2400 is the code of the tin"):
        remember(text=text)
    turn(content="茶在哪里？")


def asked(query: str, client: Client | None = None, **more):
    return post(client or owner(), "/recall", {"query": query, "user_id": "ann"} | more)


@pytest.mark.parametrize("name", TAKEN)
def test_what_is_taken_is_answered_and_recorded(name):
    query = TAKEN[name]
    answer = asked(query)
    assert answer.status_code == 200
    terms = answer.data["terms"]
    assert len(terms["used"]) <= TERMS
    assert sum(map(len, terms["used"])) <= CHARACTERS
    assert terms["truncated"] == (len(query) > CHARACTERS and answer.data["triggered"])
    assert Recall.objects.within(scope()).get().query == query


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_names_the_query_and_is_not_recorded(name):
    answer = asked(REFUSED[name])
    assert (answer.status_code, answer.problem) == (422, "invalid")
    # Half a character is refused with the whole body, before its fields are looked at.
    assert {error["field"] for error in answer.data.get("errors", ())} <= {"query"}
    assert "surrogate" in answer.data["detail"] or "query" in answer.data["detail"]
    assert Recall.objects.within(scope()).count() == 0


@pytest.mark.parametrize("name", TAKEN | REFUSED)
def test_the_page_answers_with_a_page(name):
    query = (TAKEN | REFUSED)[name].encode("utf-8", "surrogatepass").decode("utf-8", "replace")
    client = logged_in(person("olive"))
    for answer in (
        client.post("/recall/", {"query": query, "user_id": "ann"}),
        client.get("/recall/", {"query": query[:2000], "user_id": "ann"}),
    ):
        assert answer.status_code in (200, 302, 422)
        assert answer.status_code == 302 or b"<html" in answer.content


@pytest.mark.parametrize("name", TAKEN)
def test_the_command_answers(name):
    told = io.StringIO()
    call_command("recall", TAKEN[name], user="ann", workspace="w1", json=True, stdout=told)
    assert len(json.loads(told.getvalue())["terms"]["used"]) <= TERMS
    explained = io.StringIO()
    call_command("recall", TAKEN[name], user="ann", workspace="w1", explain=True, stdout=explained)
    assert "terms used" in explained.getvalue()


@pytest.mark.parametrize("name", REFUSED)
def test_the_command_refuses_in_words(name):
    with pytest.raises(CommandError, match="query"):
        call_command("recall", REFUSED[name], user="ann", workspace="w1", stdout=io.StringIO())


def test_no_question_has_more_terms_however_long():
    for query in TAKEN.values():
        found = query_terms(query)
        assert len(found.terms) <= TERMS
        assert (
            found.truncated == (len(query) > CHARACTERS) or len(query_terms(query).terms) == TERMS
        )


def test_hidden_characters_hide_no_memory_and_no_question():
    remember(text="热\u200b水\u2060瓶在窗\u00ad台")
    plain, hidden = asked("热水瓶").data, asked("热\u2060水\u200d瓶").data
    assert [item["memory"]["text"] for item in plain["items"]] == ["热\u200b水\u2060瓶在窗\u00ad台"]
    assert hidden["terms"] == plain["terms"]
    assert [i["memory"]["id"] for i in hidden["items"]] == [
        i["memory"]["id"] for i in plain["items"]
    ]


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"limit": 10**9}, "limit"),
        ({"limit": -1}, "limit"),
        ({"limit": 1.5}, "limit"),
        ({"turns": 10**9}, "turns"),
        ({"budget_tokens": 10**18}, "budget_tokens"),
        ({"prompt_tokens": -1}, "prompt_tokens"),
        ({"since": "2026-06-03T10:00:00"}, "since"),
        ({"until": "yesterday"}, "until"),
        ({"as_of": "2026-02-30T10:00:00Z"}, "as_of"),
        ({"as_of": "999999-01-01T00:00:00Z"}, "as_of"),
        ({"kinds": ["tea"] * 21}, "kinds"),
        ({"domains": ["x" * 10_000]}, "domains.0"),
        ({"session_id": "s" * 10_000}, "session_id"),
        ({"agent_id": "a\0"}, "agent_id"),
        ({"user_id": ["ann"]}, "user_id"),
        ({"day": "2026-06-03"}, "day"),
    ],
)
def test_a_filter_beyond_reason_is_named(more, field):
    answer = asked("tea", **more)
    assert answer.status_code == 422
    assert {name.split(".")[0] for name in fields_named(answer)} == {field.split(".")[0]}


def test_times_that_hold_nothing_give_nothing():
    ahead = {"since": "2999-01-01T00:00:00Z"}
    crossed = {"since": "2026-06-03T00:00:00Z", "until": "2026-06-01T00:00:00Z"}
    for more in (ahead, crossed, {"as_of": "1971-01-01T00:00:00Z"}):
        data = asked("kettle tea", **more).data
        assert (data["items"], data["context"]["text"]) == ([], "")


def test_nobody_can_say_how_the_store_will_be():
    answer = asked("kettle tea", as_of="2999-01-01T00:00:00Z")
    assert (answer.status_code, fields_named(answer)) == (422, {"as_of"})


def test_ids_of_nothing_are_not_found_and_users_of_nothing_have_nothing():
    client = owner()
    assert asked("kettle", client, user_id="nobody").data["items"] == []
    missing = {"query": "kettle", "user_id": "ann", "memory_id": str(uuid4())}
    assert post(client, "/recall/why-not", missing).status_code == 404
    assert fields_named(post(client, "/recall/why-not", missing | {"memory_id": "x"})) == {
        "memory_id"
    }
    for place in (f"/recalls/{uuid4()}", "/recalls/none", f"/recalls/{uuid4()}/replay"):
        method = "POST" if place.endswith("replay") else "GET"
        assert call(client, method, place, {} if method == "POST" else None).status_code == 404


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b'{"query":' + b"[" * 30_000 + b"]" * 30_000 + b"}", 400),
        (b'{"query":"tea","kinds":' + b'{"a":' * 60 + b"1" + b"}" * 61, 400),
        (b'{"query":"tea","user_id":"ann","limit":NaN}', 400),
        (b'{"query":"tea","user_id":"ann","limit":1e400}', 400),
        (b'{"query":"tea","query":{"a":1},"user_id":"ann"}', 400),
        (b'{"query":"\xc3\x28","user_id":"ann"}', 400),
        (b'["tea"]', 422),
        (b"query=tea&user_id=ann", 400),
        (b'{"query":"' + b"t" * 3_000_000 + b'","user_id":"ann"}', 413),
    ],
)
def test_a_body_that_is_no_question(raw, status):
    assert call(owner(), "POST", "/recall", raw=raw).status_code == status
    assert Recall.objects.within(scope()).count() == 0


def test_a_question_changes_no_memory():
    before = [vars(row) | {"_state": None} for row in _rows()]
    for query in ("kettle tea", "红茶", TAKEN["engine's own words"]):
        asked(query)
    assert [vars(row) | {"_state": None} for row in _rows()] == before


def _rows():
    return Memory.objects.within(scope()).order_by("pk")
