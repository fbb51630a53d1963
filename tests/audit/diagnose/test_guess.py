import pytest

from audit.diagnose.symptoms.guess import is_hedged
from memory.write.apply import apply
from memory.write.revise import find, plan_confirm
from tests import factories as make
from tests.audit.diagnose.cases import ago, answered, causes, fixes, of_question, of_record

pytestmark = pytest.mark.django_db
SYMPTOM = "guess"
QUESTION = "王经理的生日是哪天？"


def birthday(**fields):
    return make.remember(
        **{
            "entity": "王经理",
            "attribute": "生日",
            "value": "5月18日",
            "text": "王经理的生日是5月18日",
            "kind": "fact",
            "source": "user_said",
            "confidence": 0.9,
        }
        | fields
    )


def test_a_label_that_the_answer_drops_is_the_models():
    memory = birthday(source="inferred", confidence=0.6)
    record = answered(QUESTION, "王经理的生日是5月18日。")
    found = of_record(SYMPTOM, record)
    assert found.cause.link == "model"
    assert "推测" in found.sentence
    assert str(memory.public_id) in found.cause.fixes[0].url
    assert fixes(found)[0] == "confirm"


def test_an_answer_that_keeps_the_doubt_has_no_cause():
    birthday(source="inferred", confidence=0.6)
    found = of_record(SYMPTOM, answered(QUESTION, "可能是5月18日，请您确认。"))
    assert causes(found) == []
    assert "labels" in found.sentence


def test_a_sure_memory_may_be_told_as_a_fact():
    birthday()
    assert causes(of_record(SYMPTOM, answered(QUESTION, "王经理的生日是5月18日。"))) == []


def test_what_was_told_while_it_was_fresh_is_not_doubted_afterwards():
    with ago(days=60):
        birthday()
    with ago(days=50):
        record = answered(QUESTION, "王经理的生日是5月18日。")
    assert causes(of_record(SYMPTOM, record)) == []


def test_what_is_long_unconfirmed_is_doubtful_until_it_is_confirmed():
    with ago(days=60):
        memory = birthday()
    record = answered(QUESTION, "王经理的生日是5月18日。")
    assert of_record(SYMPTOM, record).cause.link == "model"
    apply(plan_confirm(make.scope(), find(make.scope(), memory.public_id)).plan("confirm", ""))
    assert causes(of_record(SYMPTOM, record)) == []


@pytest.mark.parametrize(
    ("lacking", "told"),
    [({"source": ""}, "has no source")],
)
def test_a_memory_that_does_not_say_how_sure_it_is_has_no_label(lacking, told):
    birthday(**lacking)
    found = of_question(SYMPTOM, QUESTION)
    assert found.cause.link == "context"
    assert told in found.sentence


def test_an_inference_that_is_labelled_certain_is_told():
    birthday(source="inferred", confidence=0.95)
    found = of_question(SYMPTOM, QUESTION)
    assert found.cause.link == "context"
    assert "95%" in found.sentence
    assert fixes(found) == ["correct", "confirm", "retract"]


def test_what_was_said_with_doubt_and_is_labelled_certain_is_told():
    birthday(text="王经理的生日好像是5月18日", confidence=0.9)
    found = of_question(SYMPTOM, QUESTION)
    assert found.cause.link == "context"
    assert "with doubt" in found.sentence


def test_a_figure_out_of_nothing_is_the_models():
    make.remember(text="王经理负责华东区", source="user_said", confidence=0.9)
    record = answered("王经理的分机号是多少？", "王经理的分机号是 80215。")
    found = of_record(SYMPTOM, record)
    assert found.cause.link == "model"
    assert "80215" in found.sentence


def test_in_english():
    make.remember(
        entity="Ms Reed", attribute="extension", value="4417", kind="fact", source="inferred",
        text="The extension of Ms Reed is 4417", confidence=0.6,
    )  # fmt: skip
    record = answered("What is the extension of Ms Reed?", "It is 4417.")
    assert of_record(SYMPTOM, record).cause.link == "model"


@pytest.mark.parametrize(
    "text",
    [
        "可能是8点",
        "推测是8点",
        "记录显示是8点",
        "It is probably 8",
        "Not confirmed: 8",
        "it may be 8",
    ],
)
def test_doubt_is_heard(text):
    assert is_hedged(text)


@pytest.mark.parametrize("text", ["是8点", "可以8点来", "It is 8", "The mayor comes at 8"])
def test_plain_statements_are_no_doubt(text):
    assert not is_hedged(text)
