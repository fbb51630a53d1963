"""Texts with what matched in them."""

from memory.text.highlight import spans


def marked(text: str, terms: set[str]) -> list[tuple[str, bool]]:
    """`text` in pieces, each with whether it is one of the matched `terms`."""
    pieces, last = [], 0
    for start, end in spans(text, terms):
        pieces += [(text[last:start], False), (text[start:end], True)]
        last = end
    pieces.append((text[last:], False))
    return [piece for piece in pieces if piece[0]]
