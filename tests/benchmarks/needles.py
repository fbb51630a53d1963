"""One sentence among 256,000 tokens: is its memory in the context that recall gives?

    MASE_BENCH_DATA=/path/to/data .venv/bin/python -m tests.benchmarks.needles [--languages zh en]

Twenty needles a language, each at five depths of a haystack of real talk in rows of about 75
tokens, all of one user; the oldest row is ten minutes a row older than the newest. A question may
have up to 50 memories and 2,800 tokens of context, counted as the product counts them. Tiers:
literal asks in the needle's own words; paraphrase says the same in others; one-hop needs to know
something of the world. Words alone and meaning beside them are measured on the same rows; it
needs the extra "semantic", and half an hour for the vectors.
"""

import argparse
import os
import shutil
import statistics
import time
from collections import defaultdict
from datetime import timedelta
from pathlib import Path

from .haystack import DEPTHS, TIERS, hay, needles, planted, tokens
from .store import no_meaning, standalone, with_meaning

LIMIT, BUDGET = 50, 2800
ABOUT_NOTHING = {
    "en": (
        "What is the boiling point of tungsten?",
        "zxcv qwpo rtyu",
        "How is a violin varnished?",
    ),
    "zh": ("钨的沸点是多少？", "嘎啦吧唧噗噜", "小提琴的漆是怎么上的？"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--languages", nargs="+", choices=("en", "zh"), default=["en", "zh"])
    data = Path(os.environ.get("MASE_BENCH_DATA", ""))
    languages = parser.parse_args().languages
    if not (data / "memorybank").is_dir():
        raise SystemExit("MASE_BENCH_DATA must name the folder with the public conversation sets")
    folder = standalone()
    try:
        for language in languages:
            print(run(data, language), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def run(data: Path, language: str) -> str:
    """A table of the share of questions whose needle's memory is in the context, and in brackets
    at rank 1, and with the needle itself as the sentence shown of it."""
    from memory.models import Scope, Workspace
    from memory.recall.recorder import recorder

    rows, found = hay(data, language), needles(language)
    scope = Scope(Workspace.objects.create(name=f"needles-{language}").pk, "benchmark", "api")
    places = {depth: planted(rows, found, depth) for depth in DEPTHS}
    hidden = _store(scope, rows, places)
    size = sum(map(tokens, rows))
    lines = [
        f"### {language}: {len(rows):,} rows of {size / len(rows):.0f} tokens, {size:,} in all",
        "",
        f"| channel | {' | '.join(TIERS)} | paraphrase by depth | memories given | p50 ms |",
        "|---|---|---|---|---|---|---|",
    ]
    lines.append(_measured("words alone", scope, found, hidden))
    with_meaning()
    lines.append(_measured("words and meaning", scope, found, hidden))
    for question in ABOUT_NOTHING[language]:
        answer, _ = _ask(scope, str(DEPTHS[0]), question)
        alone = sum(item.matched_by == "meaning" for item in answer.items)
        lines.append(f"\nabout nothing: {question} – {alone} memories by meaning alone")
    no_meaning()
    recorder.settle()
    return "\n".join(lines) + "\n"


def _store(scope, rows: list[str], places: dict[float, dict[int, str]]) -> dict[float, list]:
    """A user for each depth with all rows; the needles' memories, in their order. Equal rows have
    equal vectors, so those of the first user serve all."""
    from memory import clock
    from memory.index import upkeep
    from memory.index.vectors import embedded
    from memory.models import Memory, Status, Vector
    from memory.models.ids import new_id
    from memory.write.draft import one_sentence
    from memory.write.transaction import write_transaction

    now, hidden = clock.now(), {}
    for depth, needles_at in places.items():
        made = []
        for number, text in enumerate(rows):
            moment, memory_id = now - timedelta(minutes=10 * (len(rows) - number)), new_id()
            text = needles_at.get(number, text)
            made.append(
                Memory(
                    workspace_id=scope.workspace_id, public_id=memory_id, fact=memory_id,
                    user_id=str(depth), text=text, summary=one_sentence(text), kind="event",
                    layer="episodic", importance=2, status=Status.ACTIVE, occurred_at=moment,
                    created_at=moment, updated_at=moment, confirmed_at=moment,
                )
            )  # fmt: skip
        with write_transaction():
            Memory.everywhere.bulk_create(made)
        hidden[depth] = [made[place].public_id for place in needles_at]
    with write_transaction():
        upkeep.rebuild()
    with_meaning(user_id=str(DEPTHS[0]))
    no_meaning()
    known = {
        embedded(vector.memory): vector
        for vector in Vector.objects.filter(memory__workspace_id=scope.workspace_id).select_related(
            "memory"
        )
    }
    others = Memory.objects.within(scope).filter(vector=None)
    with write_transaction():
        Vector.objects.bulk_create(
            Vector(memory=memory, model=same.model, print=same.print, data=same.data)
            for memory in others
            if (same := known.get(embedded(memory)))
        )
    return hidden


def _measured(channel: str, scope, found, hidden: dict[float, list]) -> str:
    from memory.recall.recorder import recorder

    inside, shown, times, given = defaultdict(list), defaultdict(list), [], []
    for depth, ids in hidden.items():
        for needle, memory_id in zip(found, ids, strict=True):
            for tier in TIERS:
                answer, took = _ask(scope, str(depth), needle.questions[tier])
                order = [item.memory.public_id for item in answer.items]
                rank = order.index(memory_id) + 1 if memory_id in order else None
                inside[tier, depth].append(rank)
                shown[tier].append(needle.text[:-1] in answer.context.text)
                times.append(took)
                given.append(len(order))
        recorder.settle()
    cells = []
    for tier in TIERS:
        ranks = [rank for depth in hidden for rank in inside[tier, depth]]
        first = sum(rank == 1 for rank in ranks) / len(ranks)
        said = sum(shown[tier]) / len(ranks)
        cells.append(f"{_share(ranks):.2f} ({first:.2f}, {said:.2f})")
    depths = " ".join(f"{_share(inside['paraphrase', depth]):.2f}" for depth in hidden)
    return (
        f"| {channel} | {' | '.join(cells)} | {depths} | {statistics.mean(given):.0f} "
        f"| {statistics.median(times):.1f} |"
    )


def _ask(scope, user: str, question: str):
    from memory.recall import RecallRequest, recall

    began = time.perf_counter()
    answer = recall(
        RecallRequest(scope.narrow(user), question, limit=LIMIT, budget_tokens=BUDGET, turns=0)
    )
    return answer, (time.perf_counter() - began) * 1000


def _share(ranks: list) -> float:
    return sum(rank is not None for rank in ranks) / len(ranks)


if __name__ == "__main__":
    main()
