"""The second hop: what a question asks for may stand in a memory that only shares a name with one
which answers the question's other half.

"In which city is the supplier of Apollo Cloth?" finds "Apollo Cloth is supplied by Northwind";
Northwind, which the question does not name, is the bridge to "Northwind has its mill in Bergen".
A memory behind a bridge counts as a part of what the memory before it counts, so it never stands
above it: `HOLDS_REST` where it holds words of the question that the first does not, else `NAMED`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from memory.index.links import Shared
from memory.index.search import Hit
from memory.models import LinkRole, Memory
from memory.text.names import could_be_name
from memory.text.normalise import normalise
from memory.text.statement_words import EN_SLOTS, ZH_SLOTS
from memory.text.stopwords import STOPWORDS
from memory.write.draft import places

from .links import CROWD, Links
from .rank import Hop, Ranked, best_first
from .relevance import Match, Scorer

# Of the best so many, those lead on that carry this share of the weight of the question's words.
FIRST, STRONG = 5, 0.33
HOLDS_REST, NAMED = 0.8, 0.6
# Of all that are reached the best few join.
MOST = 4
# Among these is a name looked for; a search gives no more but for large owners.
BESIDE = 60


def recorded(terms: Mapping[str, Any]) -> tuple[Hop, ...]:
    """The hops of a record, so that a replay need not follow the links of today."""
    kept = terms.get("hops", ())
    return tuple(Hop(UUID(memory_id), UUID(via), key, f) for memory_id, via, key, f in kept)


def hopped(
    asked: str, scorer: Scorer, ranked: Sequence[Ranked], links: Links
) -> tuple[list[Ranked], tuple[Hop, ...]]:
    """The ranking with what a second hop finds, and the hops. Asks nothing of the store where one
    memory holds all words of the question, or none holds enough of them."""
    first = _leading(scorer, ranked)
    if not first:
        return list(ranked), ()
    beside = {item.memory.pk: item for item in ranked[:BESIDE]}
    bridges = _bridges(asked, first, links.shared(list(first.values()), beside.keys()))
    near = {pk for bridge in bridges if not bridge.is_crowd for pk in bridge.others}
    found = links.hits(sorted(near - beside.keys())) if near - beside.keys() else []
    known = {pk: item.matches for pk, item in beside.items()}
    known |= {hit.pk: scorer.score(hit).matches for hit, _ in found}
    ids = {pk: item.memory.public_id for pk, item in beside.items()}
    ids |= {hit.pk: hit.public_id for hit, _ in found}
    hops = _best(
        Reached(Hop(ids[pk], bridge.item.memory.public_id, bridge.key, factor), bridge.item, pk)
        for bridge in bridges
        for pk in bridge.others
        if pk in known and (factor := bridge.factor(pk, known[pk]))
    )
    return joined(ranked, hops, [row for _, row in found])


def hopped_again(
    ranked: Sequence[Ranked], hops: Sequence[Hop], links: Links
) -> tuple[list[Ranked], tuple[Hop, ...]]:
    """The ranking with the hops that a record holds."""
    known = {item.memory.public_id for item in ranked}
    new = [hop.memory_id for hop in hops if hop.memory_id not in known]
    return joined(ranked, hops, [row for _, row in links.hits_of(new)] if new else ())


def joined(
    ranked: Sequence[Ranked], hops: Sequence[Hop], rows: Iterable[Memory | Hit]
) -> tuple[list[Ranked], tuple[Hop, ...]]:
    """The ranking with these hops in it, and those of them that moved something. `rows` are of
    the memories that were not ranked."""
    items = {item.memory.public_id: item for item in ranked}
    new = {row.public_id: row for row in rows}
    after, moved = dict(items), []
    for hop in hops:
        via, own = items.get(hop.via), items.get(hop.memory_id)
        if via is None or (own is None and hop.memory_id not in new):
            continue
        target = round(hop.factor * via.score, 6)
        match = Match(hop.key, "link", target)
        if own is None:
            row = new[hop.memory_id]
            after[hop.memory_id] = Ranked(row, target, {"hop": target}, (match,), None, hop)
        elif own.score < target:
            parts = own.parts | {"hop": round(target - own.score, 6)}
            matches = (*own.matches, match)
            after[hop.memory_id] = replace(own, score=target, parts=parts, matches=matches, hop=hop)
        else:
            continue
        moved.append(hop)
    return (best_first(after.values()), tuple(moved)) if moved else (list(ranked), ())


@dataclass(frozen=True)
class Bridge:
    """A name in a memory that leads on, and the memories that have it too, by key."""

    item: Ranked
    key: str
    role: str
    others: dict[int, str] = field(default_factory=dict)

    @property
    def is_crowd(self) -> bool:
        """Whether too many have the name for it to lead to any but those that hold words of the
        rest, which the search has found."""
        return len(self.others) > CROWD

    def leads_by_name(self, pk: int) -> bool:
        """Whether the name alone leads to it: what else is said of the same entity is about
        something else than was asked, unless its words say so."""
        same = self.role == self.others[pk] == LinkRole.ENTITY
        return not (same or self.is_crowd)

    def factor(self, pk: int, matches: Sequence[Match]) -> float:
        """How much of the first memory's score counts; 0 where the name leads nowhere."""
        held = {match.term for match in self.item.matches}
        if any(match.term not in held for match in matches):
            return HOLDS_REST
        return NAMED if self.leads_by_name(pk) else 0.0


@dataclass(frozen=True)
class Reached:
    hop: Hop
    via: Ranked
    pk: int

    @property
    def score(self) -> float:
        return self.hop.factor * self.via.score


def _leading(scorer: Scorer, ranked: Sequence[Ranked]) -> dict[int, Ranked]:
    """The memories that lead on, best first; none where one holds all that is asked."""
    size = len(scorer.terms)
    if not size or any(len(item.matches) == size for item in ranked):
        return {}
    least = STRONG * scorer.word_mass
    return {
        item.memory.pk: item
        for item in ranked[:FIRST]
        if item.matches and sum(match.weight for match in item.matches) >= least
    }


def _bridges(asked: str, first: Mapping[int, Ranked], found: Iterable[Shared]) -> list[Bridge]:
    """The names that lead on: things that the question does not name itself, and that somebody
    took for an entity."""
    text, bridges, named = normalise(asked), {}, set()
    for one in found:
        at = one.pk, one.key
        bridge = bridges.setdefault(at, Bridge(first[one.pk], one.key, one.role))
        bridge.others[one.other] = one.other_role
        if {one.role, one.other_role} != {LinkRole.VALUE}:
            named.add(one.key)
    return [
        bridge
        for bridge in bridges.values()
        if bridge.key in named and _is_thing(bridge.key) and not places(text, bridge.key)
    ]


def _is_thing(key: str) -> bool:
    """Whether a name is more than a number, a stop word or a slot's name (供应商, deadline)."""
    slot = ZH_SLOTS.fullmatch(key) or EN_SLOTS.fullmatch(key)
    return could_be_name(key) and key not in STOPWORDS and not slot


def _best(reached: Iterable[Reached]) -> list[Hop]:
    """Of each memory the strongest hop, and of all the best few."""
    best: dict[int, Hop] = {}
    for one in sorted(reached, key=lambda one: (-one.score, -one.via.score, -one.pk, one.hop.key)):
        best.setdefault(one.pk, one.hop)
    return list(best.values())[:MOST]
