from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from audit.console import log
from audit.console.recalls import because, marked
from memory.models import Memory, Recall
from memory.recall.feedback import add_feedback
from memory.recall.record import add_outcome
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests import factories as make

pytestmark = pytest.mark.django_db


def owner() -> Client:
    return make.logged_in(make.person("olive", role="operator"))


def address(answer) -> str:
    return reverse("recall", args=[answer.record.public_id])


def queries(client: Client, **filters) -> list[str]:
    return [recall.query for recall in client.get("/recalls/", filters).context["page"]]


def test_the_log_is_newest_first_and_filters():
    make.budget("640")
    make.ask("预算多少")
    make.ask("nothing fits this", make.scope(user_id="bo", actor="key:bot", surface="api"))
    client = owner()
    assert queries(client) == ["nothing fits this", "预算多少"]
    assert queries(client, user_id="bo") == ["nothing fits this"]
    assert queries(client, surface="console") == ["预算多少"]
    assert queries(client, actor="key:bot") == ["nothing fits this"]
    assert queries(client, served="none") == ["nothing fits this"]
    assert queries(client, served="some") == ["预算多少"]
    assert queries(client, q="FITS") == ["nothing fits this"]
    assert queries(client, q="预算", user_id="ann") == ["预算多少"]
    assert queries(client, since="2020-01-01", until="2020-02-01") == []


@pytest.mark.parametrize("query", ["served=half", "cursor=!", "since=1", "q=%00", "page=7"])
def test_what_does_not_parse_filters_nothing(query):
    make.ask("anything")
    answer = owner().get(f"/recalls/?{query}")
    assert answer.status_code == 200
    assert len(answer.context["page"].rows) == 1


def test_words_of_the_query_are_looked_for_in_a_bounded_number_of_rows(monkeypatch):
    monkeypatch.setattr(log, "WINDOW", 2)
    for number in range(4):
        make.ask(f"question {number}")
    client = owner()
    assert queries(client, q="question") == ["question 3", "question 2"]
    assert "in the newest 2 recalls only" in client.get("/recalls/?q=question").content.decode()


def test_paging_keeps_the_filters():
    for number in range(55):
        make.ask(f"question {number}")
    client = owner()
    first = client.get("/recalls/", {"user_id": "ann"})
    assert "user_id=ann&amp;cursor=" in first.content.decode()
    second = queries(client, user_id="ann", cursor=first.context["page"].next)
    assert len(second) == 5


def test_empty_log_and_empty_match_say_different_things():
    client = owner()
    assert "Nobody has asked yet" in client.get("/recalls/").content.decode()
    make.ask("anything")
    page = client.get("/recalls/?user_id=zoe").content.decode()
    assert "Nothing matches" in page
    assert "Drop User: zoe" in page


def test_a_record_shows_the_context_the_terms_and_the_scores():
    make.budget("640")
    answer = make.ask("现在的预算")
    page = owner().get(address(answer)).content.decode()
    assert answer.context.text.splitlines()[2] in page
    assert "<mark>预算</mark>" in page
    assert '<code class="pill">预算</code>' in page
    assert "too common" in page
    for part in ("relevance", "importance", "freshness"):
        assert f"<dt>{part}</dt>" in page


def test_a_record_shows_what_was_kept_back_and_by_which_gate():
    make.remember(text="tea at four", kind="rule")
    make.remember(text="tea is green", kind="fact")
    make.remember(text="tea is never black", kind="fact")
    answer = make.ask("tea", kinds=["fact"], limit=1)
    page = owner().get(address(answer)).content.decode()
    assert "not of the kinds asked for" in page
    assert "ranked below the limit" in page
    assert "tea at four" in page


def test_a_memory_superseded_since_is_marked_with_what_replaced_it():
    make.budget("640")
    answer = make.ask("预算")
    client = owner()
    assert "changed its state since" not in client.get(address(answer)).content.decode()
    new = make.budget("910")
    page = client.get(address(answer)).content.decode()
    assert "changed its state since" in page
    assert "see what replaced it" in page
    assert reverse("memory", args=[new.public_id]) in page


def test_a_memory_retracted_or_erased_since_is_marked():
    memory = make.budget("640")
    answer = make.ask("预算")
    apply(plan_retract(make.scope(), [memory]).plan("retract", "wrong"))
    client = owner()
    assert "retracted" in client.get(address(answer)).content.decode()
    Memory.everywhere.filter(pk=memory.pk).delete()
    assert "erased since" in client.get(address(answer)).content.decode()


def test_prompt_and_answer_are_shown_when_they_were_reported():
    answer = make.ask("预算")
    client = owner()
    assert "What came of it" not in client.get(address(answer)).content.decode()
    add_outcome(answer.record, prompt="the prompt so far", answer="<i>the answer</i>")
    page = client.get(address(answer)).content.decode()
    assert "the prompt so far" in page
    assert "&lt;i&gt;the answer" in page


def test_what_was_kept_back_at_the_limit_shows_its_score():
    make.remember(text="tea at four", kind="rule")
    make.remember(text="tea is green", kind="fact")
    make.remember(text="tea is never black", kind="fact")
    page = owner().get(address(make.ask("tea", kinds=["fact"], limit=1))).content.decode()
    kept_back = page.partition("Found but not given")[2]
    assert kept_back.count("<dt>relevance</dt>") == 1
    assert "?memory=" in kept_back


def test_small_talk_is_shown_as_not_recalled():
    make.remember(text="tea at four")
    client = owner()
    page = client.get(address(make.ask("thanks a lot"))).content.decode()
    assert "Not recalled: thanks" in page
    assert "no current memory fits" not in page
    page = client.get(address(make.ask("coffee"))).content.decode()
    assert "Not recalled" not in page
    assert "no current memory fits" in page


def test_a_rewritten_question_shows_each_move_and_why():
    make.remember(text="A 型号每箱十件", entity="A 型号", attribute="装箱", value="十件")
    make.turn(content="A 型号下周发货")
    answer = make.ask("那批货还有吗", session_id="s1")
    assert [move["kind"] for move in answer.record.moves] == ["pronoun", "qualifier"]
    page = owner().get(address(answer)).content.decode()
    assert "asked as:" in page
    assert "<del>那批货</del>" in page
    assert "<ins>A 型号</ins>" in page
    assert "the last turn to name one that fits names only A 型号" in page
    assert "asked of goods, this asks for their stock" in page


def test_a_domain_that_the_question_names_is_shown():
    make.remember(text="tea is green", domain="tea")
    page = owner().get(address(make.ask("which tea"))).content.decode()
    assert "names a domain" in page
    assert "<dt>domain</dt>" in page


@pytest.mark.parametrize(
    ("kind", "said", "told"),
    [
        ("pronoun", "the last turn to name one that fits names only 100%", "fits names only 100%"),
        ("domain", "“tea” names the domain tea", "names a domain"),
        ("qualifier", "a reason of another day", "a reason of another day"),
        ("qualifier", "", ""),
    ],
)
def test_because(kind, said, told):
    assert because({"kind": kind, "because": said}).endswith(told)


def test_feedback_is_shown_with_who_and_what():
    answer = make.ask("tea")
    client = owner()
    assert "Feedback" not in client.get(address(answer)).content.decode()
    add_feedback(answer.record, "missing", "the <i>green</i> one", "key:bot")
    page = client.get(address(answer)).content.decode()
    assert "<strong>missing</strong>" in page
    assert "the &lt;i&gt;green&lt;/i&gt; one" in page
    assert "key:bot" in page


def test_a_record_says_what_each_block_holds_and_what_counted_the_tokens():
    make.remember(text="tea is green", kind="fact")
    make.remember(text="tea fair in May", kind="event")
    page = owner().get(address(make.ask("tea"))).content.decode()
    assert 'facts <span class="num">1</span>' in page
    assert 'background <span class="num">1</span>' in page
    assert "Tokens counted by" in page


def test_a_record_leads_to_its_replay_and_asks_why_not():
    answer = make.ask("tea")
    page = owner().get(address(answer)).content.decode()
    assert reverse("recall-replay", args=[answer.record.public_id]) in page
    assert f'action="{reverse("recall-why-not", args=[answer.record.public_id])}"' in page


def test_a_record_leads_back_to_the_same_question():
    answer = make.ask("绿茶", kinds=["fact"], domains=["茶"])
    client = owner()
    link = client.get(address(answer)).context["again"]
    page = client.get(link).content.decode()
    assert ">绿茶</textarea>" in page
    assert 'value="茶"' in page
    assert 'value="fact" checked' in page


def test_memory_text_and_query_are_plain_text():
    make.remember(text="tea <script>go()</script> green")
    answer = make.ask("<b>tea</b>")
    client = owner()
    for path in ("/recalls/", address(answer)):
        page = client.get(path).content.decode()
        assert "<script>go()" not in page
        assert "<b>tea" not in page


def test_a_viewer_reads():
    answer = make.ask("绿茶")
    viewer = make.logged_in(make.person("vic", role="viewer"))
    assert "绿茶" in viewer.get("/recalls/").content.decode()
    assert viewer.get(address(answer)).status_code == 200
    assert viewer.post("/recalls/").status_code == 405


def test_a_stranger_sees_nothing_and_gets_the_same_404_as_for_no_record():
    answer = make.ask("绿茶")
    stranger = make.logged_in(make.person("sam", make.workspace("w2")))
    assert "绿茶" not in stranger.get("/recalls/").content.decode()
    assert stranger.get(address(answer)).status_code == 404
    assert stranger.get(f"/recalls/{uuid4()}/").status_code == 404


def test_anonymous_goes_to_login():
    answer = make.ask("绿茶")
    for path in ("/recalls/", address(answer)):
        assert Client().get(path).headers["Location"].startswith("/login/")


def test_queries_do_not_grow_with_rows(django_assert_max_num_queries):
    client = owner()
    for number in range(20):
        make.remember(text=f"tea sort {number}")
        make.ask(f"tea {number}")
    for path in ("/recalls/", address(make.ask("tea", limit=15))):
        client.get(path)
        with django_assert_max_num_queries(18):
            client.get(path)
    assert Recall.everywhere.count() == 21


def test_htmx_gets_the_list_and_back_gets_the_page():
    make.ask("绿茶")
    client = owner()
    part = client.get("/recalls/", headers={"HX-Request": "true"})
    back = client.get(
        "/recalls/", headers={"HX-Request": "true", "HX-History-Restore-Request": "true"}
    )
    assert "<html" not in part.content.decode()
    assert "绿茶" in part.content.decode()
    assert "<html" in back.content.decode()
    for answer in (part, back):
        assert "HX-Request" in answer.headers["Vary"]


def test_in_chinese():
    answer = make.ask("绿茶")
    client = owner()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    for path in ("/recalls/", address(answer)):
        assert '<html lang="zh-hans"' in client.get(path).content.decode()


@pytest.mark.parametrize(
    ("text", "terms", "pieces"),
    [
        ("likes green tea", {"green"}, [("likes ", False), ("green", True), (" tea", False)]),
        ("爱喝绿茶", {"绿茶"}, [("爱喝", False), ("绿茶", True)]),
        ("nothing here", {"tea"}, [("nothing here", False)]),
        ("", {"tea"}, []),
    ],
)
def test_marked(text, terms, pieces):
    assert marked(text, terms) == pieces


@pytest.mark.django_db
def test_small_talk_is_called_so_in_the_log():
    make.ask("你好")
    client = make.logged_in(make.person())
    assert "small talk" in client.get(reverse("recalls")).content.decode()
