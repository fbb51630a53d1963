"""How corrections are understood, on labelled cases: `python -m tests.benchmarks.corrections`.

The cases are in corrections/dev.jsonl of the folder that MASE_BENCH_DATA names: a small store,
one utterance, and the ids that must be changed (often none). Each case is a user of its own, its
store one session. Exact: just those ids. Misfire: some other id. False alarm: any id where none
is right, as a share of such cases. Asked: it asked back; that is exact nowhere in these cases.
"""

import json
import os
import shutil
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.store import standalone


@dataclass(frozen=True)
class Result:
    case: dict
    verdict: str
    reason: str
    got: frozenset[int]
    asked: frozenset[int]

    @property
    def gold(self) -> frozenset[int]:
        return frozenset(self.case["gold"])

    @property
    def exact(self) -> bool:
        return self.got == self.gold and self.verdict != "ambiguous"

    @property
    def misfire(self) -> bool:
        return bool(self.got - self.gold)


def main() -> int:
    folder = os.environ.get("MASE_BENCH_DATA", "")
    path = Path(folder) / "corrections" / "dev.jsonl"
    if not folder or not path.is_file():
        print("skipped: MASE_BENCH_DATA names no folder with corrections/dev.jsonl")
        return 0
    made = standalone()
    try:
        with path.open(encoding="utf-8") as lines:
            print(table([judged(json.loads(line)) for line in lines]))
    finally:
        shutil.rmtree(made)
    return 0


def judged(case: dict) -> Result:
    """One case through the real store."""
    from memory.models import Scope, Workspace
    from memory.write.correction.propose import understand
    from memory.write.proposal import Proposal
    from memory.write.remember import remember

    workspace, _ = Workspace.objects.get_or_create(name="corrections")
    scope = Scope(workspace.pk, "benchmark", "command", case["id"])
    written = remember(scope, [Proposal(**_proposal(row)) for row in case["store"]])
    ids = {
        outcome.memory.public_id: row["id"]
        for outcome, row in zip(written.outcomes, case["store"], strict=True)
    }
    found = understand(scope, case["utterance"], session_id="s1")
    return Result(
        case,
        found.verdict,
        found.reason,
        frozenset(ids[row.public_id] for row in found.targets),
        frozenset(ids[row.public_id] for row in found.candidates),
    )


def _proposal(row: dict) -> dict:
    fields = {"text": row["text"], "session_id": "s1", "source": "user_said"}
    if row["attr"] and row["value"]:
        entity, _, attribute = row["attr"].partition("/")
        fields |= {"entity": entity, "attribute": attribute, "value": row["value"]}
    return fields


def table(results: list[Result]) -> str:
    groups = defaultdict(list)
    for result in results:
        groups["all"].append(result)
        groups[result.case["lang"]].append(result)
        groups[f"{result.case['lang']} {result.case['src']}"].append(result)
    lines = [f"{'cases':<14}{'n':>5}{'exact':>8}{'misfire':>9}{'false alarm':>13}{'asked':>7}"]
    for name, found in groups.items():
        empty = [result for result in found if not result.gold]
        lines.append(
            f"{name:<14}{len(found):>5}{_share(r.exact for r in found):>8}"
            f"{_share(r.misfire for r in found):>9}{_share(bool(r.got) for r in empty):>13}"
            f"{_share(r.verdict == 'ambiguous' for r in found):>7}"
        )
    return "\n".join(lines)


def _share(flags) -> str:
    flags = list(flags)
    return f"{sum(flags) / len(flags):.3f}" if flags else "-"


if __name__ == "__main__":
    sys.exit(main())
