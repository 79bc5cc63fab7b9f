"""strut reproduce alice: every published number comes out the same, and every misprint is told."""

import numpy as np
import pytest

from strut.reproduction.alice import alice_body, alice_errata, fastest_walks, golden_postures, reach, swing
from tests.alice import ALICE


@pytest.mark.parametrize("part", [alice_body, golden_postures, reach, swing])
def test_published_numbers_come_out_the_same(part):
    rows = part(ALICE)
    assert rows
    assert {row.verdict for row in rows} <= {"same", "given", "ours only"}
    for row in rows:
        if row.verdict == "ours only":
            assert max(row.ours) < 1e-9  # cm: angles lead back to their points


def test_misprints_cost_what_the_reference_says():
    rows = {row.erratum: row for row in alice_errata(ALICE) if row.erratum}
    np.testing.assert_allclose(rows["4"].published, [68.1, 61.6], atol=0.05)
    np.testing.assert_allclose(rows["4"].ours, [68.081, 68.081], atol=1e-3)
    assert rows["10"].published == (160.0,)
    for number, least_cm in (("7", 5.0), ("15", 200.0)):
        assert rows[number].published[0] > least_cm
        assert rows[number].ours[0] < 1e-8
    assert rows["3"].published[0] < 0.005


def test_planned_pressure_is_many_times_faster_at_the_same_margin():
    rows = {row.quantity: row.ours[0] for row in fastest_walks(ALICE, 0.12, other_margins_m=())}
    same = {name: speed for name, speed in rows.items() if "fastest" in name}
    published = next(speed for name, speed in same.items() if "published law" in name)
    ours = next(speed for name, speed in same.items() if "planned pressure" in name)
    assert published == pytest.approx(1.0, abs=0.05)
    assert ours > 3.0
