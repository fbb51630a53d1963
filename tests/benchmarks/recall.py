"""Recall latency at several sizes beside the bare FTS5 statement on the same rows, and where the
time goes.

.venv/bin/python -m tests.benchmarks.recall --rows 10000 100000
.venv/bin/python -m tests.benchmarks.recall --rows 1000000
.venv/bin/python -m tests.benchmarks.recall --rows 10000 --turns 500

There are `--rounds` rounds of different questions; within one each question goes to every layer
in turn. The figures are those of the best round, so that other work on the machine counts little.
"""

import argparse
import re
import shutil
import time

from django.core.management import call_command

from .store import PER_USER, fill, questions, standalone
from .timing import best_of, in_turns, table, watched

FLOOR = "bare FTS5 statement"
RANKED = "the same by bm25, with its text"
PLAIN = "one FTS5 table of all users, bm25, joined to the user's rows"
WHOLE = "recall(), recorded"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--turns", type=int, default=0, help="turns of each user")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    folder, medians = standalone(), {}
    try:
        for rows in options.rows:
            call_command("flush", verbosity=0, interactive=False)
            store = Store(rows, options.turns, options.questions, options.rounds)
            timings = store.layers()
            medians[rows] = timings[WHOLE].p50
            print(table(store.title, timings, FLOOR), flush=True)
            times = timings[WHOLE].p50 / timings[PLAIN].p50
            print(f"{WHOLE} takes × {times:.2f} of: {PLAIN}\n", flush=True)
            print(store.stages(), flush=True)
        print(growth(medians))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def growth(medians: dict[int, float]) -> str:
    """How much more a recall takes in the largest store than in the smallest."""
    small, large = min(medians), max(medians)
    return f"From {small:,} to {large:,} memories: × {medians[large] / medians[small]:.2f}"


def plain_index() -> str:
    """What one writes first: a table of the same texts, segmented by the same analyser, without
    the owners' prefixes; the statement that asks it for a user's ten best by rank."""
    from django.db import connection

    from memory.index.schema import RECALL

    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE IF EXISTS bench_plain")
        cursor.execute("CREATE VIRTUAL TABLE bench_plain USING fts5(words)")
        cursor.execute(f"SELECT rowid, words FROM {RECALL}")
        for rows in iter(lambda: cursor.fetchmany(5000), []):
            found = [(pk, re.sub(r"(?:^| )[0-9a-z]+~", " ", words)) for pk, words in rows]
            with connection.cursor() as writing:
                writing.executemany("INSERT INTO bench_plain(rowid, words) VALUES (%s, %s)", found)
        cursor.execute("INSERT INTO bench_plain(bench_plain) VALUES ('optimize')")
    return (
        "SELECT m.id, m.text FROM bench_plain JOIN memory_memory m ON m.id = bench_plain.rowid "
        "WHERE bench_plain MATCH %s AND m.user_id = %s ORDER BY rank LIMIT 10"
    )


class Store:
    """A filled store and the questions to it."""

    def __init__(self, rows: int, turns: int, count: int, rounds: int):
        from memory.models import Scope, Workspace

        workspace = Workspace.objects.create(name=f"bench-{rows}")
        self.scope = Scope(workspace.pk, "benchmark", "api")
        began = time.perf_counter()
        fill(self.scope, rows, turns)
        asked = questions(count * rounds, max(rows // PER_USER, 1))
        self.rounds = [asked[start : start + count] for start in range(0, len(asked), count)]
        self.title = f"{rows:,} memories" + (f", {turns} turns a user" if turns else "")
        self.title += f" (filled in {time.perf_counter() - began:.0f} s)"

    def recall(self, pair: tuple[str, str]):
        from memory.recall import RecallRequest, recall

        return recall(RecallRequest(self.scope.narrow(pair[0]), pair[1]))

    def layers(self) -> dict:
        """Each layer of a recall by itself, from the bare statement to the whole."""
        from django.db import connection

        from memory.index.entry import owner_prefix
        from memory.index.expression import expression
        from memory.index.filters import ACTIVE_ONLY, Filters
        from memory.index.schema import RECALL
        from memory.index.search import search
        from memory.models import Owner
        from memory.recall.recorder import recorder
        from memory.text.terms import query_terms

        numbers = dict(Owner.objects.values_list("user_id", "pk"))
        match = {
            pair: expression(query_terms(pair[1]), owner_prefix(numbers[pair[0]]))
            for asked in self.rounds
            for pair in asked
        }
        bare = f"SELECT rowid FROM {RECALL} WHERE {RECALL} MATCH %s LIMIT 50"
        ranked = f"SELECT rowid, words FROM {RECALL} WHERE {RECALL} MATCH %s ORDER BY rank LIMIT 50"

        def run(statement: str):
            def call(pair):
                with connection.cursor() as cursor:
                    return cursor.execute(statement, [match[pair]]).fetchall()

            return call

        plain = plain_index()
        words = {
            pair: " OR ".join(f'"{term.text}"' for term in query_terms(pair[1]).terms) or '""'
            for asked in self.rounds
            for pair in asked
        }

        def first_idea(pair):
            with connection.cursor() as cursor:
                return cursor.execute(plain, [words[pair], pair[0]]).fetchall()

        def candidates(pair):
            filters = Filters(statuses=ACTIVE_ONLY)
            return search(self.scope.narrow(pair[0]), query_terms(pair[1]), filters)

        layers = {
            FLOOR: run(bare),
            RANKED: run(ranked),
            PLAIN: first_idea,
            "analyse the question": lambda pair: query_terms(pair[1]),
            "candidates with rank, filters and frequencies": candidates,
            WHOLE: self.recall,
        }
        in_turns(layers, self.rounds[-1][:20])
        found = best_of(in_turns(layers, asked) for asked in self.rounds)
        recorder.settle()
        return found

    def stages(self) -> str:
        """A Markdown table of the mean time that one recall spends in each stage."""
        from memory.recall import look, relevance, road
        from memory.recall.recorder import recorder

        stages = {
            "understand the question": [(look, "read_question"), (look, "_query")],
            "search memories": [(look, "search")],
            "search turns": [(look, "find_evidence")],
            "score and rank": [(relevance.Scorer, "score"), (look, "rank")],
            "read the rows given": [(look, "read")],
            "assemble the context": [(look, "assembled")],
            "record": [(road, "record")],
        }
        best: dict[str, float] = {}
        for asked in self.rounds:
            with watched(stages) as spent:
                began = time.perf_counter()
                for pair in asked:
                    self.recall(pair)
                whole = (time.perf_counter() - began) * 1000
            spent["all else"] = whole - sum(spent.values())
            for stage, total in spent.items():
                best[stage] = min(best.get(stage, total), total)
            recorder.settle()
        count, total = len(self.rounds[0]), sum(best.values())
        lines = ["| where the time goes | mean ms | share |", "|---|---|---|"]
        lines += [f"| {name} | {ms / count:.2f} | {ms / total:.0%} |" for name, ms in best.items()]
        return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
