"""Cells that are safe in a spreadsheet, and the way back."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memory.text.cells import original_cell, safe_cell


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "@SUM(A1)", "\t=1", "\r=1", "-2+3", "-", "＝1", "＋1", "－1", "＠a", "\ufeff=1",
     "+86 138 0000 0000", "-1-1", "-1,2"],
)  # fmt: skip
def test_what_would_run_is_text(text):
    assert safe_cell(text) == f"'{text}"
    assert original_cell(safe_cell(text)) == text


@pytest.mark.parametrize(
    "text",
    ["", "-5.00", "-1,234.56", "-3e-7", "-5%", "12345678901234567890", "正常", "it's", "'好'",
     "a=1", " =1", '含"引号",逗号\n换行'],
)  # fmt: skip
def test_everything_else_is_left_alone(text):
    assert safe_cell(text) == text
    assert original_cell(text) == text


@given(st.text(alphabet="'=+-@\t\r\n＝1,.好a") | st.text())
@example("''=1")
@example("'-5")
def test_the_way_back_is_exact_and_no_cell_runs(text):
    cell = safe_cell(text)
    assert original_cell(cell) == text
    assert not cell.startswith(tuple("=+@\t\r\n＝＋－＠\ufeff"))
