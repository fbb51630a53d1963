"""The documented server, with real HTTP writers against one fact."""

import json
import sqlite3
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest

USER = "ann.of.http"
WRITERS, WRITES = 4, 15


@pytest.fixture
def server(live):
    return live.url, live.key, live.data / "mase.sqlite3"


def call(server, path: str, body: dict) -> tuple[int, dict]:
    url, key, _ = server
    request = urllib.request.Request(
        url + path,
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def propose(server, value: str) -> int:
    fact = {"user_id": USER, "entity": "甲项目", "attribute": "预算", "value": value}
    return call(server, "/api/v1/memories", fact)[0]


def test_many_writers_leave_one_current_value_and_one_chain(server):
    values = [str(1000 + number) for number in range(WRITERS * WRITES)]
    with ThreadPoolExecutor(WRITERS) as pool:
        statuses = list(pool.map(lambda value: propose(server, value), values))
    assert set(statuses) <= {200, 201, 409}
    written = sum(status in (200, 201) for status in statuses)
    assert written >= WRITERS
    with sqlite3.connect(server[2]) as database:
        rows = database.execute(
            "SELECT public_id, status, supersedes_id, superseded_by_id FROM memory_memory"
            " WHERE user_id = ?",
            [USER],
        ).fetchall()
    assert len(rows) == written
    assert [row[1] for row in rows].count("active") == 1
    by_id = {row[0]: row for row in rows}
    row = next(row for row in rows if row[1] == "active")
    walked = 1
    while row[2] is not None:
        assert by_id[row[2]][3] == row[0]
        row, walked = by_id[row[2]], walked + 1
    assert walked == written


def test_recall_over_http_gives_the_current_value_only(server):
    propose(server, "800")
    propose(server, "1200")
    status, answer = call(
        server, "/api/v1/recall", {"user_id": USER, "query": "甲项目的预算是多少？"}
    )
    assert status == 200
    assert [item["memory"]["value"] for item in answer["items"]] == ["1200"]
    assert "1200" in answer["context"]["text"]
    assert "800" not in answer["context"]["text"]
