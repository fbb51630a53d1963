"""Replies that a model can read: never more than some 25,000 tokens, the rest by cursor."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from memory.recall.tokens import estimate
from memory.write.plan import Conflict
from memory.write.proposal import InvalidInput

# Clients cut or refuse a reply above 25,000 tokens; the frame of the protocol takes some.
REPLY_TOKENS = 24_000
# What long texts are cut to, one after the other, until a reply fits.
CUTS = (4000, 1000, 200)


def text_of(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))


def fits(body: dict[str, Any]) -> bool:
    """Whether a reply is small enough, by the careful estimate of its tokens."""
    text = text_of(body)
    # A character is at most 1.2 tokens by it: most replies need not be read for their count.
    return len(text) * 1.2 <= REPLY_TOKENS or estimate(text) <= REPLY_TOKENS


def page_that_fits(ask: Callable[[int], dict[str, Any]], limit: int) -> dict[str, Any]:
    """The page of a list that `ask` gives for a limit, with fewer rows where it is too large; its
    `next` then starts after the last of them."""
    while True:
        page = ask(limit)
        if limit == 1 or fits(page):
            return page
        limit = max(1, limit // 2)


def rows_from(rows: Sequence[Any], cursor: str, limit: int) -> tuple[Sequence[Any], str | None]:
    """A page of rows that never move, and the cursor after it. Raises `InvalidInput`."""
    if cursor and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
        raise InvalidInput([("cursor", "not a cursor of this list")])
    start = int(cursor or 0)
    end = start + limit
    return rows[start:end], str(end) if end < len(rows) else None


def within_reply(body: dict[str, Any]) -> dict[str, Any]:
    """The same reply, its longest texts cut as far as it takes. Raises `Conflict` where that is
    not enough."""
    if fits(body):
        return body
    for length in CUTS:
        cut = _cut(body, length)
        if fits(cut):
            return cut
    raise Conflict("the reply is too long for a tool; ask for fewer with limit")


def _cut(value: Any, length: int) -> Any:
    if isinstance(value, str) and len(value) > length:
        return f"{value[:length]}… [{len(value) - length} characters more]"
    if isinstance(value, dict):
        return {name: _cut(inner, length) for name, inner in value.items()}
    if isinstance(value, list):
        return [_cut(inner, length) for inner in value]
    return value
