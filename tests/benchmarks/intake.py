"""POST /memories with messages on a large store, while a model is configured that takes 3 s.

.venv/bin/python -m tests.benchmarks.intake --rows 100000 --requests 200
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys

from tests.model_server import ModelServer, said

from .store import PEOPLE, SEED, SIDES_EN, SIDES_ZH, THINGS, fill, standalone
from .timing import in_turns, table

FLOOR = "three messages, none to be read"
MODEL_SECONDS = 3.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--worker", action="store_true", help="with a worker beside, reading")
    options = parser.parse_args()
    nothing = said({"should_store": False, "memories": []}, delay=MODEL_SECONDS)
    with ModelServer(nothing) as server:
        os.environ |= {"MASE_MODEL_URL": server.url, "MASE_MODEL": "slow"}
        folder = standalone()
        beside = None
        try:
            post = _client(options.rows)
            if options.worker:
                beside = subprocess.Popen([sys.executable, "manage.py", "worker"])
            print(measure(post, options.rows, options.requests))
            print(f"\nasked of the model meanwhile: {len(server.requests)}")
        finally:
            if beside is not None:
                beside.terminate()
                beside.wait()
            shutil.rmtree(folder, ignore_errors=True)


def _client(rows: int):
    from django.test import Client

    from memory.models import KEY_SCOPES, ApiKey, Scope, Workspace

    workspace = Workspace.objects.create(name="bench")
    fill(Scope(workspace.pk, "benchmark", "command"), rows)
    key = ApiKey.objects.issue(workspace, "bench", list(KEY_SCOPES))[1]
    client = Client(headers={"authorization": f"Bearer {key}"})

    def post(body: dict) -> None:
        answer = client.post("/api/v1/memories", json.dumps(body), content_type="application/json")
        assert answer.status_code == 201, answer.content

    return post


def measure(post, rows: int, requests: int) -> str:
    def dialogue(number: int, role: str) -> dict:
        chance = random.Random(SEED + number)
        thing, person = chance.choice(THINGS), chance.choice(PEOPLE)
        value = chance.randint(100, 99_999)
        return {
            "user_id": f"user-{number % (rows // 100)}",
            "session_id": f"s-{number % 50}",
            "messages": [
                {"role": role, "content": f"{person}说{thing}的{chance.choice(SIDES_ZH)}是{value}"},
                {"role": "assistant", "content": "好的，记下了。"},
                {"role": role, "content": f"and the {chance.choice(SIDES_EN)} is {value + 1}"},
            ],
        }

    layers = {
        FLOOR: lambda number: post(dialogue(number, "assistant")),
        "three messages, two to be read": lambda number: post(dialogue(number, "user")),
    }
    return table(
        f"{requests} requests, {rows:,} memories", in_turns(layers, range(requests)), FLOOR
    )


if __name__ == "__main__":
    main()
