"""A long turn is cut for the model, between sentences where that is possible."""

from hypothesis import given
from hypothesis import strategies as st

from memory.text.sentences import sentences
from memory.write.passage import pieces
from tests.memory.text.strategies import ANY_TEXT


def test_it_is_cut_between_sentences():
    text = "仓库在三楼。钥匙在前台。晚上十点关门。"
    assert list(pieces(text, 12)) == ["仓库在三楼。钥匙在前台", "晚上十点关门。"]
    assert list(pieces(text, 100)) == [text]
    assert list(pieces("", 10)) == list(pieces("  \n", 10)) == []


def test_a_sentence_without_end_is_cut_all_the_same():
    assert list(pieces("啊" * 25, 10)) == ["啊" * 10, "啊" * 10, "啊" * 5]


@given(ANY_TEXT, st.integers(3, 40))
def test_no_piece_is_too_long_and_nothing_said_is_lost(text, most):
    cut = list(pieces(text, most))
    # The marks after the last sentence go along with it.
    assert all(len(piece) <= most for piece in cut[:-1])
    whole = "".join(cut)
    for sentence in sentences(text):
        if sentence.text.strip() and len(sentence.text) <= most:
            assert any(sentence.text in piece for piece in cut) or sentence.text in whole
