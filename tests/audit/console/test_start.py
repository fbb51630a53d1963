"""The first minutes: an empty store, and a person in no workspace."""

import re

import pytest
from django.contrib.auth.models import User

from audit.models import HealthReport
from memory.jobs import work
from memory.models import ApiKey, Job, Membership, Memory, Role, Scope, Turn, Workspace
from tests import factories as make
from tests.factories import logged_in, person

from .pages_kit import operator, text_of, viewer

pytestmark = pytest.mark.django_db


def admin(name: str = "ada"):
    return logged_in(person(name, role=Role.ADMIN))


def superuser():
    return logged_in(User.objects.create_superuser("root", password="pass-word-1"))


@pytest.fixture
def short_script(monkeypatch):
    """The demo's first steps only."""
    from memory.demo import loader

    steps = list(loader.script())[:12]
    monkeypatch.setattr(loader, "script", lambda: iter(steps))
    monkeypatch.setattr("audit.jobs.script", lambda: iter(steps))
    monkeypatch.setattr("audit.questions.demo.add_questions", lambda workspace: [])
    return steps


def test_an_empty_store_offers_three_ways_and_checks_off_what_is_done():
    client = admin()
    page = text_of(client.get("/"))
    for address in ("/start/demo/", "/imports/", "/settings/keys/"):
        assert address in page
    make.api_key()
    page = client.get("/")
    assert page.context["start"].has_key
    assert "There is a key" in text_of(page)
    make.budget("800")
    assert client.get("/").context["start"] is None


def test_the_key_of_the_start_card_comes_with_calls_that_hold_it():
    client = admin()
    form = text_of(client.get("/")).split('action="/settings/keys/"')[1].split("</form>")[0]
    fields: dict[str, list[str]] = {}
    for name, value in re.findall(r'name="(\w+)" value="([^"]*)"', form):
        fields.setdefault(name, []).append(value)
    page = text_of(client.post("/settings/keys/", fields))
    key = ApiKey.objects.get()
    assert (key.name, key.scopes) == ("first-agent", ["read", "write"])
    shown = re.search(r'id="key">([^<]+)<', page).group(1)
    assert ApiKey.objects.holding(shown) == key
    assert f"Bearer {shown}" in page
    assert "curl" in page


def test_a_role_is_offered_what_it_may_do():
    page = text_of(operator().get("/"))
    assert "/start/demo/" not in page
    assert "manage.py demo" in page
    assert 'action="/settings/keys/"' not in page
    assert "An operator of this workspace does this" in text_of(viewer().get("/"))


def test_the_demo_comes_into_a_workspace_of_its_own(short_script):
    client = admin()
    answer = client.post("/start/demo/")
    job = Job.everywhere.get()
    assert answer["Location"] == f"/jobs/{job.public_id}/"
    assert "See how far it is" in text_of(client.get("/"))
    work.work()
    job.refresh_from_db()
    demo = Workspace.objects.get(name="demo")
    assert (job.state, job.done, job.result["workspace"]) == ("done", len(short_script), "demo")
    assert Memory.objects.within(Scope(demo.pk, "test", "command")).exists()
    assert not Memory.objects.within(make.scope()).exists()
    assert HealthReport.everywhere.filter(workspace=demo).exists()
    assert Membership.objects.get(workspace=demo).role == Role.ADMIN
    assert "/workspace/" in text_of(client.get(answer["Location"]))
    assert "Go to the demo" in text_of(client.get("/"))


def test_a_demo_of_others_lets_nobody_in():
    other = make.workspace("demo")
    client = admin()
    assert "/start/demo/" not in text_of(client.get("/"))
    assert client.post("/start/demo/").status_code == 403
    work.start(make.scope(actor="person:ada"), "demo")
    work.work()
    job = Job.everywhere.get()
    assert (job.state, "its admin can add you" in job.error) == ("failed", True)
    assert not other.memberships.exists()


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_only_an_admin_loads_the_demo(role):
    assert logged_in(person("rita", role=role)).post("/start/demo/").status_code == 403
    assert not Job.everywhere.exists()


def test_a_new_superuser_makes_the_first_workspace():
    client = superuser()
    page = client.get("/")
    assert page.status_code == 403
    assert 'action="/workspace/new/"' in text_of(page)
    answer = client.post("/workspace/new/", {"title": "北海 Studio"}, follow=True)
    made = Workspace.objects.get()
    assert (made.title, made.memberships.get().role) == ("北海 Studio", Role.ADMIN)
    assert "/start/demo/" in text_of(answer)


@pytest.mark.parametrize("title", ["", "   ", "W1"])
def test_a_workspace_needs_a_name_of_its_own(title):
    make.workspace("w1")
    client = superuser()
    answer = client.post("/workspace/new/", {"title": title}, follow=True)
    assert "Nothing was made" in text_of(answer)
    assert Workspace.objects.count() == 1


def test_somebody_in_no_workspace_is_told_whom_to_ask():
    client = logged_in(User.objects.create_user("nora", password="pass-word-1"))
    page = client.get("/")
    assert page.status_code == 403
    assert "Ask an admin" in text_of(page)
    assert "/workspace/new/" not in text_of(page)
    assert client.post("/workspace/new/", {"title": "mine"}).status_code == 403
    assert not Workspace.objects.exists()
    other = client.get("/memories/")
    assert other.status_code == 403
    assert "Ask an admin" in text_of(other)


def test_a_load_that_broke_off_goes_on_and_leaves_no_half(short_script, monkeypatch):
    from memory.demo import loader

    play, count = loader._Player.play, 0

    def breaking(player, step):
        nonlocal count
        count += 1
        if count == 8:
            raise KeyboardInterrupt
        play(player, step)

    monkeypatch.setattr(loader._Player, "play", breaking)
    with pytest.raises(KeyboardInterrupt):
        loader.load()
    workspace, played = loader.load()
    assert (played, count) == (len(short_script), len(short_script) + 1)
    scope = Scope(workspace.pk, "test", "command")
    said = [step["content"] for step in short_script if step["op"] == "turn"]
    assert list(Turn.objects.within(scope).order_by("id").values_list("content", flat=True)) == said
    assert Memory.objects.within(scope).count() == sum(
        step["op"] == "remember" for step in short_script
    )
    assert loader.load() == (workspace, 0)


def test_the_place_of_a_store_that_is_gone_is_not_gone_on_from(short_script, monkeypatch):
    from uuid import uuid4

    from memory import clock
    from memory.demo import loader, place

    place.keep(place.Place(clock.now(), 5, {"t1": uuid4()}, {"m1": uuid4()}))
    workspace, played = loader.load()
    assert played == len(short_script)
    assert Memory.objects.within(Scope(workspace.pk, "test", "command")).exists()
