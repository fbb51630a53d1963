from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.diff import word_diff

from .strategies import ANY_TEXT

TEXT = ANY_TEXT | st.text(st.sampled_from("我的预算是上限 8012,.a b\n"), max_size=40)


SAME = [("same", "预算")]


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("预算950元", "预算1500元", [*SAME, ("del", "950"), ("add", "1500"), ("same", "元")]),
        ("预算 at 9:30", "预算 at 9:45", [("same", "预算 at "), ("del", "9:30"), ("add", "9:45")]),
        ("我喜欢拿铁", "我喜欢红茶", [("same", "我喜欢"), ("del", "拿铁"), ("add", "红茶")]),
        ("cat", "cart", [("del", "cat"), ("add", "cart")]),
        ("一样", "一样", [("same", "一样")]),
        ("", "新", [("add", "新")]),
        ("", "", []),
    ],
)  # fmt: skip
def test_words_and_numbers_change_whole(old, new, wanted):
    assert [(piece.op, piece.text) for piece in word_diff(old, new)] == wanted


@given(TEXT, TEXT)
def test_the_pieces_join_to_both_texts(old, new):
    pieces = word_diff(old, new)
    assert "".join(p.text for p in pieces if p.op != "add") == old
    assert "".join(p.text for p in pieces if p.op != "del") == new
    assert all(a.op != b.op for a, b in pairwise(pieces))


def test_long_and_different_texts_are_not_compared_word_by_word():
    old = "start " + " ".join(f"a{i}" for i in range(3000)) + " end"
    new = "start " + " ".join(f"b{i}" for i in range(3000)) + " end"
    assert [piece.op for piece in word_diff(old, new)] == ["same", "del", "add", "same"]
