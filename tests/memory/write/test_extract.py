import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.models import Kind
from memory.text.normalise import key
from memory.write.extract import extract
from tests.memory.text.strategies import ANY_TEXT, AWKWARD


def told(text: str, role: str = "user") -> list[tuple[str, str, str]]:
    return [(found.entity, found.attribute, found.value) for found in extract(text, role)]


ONE = {
    "我叫沈一帆": ("姓名", "沈一帆"),
    "叫我小帆就好": ("称呼", "小帆"),
    "我住在宁波": ("住址", "宁波"),
    "我搬到了苏州": ("住址", "苏州"),
    "我老家在洛阳": ("籍贯", "洛阳"),
    "我是成都人": ("籍贯", "成都"),
    "我今年41岁": ("年龄", "41岁"),
    "我的生日是9月2日": ("生日", "9月2日"),
    "我是一名药剂师": ("职业", "药剂师"),
    "我在云帆科技上班": ("公司", "云帆科技"),
    "我在青岛工作": ("工作地", "青岛"),
    "我毕业于江南大学": ("学校", "江南大学"),
    "我對蝦過敏": ("过敏：蝦", "蝦"),
    "我不吃羊肉": ("不吃：羊肉", "羊肉"),
    "我不能喝牛奶": ("不喝：牛奶", "牛奶"),
    "我讨厌排队": ("不喜欢：排队", "排队"),
    "我很喜欢爬山": ("喜欢：爬山", "爬山"),
    "我最喜欢的季节是秋天": ("最喜欢的季节", "秋天"),
    "我对天文很感兴趣": ("感兴趣：天文", "天文"),
    "我会说粤语": ("会说：粤语", "粤语"),
    "我养了一只橘猫": ("宠物：一只橘猫", "一只橘猫"),
    "我的手机号是 555-0142": ("电话", "555-0142"),
    "My name is Dana Wills": ("name", "Dana Wills"),
    "Please call me Dee": ("nickname", "Dee"),
    "I live in Leeds": ("home", "Leeds"),
    "I just moved to Oslo": ("home", "Oslo"),
    "I'm originally from Porto": ("hometown", "Porto"),
    "I'm 41 years old": ("age", "41"),
    "My birthday is on May 9": ("birthday", "May 9"),
    "I’m a software engineer": ("occupation", "software engineer"),
    "I work at Norwood": ("company", "Norwood"),
    "I'm severely allergic to shrimp": ("allergy:shrimp", "shrimp"),
    "I don't eat lamb": ("does not eat:lamb", "lamb"),
    "I hate queues": ("dislikes:queues", "queues"),
    "I really love rock climbing": ("likes:rock climbing", "rock climbing"),
    "I prefer window seats": ("prefers:window seats", "window seats"),
    "My favourite season is autumn": ("favourite season", "autumn"),
    "I speak Portuguese": ("speaks:Portuguese", "Portuguese"),
    "I have two dogs": ("pet:two dogs", "two dogs"),
    "I'm vegetarian": ("diet", "vegetarian"),
}


@pytest.mark.parametrize("text", ONE)
def test_what_the_speaker_says_of_themself(text):
    assert told(text) == [("user", *ONE[text])]


NONE = """
我住在哪里
我叫什么名字
你叫小帆
他住在宁波
如果我住在宁波，就好了
要是我对虾过敏，怎么办
我以前住在宁波
我不住在宁波
我不叫沈一帆
我可能喜欢爬山
我应该不吃羊肉
听说我住在宁波
我想要喜欢爬山
把住址改成宁波
我爱你
我叫了外卖
我住在这里
我住在宁波，对吗？
我是来看医生的
你喜欢爬山吗？
Where do I live?
Do you live in Leeds?
She lives in Leeds
If I live in Leeds, I'll walk
I used to live in Leeds
I don't live in Leeds
I think I like tea
I would love to see Oslo
I might prefer tea
I love you
I love that
I'm from here
I live in the moment
I live in Leeds, right?
My budget changed to 900
"""


@pytest.mark.parametrize("text", NONE.strip().splitlines())
def test_what_is_no_plain_fact(text):
    assert told(text) == []


def test_a_passage_becomes_several():
    text = "大家好，我叫沈一帆，住在宁波，对虾过敏。项目的负责人是顾宁；例会时间是十点"
    assert told(text) == [
        ("user", "姓名", "沈一帆"),
        ("user", "住址", "宁波"),
        ("user", "过敏：虾", "虾"),
        ("项目", "负责人", "顾宁"),
        ("例会时间", "value", "十点"),
    ]
    text = (
        "My name is Dana, I live in Leeds and work at Norwood. The deadline of the audit is Friday."
    )
    assert told(text) == [
        ("user", "name", "Dana"),
        ("user", "home", "Leeds"),
        ("user", "company", "Norwood"),
        ("audit", "deadline", "Friday"),
    ]


def test_a_list_is_as_many_preferences():
    assert [value for _, _, value in told("我喜欢爬山、下棋和摄影")] == ["爬山", "下棋", "摄影"]
    assert [value for _, _, value in told("I love sailing, chess and jazz")] == [
        "sailing", "chess", "jazz",
    ]  # fmt: skip


def test_one_liking_does_not_stand_in_anothers_place():
    tea, coffee = extract("我喜欢茶。我喜欢咖啡")
    assert key(tea.attribute) != key(coffee.attribute)
    again, other = extract("我很喜欢茶")[0], extract("I love tea")[0]
    assert key(again.attribute) == key(tea.attribute)
    assert other.attribute == "likes:tea"


def test_one_fact_has_one_attribute_however_it_is_said():
    homes = ["我住在宁波", "我家在宁波", "我的地址是宁波", "我的家庭住址是宁波"]
    assert {attribute for text in homes for _, attribute, _ in told(text)} == {"住址"}
    homes = ["I live in Leeds", "I'm based in Leeds", "My home address is Leeds"]
    assert {attribute for text in homes for _, attribute, _ in told(text)} == {"home"}


def test_kinds():
    assert [found.kind for found in extract("我叫沈一帆，喜欢下棋。我的预算是900")] == [
        Kind.IDENTITY, Kind.PREFERENCE, Kind.FACT,
    ]  # fmt: skip


def test_a_subject_does_not_reach_over_a_sentence_or_another_person():
    assert told("我叫沈一帆。住在宁波") == [("user", "姓名", "沈一帆")]
    assert told("他叫沈一帆，住在宁波") == []


def test_a_question_beside_a_fact():
    assert told("我喜欢下棋，你呢？") == [("user", "喜欢：下棋", "下棋")]


def test_of_an_assistant_only_what_is_not_about_itself():
    assert told("我住在宁波。项目的负责人是顾宁", role="assistant") == [("项目", "负责人", "顾宁")]


def test_the_evidence_is_the_clause_and_holds_the_value():
    text = "  你好！我叫沈一帆，住在宁波。"
    name, home = extract(text)
    assert (name.text, text[home.start : home.end]) == ("我叫沈一帆", "住在宁波")


PIECES = st.sampled_from(
    [
        *ONE,
        *NONE.split("\n"),
        "，",
        "。",
        " and ",
        "我",
        "是",
        "I ",
        "、",
        "\u200b",
        "?",
        "如果",
        "\n",
    ]
)
MIXED = st.lists(PIECES, max_size=12).map("".join)


@settings(deadline=None, max_examples=300)
@given(ANY_TEXT | AWKWARD | MIXED)
def test_any_text_is_read_and_spans_are_its_own(text):
    for found in extract(text):
        assert 0 <= found.start < found.end <= len(text)
        assert text[found.start : found.end] == found.text
        assert found.value
        assert found.value in found.text
        assert found.entity
        assert found.attribute
        assert found.kind in Kind.values


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from([*ONE, *NONE.strip().split("\n")]), min_size=1, max_size=6))
def test_a_sentence_is_read_without_its_neighbours(texts):
    alone = [fact for text in texts for fact in told(text)]
    assert told("\n".join(texts)) == alone


def test_a_long_text_is_bounded():
    assert len(extract("我喜欢茶。" * 5000)) == 64
    assert extract("我" * 100_000) == extract("a and " * 20_000) == extract("." * 100_000) == []
