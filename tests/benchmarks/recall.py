"""Recall latency at several sizes beside the bare FTS5 statement on the same rows.

.venv/bin/python -m tests.benchmarks.recall --rows 1000 10000 100000
"""

import argparse
import shutil

from django.core.management import call_command

from .store import PER_USER, fill, questions, standalone
from .timing import in_turns, table

FLOOR = "bare FTS5 statement"
RANKED = "the same by bm25, with its text"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 10_000, 100_000])
    parser.add_argument("--questions", type=int, default=200)
    options = parser.parse_args()
    folder = standalone()
    try:
        for rows in options.rows:
            call_command("flush", verbosity=0, interactive=False)
            print(measure(rows, options.questions), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(rows: int, count: int) -> str:
    from django.db import connection

    from memory.index.entry import owner_prefix
    from memory.index.expression import expression
    from memory.index.filters import ACTIVE_ONLY, Filters
    from memory.index.schema import RECALL
    from memory.index.search import search
    from memory.models import Owner, Scope, Workspace
    from memory.recall import RecallRequest, recall
    from memory.recall.recorder import recorder
    from memory.text.terms import query_terms

    workspace = Workspace.objects.create(name=f"bench-{rows}")
    scope = Scope(workspace.pk, "benchmark", "api")
    fill(scope, rows)
    asked = questions(count, max(rows // PER_USER, 1))
    numbers = dict(Owner.objects.filter(workspace=workspace).values_list("user_id", "pk"))
    statements = {
        pair: expression(query_terms(pair[1]), owner_prefix(numbers[pair[0]])) for pair in asked
    }
    ranked_sql = f"SELECT rowid, words FROM {RECALL} WHERE {RECALL} MATCH %s ORDER BY rank LIMIT 50"
    sql = f"SELECT rowid FROM {RECALL} WHERE {RECALL} MATCH %s LIMIT 50"

    def floor(pair):
        with connection.cursor() as cursor:
            return cursor.execute(sql, [statements[pair]]).fetchall()

    def ranked_floor(pair):
        with connection.cursor() as cursor:
            return cursor.execute(ranked_sql, [statements[pair]]).fetchall()

    def candidates(pair):
        return search(scope.narrow(pair[0]), query_terms(pair[1]), Filters(statuses=ACTIVE_ONLY))

    def whole(pair):
        return recall(RecallRequest(scope.narrow(pair[0]), pair[1]))

    for pair in asked[:20]:
        floor(pair), ranked_floor(pair), candidates(pair), whole(pair)
    layers = {
        FLOOR: floor,
        RANKED: ranked_floor,
        "analyse the question": lambda pair: query_terms(pair[1]),
        "candidates with rank, filters and frequencies": candidates,
        "recall(), recorded": whole,
    }
    timings = in_turns(layers, asked)
    recorder.settle()
    return table(f"{rows:,} memories", timings, FLOOR)


if __name__ == "__main__":
    main()
