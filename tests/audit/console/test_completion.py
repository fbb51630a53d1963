import pytest

from tests import factories as make
from tests.audit.console.pages_kit import operator, queries, stranger, viewer

pytestmark = pytest.mark.django_db


def offered(token: str, client=None) -> list[str]:
    answer = (client or operator()).get("/complete/", {"token": token})
    assert answer.status_code == 200
    return [option["insert"] for option in answer.json()["options"]]


@pytest.fixture
def client_with_rows():
    make.remember(
        text="the tea is hot", user_id="alice", agent_id="helper", domain="厨房", tags=("急件",),
        entity="Project A", attribute="colour", value="red",
    )  # fmt: skip
    make.remember(text="茶要热的", user_id="alan", domain="garden", session_id="s-9")
    make.remember(text="nothing of note", user_id="", domain="")
    return operator()


@pytest.mark.parametrize(
    ("token", "values"),
    [
        ("us", ["user:"]),
        ("U", ["until:", "user:"]),
        ("is:su", ["is:superseded"]),
        ("IS：any", ["is:any"]),
        ("kind:ru", ["kind:rule"]),
        ("source:no", ["source:none"]),
        ("check:expired_a", ["check:expired_active"]),
        ("user:al", ["user:alan", "user:alice"]),
        ("user:alic", ["user:alice"]),
        ("domain:", ["domain:garden", "domain:厨房"]),
        ("domain:厨", ["domain:厨房"]),
        ("agent:H", ["agent:helper"]),
        ("session:s", ["session:s-9"]),
        ("tag:急", ["tag:急件"]),
        ('entity:"pro', ['entity:"Project A"']),
        ("attribute:", ["attribute:colour"]),
        ("conf:", ["conf:<0.5", "conf:>=0.8"]),
        ("-us", ["-user:"]),
        ("！kind:ru", ["-kind:rule"]),
        ("-user:al", ["-user:alan", "-user:alice"]),
        ("-conf:", []),
        ("-", []),
        ("since:20", []),
        ("size:1", []),
        ("user:zoe", []),
        ("", []),
        ("预算", []),
    ],
)
def test_it_offers_what_could_be_meant(client_with_rows, token, values):
    assert sorted(offered(token, client_with_rows)) == sorted(values)


def test_an_option_says_what_it_is_in_words(client_with_rows):
    options = client_with_rows.get("/complete/?token=is:sup").json()["options"]
    assert options == [{"insert": "is:superseded", "text": "superseded", "note": "State"}]
    options = client_with_rows.get(
        "/complete/?token=is:sup", HTTP_ACCEPT_LANGUAGE="zh-hans"
    ).json()["options"]
    assert options[0]["note"] not in ("State", "superseded")


def test_no_more_than_a_few_and_no_more_questions_for_more_rows():
    client = operator()
    for n in range(3):
        make.remember(text=f"note {n}", user_id=f"u{n}", agent_id=f"a{n}")
    few = {token: queries(client, f"/complete/?token={token}") for token in ("user:", "agent:")}
    for n in range(3, 14):
        make.remember(text=f"note {n}", user_id=f"u{n:02}", agent_id=f"a{n}", domain=f"d{n}")
    for token, count in few.items():
        assert len(offered(f"{token}", client)) == 8
        assert queries(client, f"/complete/?token={token}") == count
    assert len(offered("domain:d", client)) == 8
    # One step over the index for each, however many there are.
    assert queries(client, "/complete/?token=domain:d") <= few["user:"] + 8


def test_nothing_of_another_workspace_and_nothing_without_a_seat(client_with_rows, client):
    other = stranger()
    for token in ("user:", "agent:", "domain:", "tag:", "entity:", "session:", "attribute:"):
        assert offered(token, other) == []
    assert offered("user:", viewer()) == ["user:alan", "user:alice"]
    assert client.get("/complete/?token=user:").status_code == 302
    assert make.logged_in(make.person("nora", role="")).get("/complete/").status_code == 403
    assert client_with_rows.post("/complete/").status_code == 405
