import pytest
from hypothesis import example, given

from memory.text.fingerprint import fingerprint
from memory.text.normalise import UnstorableText, clean, fold, key, normalise, same

from .strategies import ANY_TEXT, AWKWARD


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("１２００　元", "1200 元"),
        ("ＩＤ８８", "id88"),
        ("预\u200b算", "预算"),
        ("e\u200b\u0301", "é"),
        ("\u202e预算\u202c", "预算"),
        ("時間與預算", "时间与预算"),
        ("  a \n\t b  ", "a b"),
        ("Straße", "strasse"),
        ("薴", "苎"),
        ("\ud83d坏", "坏"),
        ("", ""),
    ],
)
def test_normalise(text, wanted):
    assert normalise(text) == wanted


@given(ANY_TEXT | AWKWARD)
@example("e\u0345\u0301")
@example("a\u0301" * 3 + "\u0323" * 90)
def test_normalising_twice_changes_nothing(text):
    once = normalise(text)
    assert normalise(once) == once


@given(ANY_TEXT | AWKWARD)
def test_every_folded_character_has_its_place(text):
    folded = fold(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert folded.starts == sorted(folded.starts)
    for start, end in zip(folded.starts, folded.ends, strict=True):
        assert 0 <= start < end <= len(text)


def test_the_place_is_right_where_lengths_differ():
    text = "约㎏，e\u0301\u200b预"
    folded = fold(text)
    assert folded.text == "约kg,é预"
    at = folded.text.index("é")
    assert text[folded.starts[at] : folded.ends[at]] == "e\u0301"
    assert text[folded.starts[1] : folded.ends[2]] == "㎏"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("好的。", "好的"),
        ("我住在杭州！", "我住在杭州 "),
        ("９５０", "950"),
        ("Yes.", "yes"),
        ("預算", "预算"),
    ],
)
def test_the_same(a, b):
    assert same(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [("950", "1500"), ("甲项目", "乙项目"), ("C++", "C"), ("", "。"), ("不喝", "喝"), ("5%", "5")],
)
def test_not_the_same(a, b):
    assert not same(a, b)
    assert key(a) != key(b)
    assert fingerprint(a) != fingerprint(b)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("１２００ ", "1200"),
        ("A 型号", "a 型号"),
        ("“九百五”。", "九百五"),
        ("《三体》", "三体"),
        ("（甲）（乙）", "(甲)(乙)"),
        ("部门（新）", "部门(新)"),
        ("：截止日期：", "截止日期"),
        (".NET", ".net"),
        ("C#", "c#"),
        ("-5", "-5"),
        ('5"', '5"'),
        ("…", "..."),
        ("?", "?"),
    ],
)
def test_key(text, wanted):
    assert key(text) == wanted


@given(ANY_TEXT | AWKWARD)
def test_a_key_is_its_own_key(text):
    assert key(key(text)) == key(text)
    assert len(fingerprint(text)) == 32


def test_a_fingerprint_knows_where_its_parts_end():
    assert fingerprint("ab", "c") != fingerprint("a", "bc") != fingerprint("abc")
    assert fingerprint("我", "预算", "９５０。") == fingerprint("我", "預算", "950")


@pytest.mark.parametrize(
    ("text", "code"),
    [("尾\ud83d巴", "lone_surrogate"), ("a\0b", "nul"), ("字" * 11, "too_long")],
)
def test_what_may_not_be_stored(text, code):
    with pytest.raises(UnstorableText) as caught:
        clean(text, 10)
    assert caught.value.code == code


def test_what_may_be_stored_stays_as_it_is():
    assert clean("行一\n\t\x07行二😀\u200b", 20) == "行一\n\t行二😀\u200b"
    assert clean("字" * 10, 10) == "字" * 10
