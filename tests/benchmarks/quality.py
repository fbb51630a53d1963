"""Does recall find what is there? Public conversation sets, read from a folder.

    MASE_BENCH_DATA=/path/to/data .venv/bin/python -m tests.benchmarks.quality

`memorybank/`: 15 people's Chinese chats, 100 questions with the exchanges that answer them.
`locomo/`: 10 English conversations, questions with the turns that hold the evidence. MemoryBank's
exchanges are memories of their person, LoCoMo's turns are the dialogue log and nothing else; a hit
is any evidence in the first k.
MemoryBank's questions name days without a year: each is asked on the day after its person's last
chat. LoCoMo's name none, and are asked now, when all of its rows are equally old.
Turns have no vectors: meaning changes nothing on LoCoMo. It needs the extra "semantic".
"""

import json
import os
import re
import shutil
import statistics
import time
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

from .store import no_meaning, standalone, with_meaning

LIMIT = 10


def main() -> None:
    data = Path(os.environ.get("MASE_BENCH_DATA", ""))
    if not (data / "memorybank").is_dir():
        raise SystemExit("MASE_BENCH_DATA must name the folder that holds memorybank/ and locomo/")
    folder = standalone()
    try:
        print("| set | questions | hit@1 | hit@5 | hit@10 | MRR | p50 ms |")
        print("|---|---|---|---|---|---|---|")
        print(measure("MemoryBank-cn", *memorybank(data)), flush=True)
        print(measure("MemoryBank-cn, meaning too", *memorybank(data), keep=embed), flush=True)
        print(measure("LoCoMo", *locomo(data), keep=say), flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def memorybank(data: Path):
    """Rows by person, questions as (person, question, evidence row numbers), and when each
    person's are asked."""
    banks = json.loads((data / "memorybank/memory_bank_cn.json").read_text(encoding="utf-8"))
    gold = json.loads((data / "memorybank/gold_cn.json").read_text(encoding="utf-8"))
    rows, asked = {}, []
    for person, bank in banks.items():
        rows[person] = [
            (
                f"{turn['query']}\n{turn['response']}",
                datetime.fromisoformat(day).replace(tzinfo=UTC),
            )
            for day, turns in bank["history"].items()
            for turn in turns
        ]
    text = (data / "memorybank/probing_questions_cn.jsonl").read_text(encoding="utf-8")
    for line in filter(str.strip, text.splitlines()):
        for person, questions in json.loads(line).items():
            for number, question in enumerate(questions):
                asked.append((person, question, gold[person][number]))
    after = {
        person: max(day for _, day in kept) + timedelta(days=1) for person, kept in rows.items()
    }
    return rows, asked, after


def locomo(data: Path):
    """Turns by conversation as (text, day, session, role), and questions of categories 1 to 4 with
    usable evidence."""
    rows, asked = {}, []
    for sample in json.loads((data / "locomo/locomo10.json").read_text(encoding="utf-8")):
        name, talk, places = sample["sample_id"], sample["conversation"], {}
        rows[name] = []
        for number in range(1, 60):
            turns = talk.get(f"session_{number}", [])
            day = _day(talk.get(f"session_{number}_date_time", ""))
            for turn in turns:
                places[turn["dia_id"]] = len(rows[name])
                said = f"{turn['speaker']}: {turn['text']} {turn.get('blip_caption', '')}"
                role = "user" if turn["speaker"] == talk["speaker_a"] else "assistant"
                rows[name].append((said, day, f"session-{number}", role))
        for entry in sample["qa"]:
            evidence = [places[e] for e in entry.get("evidence", []) if e in places]
            if entry["category"] in (1, 2, 3, 4) and evidence:
                asked.append((name, entry["question"], evidence))
    return rows, asked


def _day(text: str) -> datetime:
    found = re.search(r"(\d{1,2}) (\w+), (\d{4})", text)
    if not found:
        return datetime(2023, 1, 1, tzinfo=UTC)
    return datetime.strptime(" ".join(found.groups()), "%d %B %Y").replace(tzinfo=UTC)


def remember(scope, rows: dict) -> dict:
    """Keep rows as memories; each one's number by its id."""
    from memory.index import upkeep
    from memory.models import Memory, Status
    from memory.models.ids import new_id
    from memory.write.transaction import write_transaction

    places = {}
    with write_transaction():
        for person, texts in rows.items():
            for number, (text, day) in enumerate(texts):
                memory_id = new_id()
                places[memory_id] = number
                Memory.everywhere.create(
                    workspace_id=scope.workspace_id, public_id=memory_id, fact=memory_id,
                    user_id=person, text=text, summary=text[:160], kind="event",
                    layer="episodic", importance=2, status=Status.ACTIVE, occurred_at=day,
                    created_at=day, updated_at=day, confirmed_at=day, fingerprint="",
                )  # fmt: skip
        upkeep.rebuild()
    return places


def embed(scope, rows: dict) -> dict:
    """As `remember`, with vectors."""
    places = remember(scope, rows)
    with_meaning()
    return places


def say(scope, rows: dict) -> dict:
    """Keep rows as turns, as an agent sends them; each one's number by its id."""
    from memory.write.turns import Utterance, add_turns

    places = {}
    for person, turns in rows.items():
        said = [
            Utterance(role, text, user_id=person, session_id=session, occurred_at=day)
            for text, day, session, role in turns
        ]
        for number, turn in enumerate(add_turns(scope, said)):
            places[turn.public_id] = number
    return places


def measure(name: str, rows: dict, asked: list, after: dict | None = None, keep=remember) -> str:
    from memory import clock
    from memory.models import Scope, Workspace
    from memory.recall import RecallRequest, recall
    from memory.recall.recorder import recorder

    scope = Scope(Workspace.objects.create(name=name.lower()).pk, "benchmark", "api")
    places = keep(scope, rows)
    ranks, times = [], []
    for person, question, evidence in asked:
        request = RecallRequest(
            scope.narrow(person), question, limit=LIMIT, turns=LIMIT, budget_tokens=32_000,
            profile="balanced",
        )  # fmt: skip
        began = time.perf_counter()
        with clock.at(after[person]) if after else nullcontext():
            answer = recall(request)
        times.append((time.perf_counter() - began) * 1000)
        best = sorted(answer.items, key=lambda item: -item.score)
        found = [places[item.memory.public_id] for item in best]
        found += [places[item.turn.public_id] for item in answer.turns]
        ranks.append(next((n for n, row in enumerate(found, 1) if row in evidence), None))
    recorder.settle()
    no_meaning()
    share = lambda k: sum(r is not None and r <= k for r in ranks) / len(ranks)  # noqa: E731
    mrr = sum(1 / r for r in ranks if r) / len(ranks)
    return (
        f"| {name} | {len(asked)} | {share(1):.3f} | {share(5):.3f} | {share(10):.3f} "
        f"| {mrr:.3f} | {statistics.median(times):.1f} |"
    )


if __name__ == "__main__":
    main()
