import re

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

from audit.console import saved_views
from audit.models import SavedView
from memory.models import Role
from tests import factories as make
from tests.audit.console.pages_kit import queries, stranger, text_of

pytestmark = pytest.mark.django_db


def of_role(name: str, role: str = Role.OPERATOR):
    return make.logged_in(make.person(name, role=role))


def keep(client, query: str, name: str = "Mine", page: str = "memories", **more):
    return client.post("/views/", {"page": page, "query": query, "name": name} | more)


def told(answer) -> str:
    return " ".join(str(message) for message in get_messages(answer.wsgi_request))


def plain(answer) -> str:
    """A page without what is another for each visit."""
    return re.sub(
        r'"x-csrftoken": "[^"]*"|value="[^"]{64}"|value="/(?:memories|views)/[^"]*"',
        "",
        text_of(answer),
    )


def only() -> SavedView:
    return SavedView.objects.get()


def test_a_kept_view_opens_by_its_address_with_its_query():
    client = of_role("ann")
    answer = keep(client, "?kind=rule&kind=fact&q=预算&cursor=x&peek=y&utm_source=z")
    view = only()
    assert (view.page, view.name, view.owner.username) == ("memories", "Mine", "ann")
    assert view.query == "kind=rule&kind=fact&q=%E9%A2%84%E7%AE%97"
    assert answer["Location"] == f"/memories/?{view.query}&view={view.pk}"
    answer = client.get(f"/memories/?view={view.pk}")
    assert answer["Location"] == f"/memories/?{view.query}&view={view.pk}"
    page = client.get(answer["Location"])
    assert page.wsgi_request.views.opened == view
    assert not page.wsgi_request.views.changed
    assert "changed since" not in text_of(page)


def test_a_view_of_everything_opens_too():
    client = of_role("ann")
    assert keep(client, "").status_code == 302
    assert client.get(f"/memories/?view={only().pk}").status_code == 200


def test_what_was_changed_since_is_said_and_can_be_kept():
    client = of_role("ann")
    keep(client, "kind=rule")
    pk = only().pk
    page = client.get(f"/memories/?kind=rule&user_id=ann&view={pk}")
    assert "changed since" in text_of(page)
    assert "Keep this in “Mine”" in text_of(page)
    client.post(f"/views/{pk}/", {"verb": "update", "query": "kind=rule&user_id=ann"})
    assert only().query == "kind=rule&user_id=ann"
    # Another order of the same is the same.
    assert "changed since" not in text_of(
        client.get(f"/memories/?user_id=ann&kind=rule&view={pk}&cursor=")
    )


def test_a_name_is_needed_fits_and_is_there_once():
    client = of_role("ann")
    assert "at most 80" in told(keep(client, "kind=rule", "  "))
    assert "at most 80" in told(keep(client, "kind=rule", "x" * 81))
    keep(client, "kind=rule")
    answer = keep(client, "kind=fact")
    assert "already" in told(answer)
    assert answer["Location"] == "/memories/?kind=fact&view=none"
    assert only().query == "kind=rule"
    # Another list and another person have names of their own.
    keep(client, "user_id=ann", page="recalls")
    keep(of_role("bo"), "kind=fact")
    assert SavedView.objects.count() == 3


def test_a_query_and_a_shelf_have_an_end(monkeypatch):
    client = of_role("ann")
    assert "too long" in told(keep(client, "q=" + "x" * 2000))
    monkeypatch.setattr(saved_views, "MOST", 1)
    keep(client, "kind=rule", "one")
    assert "too many" in told(keep(client, "kind=rule", "two"))
    assert SavedView.objects.count() == 1


def test_no_other_page_has_views():
    assert keep(of_role("ann"), "", page="settings").status_code == 404


def test_a_view_is_its_owners_until_it_is_shared():
    ann, bo = of_role("ann"), of_role("bo")
    keep(ann, "kind=rule")
    address = f"/memories/?view={only().pk}"
    missing = bo.get("/memories/?view=987654")
    assert missing.status_code == 404
    assert plain(bo.get(address)) == plain(missing)
    assert "Mine" not in text_of(bo.get("/memories/"))
    assert bo.post(f"/views/{only().pk}/", {"verb": "remove"}).status_code == 404
    ann.post(f"/views/{only().pk}/", {"verb": "name", "name": "Rules", "shared": "on"})
    assert bo.get(address).status_code == 302
    page = text_of(bo.get("/memories/"))
    assert "Rules" in page
    assert "by ann" in page
    assert bo.post(f"/views/{only().pk}/", {"verb": "remove"}).status_code == 403
    for verb in ("update", "name"):
        answer = bo.post(f"/views/{only().pk}/", {"verb": verb, "name": "x", "query": ""})
        assert answer.status_code == 403
    assert only().name == "Rules"


def test_of_another_workspace_there_is_none():
    keep(of_role("ann"), "kind=rule", shared="on")
    one = stranger()
    missing = one.get("/memories/?view=987654")
    assert plain(one.get(f"/memories/?view={only().pk}")) == plain(missing)
    gone = one.post("/views/987654/", {"verb": "remove"})
    answer = one.post(f"/views/{only().pk}/", {"verb": "remove"})
    assert (answer.status_code, plain(answer)) == (404, plain(gone))


def test_an_address_with_a_view_that_one_may_not_see_shows_what_it_says():
    ann, bo = of_role("ann"), of_role("bo")
    keep(ann, "kind=rule")
    page = bo.get(f"/memories/?kind=rule&view={only().pk}")
    assert page.status_code == 200
    assert page.wsgi_request.views.opened is None


def test_who_may_not_correct_keeps_views_but_shares_none():
    client = of_role("vera", Role.VIEWER)
    assert keep(client, "kind=rule", "a", shared="on").status_code == 403
    assert keep(client, "kind=rule", "a", default_for="viewer").status_code == 403
    assert not SavedView.objects.exists()
    keep(client, "kind=rule", "a")
    page = text_of(client.get("/memories/"))
    assert "for everybody" not in page
    assert "What this role sees first" not in page
    client.post(f"/views/{only().pk}/", {"verb": "remove"})
    assert not SavedView.objects.exists()


def test_only_an_admin_says_what_a_role_sees_first():
    assert keep(of_role("ann"), "kind=rule", default_for="operator").status_code == 403
    admin = of_role("ada", Role.ADMIN)
    keep(admin, "kind=rule", "first", default_for="reviewer")
    assert only().shared
    client = of_role("rae", Role.REVIEWER)
    address = client.get("/memories/")["Location"]
    assert address == f"/memories/?kind=rule&view={only().pk}"
    page = text_of(client.get(address))
    assert 'href="/memories/?view=none"' in page
    assert client.get("/memories/?view=none").status_code == 200
    assert client.get("/memories/?kind=fact").status_code == 200
    # Others see the whole list.
    assert admin.get("/memories/").status_code == 200
    assert client.post(f"/views/{only().pk}/", {"verb": "remove"}).status_code == 403


def test_a_role_sees_one_view_first():
    admin = of_role("ada", Role.ADMIN)
    keep(admin, "kind=rule", "first", default_for="reviewer")
    keep(admin, "kind=fact", "second", default_for="reviewer")
    defaults = dict(SavedView.objects.values_list("name", "default_for"))
    assert defaults == {"first": "", "second": "reviewer"}
    assert SavedView.objects.filter(shared=True).count() == 2


def test_what_no_longer_exists_is_left_out_with_a_warning():
    make.remember(text="the office is upstairs", kind="rule")
    client = of_role("ann")
    keep(client, "kind=rule")
    query = "kind=rule&kind=mood&colour=red&columns=user&columns=smell&sort=shape&user_id="
    SavedView.objects.update(query=query)
    pk = only().pk
    answer = client.get(f"/memories/?view={pk}")
    assert answer["Location"] == f"/memories/?kind=rule&columns=user&view={pk}"
    page = client.get(answer["Location"])
    assert "no longer there" in text_of(page)
    for gone in ("kind=mood", "colour=red", "columns=smell", "sort=shape"):
        assert gone in text_of(page)
    assert len(page.context["page"].rows) == 1
    assert not page.wsgi_request.views.changed


def test_a_view_that_a_role_sees_first_may_be_of_everything_by_now():
    keep(of_role("ada", Role.ADMIN), "", "all", default_for="reviewer")
    client = of_role("rae", Role.REVIEWER)
    address = client.get("/memories/")["Location"]
    assert client.get(address).status_code == 200


@pytest.mark.parametrize(
    ("page", "query"),
    [
        (
            "memories",
            "status=any&sort=-importance&columns=id&as_of=2026-01-01&check=expired_active",
        ),
        ("history", "domain=kitchen&columns=why"),
        ("recalls", "served=none&since=2026-01-01"),
        ("activity", "verb=correct&actor=olga"),
        ("review", "status=candidate&kind=fact&days=7"),
        ("inbox", "status=mine"),
    ],
)
def test_every_such_list_keeps_its_own_words(page, query):
    client = of_role("ann")
    address = reverse(page)
    assert keep(client, query, page=page).status_code == 302
    view = only()
    assert view.query == query
    answer = client.get(f"{address}?view={view.pk}")
    assert answer["Location"] == f"{address}?{query}&view={view.pk}"
    text = text_of(client.get(answer["Location"]))
    assert 'aria-current="true"><span>Mine</span>' in text
    # No other list has it.
    other = "/history/" if page == "memories" else "/memories/"
    assert client.get(f"{other}?view={view.pk}").status_code == 404


def test_more_views_ask_no_more_questions():
    client = of_role("ann")
    keep(client, "kind=rule", "v1")
    few = queries(client, "/memories/?status=any")
    for n in range(2, 6):
        keep(client, "kind=rule", f"v{n}", shared="on")
    assert queries(client, "/memories/?status=any") == few


@pytest.mark.parametrize("named", ["none", "abc", "-1", "1.5", ""])
def test_a_view_that_is_no_number_is_none(named):
    assert of_role("ann").get(f"/memories/?view={named}").status_code == 200


def test_nothing_is_kept_by_a_get_nor_by_anybody_outside(client):
    assert of_role("ann").get("/views/").status_code == 405
    assert client.post("/views/", {"page": "memories", "name": "x"}).status_code == 302
    assert not SavedView.objects.exists()
