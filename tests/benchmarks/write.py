"""Write rate in process, beside a bare insert of the same rows with the same durability.

.venv/bin/python -m tests.benchmarks.write --rows 400
"""

import argparse
import random
import shutil
import time

from .store import SEED, proposals, standalone
from .timing import in_turns, table

FLOOR = "bare insert, one transaction"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=400)
    options = parser.parse_args()
    folder = standalone()
    try:
        print(measure(options.rows))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(rows: int) -> str:
    from django.db import connection

    from memory.models import Scope, Workspace
    from memory.write.proposal import Proposal
    from memory.write.remember import remember
    from memory.write.transaction import write_transaction

    workspace = Workspace.objects.create(name="bench")
    scope = Scope(workspace.pk, "benchmark", "command")
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE bench_bare (id INTEGER PRIMARY KEY, text TEXT, value TEXT)")

    def bare(fields):
        with write_transaction(), connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO bench_bare (text, value) VALUES (%s, %s)",
                [fields["text"], fields["value"]],
            )

    def add(fields):
        remember(scope, [Proposal(**fields)])

    def replace(fields):
        changed = fields | {"value": fields["value"] + "1", "text": fields["text"] + "1"}
        remember(scope, [Proposal(**changed)], reason="benchmark")

    chance = random.Random(SEED)
    inputs = list(proposals(0, rows, chance))
    began = time.perf_counter()
    timings = in_turns({FLOOR: bare, "add": add, "supersede": replace}, inputs)
    seconds = time.perf_counter() - began
    text = table(f"{rows} writes each", timings, FLOOR)
    return f"{text}\n{2 * rows / seconds:.0f} memory writes a second, one process, FULL durability"


if __name__ == "__main__":
    main()
