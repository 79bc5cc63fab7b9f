"""Cells that a spreadsheet would run as formulas become text, numbers stay numbers, and every text can be read back."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strut.plumbing.csv_text import csv_of_lists, csv_of_rows, original_cell, safe_cell


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        '=HYPERLINK("http://x")',
        "+cmd|' /C calc'!A0",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "-",
        "=",
        "'=1",
        "\uff1d1+1",
        "\uff20A1",
    ],
)
def test_text_that_would_be_a_formula_becomes_text(text):
    assert safe_cell(text) == f"'{text}"
    assert original_cell(safe_cell(text)) == text


@pytest.mark.parametrize(
    "value", ["-1.5", "+0.35", "-.5", "-1e-3", "-12%", "-12 %", "-0.20 to +0.35", "-100 20 -3", -1.5, -2, 0, None, True]
)
def test_numbers_stay_numbers(value):
    assert safe_cell(value) is value


@pytest.mark.parametrize("text", ["", "sad", "a=b", "'quoted'", "it's", "é"])
def test_other_text_stays_as_it_is(text):
    assert safe_cell(text) == original_cell(text) == text


@given(st.text(max_size=12) | st.text("'=+-@1 \t\r", max_size=6))
def test_every_text_can_be_read_back_and_none_is_a_formula(text):
    cell = safe_cell(text)
    assert original_cell(cell) == text
    assert cell[:1] not in ("=", "@", "\t", "\r", "\n")


def test_whole_tables_are_safe_in_their_headings_too():
    table = csv_of_rows(["=name", "n"], [{"=name": "@x", "n": -3}, {"n": None}])
    assert [*csv.reader(io.StringIO(table))] == [["'=name", "n"], ["'@x", "-3"], ["", ""]]
    assert csv_of_lists([["a", "-1"]]) == "a,-1\n"
