"""Portions of rows in which nothing that is linked is torn apart."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def linked(
    links: Iterable[tuple[str, Sequence[str]]], items: Sequence[Item], size: int
) -> Iterator[list[Item]]:
    """The items in portions of about `size`, more only where more hang together. `links` gives the
    id of each item, in their order, and the ids that it leads to; one that is no item's leads
    nowhere."""
    found = list(links)
    groups = _Groups(one for one, _ in found)
    for one, others in found:
        for other in others:
            groups.join(one, other)
    together: dict[str, list[Item]] = {}
    for (one, _), item in zip(found, items, strict=True):
        together.setdefault(groups.head(one), []).append(item)
    portion: list[Item] = []
    for some in together.values():
        if portion and len(portion) + len(some) > size:
            yield portion
            portion = []
        portion += some
    if portion:
        yield portion


class _Groups:
    """Union-find with path halving."""

    def __init__(self, ids: Iterable[str]) -> None:
        self._above = {one: one for one in ids}

    def head(self, one: str) -> str:
        above = self._above
        while above[one] != one:
            above[one] = above[above[one]]
            one = above[one]
        return one

    def join(self, one: str, other: str) -> None:
        if other in self._above:
            self._above[self.head(other)] = self.head(one)
