"""The pages of acceptance questions: the list, one, and making them at one click."""

import re
from uuid import uuid4

import pytest

from audit.models import Question, QuestionRun
from audit.questions import manage
from audit.questions.ask import run
from audit.questions.manage import archive
from memory.models import Correction, Role
from memory.write.correction.road import apply_correction, propose
from memory.write.queue import QueueTimeout
from tests import factories as make
from tests.audit.questions.makers import question

from .pages_kit import assert_three_ways, filled, operator, queries, stranger, text_of, viewer

pytestmark = pytest.mark.django_db
SAID = {"user_id": "ann", "text": "我的预算是多少？", "kind": "plain", "expected": "640\n周二"}


def listed(client, **query) -> list[Question]:
    return [row for row, _marks in client.get("/questions/", query).context["rows"]]


def kept() -> Question:
    return Question.objects.within(make.scope()).get()


def address(one: Question, verb: str = "") -> str:
    return f"/questions/{one.public_id}/{verb}/" if verb else f"/questions/{one.public_id}/"


def corrected(old: str, new: str) -> Correction:
    make.budget(old)
    found = propose(make.scope(), f"不对，预算改成{new}", user_id="ann", session_id="s1")
    apply_correction(make.scope(), found, reason="said so")
    found.refresh_from_db()
    return found


def test_an_empty_list_says_what_a_question_is():
    page = text_of(operator().get("/questions/"))
    assert "No question yet" in page
    assert "/questions/new/" in page
    assert "/questions/new/" not in text_of(viewer().get("/questions/"))


def test_the_list_tells_kind_user_and_how_it_did():
    make.budget("640")
    good, bad = question(), question(user_id="bea", kind="expired", forbidden=("700",))
    run(make.scope(), [good, bad])
    run(make.scope(), [good])
    client = operator()
    response = client.get("/questions/")
    page = text_of(response)
    assert listed(client) == [bad, good]
    assert "expired information" in page
    assert [len(seen) for _row, seen in response.context["rows"]] == [1, 2]
    for kept_run in QuestionRun.objects.all():
        assert f"/questions/runs/{kept_run.public_id}/" in page


def test_filters_narrow_the_list_and_may_be_dropped():
    make.budget("640")
    good, bad = question(), question(user_id="bea", kind="expired", forbidden=("700",))
    never = question(text="Where do I sit?")
    run(make.scope(), [good, bad])
    client = operator()
    assert listed(client, result="failed") == [bad]
    assert listed(client, result="passed") == [good]
    assert listed(client, result="never") == [never]
    assert listed(client, kind="expired") == [bad]
    assert listed(client, user_id="ann") == [never, good]
    assert listed(client, q="sit") == [never]
    assert listed(client, result="odd", kind="odd") == [never, bad, good]
    none = text_of(client.get("/questions/", {"result": "failed", "user_id": "ann"}))
    assert "Nothing matches" in none
    archive(bad)
    assert listed(client, status="archived") == [bad]
    assert listed(client) == [never, good]


def test_the_list_answers_in_three_ways_and_costs_the_same_for_many():
    client = operator()
    run(make.scope(), [question()])
    assert_three_ways(client, "/questions/")
    one = queries(client, "/questions/")
    run(make.scope(), [question() for _ in range(12)])
    assert queries(client, "/questions/") == one


def test_a_question_is_written_by_hand():
    client = operator()
    response = client.post("/questions/new/", SAID | {"forbidden": " 700 \n\n"}, follow=True)
    made = kept()
    assert response.redirect_chain == [(address(made), 302)]
    assert (made.expected, made.forbidden, made.actor) == (["640", "周二"], ["700"], "person:olga")


def test_what_is_wrong_is_said_at_its_field_and_nothing_typed_is_lost():
    response = operator().post("/questions/new/", SAID | {"kind": "preference"})
    assert response.status_code == 422
    errors = response.context["form"].errors
    assert set(errors) == {"now_said", "forbidden"}
    assert filled(response)["expected"] == "640\n周二"
    assert not Question.objects.within(make.scope()).exists()


def test_a_secret_is_refused_at_its_field():
    response = operator().post("/questions/new/", SAID | {"note": "密码是 Tr0ub4dor&3xyz"})
    errors = response.context["form"].errors
    assert (set(errors), response.status_code) == ({"note"}, 422)
    assert "looks like a secret" in errors["note"][0]


def test_a_full_workspace_says_so(monkeypatch):
    monkeypatch.setattr(manage, "MOST", 0)
    response = operator().post("/questions/new/", SAID)
    assert "at most 1,000 questions" in text_of(response)


def test_one_page_edits_archives_and_brings_back():
    one, client = question(), operator()
    sent = filled(client.get(address(one)))
    assert sent["expected"] == "640"
    client.post(address(one), sent | {"expected": "910", "note": "neu"})
    one.refresh_from_db()
    assert (one.expected, one.note) == (["910"], "neu")
    refused = client.post(address(one), sent | {"text": ""})
    assert refused.status_code == 422
    client.post(address(one, "archive"))
    one.refresh_from_db()
    assert one.archived_at
    assert "It is archived" in text_of(client.post(address(one, "ask"), follow=True))
    assert not QuestionRun.objects.exists()
    client.post(address(one, "unarchive"))
    one.refresh_from_db()
    assert one.archived_at is None


def test_asking_one_shows_the_result_with_its_recall():
    make.budget("640")
    one, client = question(expected=("900",), forbidden=("640",)), operator()
    page = text_of(client.post(address(one, "ask"), follow=True))
    assert "It does not hold." in page
    result = one.results.get()
    assert f"/recalls/{result.recall_id}/" in page
    assert re.search(r"missing:</span>\s*<span class=\"plain\">900<", page)
    assert re.search(r"should not be there:</span>\s*<span class=\"plain\">640<", page)
    assert client.get(f"/recalls/{result.recall_id}/").status_code == 200


def test_a_busy_store_is_said_to_be_busy(monkeypatch):
    def busy(*args, **kwargs):
        raise QueueTimeout("busy")

    one, client = question(), operator()
    monkeypatch.setattr("audit.console.question_runs.run", busy)
    monkeypatch.setattr("audit.console.question_runs.begin", busy)
    assert "The store is busy" in text_of(client.post(address(one, "ask"), follow=True))
    assert "The store is busy" in text_of(client.post("/questions/run/", follow=True))
    monkeypatch.setattr(manage, "create", busy)
    assert "The store is busy" in text_of(client.post("/questions/new/", SAID))


def test_a_recall_becomes_a_question_at_one_click():
    make.budget("640")
    make.remember(
        entity="user", attribute="座位", value="预算科 3 号桌", text="座位在预算科 3 号桌"
    )
    record = make.ask("预算是多少", agent_id="planner", session_id="s7").record
    client = operator()
    page = client.get(f"/recalls/{record.public_id}/")
    assert page.context["values"] == [("预算科 3 号桌", True), ("640", False)]
    sent = {"recall": str(record.public_id), "expected": ["640"]}
    response = client.post("/questions/make/", sent, follow=True)
    made = kept()
    assert response.redirect_chain == [(address(made), 302)]
    assert (made.text, made.user_id, made.agent_id, made.session_id) == (
        "预算是多少", "ann", "planner", "s7",
    )  # fmt: skip
    assert (made.expected, made.from_recall) == (["640"], record.public_id)
    assert f"/recalls/{record.public_id}/" in text_of(response)
    assert address(made) in text_of(client.get(f"/recalls/{record.public_id}/"))


def test_with_nothing_chosen_the_form_comes_with_what_is_known():
    record = make.ask("预算是多少").record
    client = operator()
    response = client.post("/questions/make/", {"recall": str(record.public_id)})
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {"expected"}
    action = re.search(r'action="(/questions/new/[^"]*)"', text_of(response))[1]
    client.post(action, filled(response) | {"expected": "640"})
    assert (kept().text, kept().from_recall) == ("预算是多少", record.public_id)
    by_hand = filled(client.get(f"/questions/new/?recall={record.public_id}"))
    assert (by_hand["text"], by_hand["user_id"]) == ("预算是多少", "ann")


def test_an_applied_correction_becomes_a_question():
    found = corrected("640", "910")
    client = operator()
    assert "/questions/make/" in text_of(client.get(f"/corrections/{found.public_id}/"))
    client.post("/questions/make/", {"correction": str(found.public_id)})
    made = kept()
    assert (made.expected, made.forbidden, made.kind) == (["910"], ["640"], "expired")
    assert (made.text, made.from_correction) == ("我的预算是什么？", found.public_id)
    run(make.scope(), [made])
    assert made.results.get().passed
    assert address(made) in text_of(client.get(f"/corrections/{found.public_id}/"))


def test_an_open_correction_offers_no_question():
    make.budget("640")
    found = propose(make.scope(), "不对，预算改成910", user_id="ann", session_id="s1")
    client = operator()
    assert "/questions/make/" not in text_of(client.get(f"/corrections/{found.public_id}/"))
    sent = {"correction": str(found.public_id)}
    assert client.post("/questions/make/", sent).status_code == 422
    assert not Question.objects.within(make.scope()).exists()


def test_a_viewer_sees_all_and_changes_nothing():
    make.budget("640")
    record = make.ask("预算").record
    one = question()
    run(make.scope(), [one])
    client = viewer()
    for path in (
        "/questions/",
        address(one),
        f"/questions/runs/{QuestionRun.objects.get().public_id}/",
    ):
        assert client.get(path).status_code == 200
    page = text_of(client.get(address(one)))
    assert 'name="expected"' not in page
    assert "640" in page
    assert "/questions/make/" not in text_of(client.get(f"/recalls/{record.public_id}/"))
    refused = [
        client.get("/questions/new/"),
        client.post("/questions/new/", SAID),
        client.post(address(one), SAID),
        client.post("/questions/make/", {"recall": str(record.public_id), "expected": "640"}),
        client.post("/questions/run/"),
        *(client.post(address(one, verb)) for verb in ("ask", "archive", "unarchive")),
    ]
    assert {response.status_code for response in refused} == {403}
    one.refresh_from_db()
    assert (one.expected, one.archived_at, one.results.count()) == (["640"], None, 1)


def test_an_auditor_asks_but_does_not_edit():
    one = question()
    client = make.logged_in(make.person("ada", role=Role.AUDITOR))
    assert client.post(address(one, "ask")).status_code == 302
    assert one.results.count() == 1
    assert client.post(address(one), SAID).status_code == 403


def test_strangers_get_what_they_would_of_a_missing_one():
    found = corrected("640", "910")
    record = make.ask("预算").record
    one = question()
    run(make.scope(), [one])
    kept_run = QuestionRun.objects.get()
    client = stranger()
    answers = [
        client.get(f"/questions/{uuid4()}/"),
        client.get(address(one)),
        client.post(address(one), SAID),
        *(client.post(address(one, verb)) for verb in ("ask", "archive", "unarchive")),
        client.get(f"/questions/runs/{kept_run.public_id}/"),
        client.post(f"/questions/runs/{kept_run.public_id}/more/"),
        client.post("/questions/make/", {"recall": str(record.public_id)}),
        client.post("/questions/make/", {"correction": str(found.public_id)}),
        client.get("/questions/new/", {"recall": str(record.public_id)}),
    ]
    assert {response.status_code for response in answers} == {404}
    assert not [response for response in answers if one.text in text_of(response)]
    assert listed(client) == []
    assert list(client.get("/questions/").context["runs"]) == []


@pytest.mark.parametrize("name", ["recall", "correction"])
def test_an_id_that_cannot_be_one_is_not_found(name):
    assert operator().get("/questions/new/", {name: "x"}).status_code == 404
