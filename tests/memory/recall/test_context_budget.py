"""The budget of a context: never exceeded, shared out among its blocks, nothing lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.models import Kind
from memory.recall import assemble as module
from memory.recall.assemble import BLOCKS, allowance
from memory.recall.tokens import Tokens, count_tokens

from .context_kit import HERE, given_for, ranked, said, shown


def test_nothing_kept_is_no_context():
    context = given_for([])
    assert (context.text, context.tokens) == ("", 0)
    assert context.blocks == {name: [] for name in BLOCKS}


def test_a_long_one_is_passed_over_for_a_short_one_that_fits():
    long, short = ranked("long", summary="long " * 90), ranked("short")
    context = given_for([long, short], budget=110)
    assert context.kept == (short,)
    assert context.left_out == (long,)
    assert "long" not in context.text


ITEMS = st.lists(
    st.tuples(st.sampled_from(Kind.values), st.integers(1, 250)), min_size=1, max_size=12
)


@given(ITEMS, st.integers(1, 1500), st.none() | st.integers(0, 3000), st.sampled_from("x码"))
def test_no_budget_is_exceeded_and_nothing_is_lost(kinds, budget, prompt_tokens, query):
    items = [ranked("x", kind=kind, summary="码" * size) for kind, size in kinds]
    turns = [said("y" * size, minutes=size) for _, size in kinds[:3]]
    context = given_for(items, query, budget, prompt_tokens=prompt_tokens, turns=turns)
    assert context.tokens == count_tokens(context.text).count <= budget
    if prompt_tokens is not None:
        assert context.tokens <= 0.3 * (prompt_tokens + context.tokens)
    assert sorted(map(id, (*context.kept, *context.left_out))) == sorted(map(id, items))
    printed = sum(len(ids) for ids in context.blocks.values())
    assert len(shown(context)) == printed
    assert len(context.kept) + len(context.turns) == printed
    left = [item for item, _ in context.turns_left]
    assert {*map(id, context.turns), *map(id, left)} == {id(offered.item) for offered in turns}


def test_the_allowance_is_the_budget_or_thirty_percent_of_the_prompt():
    assert allowance(1200, None) == 1200
    assert allowance(1200, 70_000) == 1200
    assert allowance(1200, 700) == 300
    assert allowance(1200, 6) == 2
    assert allowance(1200, 0) == 0


@given(ITEMS, st.booleans())
def test_a_fact_is_left_out_only_where_it_would_go_over_sixty_percent(kinds, with_turns):
    def tokens(some) -> int:
        return sum(given_for([item]).tokens - frame for item in some)

    items = [ranked("x", kind=kind, summary="码" * size) for kind, size in kinds]
    turns = [said("z" * 40, minutes=n) for n in range(9 * with_turns)]
    one = given_for([ranked("x")])
    frame = one.tokens - count_tokens(one.text.splitlines()[-2] + "\n").count
    context = given_for(items, budget=500, turns=turns)
    background = {"event", "procedure", "other"}
    facts = [item for item in context.kept if item.memory.kind not in background]
    for item in context.left_out:
        if item.memory.kind not in background:
            assert tokens([*facts, item]) > 0.6 * (500 - frame) - len(items) - 5


@pytest.mark.parametrize("mine", ["fact", "event"])
def test_room_that_one_block_leaves_goes_to_the_other(mine):
    other = {"fact": "event", "event": "fact"}[mine]
    items = [ranked("x", kind=mine, summary="码" * 30) for _ in range(9)]
    alone = given_for(items, budget=560)
    beside = given_for([*items, ranked("y", kind=other)], budget=590)
    assert len(alone.kept) >= 5
    assert len(beside.kept) == len(alone.kept) + 1


def test_background_and_turns_have_room_beside_many_facts():
    items = [ranked("x", summary="码" * 20) for _ in range(40)]
    items += [ranked("y", kind="event", summary="头" * 20) for _ in range(40)]
    context = given_for(items, budget=800, turns=[said("水" * 40, minutes=n) for n in range(40)])
    counts = [len(context.blocks[name]) for name in BLOCKS]
    assert counts[0] > sum(counts[1:]) > 0
    assert min(counts) >= 1


@pytest.mark.parametrize("session", [HERE, "s-other"])
@pytest.mark.parametrize("kind", ["fact", "event"])
def test_a_hundred_of_one_source_leave_room_for_the_one_of_another(kind, session):
    many = [ranked("x", kind=kind, summary="码" * 30) for _ in range(100)]
    context = given_for(many, budget=600, turns=[said("the only turn", session=session)])
    assert len(context.turns) == 1
    assert len(context.kept) >= 2
    turns = [said("z" * 90, minutes=n, session=session) for n in range(100)]
    context = given_for(many[:1], budget=600, turns=turns)
    assert len(context.kept) == 1
    assert len(context.turns) >= 2


def test_turns_take_no_room_of_a_fact_that_would_fit_beside_their_share():
    fact = ranked("x", summary="码" * 150)
    alone = given_for([fact], budget=400)
    assert alone.kept == (fact,)
    beside = given_for([fact], budget=400, turns=[said("z" * 60, minutes=n) for n in range(20)])
    assert beside.kept == (fact,)


def test_the_best_is_not_lost_to_the_share_of_its_block_alone():
    items = [ranked("x", summary="码" * 250), *(ranked("y", summary="头" * 60) for _ in range(5))]
    assert items[0] in given_for(items, budget=480).kept


def test_a_whole_that_has_more_tokens_than_its_lines_is_made_smaller(monkeypatch):
    def count(text):
        return Tokens(len(text) + 30 * (text.count("- [") > 2), "letters")

    monkeypatch.setattr(module, "count_tokens", count)
    items = [ranked(f"n{number}") for number in range(3)]
    full = len(given_for(items).text)
    context = given_for(items, budget=full)
    assert context.kept == tuple(items[:2])
    assert context.left_out == (items[2],)
    assert context.tokens == len(context.text) <= full
    assert context.counted_by == "letters"
