import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.recall.rewrite import Mention, Move, Rewrite, domain_move, looks_back, mentions, rewrite
from memory.text.terms import analyse
from tests.memory.text.strategies import ANY_TEXT

GOODS, MODEL = Mention("C 型号"), Mention("K-20")
PERSON, WOMAN = Mention("孙悦"), Mention("Joan")
STUDIO, FIRM = Mention("滨江工作室"), Mention("Norwood Ltd")
PROJECT = Mention("Polaris", "project")

CHINESE = [
    ("上回那批货还有吗", None, None),
    ("之前那批货还有吗", GOODS, "之前 C 型号 库存 还有吗"),
    ("我们之前订的那批货什么时候到？", GOODS, "我们之前订的 C 型号 什么时候到？"),
    ("那批货物质检了吗", GOODS, "C 型号 质检了吗"),
    ("这批什么时候发货", GOODS, "C 型号 什么时候发货"),
    ("那款还有货吗？", GOODS, "C 型号 库存 还有货吗？"),
    ("它的价格是多少", GOODS, "C 型号 的价格是多少"),
    ("帮我查一下它的库存", GOODS, "帮我查一下 C 型号 的库存"),
    ("這個的庫存還有多少", GOODS, "C 型号 的庫存還有多少"),
    ("那个呢？", GOODS, "C 型号 呢？"),
    ("它还有吗", GOODS, "C 型号 库存 还有吗"),
    ("库存还有多少？", GOODS, "C 型号 库存还有多少？"),
    ("那价格呢？", GOODS, "C 型号 那价格呢？"),
    ("交货时间呢", GOODS, "C 型号 交货时间呢"),
    ("还有货吗？", GOODS, "C 型号 库存 还有货吗？"),
    ("还有没有货", GOODS, "C 型号 库存 还有没有货"),
    ("你还记得他的电话吗？", PERSON, "你还记得 孙悦 的电话吗？"),
    ("她负责什么", PERSON, "孙悦 负责什么"),
    ("那家公司的地址是哪里", STUDIO, "滨江工作室 的地址是哪里"),
    ("他们的联系人是谁", STUDIO, "滨江工作室 的联系人是谁"),
    ("那预算呢？", PROJECT, "Polaris 那预算呢？"),
    ("负责人呢", PROJECT, "Polaris 负责人呢"),
]
ENGLISH = [
    ("What about that batch?", MODEL, "What about K-20?"),
    ("is that batch still available?", MODEL, "is K-20 still available in stock?"),
    ("Do we still have that batch?", MODEL, "Do we still have K-20 in stock?"),
    ("Is it here yet?", MODEL, "Is K-20 here yet?"),
    ("when does it ship?", MODEL, "when does K-20 ship?"),
    ("What's its price?", MODEL, "What's K-20's price?"),
    ("and that one?", MODEL, "and K-20?"),
    ("do you have the same?", MODEL, "do you have K-20?"),
    ("and the price?", MODEL, "K-20 and the price?"),
    ("how much stock is left?", MODEL, "K-20 how much stock is left?"),
    ("any left?", MODEL, "K-20 any left in stock?"),
    ("what is his phone number?", WOMAN, "what is Joan's phone number?"),
    ("Do you remember her birthday?", WOMAN, "Do you remember Joan's birthday?"),
    ("who are her neighbours", WOMAN, "who are Joan's neighbours"),
    ("did you see her today?", WOMAN, "did you see Joan today?"),
    ("where are they?", FIRM, "where are Norwood Ltd?"),
    ("what about the deadline?", PROJECT, "Polaris what about the deadline?"),
    ("ok, and the owner?", PROJECT, "Polaris ok, and the owner?"),
]
# Talked of was C 型号 and nothing else.
UNTOUCHED = """
其它型号的库存呢
其他的还有吗
吉他还有吗
维他命还有货吗
它们还有吗
这个月的库存呢
这个价格合适吗
那个项目的进度呢
那批样品还有吗
那批货款付了吗
那批货车到了吗
这款项到了吗
这件事怎么样了
那个，我想问一下预算
我的预算是多少
我们的库存还有多少
预算是多少
负责人是谁
电话是多少
B 型号的库存还有多少
它和 R-77 哪个便宜
Redis 和它有什么区别
哪个型号库存最少
所有仓库的库存
库存盘点的流程是什么
如何管理库存
一般交付时间是多久
还有吗？
还有呢？
价格已经更新
它的价格是35元
它很好看
库存够了
王经理说它批了吗
「它」是什么意思
他的电话是多少
她住哪里
那个人是谁
那位客户的电话是多少
那家店的地址
他们的地址是什么
今天天气怎么样
你的名字是什么
码头几点开
is it raining?
what time is it?
is it possible to ship on Friday?
does it matter?
how is it going?
it takes how long?
does IT have a budget?
what is my budget?
what's our stock?
is the price of gold up?
which price is the lowest?
that batch file does not run
what is the price of Norwood?
what does R-77 cost?
can you make it shorter?
how does Redis use it?
where is she based?
what is his phone number?
their address?
the same price as last year?
this week's stock report
what is the budget?
who is the owner?
they say it is late
it was great!
its price is 35
write a haiku about profit
when does the pier open?
"""
UNTOUCHED = UNTOUCHED.split("\n")[1:-1]


@pytest.mark.parametrize(("query", "mention", "used"), CHINESE[1:] + ENGLISH)
def test_a_question_that_looks_back(query, mention, used):
    found = rewrite(query, recent=[mention])
    assert found.used == used
    assert {move.kind for move in found.moves} <= {"pronoun", "qualifier"}
    assert looks_back(query)


@pytest.mark.parametrize("query", [CHINESE[0][0], *UNTOUCHED])
def test_a_question_that_says_what_it_means(query):
    assert rewrite(query, recent=[GOODS]) == Rewrite(query)


def test_there_are_enough_of_both():
    assert len(CHINESE + ENGLISH) > 30
    assert len(UNTOUCHED) > 60


@pytest.mark.parametrize(("query", "mention", "used"), CHINESE + ENGLISH)
def test_nothing_was_talked_of(query, mention, used):
    assert rewrite(query) == Rewrite(query)


def test_each_move_is_shown():
    found = rewrite("之前那批货还有吗", recent=[GOODS])
    moves = [*found.moves, domain_move(found.used, ["hr", "inventory"])]
    assert [(move.kind, move.before, move.after) for move in moves] == [
        ("pronoun", "那批货", "C 型号"),
        ("qualifier", "还有吗", "库存 还有吗"),
        ("domain", "库存", "inventory"),
    ]
    assert all(move.because for move in moves)
    assert "C 型号" in moves[0].because


def test_what_is_put_in_front_stands_for_nothing():
    (move,) = rewrite("价格呢", recent=[GOODS]).moves
    assert (move.kind, move.before, move.after) == ("qualifier", "", "C 型号")


TWO = [Mention("C 型号"), Mention("D 型号")]


@pytest.mark.parametrize("query", ["那批货还有吗", "它的价格呢", "库存还有多少？", "价格呢"])
def test_two_candidates_are_none(query):
    assert rewrite(query, recent=TWO).used == query


def test_the_newest_turn_that_names_one_decides():
    recent = [Mention("C 型号", turn=1), Mention("D 型号", turn=2), Mention("孙悦", turn=0)]
    assert rewrite("它的价格呢", recent=recent).used == "C 型号 的价格呢"
    assert rewrite("他的电话呢", recent=recent).used == "孙悦 的电话呢"
    assert rewrite("那家公司的地址", recent=recent).used == "那家公司的地址"


def test_who_it_is_goes_by_the_sort():
    recent = [GOODS, PERSON, STUDIO]
    assert rewrite("那批货还有吗", recent=recent).used == "C 型号 库存 还有吗"
    assert rewrite("她的电话呢", recent=recent).used == "孙悦 的电话呢"
    assert rewrite("那家的地址呢", recent=recent).used == "滨江工作室 的地址呢"
    assert rewrite("它的地址呢", recent=recent).used == "它的地址呢"


def test_a_latin_name_is_a_thing_only_by_its_domain():
    assert rewrite("is it here?", recent=[Mention("Joan")]).used == "is it here?"
    assert rewrite("is it here?", recent=[PROJECT]).used == "is Polaris here?"
    assert rewrite("is it here?", recent=[MODEL]).used == "is K-20 here?"


@pytest.mark.parametrize("name", ["高铁", "黄金"])
def test_a_thing_with_the_form_of_a_name(name):
    assert rewrite("它的价格呢", recent=[Mention(name)]).used == "它的价格呢"
    assert rewrite("它的价格呢", recent=[Mention(name, "product")]).used == f"{name} 的价格呢"
    assert rewrite("他的电话呢", recent=[Mention(name, "product")]).used == "他的电话呢"


def test_what_the_question_names_itself_stays():
    known = ["拿铁", "pier seven"]
    assert rewrite("它和拿铁呢", recent=[GOODS]).used == "C 型号 和拿铁呢"
    assert rewrite("它和拿铁呢", recent=[GOODS], known=known).used == "它和拿铁呢"
    assert rewrite("is it at pier seven?", recent=[MODEL]).used == "is K-20 at pier seven?"
    assert rewrite("is it at pier seven?", recent=[MODEL], known=known).used == (
        "is it at pier seven?"
    )


def test_an_attribute_with_an_entity_of_its_name():
    assert rewrite("库存还有多少", recent=[GOODS], known=["库存"]).used == "库存还有多少"
    assert rewrite("它的库存呢", recent=[GOODS], known=["库存"]).used == "C 型号 的库存呢"
    assert rewrite("它的价格呢", recent=[Mention("年会预算")]).used == "它的价格呢"


@pytest.mark.parametrize(
    ("query", "domains", "domain"),
    [
        ("库存还有多少", ["inventory", "hr"], "inventory"),
        ("how much stock do we have", ["库存"], "库存"),
        ("人事的规定", ["hr"], "hr"),
        ("Logistics on Friday", ["物流", "sales"], "物流"),
        ("码头的灯塔", ["码头"], "码头"),
        ("库存和销售", ["inventory", "sales"], ""),
        ("码头几点开", ["inventory", "hr"], ""),
        ("三个人事先说好", ["hr"], ""),
        ("stockings", ["inventory"], ""),
        ("库存还有多少", [], ""),
    ],
)
def test_the_domain_that_a_word_names(query, domains, domain):
    move = domain_move(query, domains)
    assert (move and (move.kind, move.after)) == (("domain", domain) if domain else None)


def test_what_the_turns_named():
    known = ["user", "Apollo", "Apollo-3", "C 型号", "C 型号 Pro", "孙悦", "it", "x"]
    turns = [
        "ａｐｏｌｌｏ－３ and it, x. user",
        "孙悦说C型号 Pro 到了，Apollo. 也到了",
        "Apollonia C 型號",
    ]
    assert mentions(turns, known, {"Apollo": "project"}) == [
        Mention("Apollo-3", "", 0),
        Mention("Apollo", "project", 1),
        Mention("C 型号 Pro", "", 1),
        Mention("孙悦", "", 1),
        Mention("C 型号", "", 2),
    ]


def test_few_turns_and_little_of_each_are_read():
    assert mentions(["-"] * 6 + ["C 型号"], ["C 型号"]) == []
    assert mentions(["-" * 2000 + "C 型号"], ["C 型号"]) == []
    assert mentions(["-"] * 5 + ["C 型号"], ["C 型号"]) == [Mention("C 型号", "", 5)]
    assert mentions([], ["C 型号"]) == mentions(["C 型号"], []) == []


@pytest.mark.parametrize("query", ["", "  ", "它" * 100_000, "it " * 40_000, "?" * 81])
def test_odd_questions_stay(query):
    assert rewrite(query, recent=[Mention("孙悦")]).used == query


WORDS = (
    "它 它的 那批货 这个 那家公司 他 她的 库存 价格 交付时间 还有吗 还有货吗 多少 呢 ？ 吗 的 上次 "
    "帮我查 现在 我的 码头 其它 吉他 灯塔 那 预算 is it its that|batch they his the price stock "
    "still|have and what about any|left ? my when does ship pier 42 R-77 Joan"
)
WORDS = [word.replace("|", " ") for word in WORDS.split()]
RECENT = st.lists(
    st.builds(
        Mention,
        st.sampled_from(["C 型号", "K-20", "孙悦", "Joan", "滨江工作室", "Norwood Ltd", "预算"]),
        st.sampled_from(["", "inventory"]),
        st.integers(0, 3),
    ),
    max_size=3,
)
QUESTION = st.builds(
    lambda words, gap: gap.join(words),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=7),
    st.sampled_from(["", " "]),
)


@given(QUESTION, RECENT)
def test_no_term_is_lost_but_the_pronoun(query, recent):
    found = rewrite(query, recent=recent)
    pronouns = [move.before for move in found.moves if move.kind == "pronoun"]
    assert len(pronouns) <= 1
    left, _, right = query.partition(pronouns[0]) if pronouns else (query, "", "")
    kept = {term.text for part in (left, right) for term in analyse(part)}
    assert kept <= {term.text for term in analyse(found.used)}


@given(QUESTION, RECENT)
def test_a_rewritten_question_says_what_it_means(query, recent):
    once = rewrite(query, recent=recent)
    if once.moves:
        assert rewrite(once.used, recent=recent).used == once.used


@given(st.one_of(QUESTION, ANY_TEXT))
def test_without_mentions_nothing_changes(query):
    assert rewrite(query) == Rewrite(query)


@given(ANY_TEXT, RECENT)
def test_any_text_comes_through(query, recent):
    assert isinstance(rewrite(query, recent=recent).used, str)
    assert all(isinstance(move, Move) for move in rewrite(query, recent=recent).moves)
    looks_back(query)
