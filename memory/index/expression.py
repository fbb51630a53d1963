"""From an analysed question to an FTS5 expression. Every token is quoted: a question is data."""

from collections.abc import Iterable
from dataclasses import dataclass

from memory.text.terms import Query, QueryTerm


def quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


@dataclass(frozen=True)
class Columns:
    """Where an index keeps words and where bigrams, as FTS5 names one column or several."""

    words: str = "words"
    bigrams: str = "bigrams"


OWN = Columns()


def term_expression(term: QueryTerm, prefix: str, columns: Columns = OWN) -> str:
    """A term as a word, in another spelling, or, for Chinese, as its characters in a row.

    The dictionary may cut the stored sentence elsewhere (服务器端|口 hides 端口); the row of
    bigrams finds whatever is literally there.
    """
    ways = [f"{columns.words}:{quoted(prefix + text)}" for text in (term.text, *term.also)]
    if term.bigrams:
        row = " ".join(prefix + pair for pair in term.bigrams)
        ways.append(f"{columns.bigrams}:{quoted(row)}")
    if term.prefix:
        ways.append(f"{columns.bigrams}:{quoted(prefix + term.prefix)}*")
    return ways[0] if len(ways) == 1 else "(" + " OR ".join(ways) + ")"


def expression(
    query: Query,
    prefix: str,
    *,
    every_term: bool = False,
    also: str = "",
    columns: Columns = OWN,
) -> str:
    """Required terms all, the others at least one (or all, with `every_term`).

    `also` is one more exact token that must be there. Empty when nothing can be searched.
    """
    terms = [(term.required, term_expression(term, prefix, columns)) for term in query.terms]
    must = [text for required, text in terms if required]
    may = [text for required, text in terms if not required]
    if not must and not may:
        return ""
    if every_term:
        wanted = [*must, *may]
    elif must:
        # Optional terms beside required ones only move the rank.
        wanted = [*must, "(" + " OR ".join([*must, *may]) + ")"] if may else must
    else:
        wanted = ["(" + " OR ".join(may) + ")"]
    if also:
        wanted.append(f"words:{quoted(prefix + also)}")
    return " AND ".join(wanted)


def any_token(tokens: Iterable[str], prefix: str, *, also: str) -> str:
    """Rows that hold one of these exact tokens in either column, and `also` as a word."""
    some = " OR ".join(quoted(prefix + token) for token in tokens)
    return f"({some}) AND words:{quoted(prefix + also)}"
