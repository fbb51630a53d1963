"""What is let in as JSON, and what is not."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.strict_json import MAX_DEPTH, NotStrict, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)  # fmt: skip


@given(VALUES)
def test_what_json_writes_is_read(value):
    assert loads(json.dumps(value)) == value


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "not_json"),
        (b"{", "not_json"),
        (b"\xff\xfe", "not_json"),
        (b"NaN", "not_json"),
        (b"[-Infinity]", "not_json"),
        (b"[" * 100_000, "not_json"),
        (b"[" * (MAX_DEPTH + 2) + b"]" * (MAX_DEPTH + 2), "too_deep"),
        (b"1e999", "number"),
        (b'"\\ud800"', "surrogate"),
        (b'{"\\udfff": 1}', "surrogate"),
    ],
)
def test_what_is_not_let_in(data, code):
    with pytest.raises(NotStrict) as refused:
        loads(data)
    assert refused.value.code == code


def test_naming_something_twice_is_refused_where_that_matters():
    data = b'{"a": 1, "a": 2}'
    assert loads(data) == {"a": 2}
    with pytest.raises(NotStrict) as refused:
        loads(data, each_once=True)
    assert refused.value.code == "twice"


def test_a_byte_order_mark_is_no_part_of_it():
    assert loads("\ufeff[1]".encode()) == [1]
