"""What a case takes an answer to be about."""

import pytest

from audit.diagnose.case import open_case, speaks
from audit.diagnose.chain.model import figures, invented
from audit.diagnose.rivals import measure
from tests import factories as make
from tests.audit.diagnose.cases import answered

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("剩下 1,200 元", "1200元"),
        ("低于成本价的报价不能发", "低于成本价不要发"),
        ("Please clean the lid contact first and wait a minute", "wait a minute, clean the lid"),
    ],
)
def test_a_statement_is_said_in_other_words_too(text, said):
    assert speaks(text, said)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "蓝色"),
        ("剩下 11200 元", "1200元"),
        ("靠过道的座位", "靠窗"),
        ("lid", "the red lid of it"),
    ],
)
def test_a_name_or_a_figure_is_said_or_not(text, said):
    assert not speaks(text, said)


@pytest.mark.parametrize(
    ("value", "shape"),
    [("120 件", "# 件"), ("38件", "#件"), ("1,200 units", "# units"), ("蓝色", "")],
)
def test_a_measure_is_the_value_without_its_number(value, shape):
    assert measure(value) == shape


def test_what_the_question_says_already_tells_nothing():
    make.remember(
        entity="海星酒店",
        attribute="联系人",
        value="王经理",
        text="海星酒店的联系人是王经理",
        kind="fact",
    )
    record = answered("王经理在海星酒店做什么", "王经理是采购。")
    assert open_case(make.scope(), record=record).quoted == []


def test_of_what_is_named_in_the_question_only_that_answers():
    make.remember(
        entity="甲库", attribute="钥匙", value="挂钩", text="甲库的钥匙在挂钩上", kind="fact"
    )
    make.remember(
        entity="乙库", attribute="钥匙", value="抽屉", text="乙库的钥匙在抽屉里", kind="fact"
    )
    case = open_case(make.scope(), query="乙库的钥匙在哪", user_id="ann")
    assert [memory.value for memory in case.answering] == ["抽屉"]
    both = open_case(make.scope(), query="钥匙在哪", user_id="ann")
    assert len(both.answering) == 2


def test_a_figure_is_invented_where_the_context_has_another_of_its_measure():
    make.remember(
        entity="甲库", attribute="灯泡", value="40 件", text="甲库的灯泡有 40 件", kind="fact"
    )
    record = answered("甲库的灯泡有多少", "还有 70 件，够用 18 天，编号 RX-2000。")
    case = open_case(make.scope(), record=record)
    assert invented(case) == ["70件", "rx-2000"]
    assert invented(case, of_any_measure=True) == ["70件", "18天", "rx-2000"]


def test_a_lone_digit_numbers_a_list():
    assert figures("1. 先关阀门 2. 再看 RX-2000") == [("rx-2000", "id")]
