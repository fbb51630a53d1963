import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.trigger import Trigger, should_recall
from tests.memory.text.strategies import ANY_TEXT, AWKWARD

SMALL_TALK = {
    "greeting": """
        你好 | 你好呀 | 您好！ | 大家好～ | 哈喽 | 嗨嗨 | 早 | 早上好，小陈 | 王经理，下午好
        你好，小助手 | 在吗？ | 有人在吗？ | 你好吗？ | 好久不见！最近还好吗？ | 嘿嘿，早安呀
        妳好 | Hello | hi there! | HEY | heyyy | Good morning, everyone. | Good evening, Maria!
        Hi Anna | Hey, how's it going? | ok, how are you today? | What’s up? | ｈｅｌｌｏ
        你好 Tom | hello 👋
    """,
    "thanks": """
        谢谢 | 谢谢啦！ | 非常感谢您 | 謝謝你 | 多谢多谢 | 辛苦了，李工 | 麻烦您了
        好的收到，太感谢了！ | 嗯嗯谢谢 | 谢谢您的耐心哈 | 感谢你的帮助 | 好嘞，谢谢小王 | 谢谢🙏
        thanks | Thank you so much! | thx!! | ty | ok thanks a lot | Great, thanks again
        no thanks | Thanks, Maria! | thank you for your help | much appreciated
        got it, thanks everyone | OK，谢谢 | cheers mate
    """,
    "farewell": """
        再见 | 拜拜啦 | 晚安🌙 | 明天见！ | 好的，下周一见 | 那先这样，回头聊 | 周末愉快
        不客气，祝您生活愉快！ | 我先下了，拜拜 | bye | Bye-bye! | Good night, Tom | see you
        See you on Friday! | ok, talk to you later | Sure, have a great weekend
        take care, you too | goodbye then | byeee
    """,
    "acknowledgement": """
        好 | 好的 | 好的呢 | 嗯 | 嗯嗯嗯 | 哦哦 | 收到！ | 知道了 | 我明白了 | 对对对 | 是的
        行吧 | 没问题 | 不客气 | 好的，王总 | 那好吧 | 原来如此 | 太好了！ | 可以的 | 哈哈好的
        好👌 | 就这样吧 | ok | OK的 | Okay. | yep | got it | I see. | sounds good! | sure thing
        no problem | You're welcome! | that’s great | all right then | mm-hm | oh wow | uh-huh
        noted 👍 | makes sense, very good
    """,
    "laughter": """
        哈哈 | 哈哈哈哈哈！ | 嘿嘿 | 呵呵呵 | 嘻嘻 | 笑死我了 | 哈哈😂
        hahaha | lol | LMAO! | hehehe
    """,
    "symbols": "👍 | ❤️❤️ | … | ？？ | 。 | :D | ^_^ | <3 | ---",
}
CONTENT = """
你好，我的预算是多少？ | 你好 我想问下库存 | 好的，那交付是哪天 | 谢谢，再帮我查一下合同
早上好，今天有什么会 | 早上的会 | 哈尔滨 | 哈密瓜 | 好吃的 | 好友列表 | 好方案 | 好几天了 | 好吗
行程 | 对账单 | 是的话怎么办 | 可以吗 | 可以报销吗 | 额度 | 知道预算吗 | 收到货了吗 | 明白卡
谢谢卡 | 拜访记录 | 晚安酒店 | 嗨森 | 嘿店 | 在吗啡那一栏 | 就这样的方案 | 好的？ | 收到？ | 不对
不是 | 没有 | 不行 | 谢总的电话是多少 | 小陈 | 王经理 | 各位 | 你 | 那么 | 再见面 | 周一见客户
明天见谁 | 厉害的是谁 | 算了一下 | 先走哪条路 | 666 | 233 | 继续 | 你好，金额 | 好的，预算 | 👍3
谢谢。北仓 | thanks, and what's my budget? | Thanks. Apollo? | thanks for whom | thanksgiving menu
hi-fi | history | hello world program | good morning routine | good point about the price | okr
ok? | ok button | great wall | right angle | cool box price | fine amount | sure bet | well water
lol champion | see you at which office? | bye-law | hey siri setup | no | nope | budget, thanks
Budget, thanks! | Thanks, Friday! | Hi IT | Hi. Budget. | Yes, Apollo | ok Apollo | hi price
again | so much | all | thank you letter for Anna | great, and the deadline?
Hello? Is the pier open | what's up with the pier | how are you paid? | have a great supplier?
I know the price | noted in which file | 5 | k9 | ha ha ha 3
"""


def cases(text: str) -> list[str]:
    return [case.strip() for line in text.strip().splitlines() for case in line.split(" | ")]


@pytest.mark.parametrize(
    ("reason", "query"), [(kind, case) for kind in SMALL_TALK for case in cases(SMALL_TALK[kind])]
)
def test_small_talk_asks_for_nothing(reason, query):
    assert should_recall(query) == Trigger(False, reason)


@pytest.mark.parametrize("query", cases(CONTENT))
def test_all_else_asks(query):
    assert should_recall(query) == Trigger(True, "content")


def test_there_are_enough_of_both():
    assert sum(len(cases(text)) for text in SMALL_TALK.values()) >= 100
    assert len(cases(CONTENT)) >= 100


def test_nothing_at_all_asks_for_nothing():
    assert should_recall("") == should_recall(" \n\u3000") == Trigger(False, "symbols")


def test_thanks_weigh_more_than_what_they_come_with():
    assert should_recall("你好，好的，拜拜，谢谢").reason == "thanks"
    assert should_recall("hello, ok, bye").reason == "farewell"
    assert should_recall("hahaha ok").reason == "acknowledgement"


@pytest.mark.parametrize("query", ["好" * 100_000, "ha" * 50_000, "ok " * 40_000, "哈" * 121])
def test_what_is_long_asks(query):
    assert should_recall(query).triggered


def test_signs_ask_for_nothing_however_many():
    assert should_recall("!?" * 50_000) == Trigger(False, "symbols")


@given(st.one_of(ANY_TEXT, AWKWARD))
def test_any_text_gets_an_answer(text):
    trigger = should_recall(text)
    assert trigger.triggered == (trigger.reason == "content")


@given(
    st.lists(st.sampled_from(cases(SMALL_TALK["acknowledgement"])), max_size=2),
    st.sampled_from(["预算", "码头几点开", "which pier", "R-77", "不是", "42"]),
    st.lists(st.sampled_from(cases(SMALL_TALK["thanks"])), max_size=2),
)
def test_content_among_small_talk_is_seen(before, content, after):
    assert should_recall("，".join([*before, content, *after])).triggered
