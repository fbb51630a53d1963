from hypothesis import given

from memory.text.sentences import clauses, sentences

from .strategies import ANY_TEXT, AWKWARD


def told(text: str) -> list[str]:
    return [piece.text for piece in sentences(text)]


def test_sentences_of_both_languages():
    assert told("我住杭州。你呢？I like tea! Bye.") == ["我住杭州", "你呢", "I like tea", "Bye"]
    assert told("第一行\n第二行；第三段") == ["第一行", "第二行", "第三段"]


def test_numbers_times_and_titles_end_nothing():
    assert told("It costs 3.50 at 15:30. Ask Dr. Li.") == ["It costs 3.50 at 15:30", "Ask Dr. Li"]


def test_a_question_is_marked():
    assert [piece.asks for piece in sentences("几点？三点。When? Now.")] == [
        True,
        False,
        True,
        False,
    ]


def test_clauses_and_what_divides_none():
    (sentence,) = sentences("预算是1,200元，时间：15:30，人数 - 六人")
    parts = [piece.text for piece in clauses("预算是1,200元，时间：15:30，人数 - 六人", sentence)]
    assert parts == ["预算是1,200元", "时间", "15:30", "人数", "六人"]


@given(ANY_TEXT | AWKWARD)
def test_pieces_are_places_of_the_text(text):
    last = 0
    for sentence in sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text != ""
        assert sentence.start >= last
        last = sentence.end
        for clause in clauses(text, sentence):
            assert text[clause.start : clause.end] == clause.text
            assert sentence.start <= clause.start < clause.end <= sentence.end
