"""/questions over HTTP."""

import pytest
from django.test import Client

from audit.models import Question
from audit.questions import manage
from audit.questions.api_forms import FullQuestion, FullRun, QuestionForm, RunForm
from tests import factories as make
from tests.memory.api.calls import call, fields_named, get, holds_to, owner, post

from .makers import question

pytestmark = pytest.mark.django_db
ASKED = {"user_id": "ann", "text": "我的预算是多少？", "expected": ["640"]}


def stranger() -> Client:
    return make.client_for(make.api_key(make.workspace("w2"))[1])


def bound(user_id: str) -> Client:
    return make.client_for(make.api_key(user_id=user_id, name=user_id)[1])


def ids(answer) -> list[str]:
    return [item["id"] for item in answer.data["items"]]


def test_a_question_is_made_read_changed_and_archived():
    client = owner()
    made = post(client, "/questions", ASKED | {"forbidden": [700], "note": "上限"})
    assert made.status_code == 201
    assert holds_to(QuestionForm, made.data)
    assert (made.data["forbidden"], made.data["last_passed"]) == (["700"], None)
    path = f"/questions/{made.data['id']}"
    changed = call(client, "PATCH", path, {"expected": ["910"]})
    assert changed.data["expected"] == ["910"]
    assert (changed.data["note"], changed.data["forbidden"]) == ("上限", ["700"])
    removed = call(client, "DELETE", path)
    assert removed.data["archived_at"]
    assert ids(get(client, "/questions")) == []
    assert ids(get(client, "/questions", archived="true")) == [made.data["id"]]
    assert call(client, "PATCH", path, {"archived": False}).data["archived_at"] is None
    read = get(client, path)
    assert holds_to(FullQuestion, read.data)
    assert read.data["results"] == []


def test_a_run_says_what_each_gave_and_stays():
    make.budget("640")
    client = owner()
    good = post(client, "/questions", ASKED).data["id"]
    bad = post(client, "/questions", ASKED | {"expected": ["900"], "forbidden": ["640"]}).data["id"]
    ran = post(client, "/questions/run")
    assert ran.status_code == 200
    assert holds_to(FullRun, ran.data)
    assert (ran.data["total"], ran.data["failed"], ran.data["passed"]) == (2, 1, False)
    assert [r["question_id"] for r in ran.data["results"]] == [bad, good]
    failed = ran.data["results"][0]
    assert (failed["missing"], failed["present"]) == (["900"], ["640"])
    assert get(client, f"/recalls/{failed['recall_id']}").data["surface"] == "question"
    assert get(client, f"/questions/runs/{ran.data['id']}").data == ran.data
    listed = get(client, "/questions/runs")
    assert ids(listed) == [ran.data["id"]]
    assert holds_to(RunForm, listed.data["items"][0])
    assert get(client, f"/questions/{good}").data["results"][0]["run_id"] == ran.data["id"]
    assert ids(get(client, "/questions", result="failed")) == [bad]
    assert ids(get(client, "/questions", result="passed")) == [good]


def test_some_are_asked_by_id_or_user():
    client = owner()
    one = post(client, "/questions", ASKED).data["id"]
    other = post(client, "/questions", ASKED | {"user_id": "bea"}).data["id"]
    by_id = post(client, "/questions/run", {"ids": [one]})
    assert [r["question_id"] for r in by_id.data["results"]] == [one]
    by_user = post(client, "/questions/run", {"user_id": "bea"})
    assert [r["question_id"] for r in by_user.data["results"]] == [other]
    call(client, "DELETE", f"/questions/{one}")
    assert fields_named(post(client, "/questions/run", {"ids": [one]})) == {"ids"}
    assert fields_named(post(client, "/questions/run", {"ids": []})) == {"ids"}


def test_an_empty_suite_has_not_passed():
    ran = post(owner(), "/questions/run")
    assert (ran.status_code, ran.data["passed"], ran.data["total"]) == (200, False, 0)


def test_the_list_narrows_and_pages():
    client = owner()
    made = [question().public_id, question(kind="expired", forbidden=("1",)).public_id,
            question(user_id="bea").public_id]  # fmt: skip
    kinds = get(client, "/questions", kind="expired")
    assert ids(kinds) == [str(made[1])]
    assert ids(get(client, "/questions", user_id="bea")) == [str(made[2])]
    assert len(ids(get(client, "/questions", result="never"))) == 3
    first = get(client, "/questions", limit=2)
    rest = get(client, "/questions", limit=2, cursor=first.data["next"])
    assert ids(first) + ids(rest) == [str(one) for one in reversed(made)]
    assert (first.data["total"], rest.data["next"]) == (3, None)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": "x" * 2001}, "text"),
        ({"text": "谢谢"}, "text"),
        ({"expected": []}, "expected"),
        ({"expected": ["a"] * 21}, "expected"),
        ({"expected": ["a" * 501]}, "expected.0"),
        ({"expected": "640"}, "expected"),
        ({"kind": "odd"}, "kind"),
        ({"kind": "expired"}, "forbidden"),
        ({"user_id": " "}, "user_id"),
        ({"user_id": None}, "user_id"),
        ({"note": "n" * 501}, "note"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_is_wrong_is_named(body, field):
    answer = post(owner(), "/questions", ASKED | body)
    assert (answer.status_code, answer.problem) == (422, "invalid")
    assert fields_named(answer) == {field}
    assert not Question.objects.within(make.scope()).exists()


def test_a_secret_and_a_full_workspace_are_refused(monkeypatch):
    client = owner()
    secret = post(client, "/questions", ASKED | {"note": "密码是 Tr0ub4dor&3xyz"})
    assert (secret.status_code, secret.problem) == (422, "secret_refused")
    monkeypatch.setattr(manage, "MOST", 1)
    post(client, "/questions", ASKED)
    full = post(client, "/questions", ASKED)
    assert full.status_code == 422
    assert full.data["errors"][0]["message"] == manage.FULL


def test_strangers_get_what_they_would_of_a_missing_one():
    one = question()
    run = post(owner(name="other"), "/questions/run").data["id"]
    missing = get(stranger(), "/questions/01890000-0000-7000-8000-000000000000")
    for method, path in (
        ("GET", f"/questions/{one.public_id}"), ("DELETE", f"/questions/{one.public_id}"),
        ("GET", f"/questions/runs/{run}"),
    ):  # fmt: skip
        answer = call(make.client_for(make.api_key(make.workspace("w2"))[1]), method, path)
        assert (answer.status_code, answer.content) == (404, missing.content)
    patched = call(stranger(), "PATCH", f"/questions/{one.public_id}", {"note": "mine"})
    assert (patched.status_code, patched.content) == (404, missing.content)
    client = stranger()
    assert ids(get(client, "/questions")) == ids(get(client, "/questions/runs")) == []
    assert post(client, "/questions/run", {"ids": [str(one.public_id)]}).status_code == 422
    one.refresh_from_db()
    assert (one.archived_at, one.note) == (None, "")


def test_a_bound_key_has_only_its_users():
    make.budget("640", user_id="bea")
    question()
    mine = question(user_id="bea")
    run = post(owner(name="whole"), "/questions/run").data
    assert (run["total"], run["failed"]) == (2, 1)
    client = bound("bea")
    assert ids(get(client, "/questions")) == [str(mine.public_id)]
    seen = get(client, f"/questions/runs/{run['id']}").data
    assert (seen["total"], seen["failed"], seen["passed"]) == (1, 0, True)
    assert [r["user_id"] for r in seen["results"]] == ["bea"]
    assert get(client, "/questions/runs").data["items"][0]["total"] == 1
    assert get(bound("carl"), f"/questions/runs/{run['id']}").status_code == 404
    assert post(client, "/questions/run").data["total"] == 1
    named = post(client, "/questions", {k: v for k, v in ASKED.items() if k != "user_id"})
    assert named.data["user_id"] == "bea"
    for answer in (
        post(client, "/questions", ASKED),
        post(client, "/questions/run", {"user_id": "ann"}),
        get(client, "/questions", user_id="ann"),
        call(client, "PATCH", f"/questions/{mine.public_id}", {"user_id": "ann"}),
    ):
        assert (answer.status_code, answer.problem) == (403, "outside_scope")
