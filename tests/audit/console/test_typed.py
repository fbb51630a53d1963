"""Filters typed as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.console.typed import KEYS, NEGATED, NOT, bounds, in_range, read_typed, written


def test_filters_and_words_are_told_apart():
    typed = read_typed("is:superseded user:alice conf:<0.5 source:inferred 预算 上限")
    assert typed.filters == (
        ("status", "superseded"), ("user_id", "alice"), ("confidence", "<0.5"),
        ("source", "inferred"),
    )  # fmt: skip
    assert (typed.words, typed.unknown) == ("预算 上限", ())


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("is:active is:retracted", (("status", "active"), ("status", "retracted"))),
        ("IS:Active", (("status", "active"),)),
        ("user:ann user:ben", (("user_id", "ben"),)),
        ("is:active is:active", (("status", "active"),)),
        ('user:"li wei" 预算', (("user_id", "li wei"),)),
        ("user：林伟", (("user_id", "林伟"),)),
        ("importance:>=4", (("importance", ">=4"),)),
        ("kind:preference source:none", (("kind", "preference"), ("source", "none"))),
        ("-kind:event !kind:rule", (("not_kind", "event"), ("not_kind", "rule"))),
        ("！user：林伟 -user:ben", (("not_user_id", "林伟"), ("not_user_id", "ben"))),
        ("-is:Superseded source:inferred", (("not_status", "superseded"), ("source", "inferred"))),
    ],
)
def test_what_can_be_typed(text, filters):
    assert read_typed(text).filters == filters


@pytest.mark.parametrize(
    "text",
    ["is:forgotten", "conf:high", "http://example.com", "10:30", "size:12", "user:", 'user:""',
     "-预算", "-conf:<0.5", "-kind:forgotten", "--kind:event", "-until:2026-01-01"],
)  # fmt: skip
def test_what_is_no_filter_stays_among_the_words(text):
    typed = read_typed(f"{text} 预算")
    assert (typed.filters, typed.words) == ((), f"{text} 预算")


def test_what_looks_like_a_filter_is_told():
    assert read_typed("is:forgotten size:12 预算").unknown == ("is:forgotten", "size:12")


@pytest.mark.parametrize(
    ("value", "wanted", "fits"),
    [(0.4, "<0.5", True), (0.5, "<0.5", False), (0.5, "<=0.5", True), (4, ">3", True),
     (3, ">3", False), (3, ">=3", True), (3, "3", True), (3, "=4", False)],
)  # fmt: skip
def test_ranges(value, wanted, fits):
    assert in_range(value, wanted) is fits


@pytest.mark.parametrize("wanted", ["", "<", "a", "<>3", "3<", "1e5"])
def test_what_is_no_range(wanted):
    with pytest.raises(ValueError, match=r".*"):
        bounds(wanted)


@given(st.text())
def test_any_text_can_be_read(text):
    typed = read_typed(text)
    known = {*KEYS.values(), *(NOT + name for name in NEGATED)}
    assert {name for name, _ in typed.filters} <= known


@given(st.text(st.characters(categories=["L", "N", "Zs"]), min_size=1, max_size=20).map(str.strip))
def test_what_is_written_is_read_the_same(user):
    if user:
        for name in ("user_id", "not_user_id"):
            assert read_typed(written([(name, user)], "预算")).filters == ((name, user),)
