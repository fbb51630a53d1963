"""Text that people and git read well, the same for the same memories."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.exchange.text import block, file_name, file_text, is_export

ID, FACT = "0198c1f0000070008000000000000001", "0198c1f0000070008000000000000002"


def row(**fields) -> dict:
    return {"public_id": ID, "fact": FACT, "version": 1, "status": "active"} | fields


def test_a_field_takes_a_line_and_an_empty_one_none():
    text = block(
        row(text="我的预算是800元", value="800", agent_id="", tags=[], metadata={}, quote="")
    )
    assert text == (
        "memory 0198c1f0-0000-7000-8000-000000000001\n"
        "fact: 0198c1f0-0000-7000-8000-000000000002\n"
        "version: 1\nstatus: active\nvalue: 800\ntext: 我的预算是800元\n"
    )


def test_false_and_nought_are_said():
    assert "confidence: 0\n" in block(row(confidence=0))
    assert "confirmations: 0\n" in block(row(confirmations=0))


@given(st.text(max_size=50), st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=3))
def test_a_text_never_breaks_its_line(text, metadata):
    lines = block(row(text=text, metadata=metadata)).splitlines()
    assert len(lines) == 4 + bool(text) + bool(metadata)


@given(st.text(max_size=20), st.text(max_size=20))
def test_different_texts_stay_different(one, other):
    assert (block(row(text=one)) == block(row(text=other))) == (one == other)


def test_the_order_of_a_dictionary_does_not_matter():
    one, other = {"a": 1, "乙": [2]}, {"乙": [2], "a": 1}
    assert block(row(metadata=one)) == block(row(metadata=other))


def test_a_file_says_whose_it_is():
    text = file_text("lin\nwei", [block(row()), block(row())])
    assert text.startswith("# memories of lin\\nwei\n\nmemory 0198")
    assert text.count("\n\nmemory ") == 2
    assert is_export(text.splitlines()[0])
    assert not is_export("memories of lin")


@pytest.mark.parametrize("name", ["ann", "lin.wei", "林薇", "ann@home-1_x", "maria luz"])
def test_usual_names_are_file_names(name):
    assert file_name(name) == f"{name}.txt"


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../../etc/passwd", "a/b", "a\\b", "A", "-" * 300, "林" * 200, "a\x00b"],
)
def test_other_names_are_safe(name):
    made = file_name(name)
    assert not set(made) & set('/\\\x00"\n:*?<>|')
    assert not made.startswith(".")
    assert len(made.encode()) < 255


@given(st.text(max_size=12), st.text(max_size=12))
def test_two_users_never_share_a_file(one, other):
    if one != other:
        assert file_name(one).casefold() != file_name(other).casefold()
