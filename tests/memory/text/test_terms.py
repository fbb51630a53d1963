import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.terms import CHARACTERS, TERMS, analyse, index_terms, query_terms

from .strategies import ANY_TEXT, AWKWARD

SYNTAX = st.text(
    st.sampled_from("\"'()*^{}:+-~@#=%/.,_0123vaNEAR预算茶月元点 \0\u200b“”\ud83d😀é한ひ"),
    max_size=60,
)


def found(question: str, text: str) -> bool:
    """Whether the index rows of `text` answer `question`: every required term, or any term."""
    query, rows = query_terms(question), index_terms(text)
    required = [term for term in query.terms if term.required]
    if required:
        return all(has(term, rows) for term in required)
    return any(has(term, rows) for term in query.terms)


def has(term, rows) -> bool:
    words, pairs, size = rows.words, rows.bigrams, len(term.bigrams)
    in_a_row = size and any(
        tuple(pairs[i : i + size]) == term.bigrams for i in range(len(pairs) - size + 1)
    )
    starts = term.prefix and any(pair.startswith(term.prefix) for pair in pairs)
    return bool(term.text in words or set(term.also) & set(words) or in_a_row or starts)


NOTE = (
    "客服群 @support，编号 #2077，涨了35%，写 C++ 和 C#，系统 4.2，"
    "k=v，网速 MB/s，写信 hi@mail.test"
)
SIGNS = ["@support", "#2077", "35%", "C++", "C#", "4.2", "k=v", "MB/s", "hi@mail.test"]
FINDS = [
    *[(sign, NOTE) for sign in SIGNS],
    ("INV-30551", "发票 INV-30551 已开"),
    ("inv_30551", "发票 INV-30551 已开"),
    ("INV30551", "发票 INV-30551 已开"),
    ("Hermes-7", "hermes 7 launches in May"),
    ("hermes 7", "Hermes-7 下月发射"),
    ("gpt4o", "GPT-4o 的额度"),
    ("v2.0.1", "升级到 v2.0.1 了"),
    ("2.0.1", "升级到 v2.0.1 了"),
    ("预算", "我的预算上限是950元"),
    ("預算", "我的预算上限是950元"),
    ("950", "我的预算上限是950元"),
    ("我的预算", "我的预算上限是950元"),
    ("heat", "重画heat-map花了3天"),
    ("map", "重画heat-map花了3天"),
    ("heat-map", "重画heat-map花了3天"),
    ("heat map", "重画heat-map花了3天"),
    ("网关", "内部服务网关闭了"),
    ("球票", "足球票卖光"),
    ("垚来", "邬垚来过"),
    ("邬垚", "邬垚来过"),
    ("茶", "下午喝茶"),
    ("茶", "茶叶在二楼"),
    ("合同　盖章", "盖章之前先看合同"),
    ("合同 盖章", "盖章之前先看合同"),
    ("4号方案", "结果：4号方案。"),
    ("结果 方案", "结果：4号方案。"),
    ("3600", "上限３６００"),
    ("３６００", "上限3600"),
    ("编号ab12", "编号ＡＢ１２的车"),
    ("预算", "预\u200b算上限"),
    ("3000", "奖金3,000元"),
    ("3万", "奖金30000"),
    ("30000元", "奖金3万块"),
    ("11月30日", "2026-11-30 发版"),
    ("2026年11月", "2026/11/30 发版"),
    ("3点半", "例会 3:30 开始"),
    ("5天", "请假3-5天"),
    ("running shoes", "He runs a shoe shop"),
    ("café", "cafe\u0301 在一楼"),
    ("github", "见 https://github.test/a/b-12"),
    ("file_name", "改 file_name 的默认值"),
    ("-5度", "冷库 -5 ℃ 或 -5度"),
]
MISSES = [
    ("3", "3月开会"),
    ("3", "每天3点"),
    ("3", "3000元"),
    ("3", "奖金3万元"),
    ("3", "冷库-3度"),
    ("30551", "发票 INV-30551 已开"),
    ("INV-30552", "发票 INV-30551 已开"),
    ("INV-99999", "发票 INV-30551 已开"),
    ("7", "Hermes-7 下月发射"),
    ("AB-C12", "ABC-12"),
    ("1-23", "12-3"),
    ("C", "只会 C++"),
    ("C++", "只会 C"),
    ("100%", "打折1000"),
    ("35", "编号 #35"),
    ("2077", "编号 #2077"),
    ("file_name", "fileXname 规范"),
    ("算上", "预算、上限"),
    ("950元", "950件"),
    ("12", "电话 139-1212-0012"),
    ("%", "涨了35%"),
]


@pytest.mark.parametrize(("question", "text"), FINDS)
def test_finds(question, text):
    assert found(question, text)


@pytest.mark.parametrize(("question", "text"), MISSES)
def test_does_not_find(question, text):
    assert not found(question, text)


def test_two_characters_that_stand_in_a_text_are_always_found():
    text = "这里是备用服务器端口九三二一和自动取款机"
    for start in range(len(text) - 1):
        for end in range(start + 2, min(start + 6, len(text)) + 1):
            assert found(text[start:end], text), text[start:end]


def test_the_places_are_those_of_the_original():
    text = "預\u200b算６５ｋｇ，见 Hermes-7"
    places = {term.text: text[term.start : term.end] for term in analyse(text)}
    assert places["预算"] == "預\u200b算"
    assert places["65kg"] == "６５ｋｇ"
    assert places["hermes-7"] == "Hermes-7"


def test_kinds():
    kinds = {term.text: term.kind for term in analyse("茶 预算 tea ab-1 5 5元 5月")}
    assert kinds == {
        "茶": "char", "预算": "word", "tea": "latin", "ab-1": "id", "ab": "latin",
        "5": "number", "5元": "quantity", "5月": "date",
    }  # fmt: skip


def test_bigrams_end_each_run_with_its_last_character():
    assert index_terms("合同章，茶").bigrams == ["合同", "同章", "章", "茶"]


@pytest.mark.parametrize(
    ("question", "required", "optional"),
    [
        ("INV-7 的进度 950", {"inv-7"}, {"进度", "950"}),
        ("预算 950", set(), {"预算", "950"}),
        ("950 1500", {"950", "1500"}, set()),
        ("950元", {"950元"}, {"950"}),
        ('"合同" 盖章', {"合同"}, {"盖章"}),
        ("“合同” 盖章", {"合同"}, {"盖章"}),
        ("@support 在吗", {"@support"}, set()),
    ],
)
def test_required(question, required, optional):
    terms = query_terms(question).terms
    assert {term.text for term in terms if term.required} == required
    assert {term.text for term in terms if not term.required} == optional


def test_stop_words_go_and_are_named():
    query = query_terms("我现在的预算是多少？")
    assert [term.text for term in query.terms] == ["预算"]
    assert ("现在", "stop-word") in query.dropped
    query = query_terms("What is my budget now?")
    assert [term.text for term in query.terms] == ["budget"]
    assert ("What", "stop-word") in query.dropped


@pytest.mark.parametrize("question", ["我的", "the is", "是", "IT"])
def test_stop_words_stay_when_nothing_else_is_left(question):
    query = query_terms(question)
    assert query.terms
    assert query.dropped == ()


def test_a_letter_that_names_a_thing_is_no_article():
    assert "a" in {term.text for term in query_terms("A 型号还有货吗").terms}
    assert "a" in {term.text for term in query_terms("stock of model A").terms}
    assert "a" not in {term.text for term in query_terms("is there a plan").terms}


def test_a_question_of_symbols_says_so():
    query = query_terms("?!（）")
    assert query.terms == ()
    assert query.dropped == (("?!（）", "symbol"),)
    assert query_terms(" \u200b").dropped == ()


def test_a_long_question_is_cut_and_says_so():
    assert query_terms("预算 " * CHARACTERS).truncated
    names = " ".join(f"name{chr(97 + i)}x" for i in range(TERMS + 5))
    query = query_terms(names + " INV-7")
    assert query.truncated
    assert len(query.terms) == TERMS
    assert "inv-7" in {term.text for term in query.terms}
    assert not query_terms("预算").truncated


ASCII_PUNCTUATION = set(string.punctuation)
IN_TOKENS = set("!$%&'()*+,-./#:;=?@[]_")


@given(ANY_TEXT | AWKWARD | SYNTAX)
def test_no_text_raises_and_every_token_is_clean(text):
    terms, rows, query = analyse(text), index_terms(text), query_terms(text)
    assert [term.text for term in terms] == rows.words
    for term in [*terms, *query.terms]:
        assert 0 <= term.start < term.end <= len(text)
    tokens = [*rows.words, *rows.bigrams, *(q.text for q in query.terms)]
    tokens += [token for q in query.terms for token in [*q.also, *q.bigrams]]
    for token in tokens:
        assert token.split() == [token]
        assert set(token) & ASCII_PUNCTUATION <= IN_TOKENS
        assert "\0" not in token
        assert len(token) <= 64 or not token.isascii()
        token.encode()
    assert len(query.terms) <= TERMS


@given(SYNTAX)
def test_a_text_has_every_term_of_itself_as_a_question(text):
    rows = index_terms(text)
    assert all(has(term, rows) for term in query_terms(text).terms)


@pytest.mark.parametrize("piece", ["a+", "a@", "1,111,", "k=v=", "https://", "v1.", "茶a"])
def test_long_awkward_text_costs_one_pass(piece):
    # What starts again at each character would need minutes for this.
    assert analyse(piece * (30_000 // len(piece))) is not None


def test_a_long_token_is_cut_but_stays_exact():
    a, b = "x" * 80 + "1", "x" * 80 + "2"
    assert found(a, a)
    assert not found(a, b)
