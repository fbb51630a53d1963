"""How long it takes to prove a store, and to rebuild what can be rebuilt, in seconds.

.venv/bin/python -m tests.benchmarks.proof --rows 100000

The indexes are proved row by row with their stamps and again without them (as after a change of
the analyser's version); the ledger has an entry for each memory, written by the demo's own road
for the first thousand and copied under hashes of their own for the rest.
"""

import argparse
import random
import shutil
import time
from collections.abc import Callable

from .store import SEED, fill, proposals, standalone

WRITTEN = 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--turns", type=int, default=0, help="turns of each user")
    options = parser.parse_args()
    folder = standalone()
    try:
        print(measure(options.rows, options.turns))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(rows: int, turns: int) -> str:
    from memory.index.upkeep import drift, rebuild
    from memory.models import Change, MemoryStamp, Scope, TurnStamp, Workspace
    from memory.write.ledger import first_break
    from memory.write.transaction import write_transaction

    scope = Scope(Workspace.objects.create(name="bench").pk, "benchmark", "command")
    fill(scope, rows, turns)
    ledger(Scope(Workspace.objects.create(name="ledger").pk, "benchmark", "command"), rows)

    def proved() -> None:
        found = list(drift())
        assert not found, found[:3]

    def rebuilt() -> None:
        with write_transaction():
            rebuild()

    def whole() -> None:
        assert first_break() is None

    lines = [
        f"### {rows:,} memories, {rows // 100 * turns:,} turns, {Change.objects.count():,} entries",
        "",
        "| what | seconds | of them CPU |",
        "|---|---|---|",
        _line("the ledger verified", whole),
        _line("the indexes proved by their stamps", proved),
    ]
    for stamps in (MemoryStamp, TurnStamp):
        stamps.objects.all().delete()
    lines += [
        _line("the indexes proved without stamps", proved),
        _line("the indexes rebuilt", rebuilt),
        _line("the indexes proved after that", proved),
    ]
    return "\n".join(lines)


def ledger(scope, count: int) -> None:
    """`count` entries, a batch each, whose chain holds."""
    from memory.models import Batch, Change
    from memory.write.proposal import Proposal
    from memory.write.remember import remember
    from memory.write.transaction import write_transaction

    for fields in proposals(0, min(count, WRITTEN), random.Random(SEED)):
        remember(scope, [Proposal(**fields)], reason="benchmark")
    models = list(Change.objects.select_related("batch").order_by("pk"))
    last = models[-1]
    with write_transaction():
        for start in range(len(models), count, len(models)):
            batches, entries = [], []
            for model in models[: count - start]:
                batch = Batch(**_without(model.batch, "id", "public_id"))
                entry = Change(**_without(model, "id", "hash", "previous_hash", "batch_id"))
                entry.pk, entry.previous_hash, entry.batch = last.pk + 1, last.hash, batch
                entry.hash = entry.sealed_hash()
                batches.append(batch)
                entries.append(entry)
                last = entry
            Batch.everywhere.bulk_create(batches)
            for entry, batch in zip(entries, batches, strict=True):
                entry.batch_id = batch.pk
            Change.objects.bulk_create(entries)


def _without(row, *names: str) -> dict:
    fields = row._meta.concrete_fields
    return {field.attname: getattr(row, field.attname) for field in fields
            if field.attname not in names}  # fmt: skip


def _line(name: str, call: Callable[[], None]) -> str:
    busy, began = time.process_time(), time.perf_counter()
    call()
    seconds, cpu = time.perf_counter() - began, time.process_time() - busy
    return f"| {name} | {seconds:.1f} | {cpu:.1f} |"


if __name__ == "__main__":
    main()
