"""What rules read out of a turn."""

import pytest
from hypothesis import given

from memory.write.reading import MOST_ITEMS
from memory.write.rules import sift
from tests.memory.text.strategies import ANY_TEXT

PASSAGE = (
    "大家好，我叫周岚，住在泉州，对虾过敏。下周五要去宁德开会。能帮我看看天气吗？谢谢！"
    "我的差旅额度是900元。"
)


def told(content: str, role: str = "user") -> list[tuple[str, str, str]]:
    return [(i.attribute, i.value, i.content) for i in sift(content, role).items]


def test_a_long_passage_becomes_several_memories():
    found = sift(PASSAGE)
    assert ("姓名", "周岚") in [(i.attribute, i.value) for i in found.items]
    assert ("差旅额度", "900元") in [(i.attribute, i.value) for i in found.items]
    assert "下周五要去宁德开会" in [i.content for i in found.items]
    assert not any("天气" in i.content or "谢谢" in i.content for i in found.items)
    assert all(i.quote == i.content and i.quote in PASSAGE for i in found.items)
    assert len(found.items) == 5


def test_a_passage_in_english():
    found = told("I live in Bergen and I'm allergic to nuts. Thanks! My flight is on Friday.")
    assert [value for _, value, _ in found] == ["Bergen", "nuts", "on Friday"] or [
        content for _, _, content in found
    ][:2] == ["I live in Bergen", "I'm allergic to nuts"]


def test_a_clause_beside_a_statement_is_kept_whole():
    found = told("我叫周岚，下周三要去北京出差")
    assert found == [("姓名", "周岚", "我叫周岚"), ("", "", "下周三要去北京出差")]
    # A clause that says nothing by itself is left.
    assert told("我叫周岚，你好呀") == [("姓名", "周岚", "我叫周岚")]


def test_what_makes_no_statement_is_kept_as_a_sentence():
    (item,) = sift("对花生过敏。").items
    assert (item.content, item.entity, item.attribute, item.value) == ("对花生过敏", "", "", "")
    assert item.kind == "preference"
    assert 0.5 <= item.confidence <= 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("你好", "courtesy"),
        ("好的", "acknowledgement"),
        ("What time is it in Lisbon?", "question"),
        ("Thanks!", "courtesy"),
    ],
)
def test_small_talk_gives_nothing_and_says_why(content, reason):
    found = sift(content)
    assert (found.items, found.reason) == ((), reason)


@pytest.mark.parametrize("role", ["assistant", "tool", "system"])
def test_only_the_user_speaks_for_the_user(role):
    found = sift("我的差旅额度是900元", role)
    assert (found.items, found.reason) == ((), "not_the_user")


def test_no_turn_gives_more_than_a_batch():
    content = "".join(f"我的第{n}号柜子是绿色的。" for n in range(200))
    assert len(sift(content).items) <= MOST_ITEMS


@given(ANY_TEXT)
def test_any_text_is_read_without_a_fall(text):
    for item in sift(text).items:
        assert item.quote in text
        assert item.content
