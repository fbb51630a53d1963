"""Where the matched terms stand in a text."""

from .atoms import atoms
from .normalise import fold
from .patterns import DENSE_RUN


def spans(text: str, matched: set[str]) -> list[tuple[int, int]]:
    """Places in `text` of the terms in `matched`, sorted, those that touch or overlap as one.

    A Chinese term is also marked where the dictionary cuts the sentence otherwise.
    """
    folded = fold(text)
    places = [(atom.start, atom.end) for atom in atoms(folded.text) if atom.text in matched]
    for term in matched:
        if DENSE_RUN.fullmatch(term):
            start = folded.text.find(term)
            while start >= 0:
                places.append((start, start + len(term)))
                start = folded.text.find(term, start + len(term))
    merged: list[tuple[int, int]] = []
    for start, end in sorted((folded.starts[a], folded.ends[b - 1]) for a, b in places):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
