"""A dialogue comes in while a slow model is configured: nobody waits for it."""

import pytest

from memory.jobs.tasks import read_turns
from memory.models import Extraction, Memory, Turn
from tests import factories as make
from tests.memory.api.calls import owner, post
from tests.model_server import ModelServer, said

pytestmark = pytest.mark.django_db
MESSAGES = [
    {"role": "user", "content": "我住在苏州园区"},
    {"role": "assistant", "content": "好的"},
]
FOUND = {
    "should_store": True,
    "memories": [
        {
            "quote": "我住在苏州园区", "content": "我住在苏州园区", "entity": "user",
            "attribute": "住址", "value": "苏州园区", "mem_type": "identity", "confidence": 0.9,
        }
    ],
}  # fmt: skip


@pytest.fixture
def server(settings):
    with ModelServer(said(FOUND, delay=3.0)) as server:
        settings.MODEL_URL, settings.MODEL_NAME = server.url, "slow"
        yield server


def test_the_request_asks_no_model_and_the_worker_does(server):
    answer = post(owner(), "/memories", {"user_id": "ann", "messages": MESSAGES})
    assert answer.status_code == 201
    assert server.requests == []
    assert len(answer.data["queued"]) == Extraction.objects.count() == 1
    assert (Turn.everywhere.count(), Memory.everywhere.count()) == (2, 0)
    assert read_turns.call() == {"read": 1}
    assert len(server.requests) == 1
    assert Memory.everywhere.get().value == "苏州园区"
    assert read_turns.call() == {"read": 0}


def test_writing_back_asks_no_model_either(server):
    rows = [{"user_id": "ann", "entity": "bin 1", "attribute": "stock", "value": 4}]
    assert post(owner(), "/memories/bulk", {"items": rows}).status_code == 200
    assert server.requests == []
    assert Extraction.objects.count() == 0


def test_snapshots_are_no_part_of_a_request(server, settings):
    settings.SNAPSHOT_TURNS = 2
    make.turn(content="我住在苏州园区")
    answer = post(owner(), "/turns", {"user_id": "ann", "session_id": "s1"} | MESSAGES[0])
    assert answer.status_code == 201
    assert server.requests == []
    assert Memory.everywhere.count() == 0
