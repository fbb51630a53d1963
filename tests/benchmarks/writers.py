"""Many processes writing at once: the write queue beside SQLite's own waiting.

.venv/bin/python -m tests.benchmarks.writers --writers 8 --writes 40
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from contextlib import nullcontext

from .store import standalone


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--writes", type=int, default=40)
    parser.add_argument("--child", choices=["queue", "engine"], help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.number, options.writes)
        return
    folder = standalone()
    try:
        from memory.models import Workspace

        Workspace.objects.create(name="bench")
        print("| waiting | p50 ms | p99 ms | max ms | writes/s | failed |")
        print("|---|---|---|---|---|---|")
        for way in ("engine", "queue"):
            print(measure(way, options.writers, options.writes), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def measure(way: str, writers: int, writes: int) -> str:
    began = time.perf_counter()
    command = [sys.executable, "-m", "tests.benchmarks.writers", "--writes", str(writes)]
    started = [
        subprocess.Popen(
            [*command, "--child", way, "--number", str(number)], stdout=subprocess.PIPE
        )
        for number in range(writers)
    ]
    answers = [json.loads(process.communicate()[0]) for process in started]
    times = sorted(t for answer in answers for t in answer["times"])
    seconds = time.perf_counter() - began
    name = {"engine": "SQLite's busy handler", "queue": "write queue"}[way]
    return (
        f"| {name} | {statistics.median(times):.0f} | {times[int(len(times) * 0.99)]:.0f} "
        f"| {times[-1]:.0f} | {len(times) / seconds:.0f} | {sum(a['failed'] for a in answers)} |"
    )


def child(way: str, number: int, writes: int) -> None:
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "mase_site.settings"
    django.setup()
    from memory.models import Scope, Workspace
    from memory.text import segment
    from memory.write import queue
    from memory.write.proposal import Proposal
    from memory.write.remember import remember

    segment.warm()
    if way == "engine":
        queue.turn = lambda seconds=None: nullcontext()
    scope = Scope(Workspace.objects.get(name="bench").pk, "benchmark", "command")
    times, failed = [], 0
    for n in range(writes):
        began = time.perf_counter()
        try:
            remember(scope, [Proposal(user_id=f"{way}{number}", text=f"note {n} of {number}")])
            times.append((time.perf_counter() - began) * 1000)
        except Exception:
            failed += 1
    print(json.dumps({"times": times, "failed": failed}))


if __name__ == "__main__":
    main()
