"""How long each health check takes on a large store with a long recall log, cold and warm.

    .venv/bin/python -m tests.benchmarks.health --rows 100000 --candidates 1000000

"Cold" is the first look after the store was made, "warm" the best of three more. Reading the
texts for the first time is told apart: a background job does it, and reports after that find
it done; so is reading the recall log for what was no longer valid when it was served.
"""

import argparse
import random
import shutil
import time

from .store import PER_USER, SEED, fill, standalone

EACH = 10
ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--candidates", type=int, default=1_000_000)
    options = parser.parse_args()
    folder = standalone()
    try:
        scope = filled(options.rows, options.candidates)
        print(f"{options.rows:,} memories, {options.candidates:,} candidates of recalls\n")
        print(_read(scope, options.rows))
        print(_table(scope))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def filled(rows: int, candidates: int):
    from memory.index.storage import count_values
    from memory.models import Scope, Workspace
    from memory.write.transaction import write_transaction

    scope = Scope(Workspace.objects.create(name="bench").pk, "benchmark", "command")
    fill(scope, rows, turns_each=4)
    chance = random.Random(SEED)
    with write_transaction():
        _ask(scope, rows // PER_USER, candidates // EACH, chance)
        _quote(scope)
        _enter(scope)
        _pair(scope, chance)
    with write_transaction():
        count_values()
    return scope


def _ask(scope, users: int, recalls: int, chance: random.Random) -> None:
    """Recalls of the last 60 days, each with `EACH` memories of its user, six of them served. Of
    each user's memories two thirds are ever found."""
    from datetime import timedelta

    from memory import clock
    from memory.models import Memory, Recall, RecallCandidate

    ids: dict[str, list] = {}
    known = Memory.objects.within(scope).order_by("pk").values_list("user_id", "public_id")
    for user_id, public_id in known:
        ids.setdefault(user_id, []).append(public_id)
    now = clock.now()
    for start in range(0, recalls, 1000):
        asked = [
            Recall(
                workspace_id=scope.workspace_id, user_id=f"user-{chance.randrange(users)}",
                at=now - timedelta(minutes=chance.randrange(86_400)), actor="key:bench",
                surface="api", query="q", query_used="q", profile="balanced", analyser="bench",
                served=6, tokens=60, took_ms=4.0,
            )
            for _ in range(min(1000, recalls - start))
        ]  # fmt: skip
        Recall.everywhere.bulk_create(asked)
        RecallCandidate.objects.bulk_create(
            [
                RecallCandidate(
                    recall=recall, memory_id=memory_id, rank=place + 1 if place < 6 else None,
                    score=1 / (place + 1), status="active", gate="" if place < 6 else "limit",
                )
                for recall in asked
                for place, memory_id in enumerate(
                    chance.sample(ids[recall.user_id][: PER_USER * 2 // 3], EACH)
                )
            ],
            batch_size=2000,
        )  # fmt: skip


def _quote(scope) -> None:
    """Give a memory in four its evidence: the beginning of a turn of its user."""
    from memory.models import Memory, Turn

    turns = {turn.user_id: turn for turn in Turn.objects.within(scope)}
    rows = list(Memory.objects.within(scope).order_by("pk")[::4])
    for row in rows:
        turn = turns[row.user_id]
        row.turn_id, row.quote = turn.public_id, turn.content[:8]
        row.evidence_start, row.evidence_end = 0, len(row.quote)
    columns = ["turn", "quote", "evidence_start", "evidence_end"]
    Memory.everywhere.bulk_update(rows, columns, batch_size=500)


def _enter(scope) -> None:
    """An entry of the ledger for each memory, all of one batch, in a chain that holds."""
    from datetime import timedelta

    from memory import clock
    from memory.models import GENESIS, Batch, Change, Memory, payload_digest, reason_digest
    from memory.write.snapshot import snapshot

    # Before the first recall, which the scan looks up there.
    batch = Batch.everywhere.create(
        workspace_id=scope.workspace_id, at=clock.now() - timedelta(days=90), actor=scope.actor,
        verb="remember", surface=scope.surface, reason="", reason_digest=reason_digest(""),
    )  # fmt: skip
    entries, last = [], GENESIS
    for number, row in enumerate(Memory.objects.within(scope).order_by("pk").iterator(), start=1):
        payload = {"before": None, "after": snapshot(row)}
        entry = Change(
            id=number, batch=batch, memory_id=row.public_id, fact=row.fact, at=batch.at,
            action="add", status_after=row.status, revision_after=row.revision, payload=payload,
            payload_digest=payload_digest(payload), previous_hash=last,
        )  # fmt: skip
        entry.hash = last = entry.sealed_hash()
        entries.append(entry)
    Change.objects.bulk_create(entries, batch_size=1000)


def _pair(scope, chance: random.Random) -> None:
    """Two in a hundred memories make a possible duplicate that waits."""
    from memory import clock
    from memory.models import DuplicatePair, Memory

    rows = Memory.objects.within(scope).order_by("pk").values_list("user_id", "public_id")
    chosen = [row for row in rows if chance.random() < 0.02]
    DuplicatePair.everywhere.bulk_create(
        DuplicatePair(
            workspace_id=scope.workspace_id, user_id=user_id, first=first, second=second,
            score=0.8, found_at=clock.now(),
        )
        for (user_id, first), (_, second) in zip(chosen[::2], chosen[1::2], strict=False)
    )  # fmt: skip


def _read(scope, rows: int) -> str:
    from audit.findings.scan import scan
    from audit.health.texts import read_on

    began = time.perf_counter()
    read_on(scope, seconds=float("inf"))
    took, began = time.perf_counter() - began, time.perf_counter()
    scan(scope, None)
    log = time.perf_counter() - began
    texts = f"first reading of the texts: {took:.1f} s, {took / rows * 1000:.2f} ms a memory"
    return f"{texts}; of the recall log: {log:.1f} s\n"


def _table(scope) -> str:
    from audit.health.registry import checks
    from audit.health.report import run_report

    lines = ["| check | found | cold s | warm s |", "|---|---|---|---|"]
    cold, warm = 0.0, 0.0
    for name in checks():
        began = time.perf_counter()
        finding = run_report(scope, [name]).findings[0]
        first = time.perf_counter() - began
        best = min(_timed(scope, name) for _ in range(ROUNDS))
        cold, warm = cold + first, warm + best
        lines.append(f"| {name} | {finding.count:,} | {first:.2f} | {best:.2f} |")
    whole = _timed(scope)
    lines.append(f"| all of them | | {cold:.2f} | {warm:.2f} |")
    return "\n".join(lines) + f"\n\nwhole report with its preparations: {whole:.2f} s"


def _timed(scope, name: str | None = None) -> float:
    """Seconds of a report, of one check or of all."""
    from audit.health.report import run_report

    began = time.perf_counter()
    run_report(scope, [name] if name else None)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
