"""Corrections over HTTP, step by step."""

from memory.api.corrections import CorrectionForm
from memory.models import Memory
from tests.memory.api.calls import get, holds_to, post, written


def fact(client, entity, attribute, value, **more):
    body = {"entity": entity, "attribute": attribute, "value": value, "session_id": "s1"}
    return written(client, **body | {"source": "user_said"} | more)


def proposed(client, text, **more):
    answer = post(client, "/corrections", {"text": text, "user_id": "ann"} | more)
    assert answer.status_code == 201, answer.data
    assert holds_to(CorrectionForm, answer.data)
    return answer.data


def applied(client, correction, **body):
    return post(client, f"/corrections/{correction['id']}/apply", body)


def rows() -> dict:
    return {row.public_id: (row.status, row.revision) for row in Memory.everywhere.all()}


def state_of(client, memory) -> str:
    return get(client, f"/memories/{memory['id']}").data["status"]


def ambiguous(client) -> tuple[dict, dict, dict]:
    one = fact(client, "蓝湾店", "房租", "7000")
    two = fact(client, "红坊店", "房租", "7000")
    return proposed(client, "不是7000，是7500", session_id="s1"), one, two
