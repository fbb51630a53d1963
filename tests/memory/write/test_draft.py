"""What a row says beyond its value: parts, sentence, summary, evidence."""

import pytest

from memory.models import Memory
from memory.write.proposal import InvalidInput, Proposal
from memory.write.remember import remember
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("我的工位是B12", ("user", "工位", "B12")),
        ("my desk is B12", ("user", "desk", "B12")),
        ("仓库的押金是800元", ("仓库", "押金", "800元")),
    ],
)
def test_a_plain_statement_gets_its_parts(text, parts):
    row = make.remember(text=text)
    assert (row.entity, row.attribute, row.value) == parts
    assert (row.text, row.kind, row.single_valued) == (text, "fact", True)
    other = remember(make.scope(), [Proposal(user_id="ben", text=text)], infer=False)
    row = other.outcomes[0].memory
    assert (row.entity, row.attribute, row.value, row.kind) == ("", "", "", "other")


@pytest.mark.parametrize("text", ["我的工位是哪里？", "is my desk B12?", "要是预算是800就好了"])
def test_what_is_no_plain_statement_gets_none(text):
    assert make.remember(text=text).entity == ""


def test_a_stated_value_replaces_a_stated_value():
    make.remember(text="我的工位是B12")
    outcome = make.written(text="我的工位是C07。").outcomes[0]
    assert (outcome.action, outcome.previous.value) == ("superseded", "B12")


def test_parts_without_text_get_a_sentence():
    texts = [
        make.remember(entity="user", attribute="工位", value="B12").text,
        make.remember(entity="仓库", attribute="押金", value="800").text,
        make.remember(entity="user", attribute="desk", value="B12").text,
        make.remember(entity="Depot", attribute="deposit", value="800").text,
    ]
    assert texts == ["我的工位是B12", "仓库的押金是800", "my desk is B12", "Depot's deposit is 800"]


def test_the_summary_is_one_sentence_of_bounded_length():
    long = make.remember(text="第一句。第二句！")
    assert long.summary == "第一句。"
    english = make.remember(text="It moved to v1.2.3 today. Ask Mei.")
    assert english.summary == "It moved to v1.2.3 today."
    huge = make.remember(text="好" * 900).summary
    assert (len(huge), huge[-1]) == (160, "…")


def test_a_quote_is_found_in_its_turn():
    said = make.turn(content="早。对了，仓库押金改成1200元了，别忘。")
    row = make.remember(text="押金1200", turn_id=said.public_id, quote="仓库押金改成1200元了")
    assert said.content[row.evidence_start : row.evidence_end] == "仓库押金改成1200元了"
    assert (row.turn, row.quote) == (said, "仓库押金改成1200元了")


def test_a_text_that_stands_in_the_turn_is_its_own_quote():
    said = make.turn(content="Please note: lunch is at noon. Thanks")
    row = make.remember(text="lunch is at noon", turn_id=said.public_id)
    assert said.content[row.evidence_start : row.evidence_end] == "lunch is at noon"
    loose = make.remember(text="Lunch starts at 12", turn_id=said.public_id)
    assert (loose.turn, loose.quote, loose.evidence_start) == (said, "", None)
    parts = make.remember(entity="e", attribute="a", value="v", turn_id=said.public_id)
    assert (parts.quote, parts.evidence_start, parts.evidence_end) == ("", None, None)


def test_a_quote_that_was_not_said_is_refused():
    said = make.turn(content="仓库押金是800元")
    with pytest.raises(InvalidInput) as refused:
        make.remember(text="押金1200", turn_id=said.public_id, quote="仓库押金是1200元")
    assert refused.value.errors[0][0] == "evidence.quote"
    assert not Memory.everywhere.exists()


def test_a_turn_of_somebody_else_is_no_evidence():
    theirs = make.turn(content="押金800", user_id="ben")
    elsewhere = make.turn(make.scope(make.workspace("w2")), content="押金800")
    for turn in (theirs, elsewhere):
        with pytest.raises(InvalidInput) as refused:
            make.remember(make.scope(user_id="ann"), text="押金800", turn_id=turn.public_id)
        assert refused.value.errors == [("evidence.turn_id", "no such turn")]
    assert not Memory.everywhere.exists()
