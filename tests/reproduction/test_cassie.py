"""strut reproduce cassie: every published number comes out the same, and every misprint is told."""

import pytest

from strut.models.catalogue import load_robot
from strut.reproduction.cassie import cassie_body, cassie_errata, cassie_leg, gait_rows, quiet_stand


@pytest.mark.parametrize("part", [cassie_body, cassie_leg, quiet_stand, gait_rows])
def test_published_numbers_come_out_the_same(part):
    rows = part(load_robot("cassie"))
    assert rows
    assert [row for row in rows if row.verdict not in ("same", "ours only")] == []


def test_misprints_cost_what_the_reference_says():
    rows = {row.erratum: row for row in cassie_errata(load_robot("cassie"))}
    assert rows["6"].published == (37.0,)
    assert rows["17"].ours == (14.88,)
