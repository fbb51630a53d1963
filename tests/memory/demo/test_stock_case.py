"""The stock case of the demo: the model said 120 while the shelf has 38, found and mended."""

import pytest
from django.urls import reverse

from memory.demo.loader import load
from memory.models import Memory, Recall
from memory.models.scope import Role
from tests import factories as make

pytestmark = pytest.mark.django_db
ZH, EN = "D 型号现在可发多少件？", "How many units of the SlowJuice 2 are ready to ship?"


@pytest.fixture
def demo():
    workspace, steps = load()
    assert steps
    return workspace


def diagnosed(client, **said):
    page = client.get("/diagnose/", {"symptom": "stale_answer"} | said)
    assert page.status_code == 200
    return page.context["found"]


def test_the_page_names_the_cause_and_its_fix_mends_it(demo):
    client = make.logged_in(make.person("olga", demo, Role.OPERATOR))
    rows = Memory.objects.within(make.scope(demo))
    for query, old, new in ((ZH, "120 件", "38 件"), (EN, "120 units", "38 units")):
        record = Recall.objects.within(make.scope(demo)).get(query=query)
        assert "120" in record.answer
        found = diagnosed(client, recall=record.public_id)
        assert found.cause.link == "freshness"
        assert old in found.sentence
        assert new in found.sentence
        asked = {"query": query, "user_id": record.user_id, "agent_id": record.agent_id}
        assert diagnosed(client, **asked).cause.link == "freshness"

        fix = found.cause.fixes[0]
        assert fix.kind == "expire"
        memory = rows.get(value=old, status="active", user_id=record.user_id)
        assert fix.url == f"{reverse('memory', args=[memory.public_id])}#actions"
        end = reverse("memory-act", args=[memory.public_id, "expire"])
        client.post(end, {"reason": "counted last week", "revision": memory.revision})
        assert rows.get(pk=memory.pk).status == "expired"

        assert diagnosed(client, recall=record.public_id).cause is None
        assert diagnosed(client, **asked).cause is None
