"""A comparison judges two numbers by the tolerance of the published one and nothing else."""

import json

import pytest

from strut.reproduction.comparison import Comparison, Sheet

SECTION = {"where": "Table 1", "unit": "mm", "tolerance": 0.5, "length": 80.0, "foot": [1.0, 2.0]}


def compared(quantity, ours, note="", kind="computed") -> Comparison:
    sheet = Sheet("gait", {"step": SECTION})
    sheet.compare(quantity, "step", quantity, ours, note=note, kind=kind)
    return sheet.rows[0]


def test_numbers_within_the_tolerance_are_the_same():
    row = compared("length", 80.4, note="why")
    assert (row.group, row.verdict, row.unit, row.where) == ("gait", "same", "mm", "Table 1")
    assert row.difference == pytest.approx(0.4)
    assert row.note == ""  # it explains differences, and there is none


def test_numbers_beyond_the_tolerance_differ_and_say_why():
    row = compared("length", 80.6, note="why")
    assert (row.verdict, row.note) == ("differs", "why")


def test_one_number_of_several_beyond_the_tolerance_is_enough():
    assert compared("foot", [1.0, 2.4]).verdict == "same"
    assert compared("foot", [1.0, 2.6]).verdict == "differs"


def test_a_number_that_is_none_differs():
    assert compared("length", float("nan")).verdict == "differs"


@pytest.mark.parametrize("kind", ["constant", "formula"])
def test_what_no_code_of_users_computed_is_never_the_same(kind):
    assert compared("length", 80.0).verdict == "same"
    row = compared("length", 80.0, kind=kind)
    assert (row.verdict, row.kind, row.tolerance) == ("given", kind, 0.5)
    assert compared("length", 90.0, kind=kind).verdict == "differs"  # a wrong table is still reported


def test_other_counts_of_numbers_cannot_be_compared():
    with pytest.raises(ValueError, match="zip"):
        compared("foot", [1.0])


def test_rows_become_json():
    sheet = Sheet("gait", {"step": SECTION})
    sheet.compare("foot", SECTION, "foot", [1.0, -0.0])
    sheet.correct("E1", "miss", 300.0, 0.0, "mm", "why")
    sheet.add("kept", 0.9, "")
    tables = [json.loads(json.dumps(row.as_dict())) for row in sheet.rows]
    assert [table["verdict"] for table in tables] == ["differs", "erratum", "ours only"]
    assert tables[0]["ours"] == [1.0, 0.0]
    assert tables[2]["published"] is None
    assert [table["kind"] for table in tables] == ["computed"] * 3
    assert [table["tolerance"] for table in tables] == [0.5, None, None]
