import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from memory.models import Recall
from tests import factories as make

pytestmark = pytest.mark.django_db


def owner() -> Client:
    return make.logged_in(make.person("olive", role="operator"))


EVERYTHING = {
    "user_id": "ann",
    "query": "tea",
    "agent_id": "butler",
    "session_id": "s7",
    "kinds": ["rule", "fact"],
    "domains": "house，garden",
    "since": "2020-01-01T10:00",
    "until": "2998-01-01T10:00:30",
    "as_of": "2026-01-01T10:00",
    "profile": "confident",
    "limit": "3",
    "turns": "0",
    "budget_tokens": "700",
    "prompt_tokens": "9000",
}


def page_of(client: Client, **said) -> str:
    answer = client.get("/recall/", {"user_id": "ann"} | said)
    assert answer.status_code == 200
    return answer.content.decode()


def test_asking_shows_what_an_agent_would_be_given_and_records_nothing():
    make.budget("640")
    make.budget("910")
    client = owner()
    page = page_of(client, query="预算多少")
    agents = make.ask("预算多少").context.text
    assert agents.splitlines()[-2] in page
    assert "910元" in page
    assert "640元" not in page
    assert Recall.everywhere.count() == 1
    assert client.head("/recall/", {"user_id": "ann", "query": "预算"}).status_code == 200
    assert Recall.everywhere.count() == 1


def test_keeping_it_makes_a_record_and_opens_it():
    make.budget("910")
    answer = owner().post("/recall/", {"user_id": "ann", "query": "预算多少"})
    kept = Recall.everywhere.get()
    assert answer.headers["Location"] == reverse("recall", args=[kept.public_id])
    assert (kept.actor, kept.surface, kept.user_id) == ("person:olive", "console", "ann")


def test_the_button_sends_what_the_address_says():
    make.remember(text="tea is green")
    client = owner()
    page = client.get("/recall/", EVERYTHING).content.decode()
    form = page.partition('id="keep"')[2].partition("</form>")[0]
    sent: dict[str, list[str]] = {}
    for name, value in re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form):
        sent.setdefault(name, []).append(value)
    sent.pop("csrfmiddlewaretoken")
    assert sent == {n: v if isinstance(v, list) else [v] for n, v in EVERYTHING.items()}


def test_all_options_reach_the_recall():
    make.remember(text="tea at four", kind="rule", domain="house", agent_id="butler")
    owner().post("/recall/", EVERYTHING)
    kept = Recall.everywhere.get()
    assert kept.filters == {
        "user_id": "ann", "agent_id": "butler", "session_id": "s7", "kinds": ["rule", "fact"],
        "domains": ["house", "garden"], "limit": 3, "turns": 0, "budget_tokens": 700,
        "prompt_tokens": 9000, "since": "2020-01-01T10:00:00+00:00",
        "until": "2998-01-01T10:00:30+00:00",
    }  # fmt: skip
    assert (kept.as_of.year, kept.profile) == (2026, "confident")


def test_every_option_of_a_request_has_its_field():
    from dataclasses import fields

    from audit.console.recall import ExplorerForm
    from memory.recall import RecallRequest

    names = {field.name for field in fields(RecallRequest)} - {"scope", "asked_at", "working"}
    assert set(ExplorerForm.base_fields) == names | {"user_id"}


def test_a_record_leads_back_with_all_that_it_was_asked_with():
    client = owner()
    client.post("/recall/", EVERYTHING)
    kept = Recall.everywhere.get()
    link = client.get(reverse("recall", args=[kept.public_id])).context["again"]
    form = client.get(link).context["form"]
    assert form.is_valid()
    assert form.request(make.scope()).filters() == kept.filters
    assert form.cleaned_data["as_of"] == kept.as_of


def test_the_terms_are_told_with_how_else_they_are_found():
    page = page_of(owner(), query='我的预算 "ABC-1234" 茶')
    terms = page.partition("How the query was read")[2].partition("</section>")[0]
    assert '<code class="pill">预算</code>' in terms
    assert "<code>茶…</code>" in terms
    assert re.search(r"abc-1234</code></td><td[^>]*>(?:<div>)?id <strong>required</strong>", terms)
    assert "too common" in terms


def test_each_step_tells_what_it_kept_back():
    make.remember(text="tea at four", kind="rule")
    make.remember(text="tea is green", kind="fact", importance=5)
    make.remember(text="tea is never black", kind="fact")
    answer = owner().get(
        "/recall/", {"user_id": "ann", "query": "tea", "kinds": "fact", "limit": "1"}
    )
    stages = answer.context["stages"]
    assert [stage["count"] for stage in stages] == [3, 2, 1]
    assert [[(str(g), n) for g, n in stage["dropped"]] for stage in stages] == [
        [], [("kind", 1)], [("limit", 1)],
    ]  # fmt: skip
    page = answer.content.decode()
    assert "not of the kinds asked for" in page
    assert "ranked below the limit" in page
    assert page.count("<dt>relevance</dt>") == 2


def test_what_was_kept_back_can_be_explained_at_once():
    make.remember(text="tea at four", kind="rule")
    client = owner()
    page = page_of(client, query="tea", kinds="fact")
    memory_id = re.search(r'form="keep" name="memory" value="([^"]+)"', page)[1]
    said = {"user_id": "ann", "query": "tea", "kinds": "fact", "memory": memory_id}
    answer = client.post("/recall/", said)
    kept = Recall.everywhere.get()
    address = reverse("recall-why-not", args=[kept.public_id])
    assert answer.headers["Location"] == f"{address}?memory={memory_id}"
    assert "Ask without naming kinds." in client.get(answer.headers["Location"]).content.decode()


def test_small_talk_is_told_as_such():
    assert "Not recalled: thanks" in page_of(owner(), query="thanks a lot")


def test_nothing_found_is_told():
    page = page_of(owner(), query="灯塔")
    assert "no current memory fits this question" in page
    assert "Record this recall" in page


def test_texts_are_plain():
    make.remember(text="tea <script>go()</script> green")
    page = page_of(owner(), query="<b>tea</b>")
    assert "<script>go()" not in page
    assert "<b>tea" not in page


def test_a_link_that_asks_nothing_only_fills_the_form():
    answer = owner().get("/recall/", {"user_id": "bo", "limit": "3"})
    assert answer.status_code == 200
    assert 'value="bo"' in answer.content.decode()
    assert not answer.context["form"].errors


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("user_id", ""),
        ("user_id", "  "),
        ("query", ""),
        ("limit", "0"),
        ("limit", "many"),
        ("kinds", "gossip"),
        ("as_of", "yesterday"),
        ("as_of", "0001-01-01T00:00"),
        ("as_of", "2999-01-01T10:00"),
        ("since", "2026-13-01T00:00"),
        ("until", "9999-12-31T23:59:59"),
        ("profile", "loud"),
        ("turns", "-1"),
        ("turns", "21"),
        ("budget_tokens", "0"),
        ("prompt_tokens", "1e9"),
        ("query", "x" * 801),
        ("query", "a\0b"),
        ("agent_id", "x" * 201),
    ],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_bad_input_is_said_beside_its_field_and_nothing_is_lost(field, value, method):
    said = {"user_id": "ann", "query": "how much tea", "domains": "house"} | {field: value}
    answer = getattr(owner(), method)("/recall/", said)
    assert answer.status_code == 422
    assert answer.context["form"].errors[field]
    assert 'value="house"' in answer.content.decode()
    assert not Recall.everywhere.exists()


@pytest.mark.parametrize(
    "query", ["%ED%A0%80", "%FF", "…！？", "a" * 800, "灯" * 800, "\u200b\u200b", "* OR NEAR(", '"']
)
def test_odd_questions_are_answered_or_refused(query):
    answer = owner().get(f"/recall/?user_id=ann&query={query}")
    assert answer.status_code in (200, 422)


def test_the_latest_questions_are_the_persons_own():
    client = owner()
    make.budget("640")
    make.ask("asked by an agent", make.scope(user_id="ann", actor="key:bot", surface="api"))
    client.post("/recall/", {"user_id": "ann", "query": "asked by olive"})
    page = client.get("/recall/").content.decode()
    assert "asked by olive" in page
    assert "asked by an agent" not in page


def test_users_are_suggested_of_this_workspace_only():
    make.remember(text="one", user_id="bo")
    make.remember(make.scope(make.workspace("w2")), text="two", user_id="elsewhere")
    page = owner().get("/recall/").content.decode()
    assert '<option value="bo">' in page
    assert "elsewhere" not in page


def test_a_viewer_may_ask():
    make.budget("640")
    viewer = make.logged_in(make.person("vic", role="viewer"))
    assert viewer.post("/recall/", {"user_id": "ann", "query": "预算"}).status_code == 302


def test_a_stranger_is_given_nothing_of_this_workspace():
    make.budget("640")
    stranger = make.logged_in(make.person("sam", make.workspace("w2")))
    said = {"user_id": "ann", "query": "预算"}
    assert "640元" not in stranger.get("/recall/", said).content.decode()
    answer = stranger.post("/recall/", said, follow=True)
    assert "640元" not in answer.content.decode()
    assert Recall.everywhere.get().served == 0


def test_anonymous_goes_to_login():
    assert Client().get("/recall/").headers["Location"].startswith("/login/")
    answer = Client().post("/recall/", {"user_id": "ann", "query": "预算"})
    assert answer.headers["Location"].startswith("/login/")
    assert not Recall.everywhere.exists()


def test_queries_do_not_grow_with_rows():
    client = owner()
    said = {"user_id": "ann", "query": "码头", "limit": "40", "budget_tokens": "9000"}
    counts = []
    for number in range(31):
        make.remember(text=f"码头 {number}")
        if number in (2, 30):
            client.get("/recall/", said)
            with CaptureQueriesContext(connection) as captured:
                client.get("/recall/", said)
            counts.append(len(captured))
    assert counts[0] == counts[1]


def test_in_chinese():
    client = owner()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    assert '<html lang="zh-hans"' in client.get("/recall/").content.decode()


@pytest.mark.parametrize(
    ("more", "is_open"),
    [({}, False), ({"profile": "balanced", "limit": ""}, False), ({"limit": "3"}, True)],
)
def test_options_unfold_where_one_is_set(more, is_open):
    page = owner().get("/recall/", {"user_id": "ann", "query": "tea"} | more).content.decode()
    assert ('<details class="mb-3" open>' in page) is is_open
