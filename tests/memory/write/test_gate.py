import pytest
from hypothesis import given, settings

from memory.models import Kind
from memory.write.gate import Worth, worth
from tests.memory.text.strategies import ANY_TEXT, AWKWARD

# Rule: what it keeps, and what looks like it and is not kept.
CHINESE = {
    "asked_to_remember": (
        ["请记住发票抬头是云帆公司", "帮我记一下门牌是302"],
        ["你记住了吗", "记不住吧？"],
    ),
    "correction": (["交付时间改到周四", "不是六个，是八个"], ["改成什么颜色好", "能改成红的吗？"]),
    "name": (["我叫沈一帆", "我姓顾"], ["你叫什么名字", "她怎么称呼？"]),
    "about_me": (["我住在宁波", "我养了一只猫", "我今年四十岁"], ["你住在哪里", "住宿怎么样？"]),
    "cannot_take": (["我对虾过敏", "我不吃羊肉"], ["你过敏吗", "有人不吃辣吗？"]),
    "likes": (["我喜欢爬山", "我讨厌排队"], ["你喜欢爬山吗", "谢谢你喜欢"]),
    "rule": (["以后周报用表格写", "单笔报销不超过五百元"], ["必须这样吗？", "上限是多少"]),
    "finished": (["首页改版已经上线了", "接口联调完成"], ["上线了吗", "完成了没有？"]),
    "plan": (["我打算下周去青岛", "我决定报名驾校"], ["你打算去哪", "有什么计划？"]),
    "took_on": (["日志字段我来补", "我负责验收用例"], ["谁来补？", "你来负责"]),
    "event": (["昨天我参加了校友会", "我买了一台相机"], ["你去了哪里", "买了没有？"]),
    "lately": (["最近我在学吉他", "这段时间工作压力大"], ["最近天气不错", "最近好吗？"]),
    "habit": (["每天早上七点跑步", "我会听音乐放松"], ["你每天几点起", "你每天跑步"]),
    "procedure": (["退货流程：先登记再寄回"], ["流程是什么"]),
    "said_of_another": (["我同事去了分公司"], ["他是谁"]),
    "fact": (["例会时间是十点半", "样机单价为八百"], ["单价是多少"]),
    "statement": (["压缩机噪音有风险", "检索服务接入日志平台"], ["今天天气真好", "景色非常迷人"]),
}
ENGLISH = {
    "asked_to_remember": (["Remember that the invoice goes to Norwood"], ["Do you remember me?"]),
    "correction": (
        ["The review moved to Thursday", "No, it should be eight boxes"],
        ["No, thanks!"],
    ),
    "name": (["My name is Dana Wills"], ["What is your name?"]),
    "about_me": (["I live in Leeds", "My sister plays the cello"], ["Your sister is great"]),
    "cannot_take": (["I'm allergic to shrimp"], ["Are you allergic?"]),
    "likes": (
        ["I love rock climbing", "Chess is a favorite of mine"],
        ["I love that!", "You like it"],
    ),
    "rule": (["Always quote prices in euros", "The trip must stay under 900"], ["Must it?"]),
    "finished": (
        ["The migration is finished", "Deployed the billing service"],
        ["Is it finished?"],
    ),
    "plan": (["I'm planning a trip to Oslo", "I'll send the draft on Friday"], ["Any plans?"]),
    "lately": (["I've been learning the guitar"], ["What have you been up to?"]),
    "event": (["I adopted a puppy last week", "We hiked to the lake"], ["I hope it went well"]),
    "habit": (["Yoga every morning for an hour"], ["Do you run every day?"]),
    "helps_me": (["Gardening really calms me"], ["That calms you"]),
    "fact": (["The staging server runs on port 9043"], ["Which port is it?"]),
    "said_of_another": (["Tom prefers window seats"], ["Who prefers that?"]),
}
CASES = [(rule, *pair) for table in (CHINESE, ENGLISH) for rule, pair in table.items()]


@pytest.mark.parametrize(("rule", "kept", "dropped"), CASES)
def test_each_rule_keeps_and_drops(rule, kept, dropped):
    for text in kept:
        assert (worth(text).keep, worth(text).rule) == (True, rule), text
    for text in dropped:
        assert worth(text).keep is False, text


DROPPED = {
    "question": ["会议几点开始？", "怎么退货", "Where is the office?"],
    "request": ["帮我写一首诗", "翻译这段话", "Write me a poem", "Please summarize the article"],
    "courtesy": ["谢谢你的帮助", "再见", "Thanks a lot", "Good night"],
    "acknowledgement": ["好的", "嗯嗯", "收到"],
    "reaction": ["Wow, that's great!", "Okay"],
    "good_wish": ["I hope everything goes fine", "I'm so proud of you"],
    "about_you": ["你真有才华", "You are so kind"],
    "weather": ["今天天气真好"],
}


@pytest.mark.parametrize("rule", DROPPED)
def test_what_is_never_kept(rule):
    for text in DROPPED[rule]:
        verdict = worth(text)
        assert (verdict.keep, verdict.rule) == (False, rule), text
        assert (verdict.kind, verdict.confidence) == ("", 0.0)


def test_the_surest_clause_decides():
    verdict = worth("你好！最近挺忙的。我对芒果过敏，你觉得呢？")
    assert (verdict.rule, verdict.kind) == ("cannot_take", Kind.PREFERENCE)
    verdict = worth("Dana: Thanks! I'm allergic to mango. How about you?")
    assert (verdict.rule, verdict.kind) == ("cannot_take", Kind.PREFERENCE)


def test_only_what_the_user_says_is_weighed():
    assert worth("我喜欢爬山", role="user").keep
    assert worth("我喜欢爬山", role="assistant") == Worth(
        False, "", 0.0, "not_the_user", "was not said by the user"
    )


def test_width_and_script_do_not_matter():
    assert worth("我喜歡爬山").rule == worth("我喜欢爬山").rule == "likes"
    assert worth("Ｉ ｌｏｖｅ ｒｏｃｋ ｃｌｉｍｂｉｎｇ").rule == "likes"


@pytest.mark.parametrize("text", ["", "  ", "。", "?", "😀", "\u200b"])
def test_nothing_is_worth_nothing(text):
    assert worth(text).keep is False


@settings(deadline=None)
@given(ANY_TEXT | AWKWARD)
def test_any_text_has_a_verdict(text):
    verdict = worth(text)
    assert verdict.kind in ([*Kind.values] if verdict.keep else [""])
    assert 0 <= verdict.confidence <= 1
    assert verdict.reason
