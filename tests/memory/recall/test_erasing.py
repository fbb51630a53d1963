"""Recall records of what was erased: their words are gone, and that shows as what it is."""

import json

import pytest

from memory.models import Memory, Recall, RecallCandidate
from memory.recall import sealed
from memory.recall.feedback import add_feedback
from memory.recall.record import add_outcome, drafted
from memory.recall.recorder import store
from memory.recall.replay import replay
from memory.recall.verify import verify
from memory.write.erase.road import erase
from tests import factories as make

pytestmark = pytest.mark.django_db
SECRET = "绝密代号青鹭 zqcanary7788"


def document(record: Recall) -> dict:
    return json.loads(json.dumps(sealed.export(record)))


def erased(text: str = SECRET, query: str = "zqcanary7788 是什么") -> Recall:
    row = make.remember(text=text)
    record = make.ask(query).record
    erase(make.scope(), row, "x")
    return Recall.everywhere.get(pk=record.pk)


def test_the_words_of_the_question_that_found_it_go():
    record = erased()
    assert record.query == "█" * 12 + " 是什么"
    assert record.terms["used"] == []
    assert RecallCandidate.objects.get().matched == []
    assert "zqcanary" not in record.context
    assert record.erased_at is not None


def test_an_english_question_loses_the_words_that_found_it():
    record = erased("She keeps bees in Potsdam", "who is keeping bees, and where?")
    assert record.query == "who is ███████ ████, and where?"


def test_what_names_its_attribute_stays_in_the_question():
    row = make.budget("1200")
    record = make.ask("我现在的预算是多少").record
    erase(make.scope(), row, "x")
    record.refresh_from_db()
    assert record.query == "我现在的预算是多少"
    assert "1200" not in record.context
    assert record.erased_at is not None


def test_what_the_agent_said_with_it_goes_whole():
    row = make.budget("1200")
    record = make.ask("预算多少").record
    add_outcome(record, prompt="Answer by these facts: …", answer="It is twelve hundred")
    add_feedback(record, "wrong", "no, a thousand", "person:ann")
    erase(make.scope(), row, "x")
    record.refresh_from_db()
    assert set(record.answer) | set(record.prompt) == {"█", " "}
    assert record.answered_at is not None
    assert record.feedback.get().text == "███ █ ████████"
    assert record.feedback.get().verdict == "wrong"


def test_a_line_that_was_shortened_goes_as_a_whole():
    long = "，".join(f"第{n}条约定是每周{n}点在会议室见面" for n in range(30))
    record = erased(long, "会议室 约定")
    assert "会议室" not in record.context
    assert "<memory>" in record.context


def test_others_in_the_same_record_keep_what_they_said():
    row = make.budget("1200")
    make.remember(text="我的预算表在第三个抽屉", kind="fact")
    record = make.ask("预算").record
    erase(make.scope(), row, "x")
    record.refresh_from_db()
    assert "第三个抽屉" in record.context
    assert record.candidates.count() == 2


def test_it_is_sealed_anew_and_says_so():
    record = erased()
    now = document(record)
    assert now["erased_at"]
    result = verify(now, make.scope())
    assert (result.valid, result.in_store) == (True, "equal")


def test_a_document_from_before_is_not_called_altered():
    row = make.remember(text=SECRET)
    record = make.ask(SECRET).record
    before = document(record)
    assert "erased_at" not in before
    erase(make.scope(), row, "x")
    result = verify(before, make.scope())
    assert (result.valid, result.in_store, result.differences) == (True, "erased", ())


def test_a_record_that_is_altered_after_an_erasure_is_still_told():
    row = make.remember(text=SECRET)
    record = make.ask(SECRET).record
    before = document(record)
    erase(make.scope(), row, "x")
    Recall.everywhere.filter(pk=record.pk).update(context="something else")
    result = verify(before, make.scope())
    assert (result.valid, result.in_store) == (False, "differs")
    assert "record.digest" in result.differences


def test_a_forged_mark_hides_no_change():
    make.remember(text="喜欢茶")
    record = make.ask("喜欢什么茶").record
    before = document(record)
    Recall.everywhere.filter(pk=record.pk).update(context="other", erased_at=record.at)
    assert verify(before, make.scope()).in_store == "differs"


def test_it_can_still_be_replayed():
    record = erased()
    answer = replay(make.scope(), record)
    assert [placed.memory_id for placed in answer.now] == []


def test_a_record_that_is_written_after_the_erasure_has_no_words():
    row = make.remember(text=SECRET)
    answer = make.ask(f"{SECRET}?")
    late = drafted(answer, answer.record.at)
    erase(make.scope(), row, "x")
    store([late])
    kept = Recall.everywhere.order_by("-pk").first()
    assert kept.pk != answer.record.pk
    assert "zqcanary" not in f"{kept.query}{kept.query_used}{kept.context}{kept.terms}"
    assert kept.candidates.get().matched == []
    assert kept.erased_at is not None
    assert verify(document(kept), make.scope()).valid


def test_a_record_of_others_after_an_erasure_is_whole():
    erase(make.scope(), make.remember(text=SECRET), "x")
    make.remember(text="喜欢茶")
    kept = make.ask("喜欢什么茶").record
    assert kept.query == "喜欢什么茶"
    assert kept.erased_at is None
    assert Memory.everywhere.count() == 1
