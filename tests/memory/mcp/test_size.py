"""No reply is larger than a client takes."""

import pytest

from memory.mcp.size import REPLY_TOKENS, fits, page_that_fits, rows_from, text_of, within_reply
from memory.recall.tokens import estimate
from memory.write.plan import Conflict
from memory.write.proposal import InvalidInput
from tests.factories import api_key, remember
from tests.memory.mcp.calls import told


def test_a_page_takes_fewer_rows_where_they_are_long():
    rows = ["长" * 3000] * 100

    def ask(limit):
        return {"items": rows[:limit], "next": str(limit)}

    page = page_that_fits(ask, 100)
    assert 1 <= len(page["items"]) < 100
    assert page["next"] == str(len(page["items"]))
    assert fits(page)


def test_one_row_is_always_given_and_cut_where_it_must_be():
    page = page_that_fits(lambda limit: {"items": ["长" * 60_000] * limit}, 10)
    assert len(page["items"]) == 1
    cut = within_reply(page)
    assert fits(cut)
    assert "characters more" in cut["items"][0]


def test_what_no_cut_makes_fit_is_refused():
    with pytest.raises(Conflict, match="limit"):
        within_reply({"items": list(range(100_000))})


def test_the_careful_bound_never_lets_too_much_through():
    body = {"items": ["长"] * 8000}
    assert fits(body) == (estimate(text_of(body)) <= REPLY_TOKENS)


@pytest.mark.parametrize("cursor", ["-1", "１", "x", "9" * 20])
def test_a_cursor_is_a_place(cursor):
    assert rows_from([1, 2, 3], "1", 1) == ([2], "2")
    assert rows_from([1, 2, 3], "2", 5) == ([3], None)
    with pytest.raises(InvalidInput):
        rows_from([1], cursor, 1)


@pytest.mark.django_db
def test_a_list_of_long_memories_is_given_in_small_pages():
    for number in range(6):
        remember(text=f"第{number}条：" + "很长的内容" * 1500)
    key, seen, cursor = api_key()[1], 0, ""
    while cursor is not None:
        page = told(key, "list_memories", limit=6, cursor=cursor)
        assert estimate(text_of(page)) <= REPLY_TOKENS
        seen, cursor = seen + len(page["items"]), page["next"]
    assert seen == 6
