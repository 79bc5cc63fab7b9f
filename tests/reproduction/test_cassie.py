"""strut reproduce cassie: every published number comes out as printed but the number of gaits, which are counted."""

import pytest

from strut.models.catalogue import load_robot
from strut.pilot import load_gait_library
from strut.reproduction.cassie import cassie_body, cassie_errata, cassie_leg, gait_rows, quiet_stand


@pytest.fixture(scope="module")
def gaits():
    return gait_rows(load_robot("cassie"))


@pytest.mark.parametrize("part", [cassie_body, cassie_leg, quiet_stand])
def test_published_numbers_come_out_as_printed(part):
    rows = part(load_robot("cassie"))
    assert rows
    assert {row.verdict for row in rows} <= {"same", "given"}


def test_only_the_number_of_gaits_found_differs(gaits):
    assert [row.quantity for row in gaits if row.verdict == "differs"] == ["gaits found"]


def test_gaits_are_counted_as_found_and_points_of_the_grid_do_not_count(gaits):
    rows = {row.quantity: row for row in gaits}
    found = rows["gaits found"]
    assert found.published == rows["points of the grid"].published == (1331.0,)
    assert found.ours == (len(load_gait_library(load_robot("cassie"))),)
    assert "strut library build cassie" in found.note
    assert (rows["points of the grid"].kind, rows["points of the grid"].verdict) == ("constant", "given")


def test_misprints_cost_what_the_reference_says():
    rows = {row.erratum: row for row in cassie_errata(load_robot("cassie"))}
    assert rows["6"].published == (37.0,)
    assert rows["17"].ours == (14.88,)
