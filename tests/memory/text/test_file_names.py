"""File names that every file system takes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.file_names import safe_stem


@pytest.mark.parametrize("name", ["ann", "lin.wei", "本", "a b@c+d"])
def test_a_plain_name_is_its_own(name):
    assert safe_stem(name) == name


@pytest.mark.parametrize("name", ["con", "COM1", "nul.txt", "lpt9"])
def test_a_device_is_no_name(name):
    assert safe_stem(name).startswith("~")


@given(st.text(), st.integers(10, 200))
def test_any_name_is_safe(name, longest):
    stem = safe_stem(name, longest)
    assert stem
    assert len(stem.encode()) <= longest + 10
    assert not set(stem) & set('/\\:*?"<>|\n\0')
    assert stem == stem.strip(". ")


@given(st.text(), st.text())
def test_two_names_are_two_files_whatever_the_case(one, other):
    same = safe_stem(one).casefold() == safe_stem(other).casefold()
    assert same == (one == other)
