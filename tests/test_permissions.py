"""Who may do what: one table of every operation and every page, run with and without the right.

Operations are held to the scope of a key (their rows stand in `tests/memory/api/test_auth.py`,
where each is run with exactly that scope, with all others and without a key); pages to the right
of a role.
"""

import re
import uuid

import pytest
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from memory.models import RIGHTS, Recall, Right, Role, Scope
from tests import factories as make
from tests.memory.api.test_auth import OPERATIONS

pytestmark = pytest.mark.django_db

ID, NUMBER = uuid.UUID(int=7), 7
PUBLIC = None
READ, AUDIT, MEASURE = Right.READ, Right.AUDIT, Right.MEASURE
CORRECT, OPERATE, ERASE, ADMINISTER = (
    Right.CORRECT, Right.OPERATE, Right.ERASE, Right.ADMINISTER,
)  # fmt: skip
# Method, name of the page, arguments, the right, and what it answers to whoever has that.
PAGES = [
    ("GET", "healthz", (), PUBLIC, 200),
    ("GET", "readyz", (), PUBLIC, 200),
    ("GET", "login", (), PUBLIC, 200),
    ("POST", "set_language", (), PUBLIC, 302),
    ("POST", "logout", (), READ, 302),
    ("POST", "workspace-switch", (), READ, 404),
    # Only for whoever runs the installation, whatever the role.
    ("POST", "workspace-found", (), READ, 403),
    ("POST", "start-demo", (), ADMINISTER, 302),
    ("GET", "dashboard", (), READ, 200),
    ("GET", "jobs", (), READ, 200),
    ("POST", "job-start", (), OPERATE, 404),
    ("GET", "job", (ID,), READ, 404),
    ("POST", "job-cancel", (ID,), OPERATE, 404),
    ("POST", "job-undo", (ID,), CORRECT, 404),
    ("GET", "working", (), READ, 200),
    ("GET", "working-session", ("x",), READ, 404),
    ("POST", "working-remove", ("x",), OPERATE, 404),
    ("GET", "memories", (), READ, 200),
    ("POST", "columns", (), READ, 404),
    ("GET", "complete", (), READ, 200),
    ("POST", "view-save", (), READ, 404),
    ("POST", "view-change", (NUMBER,), READ, 404),
    ("GET", "memories-bulk", (), OPERATE, 404),
    ("GET", "memory", (ID,), READ, 404),
    ("GET", "memory-peek", (ID,), READ, 302),
    ("GET", "recall-peek", (ID,), READ, 302),
    ("POST", "memory-correct", (ID,), CORRECT, 404),
    ("POST", "memory-erase", (ID,), ERASE, 404),
    ("POST", "memory-act", (ID, "retract"), CORRECT, 404),
    ("GET", "corrections", (), READ, 200),
    ("POST", "correction-new", (), CORRECT, 422),
    ("GET", "correction", (ID,), READ, 404),
    ("POST", "correction-apply", (ID,), CORRECT, 404),
    ("POST", "correction-dismiss", (ID,), CORRECT, 404),
    ("POST", "correction-again", (ID,), CORRECT, 404),
    ("GET", "memories-export", (), AUDIT, 404),
    ("GET", "images", (), READ, 200),
    ("POST", "images", (), OPERATE, 422),
    ("GET", "image", (ID,), READ, 404),
    ("GET", "image-file", (ID,), READ, 404),
    ("GET", "image-thumbnail", (ID,), READ, 404),
    ("GET", "imports", (), READ, 200),
    ("POST", "imports", (), OPERATE, 200),
    ("GET", "import", (ID,), READ, 404),
    ("POST", "import-apply", (ID,), OPERATE, 404),
    ("POST", "import-drop", (ID,), OPERATE, 404),
    ("POST", "import-undo", (ID,), OPERATE, 404),
    ("GET", "hygiene", (), OPERATE, 200),
    ("GET", "hygiene-look", (ID,), OPERATE, 404),
    ("GET", "hygiene-file", (ID, "plan"), OPERATE, 404),
    ("POST", "hygiene-drop", (ID,), OPERATE, 404),
    ("GET", "history", (), READ, 200),
    ("GET", "difference", (), READ, 200),
    ("GET", "difference-json", (), READ, 200),
    ("GET", "recall-explorer", (), READ, 200),
    ("GET", "recalls", (), READ, 200),
    ("GET", "recall-verify", (), READ, 200),
    ("GET", "recall-export", (ID,), READ, 404),
    ("GET", "recall-replay", (ID,), READ, 404),
    ("GET", "recall-why-not", (ID,), READ, 404),
    ("GET", "recall", (ID,), READ, 404),
    ("GET", "activity", (), READ, 200),
    ("GET", "ledger-verify", (), AUDIT, 200),
    ("GET", "batch", (ID,), READ, 404),
    ("POST", "batch-undo", (ID,), CORRECT, 404),
    ("GET", "erasures", (), AUDIT, 200),
    ("GET", "erasure-verify", (), AUDIT, 200),
    ("GET", "erasure", (ID,), AUDIT, 404),
    ("GET", "erasure-json", (ID,), AUDIT, 404),
    ("GET", "erasure-html", (ID,), AUDIT, 404),
    ("GET", "inbox", (), READ, 200),
    ("GET", "finding", (NUMBER,), READ, 404),
    ("POST", "finding-act", (NUMBER, "resolve"), CORRECT, 404),
    ("GET", "review", (), READ, 200),
    ("POST", "review", (), CORRECT, 422),
    ("GET", "review-edit", (ID,), CORRECT, 404),
    ("GET", "questions", (), READ, 200),
    ("GET", "question-new", (), CORRECT, 200),
    ("POST", "question-make", (), CORRECT, 422),
    ("POST", "questions-run", (), MEASURE, 302),
    ("GET", "question-run", (ID,), READ, 404),
    ("POST", "question-run-more", (ID,), MEASURE, 404),
    ("GET", "question", (ID,), READ, 404),
    ("POST", "question", (ID,), CORRECT, 404),
    ("POST", "question-ask", (ID,), MEASURE, 404),
    ("POST", "question-archive", (ID,), CORRECT, 404),
    ("POST", "question-unarchive", (ID,), CORRECT, 404),
    ("GET", "diagnose", (), READ, 200),
    ("GET", "health", (), READ, 200),
    ("POST", "health", (), MEASURE, 302),
    ("GET", "health-reports", (), READ, 200),
    ("GET", "health-report", (NUMBER,), READ, 404),
    ("GET", "health-trends", (), READ, 200),
    ("GET", "health-fix", ("nothing",), OPERATE, 404),
    ("GET", "settings", (), READ, 200),
    ("GET", "you", (), READ, 200),
    ("POST", "you", (), READ, 302),
    ("POST", "theme", (), PUBLIC, 302),
    ("GET", "link", (), READ, 404),
    ("GET", "components", (), READ, 404),
    ("GET", "check-limits", (), READ, 200),
    ("GET", "check-limit", ("duplicates",), READ, 404),
    ("POST", "check-limit", ("nothing",), ADMINISTER, 404),
    ("GET", "policy", ("fact",), READ, 200),
    ("POST", "policy", ("fact",), ADMINISTER, 200),
    ("POST", "policy-undo", ("fact",), ADMINISTER, 404),
    ("GET", "people", (), ADMINISTER, 200),
    ("POST", "people", (), ADMINISTER, 422),
    ("POST", "person", (0,), ADMINISTER, 404),
    ("GET", "webhooks", (), ADMINISTER, 200),
    ("POST", "webhooks", (), ADMINISTER, 422),
    ("GET", "webhook", (ID,), ADMINISTER, 404),
    ("POST", "webhook-act", (ID, "pause"), ADMINISTER, 404),
    ("POST", "key-create", (), ADMINISTER, 422),
    ("GET", "key", (NUMBER,), READ, 404),
    ("POST", "key-rate", (NUMBER,), ADMINISTER, 404),
    ("POST", "key-rotate", (NUMBER,), ADMINISTER, 404),
    ("POST", "key-revoke", (NUMBER,), ADMINISTER, 404),
]


TABLES = [
    ("memories", READ),
    ("history", READ),
    ("recalls", READ),
    ("activity", READ),
    ("corrections", READ),
    ("inbox", READ),
    ("review", READ),
    ("questions", READ),
    ("health-reports", READ),
    ("erasures", AUDIT),
    ("jobs", READ),
    ("images", READ),
    ("working", READ),
    ("settings-keys", READ),
    ("settings-policies", READ),
    ("imports", READ),
    ("difference", READ),
    ("health-trends", READ),
    ("people", ADMINISTER),
    ("webhooks", ADMINISTER),
    ("check-limits", READ),
]
TABLES_OF_ONE = [
    ("batch", ID, READ, 404), ("memory", ID, READ, 404), ("memory-accesses", ID, AUDIT, 404),
    ("finding", NUMBER, READ, 404), ("question-run", ID, READ, 404), ("job", ID, READ, 404),
    ("working-session", "x", READ, 404), ("webhook", ID, ADMINISTER, 404),
    ("check-limit", "duplicates", READ, 404), ("policy", "fact", READ, 200),
]  # fmt: skip
PAGES += [
    ("GET", f"{name}-table", (form,), right, 200)
    for name, right in TABLES
    for form in ("json", "csv")
]
PAGES += [
    ("GET", f"{name}-table", (arg, form), right, status)
    for name, arg, right, status in TABLES_OF_ONE
    for form in ("json", "csv")
]


def ask(client: Client, method: str, name: str, args: tuple):
    return client.generic(method, reverse(name, args=args))


@pytest.mark.parametrize("role", Role.values)
def test_each_page_is_open_to_exactly_the_roles_with_its_right(role):
    client = make.logged_in(make.person(role, role=role))
    wrong = []
    for method, name, args, right, status in PAGES:
        if name == "logout":
            continue
        expected = status if right is PUBLIC or role in RIGHTS[right] else 403
        got = ask(client, method, name, args).status_code
        if got != expected:
            wrong.append((method, name, expected, got))
    assert wrong == []


def test_without_a_person_every_page_leads_to_the_login():
    wrong = []
    for method, name, args, right, status in PAGES:
        answer = ask(Client(), method, name, args)
        led = answer.status_code == 302 and answer["Location"].startswith("/login/")
        if led == (right is PUBLIC) or (right is PUBLIC and answer.status_code != status):
            wrong.append((method, name, answer.status_code))
    assert wrong == []


def test_without_a_workspace_there_is_no_page():
    client = make.logged_in(make.person("nobody", role=""))
    # A peek only leads to the row's own page; the components are staff's, who see no rows.
    free = ("logout", "workspace-switch", "memory-peek", "recall-peek", "components")
    rows = [row for row in PAGES if row[3] is not PUBLIC and row[1] not in free]
    answers = {row[1]: ask(client, *row[:3]).status_code for row in rows}
    assert {name: status for name, status in answers.items() if status != 403} == {}


def patterns(resolver=None, names=()):
    for one in (resolver or get_resolver()).url_patterns:
        if isinstance(one, URLPattern):
            yield names, one.name
        elif one.namespace not in ("admin", "api", "mem0", "mem0-unserved"):
            yield from patterns(one, names)


def test_the_table_has_every_page():
    # The tools have a key of their own and no page.
    assert {name for _, name in patterns()} - {"mcp"} == {row[1] for row in PAGES}


def test_every_right_is_some_role_s_and_the_admin_has_all():
    assert set(RIGHTS) == set(Right)
    assert all(Role.ADMIN in roles for roles in RIGHTS.values())


def test_an_auditor_reads_all_and_changes_nothing():
    """By hand, so that a slip in the table above shows."""
    assert {right for right in Right if Role.AUDITOR in RIGHTS[right]} == {READ, AUDIT, MEASURE}
    assert {right for right in Right if Role.VIEWER in RIGHTS[right]} == {READ}


def test_every_operation_needs_a_key_and_one_scope():
    assert {scope for _, _, scope, _, _ in OPERATIONS} == {"read", "write", "correct", "erase"}
    changing = [row for row in OPERATIONS if row[0] in ("PUT", "PATCH", "DELETE")]
    assert [row[:3] for row in changing if row[2] == "read"] == []


def erased_kept():
    from memory.write.erase.road import erase

    row = make.remember(text="Something private")
    return erase(make.scope(), row, "asked", seen=row.revision).erasure


def pages_of_rows():
    """The pages of rows that there are: name and arguments."""
    row = make.budget("640")
    batch = row.changes.first().batch if hasattr(row, "changes") else None
    record = make.ask("我的预算是多少").record
    yield "memory", (row.public_id,)
    if batch:
        yield "batch", (batch.public_id,)
    yield "recall", (record.public_id,)
    yield "recall-export", (record.public_id,)
    yield "erasure", (erased_kept().public_id,)


def bare(answer) -> str:
    """Without what differs from one answer to the next: the token, and its own address."""
    text = re.sub(r"[A-Za-z0-9]{64}", "", answer.content.decode())
    return re.sub(r'(value|href)="/[^"]*"', "", text)


def test_a_stranger_gets_for_a_row_the_answer_for_no_row():
    stranger = make.logged_in(make.person("sam", make.workspace("w2")))
    friend = make.logged_in(make.person("olga"))
    for name, args in pages_of_rows():
        theirs = ask(stranger, "GET", name, args)
        missing = ask(stranger, "GET", name, (ID, *args[1:]))
        assert ask(friend, "GET", name, args).status_code == 200, name
        assert (theirs.status_code, missing.status_code) == (404, 404), name
        assert bare(theirs) == bare(missing), name
    assert Recall.objects.within(Scope(make.workspace("w2").pk, "a", "console")).count() == 0
