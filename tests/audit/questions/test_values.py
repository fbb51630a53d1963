"""Which spellings of a value are that value, and what only looks like it."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from audit.questions.values import clauses, denials, holds

STANDS = [
    ("这次的经费是3,600元", "3600"),
    ("经费三千六", "3600"),
    ("经费是3600元", "三千六"),
    ("经费：３６００ 元", "3,600元"),
    ("we pay ¥3,600 a month", "3600元"),
    ("the target is $700k", "$700,000"),
    ("the target is 700k dollars", "$700k"),
    ("It is covered for eighteen months", "18 months"),
    ("保修 18 个月", "18 months"),
    ("两百万元", "200万"),
    ("1.6万", "16000"),
    ("打七折", "7折"),
    ("提成百分之七", "7%"),
    ("twenty euros", "€20"),
    ("4.50 a cup", "4.5"),
    ("会议室在十六层", "16层"),
    ("房号是十六", "16"),
    ("库存 57 件", "57"),
    ("TCK-3305 推到 21 号", "21号"),
    ("推到2026-05-21", "5月21日"),
    ("see you at 4 pm", "下午4点"),
    ("开会 16:00", "16点"),
    ("Zephyr 7 ships", "Zephyr-7"),
    ("Zephyr-7 ships", "Zephyr 7"),
    ("QRS8812 已签", "QRS-8812"),
    ("runs firmware V4.0.2", "v4.0.2"),
    ("write to desk@shop.test today", "desk@shop.test"),
    ("赵总不喝绿茶", "绿茶"),
    ("丙項目下週二驗收", "下周二"),
    ("K-40 烤箱 615 元", "K-40烤箱"),
    ("Green Boxes please.", "green boxes"),
    ("She lives in Porto.", "Porto"),
    ("三楼茶水间", "3楼茶水间"),
]
ONLY_LOOKS_LIKE_IT = [
    ("经费是13600元", "3600"),
    ("经费是36001", "3600"),
    ("经费是3600.5", "3600"),
    ("三千六百", "六百"),
    ("7%", "7个月"),
    ("$3600", "3600元"),
    ("2,300 months", "300 months"),
    ("4.7 件", "7件"),
    ("一起去", "1"),
    ("the 2026-05-21 report", "21"),
    ("TCK-3600 已签", "3600"),
    ("QRS-88123", "QRS-8812"),
    ("XQRS-8812", "QRS-8812"),
    ("v4.0.21", "v4.0.2"),
    ("Zephyr-71", "Zephyr-7"),
    ("Zephyr-7", "Zephyr"),
    ("Portofino", "Porto"),
    ("丁项目本月验收", "丙项目"),
    ("5月3日和6月21日", "5月21日"),
    ("5月盘点，21号发货", "5月21日"),
    ("4:30", "4点"),
    ("周四下午", "4"),
    ("21 号楼", "21"),
]


@pytest.mark.parametrize(("text", "value"), STANDS)
def test_a_value_stands_in_any_spelling(text, value):
    assert holds(text, value)


@pytest.mark.parametrize(("text", "value"), ONLY_LOOKS_LIKE_IT)
def test_what_only_looks_like_it_does_not_count(text, value):
    assert not holds(text, value)


@pytest.mark.parametrize("value", ["", "。", "   "])
def test_nothing_stands_nowhere(value):
    assert not holds("绿茶。", value)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("不喝绿茶", 1), ("喝绿茶", 0), ("没有绿茶", 1), ("绿茶不错", 0), ("未来再说", 0),
        ("他从不喝茶", 1), ("赵总不喝绿茶", 1), ("特别喜欢", 0), ("差不多", 0), ("不锈钢杯", 0),
        ("He doesn’t drink tea", 1), ("never not", 2), ("I know it", 0),
    ],
)  # fmt: skip
def test_words_that_deny_are_counted(text, count):
    assert denials(text) == count


def test_a_sentence_falls_apart_where_another_thing_is_said():
    assert clauses("不喝绿茶，但喝咖啡") == ["不喝绿茶", "喝咖啡"]
    assert [part.strip() for part in clauses("No tea, but 1,200 cups. Done")] == [
        "No tea", "1,200 cups", "Done",
    ]  # fmt: skip


@given(st.text(max_size=30))
def test_every_value_stands_in_itself(value):
    value = " ".join(value.split())
    assume(any(map(str.isalnum, value)))
    assert holds(value, value)
