"""Whether two texts say the same: on labelled pairs, and rules that no score may break."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.similar import likeness

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "data" / "sameness.jsonl").read_text().splitlines()
]
# Kinds of pairs that must never be called the same, however alike their words are.
APART = {"number", "date", "entity", "negation", "opposite", "mood"}


def told(pair: dict):
    return likeness(pair["a"], pair["b"])


def share(lang: str, seen: bool) -> tuple[float, float]:
    """Precision and recall of "possible duplicate"; `seen`: the rules were made with these."""
    pairs = [pair for pair in PAIRS if (pair["lang"], pair["seen"]) == (lang, seen)]
    right = sum(pair["same"] for pair in pairs if told(pair).is_possible)
    called = sum(told(pair).is_possible for pair in pairs)
    return right / called, right / sum(pair["same"] for pair in pairs)


def test_there_are_enough_pairs_and_most_are_hard():
    assert len(PAIRS) >= 200
    assert len({pair["a"] + pair["b"] for pair in PAIRS}) == len(PAIRS)
    assert sum(not pair["same"] for pair in PAIRS) > sum(pair["same"] for pair in PAIRS)
    assert {pair["lang"] for pair in PAIRS} == {"zh", "en"}


@pytest.mark.parametrize(
    ("lang", "seen", "recall"),
    [("zh", True, 0.95), ("en", True, 0.95), ("zh", False, 0.7), ("en", False, 0.9)],
)
def test_precision_and_recall_hold(lang, seen, recall):
    precision, found = share(lang, seen)
    assert precision >= 0.97
    assert found >= recall


@pytest.mark.parametrize("pair", [p for p in PAIRS if p["kind"] in APART], ids=lambda p: p["a"])
def test_what_differs_in_kind_is_never_the_same(pair):
    how = told(pair)
    assert not how.is_possible
    assert not how.is_same


def test_what_would_merge_by_itself_is_always_the_same():
    merged = [pair for pair in PAIRS if told(pair).is_same]
    assert len(merged) >= 30
    assert all(pair["same"] for pair in merged)


def test_the_measure_has_no_side():
    for pair in PAIRS:
        assert likeness(pair["b"], pair["a"]) == told(pair)


@pytest.mark.parametrize(
    ("a", "b", "veto"),
    [
        ("押金是300元", "押金是350元", "number"),
        ("The fee is 20 euros", "The fee is 20 dollars", "number"),
        ("复诊在6月2日", "复诊在6月3日", "date"),
        ("工单TK-88已关闭", "工单TK-89已关闭", "id"),
        ("甲班由孙老师带", "乙班由孙老师带", "name"),
        ("I know the code", "She knows the code", "name"),
        ("门已经锁了", "门还没锁", "negation"),
        ("I smoked before work", "I used to smoke before work", "mood"),
        ("打开暖气", "关闭暖气", "opposite"),
        ("我会修车", "我会修鞋", "word"),
    ],
)
def test_a_veto_names_what_keeps_two_texts_apart(a, b, veto):
    assert likeness(a, b).veto == veto


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("押金是三百元", "押金是300元"),
        ("押金三千二百元", "押金3200元"),
        ("押金是一万二", "押金是12000"),
        ("彩排在星期六下午四点", "彩排在周六16点"),
        ("The fee is twenty-five euros", "The fee is 25 euros"),
        ("The fee is two thousand three hundred", "The fee is 2300"),
        ("Rehearsal on Saturday at 4pm", "Rehearsal Sat 16:00"),
        ("Due on the 3rd of June", "Due June 3"),
        ("项目 Apollo-3 延期了", "项目 apollo 3 延期了"),
        ("２００元", "200元"),
    ],
)
def test_the_same_number_and_day_in_other_spelling_is_the_same(a, b):
    assert likeness(a, b).veto == ""


def test_another_number_in_the_same_words_is_a_conflict_and_other_words_are_none():
    assert likeness("押金是300元", "押金是350元").is_conflict
    assert likeness("The retro is on Monday", "The retro is on Friday").is_conflict
    assert not likeness("押金是300元", "工资是350元").is_conflict
    assert not likeness("押金是300元", "押金是300元").is_conflict


def test_nothing_and_symbols_are_like_nothing():
    for text in ("", "…", "！！！", "的"):
        assert not likeness(text, text).is_possible
        assert not likeness(text, "我喜欢喝龙井").is_possible


def test_what_was_not_read_to_its_end_is_not_called_the_same():
    long = "我喜欢喝龙井。" * 100
    assert not likeness(long + "押金是300元", long + "押金是350元").is_same
    assert likeness("我喜欢喝龙井。", "我喜欢喝龙井。").is_same


FRAMES = [
    "仓库里还有{}箱", "报价是{}元", "The quote is {} euros", "We have {} boxes left", "房间号是{}",
]  # fmt: skip
NUMBERS = st.integers(0, 99_999)


@given(st.sampled_from(FRAMES), NUMBERS, NUMBERS)
def test_no_two_numbers_are_ever_the_same(frame, one, other):
    how = likeness(frame.format(one), frame.format(other))
    assert how.is_same == how.is_possible == (one == other)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_compared(a, b):
    how = likeness(a, b)
    assert 0 <= how.score <= 1
    assert 0 <= how.overlap <= 1
    assert how == likeness(b, a)
