"""From an analysed question to an FTS5 expression. Every token is quoted: a question is data."""

from collections.abc import Iterable

from memory.text.terms import Query, QueryTerm


def quoted(token: str) -> str:
    return '"' + token.replace('"', '""') + '"'


def term_expression(term: QueryTerm, prefix: str) -> str:
    """A term as a word, in another spelling, or, for Chinese, as its characters in a row.

    The dictionary may cut the stored sentence elsewhere (服务器端|口 hides 端口); the row of
    bigrams finds whatever is literally there.
    """
    ways = [f"words:{quoted(prefix + spelling)}" for spelling in (term.text, *term.also)]
    if term.bigrams:
        ways.append("bigrams:" + quoted(" ".join(prefix + pair for pair in term.bigrams)))
    if term.prefix:
        ways.append(f"bigrams:{quoted(prefix + term.prefix)}*")
    return ways[0] if len(ways) == 1 else "(" + " OR ".join(ways) + ")"


def expression(query: Query, prefix: str, *, every_term: bool = False, also: str = "") -> str:
    """Required terms all, the others at least one (or all, with `every_term`).

    `also` is one more exact token that must be there. Empty when nothing can be searched.
    """
    must = [term_expression(term, prefix) for term in query.terms if term.required]
    may = [term_expression(term, prefix) for term in query.terms if not term.required]
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
