import pytest

from memory.models import Status
from memory.write.apply import apply
from memory.write.correction.road import apply_correction, propose
from memory.write.revise import find, plan_amend, plan_confirm
from memory.write.undo import undo
from tests import factories as make
from tests.audit.diagnose.cases import answered, causes, fixes, of_question, of_record, step

pytestmark = pytest.mark.django_db
SYMPTOM = "uncorrected"
QUESTION = "我的预算是多少？"


def corrected(memory, value: str):
    scope = make.scope()
    planner = plan_amend(scope, find(scope, memory.public_id), {"value": value})
    return apply(planner.plan("correct", ""))


def test_a_correction_that_was_never_applied_is_the_cause_and_applying_it_mends_it():
    make.budget("4500")
    said = propose(make.scope(user_id="ann"), "不对，我的预算改成5200")
    found = of_question(SYMPTOM, QUESTION)
    assert found.cause.link == "freshness"
    assert "不对，我的预算改成5200" in found.sentence
    assert fixes(found)[0] == "apply_correction"
    assert str(said.public_id) in found.cause.fixes[0].url

    apply_correction(make.scope(user_id="ann"), said)
    assert causes(of_question(SYMPTOM, QUESTION)) == []


def test_a_value_that_was_never_corrected_is_told_so():
    memory = make.budget("4500")
    record = answered(QUESTION, "您的预算是4500元。")
    found = of_record(SYMPTOM, record)
    assert found.cause.link == "freshness"
    assert "No correction" in found.sentence
    assert str(memory.public_id) in found.cause.fixes[0].url


def test_a_new_value_that_waits_for_review_is_told():
    make.budget("4500")
    held = make.budget("5200", source="inferred", confidence=0.9)
    assert held.status in (Status.CANDIDATE, Status.QUARANTINED)
    found = of_question(SYMPTOM, QUESTION)
    assert found.cause.link == "freshness"
    assert fixes(found) == ["approve"]


def test_an_undone_correction_is_told_with_who_undid_it():
    memory = make.budget("4500")
    done = corrected(memory, "5200")
    undo(make.scope(actor="person:bo"), done.batch, reason="by mistake")
    confirmed = find(make.scope(), memory.public_id)
    apply(plan_confirm(make.scope(), confirmed).plan("confirm", ""))
    found = of_question(SYMPTOM, QUESTION)
    assert found.cause.link == "freshness"
    assert "person:bo has undone" in found.sentence
    corrected(find(make.scope(), memory.public_id), "6100")
    assert causes(of_question(SYMPTOM, QUESTION)) == []


def test_an_old_value_that_the_context_had_not_is_the_models():
    memory = make.budget("4500")
    corrected(memory, "5200")
    record = answered(QUESTION, "您的预算是4500元。")
    found = of_record(SYMPTOM, record)
    assert found.cause.link == "model"
    assert "4500" in found.sentence


def test_a_record_older_than_the_correction_is_history():
    memory = make.budget("4500")
    record = answered(QUESTION, "您的预算是4500元。")
    corrected(memory, "5200")
    found = of_record(SYMPTOM, record)
    assert causes(found) == []
    assert "not given any more" in step(found, "freshness").sentence


def test_a_corrected_value_that_is_given_has_no_cause():
    memory = make.budget("4500")
    corrected(memory, "5200")
    found = of_record(SYMPTOM, answered(QUESTION, "您的预算是5200元。"))
    assert causes(found) == []
    assert "of its own" in found.sentence


def test_another_users_correction_is_none():
    make.budget("4500")
    make.budget("4500", user_id="bo")
    propose(make.scope(user_id="bo"), "不对，预算改成5200")
    assert "5200" not in of_question(SYMPTOM, QUESTION).sentence


def test_in_english():
    make.remember(
        entity="user", attribute="budget", value="450", text="My budget is 450 dollars", kind="fact"
    )
    propose(make.scope(user_id="ann"), "No, my budget is 620, not 450")
    found = of_question(SYMPTOM, "What is my budget?")
    assert found.cause.link == "freshness"
    assert "620" in found.sentence
