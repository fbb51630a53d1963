"""What a model reads out of turns: its answer held to the contract, the places."""

import pytest

from memory.write import reading
from memory.write.model import ModelUnavailable
from memory.write.prompt import EXAMPLES
from memory.write.reading import Item, Reading, read_turns
from tests import model_server
from tests.model_server import ModelServer, said

from .reading_kit import NOW, answer, memory


@pytest.fixture
def read(settings):
    """What is read out of these turns by a model that answers so."""

    def run(turns, *script) -> Reading:
        with ModelServer(*(said(line) if isinstance(line, dict) else line for line in script)) as s:
            settings.MODEL_URL, settings.MODEL_NAME = s.url, "small"
            settings.MODEL_TIMEOUT_SECONDS = 10
            return read_turns([("user", turns)] if isinstance(turns, str) else turns, now=NOW)

    return run


def test_a_fact_with_its_place_in_the_turn(read):
    turns = [("assistant", "喝点什么？"), ("user", "早上好！我平时只喝乌龙茶，谢谢。")]
    got = read(turns, answer(memory(quote="我平时只喝乌龙茶")))
    place = {"quote": "我平时只喝乌龙茶", "turn": 1, "start": 4, "end": 12}
    item = Item("preference", "用户喝乌龙茶", 0.8, "user", "饮料", "乌龙茶", **place)
    assert got == Reading((item,), "small", "")
    assert turns[1][1][item.start : item.end] == item.quote


def test_a_passage_becomes_several_memories(read):
    text = "I moved to Lisbon in March. My sister Ana lives in Porto."
    got = read(
        text,
        answer(
            memory(quote="I moved to Lisbon in March", content="The user lives in Lisbon"),
            memory(quote="My sister Ana lives in Porto", content="Ana lives in Porto"),
        ),
    )
    assert [item.quote for item in got.items] == [
        "I moved to Lisbon in March",
        "My sister Ana lives in Porto",
    ]


@pytest.mark.parametrize(
    ("text", "quote", "found"),
    [
        ("预算是１２００元。", "预算是1200元", "预算是１２００元"),
        ("預算調到九百", "预算调到九百", "預算調到九百"),
        ("I use  Emacs\nevery day", "i use emacs every day", "I use  Emacs\nevery day"),
        ("只喝乌\u200b龙茶", "只喝乌龙茶", "只喝乌\u200b龙茶"),
        ("He said: call me Al", "“call me Al.”", "call me Al"),
        ("apple, then Apple", "Apple", "Apple"),
        ("no ham, I eat ham", "  I eat ham ", "I eat ham"),
        ("用 C++ 写的", "C++ 写的", "C++ 写的"),
        ("改成12点", "12点", "12点"),
        ('she wrote "<b>now</b> [1]"', '"<b>now</b> [1]"', '"<b>now</b> [1]"'),
    ],
)
def test_a_quote_is_found_in_the_turn_s_own_words(read, text, quote, found):
    (item,) = read(text, answer(memory(quote=quote))).items
    assert item.quote == found == text[item.start : item.end]


def test_of_two_places_the_one_written_alike_is_taken(read):
    (item,) = read("apple, then Apple", answer(memory(quote="Apple"))).items
    assert item.start == 12


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("我只喝水", "我只喝乌龙茶"),
        ("预算是1200元", "预算是120"),
        ("预算是1200元", "200元"),
        ("it rose by 1.5 percent", "it rose by 1"),
        ("it rose by 1.5 percent", "5 percent"),
        ("at 12:30 sharp", "30 sharp"),
        ("it rose by 1.5 percent", "it rose by 1."),
        ("it rose by 1.5 percent", ".5 percent"),
        ("the party is on", "art"),
        ("好的", "的"),
        ("...", "..."),
        ("我只喝水", ""),
    ],
)
def test_a_quote_that_nobody_said_has_no_place(read, text, quote):
    got = read(text, answer(memory(quote=quote)))
    (item,) = got.items
    assert (item.quote, item.turn, item.start, item.end) == ("", None, None, None)
    assert got.note == "1 quoted from nowhere in the turns"


def test_what_the_user_said_is_evidence_before_what_others_said(read):
    words = "the deadline is Friday"
    turns = [("user", words), ("user", words), ("assistant", words), ("tool", words)]
    (item,) = read(turns, answer(memory(quote=words))).items
    assert item.turn == 1
    (item,) = read(turns[2:], answer(memory(quote=words))).items
    assert item.turn == 1
    shouted = [("user", words.upper()), ("assistant", words)]
    (item,) = read(shouted, answer(memory(quote=words))).items
    assert (item.turn, item.quote) == (0, words.upper())


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"mem_type": "mood"}, {"kind": "other"}),
        ({"mem_type": ""}, {"kind": "other"}),
        ({"mem_type": "inventory"}, {"kind": "inventory"}),
        ({"confidence": 7}, {"confidence": 1.0}),
        ({"confidence": -0.5}, {"confidence": 0.0}),
        ({"confidence": 1}, {"confidence": 1.0}),
        ({"content": " a\x07b\n"}, {"content": "ab"}),
        ({"value": ""}, {"entity": "", "attribute": "", "value": ""}),
        ({"entity": None}, {"entity": "", "attribute": "", "value": ""}),
    ],
)
def test_an_answer_is_brought_into_bounds(read, given, kept):
    (item,) = read("我只喝水", answer(memory(**given))).items
    assert {name: getattr(item, name) for name in kept} == kept


@pytest.mark.parametrize(
    "given",
    [
        {"content": ""},
        {"content": " \n"},
        {"content": "字" * 20_001},
        {"content": "a\x00b"},
        {"value": "\ud83d"},
        {"entity": "e" * 301},
    ],
)
def test_what_cannot_be_kept_is_left_out_and_told(read, given):
    got = read("我只喝水", answer(memory(**given), memory(quote="我只喝水")))
    assert [item.quote for item in got.items] == ["我只喝水"]
    assert got.note == "1 empty or not storable"


def test_more_than_fifty_are_cut_and_told(read):
    many = [memory(content=f"fact {n}", quote="我只喝水") for n in range(53)]
    got = read("我只喝水", answer(*many))
    assert [item.content for item in got.items] == [f"fact {n}" for n in range(50)]
    assert got.note == "the first 50 of 53 kept"
    assert read("我只喝水", answer(*many[:50])).note == ""


def test_one_fact_said_over_and_over_is_one_item(read):
    got = read("我只喝水", answer(*[memory(quote="我只喝水")] * 60, memory(value="白水")))
    assert [item.value for item in got.items] == ["乌龙茶", "白水"]


@pytest.mark.parametrize(
    ("told", "note"),
    [
        (answer(should_store=False), ""),
        (answer(), ""),
        (answer(memory(), should_store=False), "1 named but not to be stored"),
    ],
)
def test_nothing_to_remember(read, told, note):
    assert read("哈哈，好的", told) == Reading((), "small", note)


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"should_store": True},
        {"should_store": "yes", "memories": []},
        {"should_store": 1, "memories": []},
        {"should_store": True, "memories": {}},
        answer(memory(confidence="high")),
        answer(memory(content=["a"])),
        answer(memory(), {"content": "no more than this"}),
    ],
)
def test_another_shape_is_asked_for_once_more_and_then_given_up(read, wrong):
    assert read("我只喝水", wrong, answer(memory(quote="我只喝水"))).items
    with pytest.raises(ModelUnavailable, match=r"^wrong_shape$"):
        read("我只喝水", wrong)


def test_a_model_that_fails_is_told_to_the_caller(read):
    with pytest.raises(ModelUnavailable, match=r"^http_500$"):
        read("我只喝水", model_server.error(500))


def test_nothing_said_is_not_asked_about(read):
    for turns in ([], [("user", ""), ("assistant", " \n\u200b")]):
        assert read(turns, model_server.error(500)) == Reading((), "small")


def test_a_text_beyond_the_limit_is_not_sent(read):
    half = "字" * (reading.MOST_CHARACTERS // 2)
    assert read([("user", half)] * 2, answer()) == Reading((), "small")
    with pytest.raises(ModelUnavailable, match=r"^too_long$"):
        read([("user", half), ("user", half + "字")], answer())


@pytest.mark.parametrize("example", EXAMPLES, ids=range(len(EXAMPLES)))
def test_the_examples_keep_the_contract(read, example):
    got = read(list(example.turns), example.answer)
    assert len(got.items) == len(example.answer["memories"])
    assert all(item.start is not None for item in got.items)
    assert got.note == ""
    assert [item.kind for item in got.items] == [m["mem_type"] for m in example.answer["memories"]]
