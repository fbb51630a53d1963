"""The panel beside the recall log: the short of one recall, and only of one's own."""

import re
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape

from memory.models import Recall
from memory.write.apply import apply
from memory.write.revise import plan_retract
from tests import factories as make

from .pages_kit import PART, operator, stranger, text_of, viewer

pytestmark = pytest.mark.django_db


def recorded(*texts: str, query: str = "港口", **fields) -> Recall:
    for text in texts:
        make.remember(text=text)
    return make.ask(query, **fields).record


def address(record: Recall) -> str:
    return reverse("recall-peek", args=[record.public_id])


def without_own(response) -> str:
    own = r'"x-csrftoken": "[^"]+"|value="[^"]{64}"|/recalls/[0-9a-f-]{36}/'
    return re.sub(own, "", text_of(response))


def test_the_panel_shows_what_was_asked_given_and_kept_back():
    record = recorded("港口七点开门", "港口的仓库 <b>很大</b>", limit=1)
    text = text_of(viewer().get(address(record), **PART))
    assert "<html" not in text
    assert "港口" in text
    assert "Found but not given" in text
    assert "ranked below the limit" in text
    assert "What the agent was given" in text
    assert "<b>很大" not in text
    assert reverse("recall-replay", args=[record.public_id]) in text


def test_a_state_that_moved_is_told_and_a_long_context_is_cut(monkeypatch):
    row = make.remember(text="港口七点开门")
    record = recorded()
    apply(plan_retract(make.scope(), [row]).plan("retract", "moved"))
    monkeypatch.setattr("audit.console.recall_peek.CHARACTERS", 3)
    text = text_of(operator().get(address(record), **PART))
    assert "retracted" in text
    assert f"{escape(record.context[:3])}…" in text


def test_nothing_given_says_why():
    client = operator()
    assert "no current memory fits" in text_of(client.get(address(recorded()), **PART))
    assert "small talk" in text_of(client.get(address(recorded(query="谢谢")), **PART))


def test_the_address_of_the_log_holds_what_is_shown():
    record = recorded("港口七点开门")
    client = operator()
    page = client.get("/recalls/", {"peek": record.public_id, "user_id": "ann"})
    text = text_of(page)
    assert f'data-of="{address(record)}"' in text
    assert 'aria-current="true"' in text
    assert 'href="/recalls/?user_id=ann" data-peek-close' in text
    for wrong in ("", "x", uuid4()):
        assert client.get("/recalls/", {"peek": wrong}).context["peek"] is None


def test_asked_for_as_a_page_it_leads_to_the_record():
    record = recorded()
    answer = operator().get(address(record))
    assert answer["Location"] == reverse("recall", args=[record.public_id])


def test_strangers_find_nothing():
    record, other = recorded("港口七点开门"), stranger()
    refused = other.get(address(record), **PART)
    unknown = other.get(reverse("recall-peek", args=[uuid4()]), **PART)
    assert refused.status_code == unknown.status_code == 404
    assert without_own(refused) == without_own(unknown)
    assert other.get("/recalls/", {"peek": record.public_id}).context["peek"] is None


def test_its_cost_does_not_grow_with_what_was_found():
    client, counts = operator(), []
    for record in (recorded("港口七点开门"), recorded(*(f"港口 {n}号" for n in range(12)))):
        client.get(address(record), **PART)
        with CaptureQueriesContext(connection) as seen:
            assert client.get(address(record), **PART).status_code == 200
        counts.append(len(seen))
    assert counts[0] == counts[1]
