"""A gait audit against Cassie's own library, and gaits whose faults everybody can count."""

from dataclasses import replace

import numpy as np
import pytest

from strut.gait_library import DEGREE
from strut.generators.periodic_gait import gait_library_table
from strut.io.gait_library_file import load_gait_library
from strut.models.catalogue import load_robot
from strut.verify.gait_audit import gait_audit, gait_shortfall

UP = 2


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


@pytest.fixture(scope="module")
def walk(cassie):
    return load_gait_library(cassie).lookup(0.4, 0.0, 0.86)


def test_a_walk_of_the_library_keeps_everything(cassie, walk):
    found, table = gait_audit(cassie, walk), gait_library_table(cassie)
    assert gait_shortfall(found, walk.step_s, table.step_range_s(0.86), table) == ""
    assert found.clearance_mm > 100.0
    assert 0.0 < found.joint_speed_use < 1.0


@pytest.mark.parametrize("end", [0, DEGREE], ids=["at its start", "at its end"])
def test_a_step_that_sinks_is_off_its_height_by_as_much_and_jumps_from_the_other_step(cassie, walk, end):
    base = np.array(walk.base)
    base[0, UP, end] = walk.parameter[2] - 0.05  # a Bézier curve begins and ends at its outer coefficients
    found = gait_audit(cassie, replace(walk, base=base))
    assert found.height_off_mm == pytest.approx(50.0, abs=1e-6)
    assert found.jump == pytest.approx(abs(base[0, UP, end] - walk.base[0, UP, end]), abs=1e-3)


def test_a_base_that_is_lifted_takes_both_soles_with_it(cassie, walk):
    base, table = np.array(walk.base), gait_library_table(cassie)
    usual = gait_audit(cassie, walk)
    base[:, UP] += 0.02
    found = gait_audit(cassie, replace(walk, base=base))
    assert found.clearance_mm == pytest.approx(usual.clearance_mm + 20.0, abs=1e-6)
    assert found.lowest_swing_mm == pytest.approx(usual.lowest_swing_mm + 20.0, abs=1e-6)
    assert found.slip_mm == pytest.approx(usual.slip_mm, abs=1e-6)
    base[:, UP] -= 0.04
    sunk = gait_audit(cassie, replace(walk, base=base))
    assert "the swinging sole is" in gait_shortfall(sunk, walk.step_s, table.step_range_s(0.86), table)
