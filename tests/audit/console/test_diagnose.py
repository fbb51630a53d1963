from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.test import Client
from django.utils.html import escape

from audit.diagnose.registry import UnknownSymptom, symptom, symptoms
from memory.models import Recall
from memory.recall.feedback import add_feedback
from tests import factories as make
from tests.audit.console.pages_kit import operator, queries, stranger, text_of, viewer
from tests.audit.diagnose.cases import answered

pytestmark = pytest.mark.django_db
PATH = "/diagnose/"
QUESTION = "我的预算是多少？"


def address(**said) -> str:
    return f"{PATH}?{urlencode(said)}"


def found(client, **said):
    response = client.get(address(**said))
    assert response.status_code == 200
    return response.context["found"]


def test_the_six_symptoms_are_offered_with_a_sentence_each():
    page = operator().get(PATH)
    assert [one.id for one, _ in page.context["choices"]] == [
        "stale_answer", "irrelevant", "uncorrected", "contradiction", "unused", "guess",
    ]  # fmt: skip
    for one in symptoms().values():
        assert escape(str(one.told)) in text_of(page)
    with pytest.raises(UnknownSymptom):
        symptom("tired")


def test_a_chosen_symptom_asks_for_the_case_and_keeps_what_is_known():
    record = answered(QUESTION)
    client = operator()
    page = client.get(address(recall=record.public_id))
    assert page.context["found"] is None
    link = {one.id: href for one, href in page.context["choices"]}["unused"]
    assert f"recall={record.public_id}" in link
    assert client.get(link).context["found"] is not None
    empty = client.get(address(symptom="unused"))
    assert empty.context["found"] is None
    assert "is-invalid" not in text_of(empty)


def test_a_record_is_diagnosed_with_evidence_linked_and_the_fix_as_a_button():
    memory = make.budget("4500")
    record = answered(QUESTION, "您的预算是4500元。")
    client = operator()
    page = client.get(address(symptom="uncorrected", recall=record.public_id))
    told = page.context["found"]
    assert told.cause.link == "freshness"
    text = text_of(page)
    assert "The first cause" in text
    assert f'href="/memories/{memory.public_id}/correct/"' in text
    assert f'href="/recalls/{record.public_id}/"' in text
    for fix, _text, _icon in page.context["steps"][2].fixes:
        assert client.get(fix.url).status_code == 200


def test_a_question_is_diagnosed_and_nothing_recorded():
    make.budget("4500")
    told = found(operator(), symptom="uncorrected", query=QUESTION, user_id="ann")
    assert told.cause.link == "freshness"
    assert not Recall.everywhere.exists()


def test_a_healthy_case_says_where_to_look_next():
    make.budget("4500")
    record = answered(QUESTION, "您的预算是4500元。")
    page = operator().get(address(symptom="unused", recall=record.public_id))
    assert page.context["found"].cause is None
    assert "No cause was found here." in text_of(page)


def test_a_viewer_reads_the_cause_without_the_ways_to_change():
    make.budget("4500")
    record = answered(QUESTION, "您的预算是4500元。")
    page = viewer().get(address(symptom="uncorrected", recall=record.public_id))
    assert page.context["found"].cause
    assert "/correct/" not in text_of(page)
    assert all(not one.fixes for one in page.context["steps"])


def test_what_would_recall_it_is_said_in_the_readers_language_and_leads_to_the_explorer():
    memory = make.remember(text="缆绳存放在三号仓")
    client = operator()
    said = {"symptom": "unused", "query": "灯塔几点亮", "user_id": "ann"}
    page = client.get(address(**said, memory=memory.public_id))
    (_fix, text, _icon) = page.context["steps"][0].fixes[0]
    assert "which it says" in text
    assert client.get(_fix.url).context["given"][0].memory == memory


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"query": "灯塔"}, "user_id"),
        ({"user_id": "ann"}, "query"),
        ({"query": "灯塔", "user_id": "ann", "memory": "no-id"}, "memory"),
        ({"query": "灯塔", "user_id": "ann", "memory": str(uuid4())}, "memory"),
        ({"query": "灯塔", "user_id": "ann", "as_of": "1066-01-01T00:00"}, "as_of"),
        ({"recall": "no-id"}, "recall"),
        ({"recall": str(uuid4())}, "recall"),
        ({"query": "灯" * 900, "user_id": "ann"}, "query"),
    ],
)
def test_what_is_wrong_stands_at_its_field(said, field):
    page = operator().get(address(symptom="unused", **said))
    assert page.status_code == 200
    assert page.context["found"] is None
    assert list(page.context["form"].errors) == [field]


def test_an_unknown_symptom_offers_the_choice():
    page = operator().get(address(symptom="tired", query="灯塔", user_id="ann"))
    assert page.status_code == 200
    assert page.context["chosen"] is None


def test_anothers_record_is_as_unknown_as_none():
    make.budget("4500")
    record = answered(QUESTION, "您的预算是4500元。")
    client = stranger()
    foreign = client.get(address(symptom="unused", recall=record.public_id))
    missing = client.get(address(symptom="unused", recall=uuid4()))
    assert foreign.context["form"].errors == missing.context["form"].errors
    assert "4500" not in text_of(foreign)


def test_the_record_page_and_negative_feedback_lead_here():
    record = answered(QUESTION, "您的预算是4500元。")
    add_feedback(record, "stale", "上周的", "person:ann")
    page = text_of(operator().get(f"/recalls/{record.public_id}/"))
    assert f"{PATH}?recall={record.public_id}" in page
    assert f"{PATH}?recall={record.public_id}&amp;symptom=stale_answer" in page


def test_texts_are_plain():
    make.remember(text="灯塔 <script>go()</script>", kind="fact")
    page = operator().get(
        address(symptom="stale_answer", query="<b>灯塔", user_id="ann", answer="<i>亮</i>")
    )
    assert "<script>go()" not in text_of(page)
    assert "<i>亮" not in text_of(page)


def test_only_reading_is_answered_and_anonymous_goes_to_login():
    assert operator().post(PATH).status_code == 405
    assert Client().get(PATH).headers["Location"].startswith("/login/")


@pytest.mark.parametrize("name", sorted(symptoms()))
def test_queries_do_not_grow_with_rows(name):
    client = operator()
    make.remember(
        text="仓库 0号放着缆绳", entity="仓库", attribute="0号", value="缆绳", kind="fact"
    )
    said = address(symptom=name, query="仓库放着什么", user_id="ann", answer="缆绳")
    before = queries(client, said)
    for number in range(1, 7):
        make.remember(
            text=f"仓库 {number}号放着缆绳", entity="仓库", attribute=f"{number}号", value="缆绳",
            kind="fact",
        )  # fmt: skip
    assert queries(client, said) <= before + 1


def test_in_chinese():
    client = operator()
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "zh-hans"
    make.budget("4500")
    page = client.get(address(symptom="uncorrected", query=QUESTION, user_id="ann"))
    assert '<html lang="zh-hans"' in text_of(page)
