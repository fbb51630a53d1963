"""The page of a key."""

import os
import re
import shutil
import subprocess
import sys
from datetime import timedelta

import pytest
from django.test import Client

from memory import clock
from memory.models import ApiKey, Memory, Role
from tests import factories as make
from tests.audit.console.pages_kit import queries, text_of

pytestmark = pytest.mark.django_db


def admin() -> Client:
    return make.logged_in(make.person("ada", role=Role.ADMIN))


def address(key: ApiKey, verb: str = "") -> str:
    return f"/settings/keys/{key.pk}/{verb}"


def test_the_page_tells_what_the_key_may_and_did_and_not_its_text():
    key, text = make.api_key(scopes=["read"], user_id="bo", rate=77)
    with_key = make.client_for(text)
    with_key.post("/api/v1/recall", {"query": "预算是多少", "user_id": "bo"}, "application/json")
    answer = admin().get(address(key))
    page = text_of(answer)
    for told in (key.prefix, "bo", "77"):
        assert told in page
    assert (answer.context["recalls"]["count"], answer.context["batches"]["count"]) == (1, 0)
    assert text not in page
    assert key.digest not in page


def test_more_of_its_work_asks_no_more_questions():
    key, text = make.api_key()
    client, agent = admin(), make.client_for(text)

    def work():
        agent.post("/api/v1/recall", {"query": "预算", "user_id": "ann"}, "application/json")

    work()
    few = queries(client, address(key))
    for _ in range(4):
        work()
    assert queries(client, address(key)) == few


def test_rotating_shows_the_new_key_once_and_leaves_the_old_one_for_some_days():
    key, text = make.api_key(name="indexer")
    client = admin()
    answer = client.post(address(key, "rotate/"), {"days": "5"})
    new = ApiKey.objects.holding(re.search(r'id="key">(mase_[^<]+)</code>', text_of(answer))[1])
    assert new.replaces == key
    assert answer["Cache-Control"] == "no-store"
    assert ApiKey.objects.holding(text) == key
    with clock.at(clock.now() + timedelta(days=6)):
        assert ApiKey.objects.holding(text) is None
    page = text_of(client.get(address(key)))
    assert new.prefix in page
    assert "rotate/" not in page
    again = client.post(address(key, "rotate/"), {"days": "5"}, follow=True)
    assert "replaced already" in text_of(again)
    assert ApiKey.objects.count() == 2


@pytest.mark.parametrize("days", ["", "-1", "91", "soon"])
def test_bad_days_rotate_nothing(days):
    key, _ = make.api_key()
    answer = admin().post(address(key, "rotate/"), {"days": days})
    assert answer.status_code == 422
    assert ApiKey.objects.count() == 1


@pytest.mark.parametrize(("sent", "kept"), [("5", 5), ("0", 0), ("", None)])
def test_its_number_of_requests_can_be_changed(sent, kept):
    key, _ = make.api_key(rate=9)
    admin().post(address(key, "rate/"), {"rate": sent})
    key.refresh_from_db()
    assert key.rate == kept


def test_a_number_that_is_none_changes_nothing():
    key, _ = make.api_key(rate=9)
    page = text_of(admin().post(address(key, "rate/"), {"rate": "-1"}, follow=True))
    key.refresh_from_db()
    assert key.rate == 9
    assert "Nothing was changed" in page


def test_a_stranger_gets_for_a_key_the_answer_for_no_key():
    key, _ = make.api_key()
    stranger = make.logged_in(make.person("sam", make.workspace("w2"), Role.ADMIN))
    for verb in ("rotate/", "rate/", "revoke/"):
        assert stranger.post(address(key, verb), {"days": "1", "rate": "1"}).status_code == 404
    assert stranger.get(address(key)).status_code == 404
    key.refresh_from_db()
    assert (key.rate, key.is_live, ApiKey.objects.count()) == (None, True, 1)


def test_who_may_not_administer_reads_the_page_and_finds_no_button():
    key, _ = make.api_key()
    client = make.logged_in(make.person("otto", role=Role.OPERATOR))
    page = text_of(client.get(address(key)))
    for verb in ("rotate/", "rate/", "revoke/"):
        assert address(key, verb) not in page
        assert client.post(address(key, verb), {"days": "1", "rate": "1"}).status_code == 403


def pieces(key: ApiKey, live_server) -> dict[str, str]:
    client = admin()
    answer = client.get(address(key), headers={"host": live_server.url.removeprefix("http://")})
    assert answer.status_code == 200, answer.status_code
    return {piece.title: piece.code for piece in answer.context["snippets"]}


def run(command: list[str], text: str, code: str = "") -> str:
    done = subprocess.run(
        command, input=code, env=os.environ | {"MASE_API_KEY": text},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def served(live_server, settings):
    settings.ALLOWED_HOSTS = ["*"]
    return live_server


@pytest.mark.django_db(transaction=True)
def test_the_python_piece_runs_as_it_stands(served):
    key, text = make.api_key(user_id='d\'Arc "bo"')
    told = run([sys.executable, "-"], text, pieces(key, served)["Python"])
    assert "My budget is 1200" in told
    assert [row.user_id for row in Memory.everywhere.all()] == ['d\'Arc "bo"']


@pytest.mark.django_db(transaction=True)
def test_the_commands_for_a_shell_run_as_they_stand(served):
    key, text = make.api_key()
    told = run(["sh"], text, pieces(key, served)["curl"])
    assert "batch_id" in told
    assert "recall_id" in told


@pytest.mark.django_db(transaction=True)
def test_the_typescript_piece_runs_as_it_stands_where_there_is_node(served):
    """Node runs it as JavaScript: it holds nothing that only a compiler would take away. Without
    Node its shape is looked at."""
    key, text = make.api_key()
    code = pieces(key, served)["TypeScript"]
    assert code.count("(") == code.count(")")
    assert code.count("{") == code.count("}")
    assert "process.env.MASE_API_KEY" in code
    if node := shutil.which("node"):
        told = run([node, "--input-type=module", "-"], text, code)
        assert "My budget is 1200" in told


def test_a_key_that_may_only_read_is_offered_no_write():
    key, _ = make.api_key(scopes=["read"])
    codes = [piece.code for piece in admin().get(address(key)).context["snippets"]]
    assert len(codes) == 5
    assert not any("/memories" in code for code in codes)


def test_a_key_that_may_do_neither_and_a_dead_one_are_offered_nothing():
    erasing, _ = make.api_key(name="eraser", scopes=["erase"])
    dead, _ = make.api_key(expires_at=clock.now() - timedelta(seconds=1))
    client = admin()
    for key in (erasing, dead):
        assert not client.get(address(key)).context["snippets"]
