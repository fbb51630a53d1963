"""A secret through every door, and then a look into every file that the store keeps."""

import logging
import logging.handlers
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memory.models import Memory, Turn
from memory.write import intake
from tests.audit.console.pages_kit import filled, operator
from tests.factories import remember, turn
from tests.model_server import ModelServer, said

from .calls import call, owner, post

pytestmark = pytest.mark.django_db(transaction=True)

SECRETS = {
    "key": "sk-proj-Hq7vTn2xWz94LmRc80PbKd15YsJe",
    "password": "Blauwal-7731-Kiel",
    "card": "4539578763621486",
    "url": "postgres://shop:Mw81kd0xQ@db.internal/orders",
    "bearer": "Bearer qT8zLw3nXv5cRb7mKd9pJs2hYf4gAe6u",
}
SAID = {
    "key": f"记一下新的 {SECRETS['key']}",
    "password": f"后台的密码是 {SECRETS['password']}",
    "card": f"my card is {SECRETS['card']}",
    "url": f"连 {SECRETS['url']} 就行",
    "bearer": f"send {SECRETS['bearer']} along",
}
HIDDEN = [text.removeprefix("Bearer ") for text in SECRETS.values()] + ["Mw81kd0xQ"]


@pytest.fixture
def log(tmp_path):
    """Everything that is logged from debug up, in a file of the data folder."""
    path = Path(connection.settings_dict["NAME"]).parent / "everything.log"
    handler = logging.FileHandler(path, encoding="utf-8")
    root, level = logging.getLogger(), logging.getLogger().level
    # The statements of the database would hold what the store holds; they are never logged.
    loggers = [root, *(logging.getLogger(name) for name in ("django.request", "memory"))]
    for one in loggers:
        one.addHandler(handler)
    root.setLevel(logging.INFO)
    yield path
    root.setLevel(level)
    for one in loggers:
        one.removeHandler(handler)
    handler.close()


def found_on_disk(*texts: str) -> list[str]:
    """Which secrets stand in which file beside the database, the write-ahead log included."""
    folder = Path(connection.settings_dict["NAME"]).parent
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [
        f"{path.name}: {text}"
        for path in files
        for text in texts or HIDDEN
        if text.encode() in path.read_bytes()
    ]


def refused(answer) -> None:
    assert (answer.status_code, answer.problem) == (422, "secret_refused")
    assert not any(text in answer.content.decode() for text in HIDDEN)
    assert all(error["field"] for error in answer.data["errors"])


@pytest.mark.parametrize("name", SECRETS)
def test_no_secret_reaches_the_disk(name, log):
    secret, said_so, client = SECRETS[name], SAID[name], owner()
    stands = remember(text="仓库在三楼", entity="仓库", attribute="楼层", value="三楼")

    refused(post(client, "/memories", {"user_id": "ann", "text": said_so}))
    parts = {"user_id": "ann", "entity": "后台", "attribute": "password", "value": secret}
    refused(post(client, "/memories", parts))
    for field in ("summary", "session_id", "agent_id", "external_id"):
        refused(post(client, "/memories", {"user_id": "ann", "text": "便签", field: said_so}))
    for field in ("tags", "links"):
        refused(post(client, "/memories", {"user_id": "ann", "text": "便签", field: [said_so]}))
    metadata = {"deep": [{"note": said_so}]}
    refused(post(client, "/memories", {"user_id": "ann", "text": "便签", "metadata": metadata}))
    refused(call(client, "PATCH", f"/memories/{stands.public_id}", {"value": said_so}))
    refused(call(client, "PATCH", f"/memories/{stands.public_id}", {"metadata": metadata}))

    messages = [{"role": role, "content": said_so} for role in ("user", "assistant", "tool")]
    answer = post(client, "/memories", {"user_id": "ann", "messages": messages})
    assert answer.status_code == 201
    assert {result["action"] for result in answer.data["results"]} <= {"rejected", "skipped"}
    whole = {"user_id": "ann", "messages": messages, "infer": False}
    assert post(client, "/memories", whole).data["results"][0]["action"] == "rejected"
    body = {"user_id": "ann", "role": "user", "content": said_so, "metadata": metadata}
    assert post(client, "/turns", body).status_code == 201
    reason = {"reason": said_so}
    assert post(client, f"/memories/{stands.public_id}/confirm", reason).status_code == 200
    assert post(client, f"/memories/{stands.public_id}/retract", reason).status_code == 200

    with pytest.raises(CommandError) as told:
        call_command("remember", said_so, "--user", "ann")
    assert not any(text in str(told.value) for text in HIDDEN)
    page, memory = operator(), remember(text="钥匙在前台")
    address = f"/memories/{memory.public_id}/correct/"
    form = filled(page.get(address)) | {"text": said_so, "reason": said_so, "step": "preview"}
    assert page.post(address, form).status_code == 200
    page.post(address, form | {"step": "apply"})

    assert found_on_disk() == []
    assert sorted(Memory.everywhere.values_list("text", flat=True)) == ["仓库在三楼", "钥匙在前台"]
    assert Turn.everywhere.count() == 7
    assert log.exists()
    assert Path(f"{connection.settings_dict['NAME']}-wal").exists()


def test_the_look_into_the_files_would_see_one():
    said_so = "记一下 blauwal-7731-kiel"
    assert found_on_disk(said_so) == []
    turn(content=said_so)
    assert found_on_disk(said_so) != []


def test_a_turn_keeps_its_sense_without_the_secret():
    body = {"user_id": "ann", "role": "user", "content": "后台的密码是 Blauwal-7731-Kiel，别忘了"}
    (kept,) = post(owner(), "/turns", body).data["items"]
    assert kept["content"] == "后台的密码是 [password]，别忘了"


def test_nor_does_the_queue_of_a_model_hold_one(settings, log):
    with ModelServer(said({"should_store": False, "memories": []})) as server:
        settings.MODEL_URL, settings.MODEL_NAME = server.url, "small"
        messages = [{"role": "user", "content": said_so} for said_so in SAID.values()]
        body = {"user_id": "ann", "messages": messages, "reason": SAID["key"]}
        assert len(post(owner(), "/memories", body).data["queued"]) == len(SAID)
        refused(post(owner(name="b"), "/memories", body | {"metadata": {"a": SAID["key"]}}))
        for waiting in intake.due():
            intake.read(waiting)
        told = str([request.messages for request in server.requests])
    assert not any(text in told for text in HIDDEN)
    assert found_on_disk() == []
