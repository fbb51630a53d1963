import re
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from audit.console.advice import SENTENCES, sentence
from audit.console.recalls import GATES
from audit.console.why_not import MORE_GATES, TOKENS_SHOWN, tokens
from memory import clock
from memory.models import Memory, Recall
from memory.recall.advice import Advice
from memory.recall.gates import _PASSES
from memory.write.apply import apply
from memory.write.revise import find, plan_restore, plan_retract
from tests import factories as make
from tests.audit.console.pages_kit import operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def address(record: Recall, memory: Memory | None = None) -> str:
    path = reverse("recall-why-not", args=[record.public_id])
    return f"{path}?memory={memory.public_id}" if memory else path


def explained(record: Recall, memory: Memory, client: Client | None = None):
    answer = (client or operator()).get(address(record, memory))
    assert answer.status_code == 200
    return answer.context["explained"]


def said(link: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(link).query)


def retract(memory: Memory) -> None:
    apply(plan_retract(make.scope(), [find(make.scope(), memory.public_id)]).plan("retract", "no"))


def test_a_served_memory_needs_no_advice():
    memory = make.remember(text="灯塔每晚八点亮")
    record = make.ask("灯塔").record
    page = text_of(operator().get(address(record, memory)))
    assert page.count("given at rank 1") == 2
    assert "What would recall it" not in page


def test_words_are_shown_on_both_sides_and_those_that_met_are_marked():
    memory = make.remember(text="灯塔每晚八点亮")
    told = explained(make.ask("灯塔 仓库").record, memory)
    assert ("灯塔", "word") in told.asked
    assert ("仓库", "") in told.asked
    assert told.words.shown[0] == ("灯塔", True)
    assert ("每晚", False) in told.words.shown
    assert ("灯塔", True) in told.pairs.shown
    assert ("塔每", False) in told.pairs.shown
    assert told.words.more == 0


def test_a_term_met_only_as_characters_marks_its_pairs():
    memory = make.remember(text="海边灯塔群每晚亮")
    told = explained(make.ask("塔群").record, memory)
    assert ("塔群", "characters") in told.asked
    assert told.pairs.shown[0] == ("塔群", True)
    assert not any(met for _, met in told.words.shown)


def test_no_shared_word_is_told_and_the_advice_leads_to_a_question_that_recalls_it():
    memory = make.remember(text="灯塔每晚八点亮")
    record = make.ask("仓库在哪").record
    client = operator()
    told = explained(record, memory, client)
    assert (told.then.gate, told.now.gate) == ("words", "words")
    assert told.now.why == "shares no term with the question"
    (step,) = told.steps
    assert "which it says" in step.text
    form = {name: values[0] for name, values in said(step.address).items()}
    client.post("/recall/", form)
    kept = Recall.everywhere.order_by("pk").last()
    assert [c.memory_id for c in kept.candidates.all() if c.was_served] == [memory.public_id]


def test_a_state_is_told_and_the_restore_is_where_the_page_of_the_memory_has_it():
    memory = make.remember(text="灯塔每晚八点亮")
    retract(memory)
    record = make.ask("灯塔").record
    told = explained(record, memory)
    assert told.now.gate == "state"
    assert told.now.why == "retracted: only active ones are recalled"
    assert told.steps[0].address == f"{reverse('memory', args=[memory.public_id])}#actions"
    assert told.steps[0].text == "Restore it."
    apply(plan_restore(make.scope(), find(make.scope(), memory.public_id)).plan("restore", ""))
    assert explained(record, memory, viewer()).now.rank == 1


def test_a_viewer_reads_the_advice_without_the_way_to_restore():
    memory = make.remember(text="灯塔每晚八点亮")
    retract(memory)
    told = explained(make.ask("灯塔").record, memory, viewer())
    assert [(step.text, step.address) for step in told.steps] == [("Restore it.", "")]


def test_then_is_as_the_store_was_even_if_the_memory_has_changed_since():
    memory = make.remember(text="灯塔每晚八点亮")
    record = make.ask("仓库").record
    retract(memory)
    told = explained(record, memory)
    assert (told.then.gate, told.now.gate) == ("words", "state")


def test_what_was_not_remembered_yet_says_so():
    with clock.at(make.instant("2026-03-01 09:00")):
        record = make.ask("灯塔").record
    memory = make.remember(text="灯塔每晚八点亮")
    told = explained(record, memory)
    assert (told.then.gate, told.then.why) == ("state", "was not remembered yet")
    assert told.now.rank == 1


@pytest.mark.parametrize(
    ("fields", "gate", "changed"),
    [
        ({"kinds": ["rule"]}, "kind", ("kinds", None)),
        ({"domains": ["harbour"]}, "domain", ("domains", None)),
        ({"agent_id": "pilot"}, "agent", ("agent_id", None)),
        ({"limit": 1}, "limit", ("limit", ["2"])),
    ],
)
def test_filters_lead_to_the_explorer_without_them(fields, gate, changed):
    make.remember(text="灯塔", domain="sea", importance=5)
    memory = make.remember(
        text="灯塔和仓库", kind="fact", domain="sea", agent_id="cook" if gate == "agent" else ""
    )
    told = explained(make.ask("灯塔", **fields).record, memory)
    assert told.now.gate == gate
    name, value = changed
    assert said(told.steps[-1].address).get(name) == value


def test_a_question_that_the_explorer_cannot_say_has_no_link():
    make.remember(text="灯塔")
    memory = make.remember(text="灯塔和仓库", kind="fact")
    record = make.ask("灯塔", kinds=["rule"], as_of=clock.now()).record
    told = explained(record, memory)
    assert [(step.text, step.address) for step in told.steps] == [("Ask without naming kinds.", "")]


def test_the_explorer_is_asked_with_all_that_stays():
    make.remember(text="灯塔")
    memory = make.remember(text="灯塔和仓库", kind="fact")
    until = clock.now() + timedelta(days=9)
    record = make.ask("灯塔", kinds=["rule"], until=until, profile="confident", turns=0).record
    asked = said(explained(record, memory).steps[-1].address)
    assert (asked["profile"], asked["turns"], "until" in asked) == (["confident"], ["0"], True)
    assert "kinds" not in asked


def test_another_users_memory_of_the_workspace_is_told_at_its_gate():
    memory = make.remember(text="灯塔每晚八点亮", user_id="bo")
    told = explained(make.ask("灯塔").record, memory)
    assert told.now.gate == "user"
    assert said(told.steps[0].address)["user_id"] == ["bo"]


def test_a_required_term_that_it_lacks_is_named():
    memory = make.remember(text="灯塔每晚八点亮")
    told = explained(make.ask('灯塔 "仓库"').record, memory)
    assert told.now.why == "does not hold what the question requires: 仓库"


def test_small_talk_is_a_gate():
    memory = make.remember(text="灯塔每晚八点亮")
    told = explained(make.ask("谢谢").record, memory)
    assert told.then.why == told.now.why == "small talk asks for nothing: thanks"


def test_a_record_of_the_past_is_asked_of_the_past():
    memory = make.remember(text="灯塔每晚八点亮")
    before = make.ask("灯塔", as_of=memory.created_at - timedelta(days=1)).record
    told = explained(before, memory)
    assert told.now.why == "was not remembered yet"
    assert told.steps[-1].address


@pytest.mark.parametrize("value", ["", "not-an-id", "%00", "6f9619ff-8b86-4d01-b42d-00cf4fc964ff"])
def test_an_unknown_memory_is_said_beside_the_field(value):
    record = make.ask("灯塔").record
    answer = operator().get(f"{address(record)}?memory={value}")
    assert answer.status_code == 200
    assert answer.context["form"].errors["memory"]


def test_a_memory_of_another_workspace_is_as_unknown_as_none():
    foreign = make.remember(make.scope(make.workspace("w2")), text="别家的灯塔")
    answer = operator().get(address(make.ask("灯塔").record, foreign))
    assert answer.context["form"].errors["memory"]
    assert "别家" not in text_of(answer)


def test_without_a_memory_the_page_asks_for_one():
    page = text_of(operator().get(address(make.ask("灯塔").record)))
    assert "Name a memory" in page
    assert "is-invalid" not in page


def test_an_unknown_profile_is_told_and_does_not_fail():
    memory = make.remember(text="灯塔每晚八点亮")
    record = make.ask("灯塔").record
    Recall.everywhere.filter(pk=record.pk).update(profile="of old")
    assert "can no longer be asked" in text_of(operator().get(address(record, memory)))


def test_texts_are_plain():
    memory = make.remember(text="灯塔 <script>go()</script>")
    page = text_of(operator().get(address(make.ask("<b>仓库</b>").record, memory)))
    assert "<script>go()" not in page
    assert "<b>仓库" not in page


def test_nothing_is_recorded():
    memory = make.remember(text="灯塔每晚八点亮")
    record = make.ask("仓库").record
    client = operator()
    client.get(address(record, memory))
    assert client.post(address(record, memory)).status_code == 405
    assert Recall.everywhere.count() == 1


def test_a_stranger_gets_the_same_404_as_for_no_record():
    memory = make.remember(text="灯塔每晚八点亮")
    record = make.ask("灯塔").record
    client = stranger()
    answer = client.get(address(record, memory))
    assert answer.status_code == 404
    assert "灯塔" not in text_of(answer)
    assert client.get(reverse("recall-why-not", args=[uuid4()])).status_code == 404


def test_anonymous_goes_to_login():
    memory = make.remember(text="灯塔每晚八点亮")
    path = address(make.ask("灯塔").record, memory)
    assert Client().get(path).headers["Location"].startswith("/login/")


def test_queries_do_not_grow_with_rows():
    client = operator()
    memory = make.remember(text="灯塔每晚八点亮")
    make.remember(text="仓库 0号放着缆绳")
    before = queries(client, address(make.ask("仓库").record, memory))
    for number in range(1, 15):
        make.remember(text=f"仓库 {number}号放着缆绳")
    assert queries(client, address(make.ask("仓库").record, memory)) <= before


def test_in_chinese():
    memory = make.remember(text="灯塔每晚八点亮")
    client = operator()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    assert '<html lang="zh-hans"' in text_of(client.get(address(make.ask("x").record, memory)))


def test_every_gate_has_its_words():
    named = GATES.keys() | MORE_GATES.keys()
    assert {*_PASSES, "user", "trigger", "words", "candidates", "limit", "budget", "index"} <= named


VALUES = {
    "expires_at": "2026-05-01T08:00:00+00:00",
    "user_id": "bo",
    "term": "灯塔",
    "without": ["仓库"],
    "query": "灯塔",
    "limit": 3,
    "budget_tokens": 900,
    "replaces": [],
}


@pytest.mark.parametrize("kind", SENTENCES)
def test_every_advice_reads_as_a_sentence(kind):
    text = sentence(Advice(kind, "", VALUES))
    assert text.endswith(".")
    assert not re.search(r"%|\(\w+\)s", text)


def test_a_sentence_names_what_it_replaces_and_when_it_happened():
    replaced = sentence(Advice("restore", "", {"replaces": ["x"]}))
    assert replaced == "Restore it. It takes the place of what is current now."
    both = sentence(Advice("ask_with_term", "", VALUES))
    assert "“灯塔”" in both
    assert "without “仓库”" in both
    assert "without" not in sentence(Advice("ask_with_term", "", VALUES | {"without": []}))
    wider = sentence(Advice("widen_time", "", {"since": "2026-05-01T08:00:00+00:00"}))
    assert "2026-05-01" in wider
    assert sentence(Advice("unheard_of", "In its own words.")) == "In its own words."


def test_tokens_that_met_are_never_left_out():
    found = [f"t{number}" for number in range(TOKENS_SHOWN + 5)]
    shown = tokens(found, lambda token: token == found[-1])
    assert shown.shown[0] == (found[-1], True)
    assert (len(shown.shown), shown.more) == (TOKENS_SHOWN, 5)
