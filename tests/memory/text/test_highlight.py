from hypothesis import given
from hypothesis import strategies as st

from memory.text.highlight import spans
from memory.text.terms import query_terms

from .strategies import ANY_TEXT, AWKWARD


def marked(text: str, question: str) -> list[str]:
    terms = {term.text for term in query_terms(question).terms}
    return [text[start:end] for start, end in spans(text, terms)]


def test_marks_stand_on_the_original():
    assert marked("我的預\u200b算是１２００元", "预算 1200") == ["預\u200b算", "１２００"]
    assert marked("He runs to Hermes-7", "run Hermes-7") == ["runs", "Hermes-7"]


def test_a_chinese_term_is_marked_where_the_dictionary_cuts_otherwise():
    assert marked("备用服务器端口", "端口") == ["端口"]


def test_what_did_not_match_is_not_marked():
    assert marked("我的预算", "余额") == []
    assert marked("预算3月定", "3") == []
    assert spans("我的预算", set()) == []


def test_touching_marks_become_one():
    assert marked("盖章合同", "合同 盖章") == ["盖章合同"]


@given(ANY_TEXT | AWKWARD, st.sets(st.sampled_from(["a", "预", "算", "发", "1", "e"])))
def test_marks_are_sorted_and_inside(text, matched):
    last = 0
    for start, end in spans(text, matched):
        assert last <= start < end <= len(text)
        last = end + 1
