"""Timing in turns: each round calls every layer once, so that noise hits all alike."""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any


@dataclass(frozen=True)
class Timing:
    """Milliseconds. `cpu` is this process's mean; on a busy machine trust it and the ratios."""

    p50: float
    p95: float
    cpu: float


def in_turns(layers: dict[str, Callable], inputs: Sequence) -> dict[str, Timing]:
    """Time each layer on each input, one after the other within an input."""
    wall = {name: [] for name in layers}
    cpu = dict.fromkeys(layers, 0.0)
    for item in inputs:
        for name, call in layers.items():
            busy, began = time.process_time(), time.perf_counter()
            call(item)
            wall[name].append((time.perf_counter() - began) * 1000)
            cpu[name] += (time.process_time() - busy) * 1000
    return {
        name: Timing(
            statistics.median(times),
            statistics.quantiles(times, n=20)[18],
            cpu[name] / len(times),
        )
        for name, times in wall.items()
    }


def best_of(rounds: Iterable[dict[str, Timing]]) -> dict[str, Timing]:
    """Each layer's lowest figures over several rounds: what it takes where nothing disturbs it."""
    first, *others = rounds
    return {
        name: Timing(
            min(timing.p50, *(other[name].p50 for other in others)),
            min(timing.p95, *(other[name].p95 for other in others)),
            min(timing.cpu, *(other[name].cpu for other in others)),
        )
        for name, timing in first.items()
    }


def table(title: str, rows: dict[str, Timing], floor: str) -> str:
    """A Markdown table with each layer's ratio to the floor, by p50."""
    lines = [
        f"### {title}",
        "",
        "| layer | p50 ms | p95 ms | CPU ms | × floor (p50) |",
        "|---|---|---|---|---|",
    ]
    base = rows[floor].p50
    lines += [
        f"| {name} | {t.p50:.2f} | {t.p95:.2f} | {t.cpu:.2f} | {t.p50 / base:.1f} |"
        for name, t in rows.items()
    ]
    return "\n".join(lines) + "\n"


@contextmanager
def watched(stages: Mapping[str, Sequence[tuple[Any, str]]]) -> Iterator[dict[str, float]]:
    """Within the block, the milliseconds spent in each stage: functions by owner and name. Stages
    must not call each other; what they leave out is the caller's to work out."""
    spent = dict.fromkeys(stages, 0.0)
    kept = [(owner, name, getattr(owner, name)) for some in stages.values() for owner, name in some]

    def timed(stage: str, call: Callable) -> Callable:
        @wraps(call)
        def run(*args, **named):
            began = time.perf_counter()
            try:
                return call(*args, **named)
            finally:
                spent[stage] += (time.perf_counter() - began) * 1000

        return run

    try:
        for stage, some in stages.items():
            for owner, name in some:
                setattr(owner, name, timed(stage, getattr(owner, name)))
        yield spent
    finally:
        for owner, name, call in kept:
            setattr(owner, name, call)
