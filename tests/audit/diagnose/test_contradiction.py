import pytest

from memory.models import DuplicatePair
from memory.write.apply import apply
from memory.write.review import merge_pairs
from memory.write.revise import find, plan_retract
from tests import factories as make
from tests.audit.diagnose.cases import ago, answered, causes, fixes, of_question, of_record

pytestmark = pytest.mark.django_db
SYMPTOM = "contradiction"


def retract(memory) -> None:
    apply(plan_retract(make.scope(), [find(make.scope(), memory.public_id)]).plan("retract", "old"))


def test_two_current_figures_in_the_same_words_are_the_cause_and_retracting_one_mends_it():
    with ago(days=9):
        old = make.remember(text="海星酒店的押金是 700 元", kind="other")
    new = make.remember(text="海星酒店的押金是 950 元", kind="other")
    record = answered("海星酒店的押金是多少", "押金是 700 元，不过也可能是 950 元。")
    found = of_record(SYMPTOM, record)
    assert found.cause.link == "freshness"
    assert "both current" in found.sentence
    named = {one.id for one in found.cause.evidence if one.kind == "memory"}
    assert named == {str(old.public_id), str(new.public_id)}
    assert str(old.public_id) in found.cause.fixes[0].url
    retract(old)
    assert causes(of_question(SYMPTOM, "海星酒店的押金是多少")) == []


def test_one_fact_in_two_wordings_leads_to_the_pair_and_merging_mends_it():
    make.remember(text="王经理不喜欢香菜", kind="preference")
    make.remember(text="王经理很不喜欢香菜", kind="preference")
    pair = DuplicatePair.objects.within(make.scope()).get()
    found = of_question(SYMPTOM, "王经理不喜欢什么")
    assert found.cause.link == "freshness"
    assert fixes(found) == ["merge"]
    assert f"pair-{pair.pk}" in found.cause.fixes[0].url
    merge_pairs(make.scope(), [pair], {pair.pk: pair.first}, "")
    assert causes(of_question(SYMPTOM, "王经理不喜欢什么")) == []


def test_two_things_with_two_figures_agree():
    make.remember(text="海星酒店的押金是 700 元", kind="other")
    make.remember(text="云顶酒店的押金是 950 元", kind="other")
    found = of_question(SYMPTOM, "酒店的押金是多少")
    assert causes(found) == []
    assert "What is given agrees" in found.sentence


def test_an_answer_with_a_figure_of_its_own_is_the_models():
    make.remember(text="海星酒店的押金是 700 元", kind="other")
    record = answered("海星酒店的押金是多少", "押金是 880 元。")
    assert of_record(SYMPTOM, record).cause.link == "model"


def test_in_english():
    with ago(days=3):
        make.remember(text="The deposit of the Harbour Inn is 70 euros", kind="other")
    make.remember(text="The deposit of the Harbour Inn is 95 euros", kind="other")
    found = of_question(SYMPTOM, "What is the deposit of the Harbour Inn?")
    assert found.cause.link == "freshness"
    assert "95 euros" in found.sentence
