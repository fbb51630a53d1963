"""GET /recalls/ID/export and POST /recalls/verify."""

import json
from uuid import UUID

import pytest

from memory.api.sharing import RecallDocument, VerificationForm
from memory.models import Recall
from tests.factories import api_key, ask, budget, client_for, remember, scope, workspace
from tests.memory.api.calls import call, get, holds_to, owner, post

pytestmark = pytest.mark.django_db
VERIFY = "/recalls/verify"


def teammate():
    return client_for(api_key(user_id="bob", name="teammate")[1])


def stranger():
    return client_for(api_key(workspace("w2"), name="stranger")[1])


def record() -> Recall:
    budget("1375")
    return ask("我的预算还剩多少").record


def exported(kept: Recall, **query) -> dict:
    return get(owner(name="exporter"), f"/recalls/{kept.public_id}/export", **query).data


@pytest.mark.parametrize("redact", ["true", "false", None])
def test_what_is_exported_verifies(redact):
    kept = record()
    answer = get(owner(), f"/recalls/{kept.public_id}/export", redact=redact)
    assert holds_to(RecallDocument, answer.data)
    is_redacted = redact == "true"
    name = f"recall-{kept.public_id}{'-redacted' if is_redacted else ''}.json"
    assert answer["Content-Disposition"] == f'attachment; filename="{name}"'
    for secret in ("预算", "1375元", '"ann"'):
        assert (secret in answer.content.decode()) is not is_redacted
    found = post(owner(name="verifier"), VERIFY, answer.data)
    assert holds_to(VerificationForm, found.data)
    assert (found.data["valid"], found.data["in_store"]) == (True, "equal")
    assert found.data["digest"] == kept.digest
    assert ("query" in found.data["redacted"]) is is_redacted


def test_the_record_bears_its_digest():
    kept = record()
    assert get(owner(), f"/recalls/{kept.public_id}").data["digest"] == kept.digest


def test_a_changed_document_and_a_changed_row_are_told():
    kept = record()
    document = exported(kept)
    document["fields"]["tokens"]["value"] += 1
    found = post(owner(), VERIFY, document).data
    assert (found["valid"], found["in_store"]) == (False, "differs")
    assert found["differences"] == ["digest", "tokens"]
    document["fields"]["tokens"]["value"] -= 1
    Recall.objects.within(scope()).update(query="另一个问题")
    found = post(owner(name="again"), VERIFY, document).data
    assert found["differences"] == ["query", "record.digest"]


def test_a_record_of_this_moment_is_known(settings):
    settings.RECALL_RECORDING = "synchronous"
    client = owner()
    said = post(client, "/recall", {"query": "预算", "user_id": "ann"}).data
    document = get(client, f"/recalls/{said['recall_id']}/export").data
    assert post(client, VERIFY, document).data["in_store"] == "equal"


@pytest.mark.parametrize("who", [teammate, stranger])
def test_anothers_record_is_missing(who):
    kept = record()
    document, client = exported(kept), who()
    foreign = get(client, f"/recalls/{kept.public_id}/export")
    missing = get(client, f"/recalls/{UUID(int=9)}/export")
    assert (foreign.status_code, foreign.content) == (404, missing.content)
    told = post(client, VERIFY, document).data
    assert (told["valid"], told["in_store"], told["differences"]) == (True, "missing", [])
    Recall.objects.within(scope()).update(query="另一个问题")
    assert post(client, VERIFY, document).data == told


@pytest.mark.parametrize("name", ["not-an-id", "7", "%00"])
def test_an_id_that_cannot_be_one_is_missing(name):
    assert get(owner(), f"/recalls/{name}/export").problem == "not_found"


def test_a_switch_that_is_none_is_told():
    kept = record()
    answer = get(owner(), f"/recalls/{kept.public_id}/export", redact="perhaps")
    assert answer.problem == "invalid"


@pytest.mark.parametrize(
    ("raw", "status", "code"),
    [
        (b"", 400, "bad_json"),
        (b"{", 400, "bad_json"),
        (b"\xff", 400, "bad_json"),
        (b"[" * 5000, 400, "bad_json"),
        (b"[" * 100 + b"]" * 100, 422, "invalid"),
        (b'{"a": 1, "a": 1}', 422, "invalid"),
        (b'["\\ud800"]', 422, "invalid"),
        (b"[]", 422, "invalid"),
        (b"{}", 422, "invalid"),
        (b'"' + b"x" * 10_000_000 + b'"', 413, "too_large"),
    ],
)
def test_what_is_no_document_is_a_clear_refusal(raw, status, code):
    answer = call(owner(), "POST", VERIFY, raw=raw)
    assert (answer.status_code, answer.problem) == (status, code)


def test_a_wrong_part_is_named():
    document = exported(record())
    document["fields"]["query"]["salt"] = "none"
    answer = post(owner(), VERIFY, document)
    assert answer.status_code == 422
    assert "fields.query.salt" in answer.data["errors"][0]["message"]


def test_only_verify_has_that_name():
    assert get(owner(), VERIFY).status_code in (404, 405)
    remember(text="好")
    assert json.loads(get(owner(name="reader"), "/recalls").content)["total"] == 0
