"""Typed values: what they are, which may replace which, which are the same."""

import pytest

from memory.write.correction.values import fits, same_value, typed, values

KINDS = [
    ("4月18日", "date"),
    ("下周五", "date"),
    ("本周", "date"),
    ("上个月底", "date"),
    ("明年", "date"),
    ("the 9th of April", "date"),
    ("April 9", "date"),
    ("next Tuesday", "date"),
    ("下午4点半", "time"),
    ("16:45", "time"),
    ("quarter past 5", "time"),
    ("8 pm", "time"),
    ("周四上午9点", "moment"),
    ("Friday 9:15 am", "moment"),
    ("4500元", "number"),
    ("£70", "number"),
    ("12k", "number"),
    ("三张", "number"),
    ("seven", "number"),
    ("15%", "percent"),
    ("KX-2087", "id"),
    ("v7.2", "version"),
    ("15512340000", "phone"),
    ("lin@example.com", "email"),
    ("否", "bool"),
    ("文昌路21号", "place"),
    ("40 Mill Road", "place"),
    ("周敏", "text"),
    ("Grace Kim", "text"),
    ("3d", "text"),
    ("4号线换乘", "text"),
]


@pytest.mark.parametrize(("text", "kind"), KINDS)
def test_type(text, kind):
    assert typed(text).kind == kind


def test_values_of_a_sentence_stand_in_order():
    found = values("改到周二下午4点,预算4500元,单号kx-2087")
    assert [(v.text, v.kind) for v in found] == [
        ("周二下午4点", "moment"),
        ("4500元", "number"),
        ("kx-2087", "id"),
    ]


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("周四", "3月2日"),
        ("4500", "300元"),
        ("8 pm", "Monday 3 pm"),
        ("3.1", "v2.0"),
        ("王敏", "李雷"),
    ],
)
def test_fitting(new, old):
    assert fits(typed(new), typed(old))


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("下午4点", "周敏"),
        ("40件", "300元"),
        ("周四", "下午4点"),
        ("周敏", "300元"),
        ("8 pm", "Grace Kim"),
    ],
)
def test_not_fitting(new, old):
    assert not fits(typed(new), typed(old))


@pytest.mark.parametrize(
    ("a", "b"),
    [("4500元", "4,500"), ("5万元", "50000元"), ("the 9th of April", "April 9"), ("V2", "v2")],
)
def test_same(a, b):
    assert same_value(a, b)


@pytest.mark.parametrize(
    ("a", "b"), [("450", "4500"), ("30件", "30元"), ("April 9", "May 9"), ("KX-2087", "KX-208")]
)
def test_not_same(a, b):
    assert not same_value(a, b)
