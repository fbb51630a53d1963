import pytest

from memory.write.erase.words import Words, blank, tells_by_itself


@pytest.mark.parametrize(
    "phrase",
    ["493027", "青鹭路zq7788号", "绝密代号青鹭", "京a00000", "vegetarian food", "zqcanary7788"],
)
def test_particular_words_tell_by_themselves(phrase):
    assert tells_by_itself(phrase)


@pytest.mark.parametrize("phrase", ["1200", "800元", "上海", "shanghai", "b2-17", "i like", "张伟"])
def test_common_words_do_not(phrase):
    assert not tells_by_itself(phrase)


def test_each_character_gives_way_to_one():
    text = "他说住址是青鷺路ＺＱcanary7788号。谢谢"
    blotted = Words(["青鹭路zqcanary7788号"]).blotted(text)
    assert len(blotted) == len(text)
    assert blotted == "他说住址是" + "█" * 16 + "。谢谢"
    assert blank("a b\n中") == "█ █\n█"


def test_a_short_word_goes_only_where_it_belongs():
    words = Words(["800"])
    assert words.blotted("预算800，押金8000", own=True) == "预算███，押金8000"
    assert words.blotted("预算800") == "预算800"
    assert not words.holds("预算800")
    assert words.holds("预算800", own=True)


def test_every_text_of_json_is_looked_at():
    words = Words(["绝密代号青鹭"])
    value = {"a": ["绝密代号青鹭", 1, None, {"绝密代号青鹭": True}]}
    assert words.blotted_json(value) == {"a": ["█" * 6, 1, None, {"█" * 6: True}]}


def test_nothing_is_in_nothing():
    assert Words(["", "a", "。"]).all == ()
    assert not Words([]).holds("anything", own=True)
    assert Words(["800"]).blotted("", own=True) == ""
