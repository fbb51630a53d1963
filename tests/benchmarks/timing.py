"""Timing in turns: each round calls every layer once, so that noise hits all alike."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


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
