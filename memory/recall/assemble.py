"""The context: what the agent is given, as text, within a budget."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory import clock
from memory.write.working import AtHand

from .evidence import Offered
from .lines import (
    BACKGROUND,
    FACTS,
    IMMEDIATE,
    TURNS,
    WORKING,
    Line,
    memory_line,
    turn_line,
    words_for,
    working_line,
)
from .rank import Ranked
from .request import DEFAULT_TURNS
from .tokens import Tokens, count_tokens
from .turn_rank import RankedTurn

BLOCKS = (FACTS, BACKGROUND, IMMEDIATE)
# Reserved for each source of those that have lines; where there are no background memories or no
# turns, the other of the two has both shares.
SHARES = {FACTS: 0.6, BACKGROUND: 0.2, TURNS: 0.2}
# Taken before all others, which share the rest: what an agent noted for this very session.
WORKING_SHARE = 0.2


@dataclass(frozen=True)
class Context:
    """`tokens` of `text` as `counted_by` counts them. `kept` are the memories that fitted, best
    first; `blocks` maps each block to the public ids of its lines, in the order shown. `turns` are
    those given, best first, `turns_left` those that were not, each with its gate: "same" (a memory
    that is given says it), "limit" or "budget". `working` is what is given of working memory."""

    text: str
    tokens: int
    kept: tuple[Ranked, ...]
    left_out: tuple[Ranked, ...]
    blocks: dict[str, list[str]]
    counted_by: str
    turns: tuple[RankedTurn, ...] = ()
    turns_left: tuple[tuple[RankedTurn, str], ...] = ()
    working: tuple[AtHand, ...] = ()


def assemble(
    ranked: Sequence[Ranked],
    query: str,
    budget: int,
    *,
    moment: datetime | None = None,
    prompt_tokens: int | None = None,
    turns: Sequence[Offered] = (),
    most_turns: int = DEFAULT_TURNS,
    session_id: str = "",
    working: Sequence[AtHand] = (),
) -> Context:
    """The context for `query` as of `moment` (default: now), in the query's language.

    `ranked` and `turns` are best first; at most `most_turns` turns are given, those of `session_id`
    as immediate, before them what `working` memory holds of it. The text, its frame included, has
    never more tokens than `allowance(budget, prompt_tokens)`; what does not fit is left out whole.
    """
    words, moment = words_for(query), moment or clock.now()
    lines = [memory_line(item, words, moment) for item in ranked]
    lines += [turn_line(offered.item, words, moment, session_id) for offered in turns]
    first_working = len(lines)
    lines += [working_line(item, words, moment) for item in working]
    twins = {place: offered.twins for place, offered in enumerate(turns, start=len(ranked))}
    allowed = allowance(budget, prompt_tokens)
    chosen = _chosen(lines, allowed, words, twins, most_turns)
    order = [*range(len(ranked)), *_by_time(turns, len(ranked)), *range(first_working, len(lines))]
    text, tokens = _shown(lines, chosen, words, order)
    # A tokenizer may find more in the whole than in its lines.
    while chosen and tokens.count > allowed:
        chosen.pop()
        text, tokens = _shown(lines, chosen, words, order)
    kept, blocks = set(chosen), _laid_out(lines, chosen, order)
    given = [turns[place - len(ranked)].item for place in sorted(kept & twins.keys())]

    def gate(place: int) -> str:
        if kept.intersection(twins[place]):
            return "same"
        return "limit" if len(given) == most_turns else "budget"

    return Context(
        text,
        tokens.count,
        tuple(item for place, item in enumerate(ranked) if place in kept),
        tuple(item for place, item in enumerate(ranked) if place not in kept),
        {name: [line.public_id for line in block] for name, block in blocks.items()},
        tokens.by,
        tuple(given),
        tuple(
            (turns[place - len(ranked)].item, gate(place)) for place in twins if place not in kept
        ),
        tuple(item for place, item in enumerate(working, start=first_working) if place in kept),
    )


def allowance(budget: int, prompt_tokens: int | None) -> int:
    """The most tokens of a context: `budget`, and 30 % of the prompt that it goes into.

    `prompt_tokens` is the prompt without it, so c ≤ 0.3 (p + c) gives c ≤ 3p / 7.
    """
    return budget if prompt_tokens is None else min(budget, max(prompt_tokens, 0) * 3 // 7)


def _chosen(
    lines: Sequence[Line],
    allowed: int,
    words: dict[str, str],
    twins: dict[int, tuple[int, ...]],
    most_turns: int,
) -> list[int]:
    """Places of the lines that fit, in the order taken: each source up to its share, memories
    first; then what is left to memories, but for the room of the turns; then what is left."""
    room = _Room(lines, allowed, words, twins, most_turns)
    room.fill(WORKING, most=int(room.left * WORKING_SHARE))
    shares = _shares(lines, room.left)
    for source, most in shares.items():
        if source != TURNS:
            room.fill(source, most=most)
    for source in (FACTS, BACKGROUND):
        room.fill(source, spare=shares.get(TURNS, 0))
    if TURNS in shares:
        room.fill(TURNS, most=shares[TURNS])
    for source in (*SHARES, WORKING):
        room.fill(source)
    return list(room.chosen)


def _shares(lines: Sequence[Line], room: int) -> dict[str, int]:
    """Tokens reserved for each source; none where there is only one."""
    present = {line.source for line in lines} - {WORKING}
    if len(present) < 2:
        return {}
    rest = 1 - SHARES[FACTS]
    alone = len(present & {BACKGROUND, TURNS}) == 1
    return {
        source: int(room * (rest if alone and source != FACTS else share))
        for source, share in SHARES.items()
        if source in present
    }


class _Room:
    """The tokens that are left, and the lines that have taken the others."""

    def __init__(
        self,
        lines: Sequence[Line],
        allowed: int,
        words: dict[str, str],
        twins: dict[int, tuple[int, ...]],
        most_turns: int,
    ):
        self.lines, self.twins, self.most_turns = lines, twins, most_turns
        self.left = allowed - count_tokens(_text({}, words)).count
        self.costs = [count_tokens(line.text + "\n").count for line in lines]
        self.heads = {name: count_tokens(words[name] + "\n").count for name in BLOCKS}
        self.spent: dict[str, int] = {}
        self.chosen: dict[int, None] = {}

    def fill(self, source: str, *, most: int | None = None, spare: int = 0) -> None:
        """Take lines of a source while it has no more than `most` tokens and `spare` stay free."""
        for place, line in enumerate(self.lines):
            if line.source == source and place not in self.chosen:
                if source == TURNS and not self._may_stand(place):
                    continue
                self._take(place, most, spare)

    def _may_stand(self, place: int) -> bool:
        """A memory goes before a turn that says the same."""
        for twin in self.twins[place]:
            if twin in self.chosen or self._take(twin):
                return False
        return sum(taken in self.twins for taken in self.chosen) < self.most_turns

    def _take(self, place: int, most: int | None = None, spare: int = 0) -> bool:
        line = self.lines[place]
        shown = any(self.lines[other].block == line.block for other in self.chosen)
        cost = self.costs[place] + (0 if shown else self.heads[line.block])
        spent = self.spent.get(line.source, 0) + cost
        if cost > self.left - spare or (most is not None and spent > most):
            return False
        self.chosen[place] = None
        self.spent[line.source] = spent
        self.left -= cost
        return True


def _by_time(turns: Sequence[Offered], first: int) -> list[int]:
    said = [(offered.item.turn.occurred_at, offered.item.turn.pk) for offered in turns]
    return sorted(range(first, first + len(turns)), key=lambda place: said[place - first])


def _laid_out(
    lines: Sequence[Line], chosen: Iterable[int], order: Sequence[int]
) -> dict[str, list[Line]]:
    """The chosen lines by block, as shown. What stands in the middle of a long prompt is read
    worst (Liu et al., "Lost in the Middle", 2023), so of the memories the best is at the head, the
    second best at the tail; turns follow them, in the order of time. Working memory comes first."""
    memories: dict[str, list[Line]] = {name: [] for name in BLOCKS}
    turns: dict[str, list[Line]] = {name: [] for name in BLOCKS}
    working: dict[str, list[Line]] = {name: [] for name in BLOCKS}
    sources, taken = {TURNS: turns, WORKING: working}, set(chosen)
    for line in (lines[place] for place in order if place in taken):
        sources.get(line.source, memories)[line.block].append(line)
    return {
        name: working[name] + memories[name][::2] + memories[name][1::2][::-1] + turns[name]
        for name in BLOCKS
    }


def _shown(
    lines: Sequence[Line], chosen: Sequence[int], words: dict[str, str], order: Sequence[int]
) -> tuple[str, Tokens]:
    text = _text(_laid_out(lines, chosen, order), words) if chosen else ""
    return text, count_tokens(text)


def _text(blocks: dict[str, list[Line]], words: dict[str, str]) -> str:
    shown = ["<memory>", words["rules"]]
    for name, block in blocks.items():
        if block:
            shown += [words[name], *(line.text for line in block)]
    return "\n".join([*shown, "</memory>"])
