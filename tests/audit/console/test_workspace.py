import pytest

from tests.factories import logged_in, person, remember, workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def both():
    """A client whose person sits in w1 and w2, and w2 itself."""
    user, other = person("olga"), workspace("w2")
    user.memberships.create(workspace=other, role="viewer")
    return logged_in(user), other


def test_switch_goes_back_to_the_same_list(both):
    client, other = both
    answer = client.post("/workspace/", {"workspace": other.pk, "next": "/history/"})
    assert answer["Location"] == "/history/"
    assert client.session["workspace"] == other.pk


def test_filters_of_the_former_workspace_are_left_behind(both):
    client, other = both
    answer = client.post("/workspace/", {"workspace": other.pk, "next": "/memories/?user_id=ann"})
    assert answer["Location"] == "/memories/"


def test_a_page_about_one_thing_leads_home(both):
    client, other = both
    address = f"/memories/{remember(text='here').public_id}/"
    answer = client.post("/workspace/", {"workspace": other.pk, "next": address})
    assert answer["Location"] == "/"


@pytest.mark.parametrize(
    "address",
    ["https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)", "", "/x"],
)
def test_next_never_leaves_the_console(both, address):
    client, other = both
    answer = client.post("/workspace/", {"workspace": other.pk, "next": address})
    assert answer["Location"] == "/"


def test_only_a_workspace_of_the_person(both):
    client, _ = both
    for key in ("", "abc", "999999", workspace("w3").pk):
        assert client.post("/workspace/", {"workspace": key}).status_code == 404
    assert "workspace" not in client.session


def test_only_by_post_and_logged_in(both, client):
    assert both[0].get("/workspace/").status_code == 405
    assert client.post("/workspace/", {"workspace": both[1].pk})["Location"].startswith("/login/")
