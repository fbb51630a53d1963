"""Nothing hides on a page: one nasty memory, on every page that shows its words."""

import re

import pytest

from audit.reveal import revealed
from memory.models import Memory
from memory.write.apply import apply
from memory.write.review import plan_hold
from tests.factories import ask, logged_in, person, remember, scope, turn

from .pages_kit import filled, operator, text_of

NASTY = (
    "<script>alert(1)</script><img src=x onerror=alert(2)> **bold** "
    "![see](https://evil.example/p.png) pay \u202e0021 now\u200b p\u0430ypal.example "
    "👨\u200d👩\u200d👧 می\u200cخواهم " + "x" * 5000
)  # fmt: skip
BADGES = ("U+202E", "U+200B", "U+0430")


@pytest.fixture
def nasty(db) -> Memory:
    said = turn(content=NASTY, user_id="ann")
    first = remember(
        text=NASTY, turn_id=said.public_id, reason=NASTY[:400], entity="\u202eacc\u200bount",
        attribute="p\u0430y", value="o\u200bld", kind="fact",
    )  # fmt: skip
    return Memory.everywhere.get(pk=first.pk)


def shown(page: str) -> str:
    """What a reader sees: no values of fields, no scripts, no attributes."""
    bare = re.sub(r"<(script|style|textarea)\b.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", "", bare)


def pages_of(one: Memory) -> list[str]:
    return [
        "/", "/memories/?status=any", f"/memories/?status=any&peek={one.public_id}",
        f"/memories/{one.public_id}/", "/history/", "/activity/", "/diff/", "/review/",
        "/recalls/", "/inbox/", "/health/", "/recall/?user_id=ann&query=pay+now",
    ]  # fmt: skip


def test_on_every_page_nothing_is_hidden_and_nothing_runs(nasty):
    ask("pay \u202enow\u200b?")
    client = operator()
    told = []
    for address in pages_of(nasty):
        response = client.get(address)
        page = text_of(response)
        assert response.status_code == 200, address
        assert "<script>alert" not in page, address
        assert "<img src=x" not in page, address
        assert 'href="https://evil' not in page, address
        hidden = re.findall("[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff]", shown(page))
        assert hidden == [], address
        told += [address for badge in BADGES if badge in page]
    assert {"/memories/?status=any", "/activity/", "/recalls/", "/"} <= set(told)


def test_its_page_badges_what_is_hidden_and_leaves_what_spells(nasty):
    page = text_of(operator().get(f"/memories/{nasty.public_id}/"))
    for badge in BADGES:
        assert badge in page
    assert "RIGHT-TO-LEFT OVERRIDE" in page
    assert "👨\u200d👩\u200d👧" in page
    assert "می\u200cخواهم" in page
    assert "&lt;script&gt;" in page


def test_a_waiting_one_is_badged_in_the_queue_and_kept_whole_in_the_form(nasty):
    apply(plan_hold(scope(), [nasty]).plan("hold", "looks odd"))
    client = operator()
    assert "U+202E" in text_of(client.get("/review/"))
    edit = client.get(f"/review/{nasty.public_id}/edit/")
    assert filled(edit)["value"] == nasty.value
    assert "Holds what is not seen: U+200B" in text_of(edit)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>预算 budget</p>", "<p>预算 budget</p>"),
        ("<title>a\u202eb</title>", "<title>a[U+202E]b</title>"),
        ('<a title="\u200bb" href="\u200bb">x</a>', '<a title="[U+200B]b" href="\u200bb">x</a>'),
        ('<input value="a\u200bb">', '<input value="a\u200bb">'),
        ("<textarea>a\u200bb</textarea>", "<textarea>a\u200bb</textarea>"),
        ("<script>a\u200bb</script>", "<script>a\u200bb</script>"),
        ("<option>a\u200bb</option>", "<option>a[U+200B]b</option>"),
        ("<svg><text>a\u200bb</text></svg>", "<svg><text>a[U+200B]b</text></svg>"),
        ("<dd>ab · שלום = 3</dd>", "<dd>ab · <bdi>שלום</bdi> = 3</dd>"),
    ],
)  # fmt: skip
def test_each_place_of_a_page_is_told_in_its_way(html, expected):
    assert revealed(html) == expected


def test_markup_beside_a_badge_stays_escaped():
    page = revealed("<p>&lt;b&gt;\u200b&amp;&#x27;&quot;</p>")
    assert page.startswith("<p>&lt;b&gt;<span")
    assert page.endswith("&amp;&#x27;&quot;</p>")


def test_a_name_of_a_person_is_text_too(db):
    client = logged_in(person("olga"))
    assert "U+202E" in text_of(client.get("/memories/?q=a\u202eb"))
