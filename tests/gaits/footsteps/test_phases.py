"""Phases of a walk: the swing's polynomials, and what happens in which order."""

from itertools import pairwise

import numpy as np
import pytest

from strut.errors import OutOfRangeError
from strut.gaits.footsteps.footsteps import standing
from strut.gaits.footsteps.phases import PhaseTimes, phases_of, step_plan, swing_share
from strut.place import LEFT, RIGHT, Footstep, Place

FEET = standing(Place(0.0, 0.0), 0.0898)
TIMES = PhaseTimes(0.5, 0.7, 0.8)
STEPS = (
    Footstep(LEFT, Place(0.04, 0.0449)),
    Footstep(RIGHT, Place(0.08, -0.0449, 0.2)),
    Footstep(LEFT, Place(0.04, 0.0449, 0.3)),
)


def test_swing_has_the_published_extremes():
    share = np.linspace(0.0, 1.0, 10001)
    x, z = swing_share(share)
    step = share[1]
    assert (x[0], x[-1], z[0], z[-1]) == (0.0, 1.0, 0.0, 0.0)
    assert np.gradient(x, step).max() == pytest.approx(1.875, abs=1e-5)
    assert (np.diff(x, 2) / step**2).max() == pytest.approx(5.7735, abs=1e-3)
    assert z.max() == pytest.approx(1.0)
    assert np.gradient(z, step).max() == pytest.approx(3.4346, abs=1e-3)
    lift = np.diff(z, 2) / step**2
    assert (lift.min(), lift.max()) == (pytest.approx(-24.0, abs=1e-2), pytest.approx(19.2, abs=1e-2))
    for path in (x, z):  # at rest at both ends
        assert abs(np.diff(path)[[0, -1]]).max() / step < 1e-6
        assert abs(np.diff(path, 2)[[0, -1]]).max() / step**2 < 0.05


def test_phases_follow_each_other_without_gaps():
    phases = phases_of(STEPS, FEET, TIMES)
    assert [phase.kind for phase in phases] == [
        "stand", "shift", "swing", "shift", "swing", "shift", "foot turn", "shift", "stand",
    ]  # fmt: skip
    assert [phase.foot for phase in phases] == [-1, RIGHT, LEFT, LEFT, RIGHT, RIGHT, LEFT, -1, -1]
    for before, after in pairwise(phases):
        assert after.start_s == before.stop_s
    assert phases[-1].stop_s == pytest.approx(4 * 0.8 + 3 * 0.7 + 2 * 0.5)


def test_a_foot_that_swings_twice_needs_no_shift_between():
    phases = phases_of((STEPS[0], Footstep(LEFT, Place(0.05, 0.0449))), FEET, TIMES)
    assert [phase.kind for phase in phases] == ["stand", "shift", "swing", "swing", "shift", "stand"]


def test_feet_on_the_ground_do_not_move_and_land_where_planned():
    plan = step_plan(STEPS, FEET, TIMES, step_height_m=0.015, rate_hz=200.0)
    for foot in (RIGHT, LEFT):
        down = plan.contact[:, foot]
        both = down[1:] & down[:-1]
        moved = np.abs(np.diff(plan.foot_in_world[:, foot], axis=0)).max(axis=1)
        assert moved[both].max() < 1e-15
        assert plan.foot_in_world[down, foot, 2].max() == 0.0
    assert plan.contact.any(axis=1).all()
    np.testing.assert_allclose(plan.foot_in_world[-1], [[0.08, -0.0449, 0.0], [0.04, 0.0449, 0.0]], atol=1e-15)
    np.testing.assert_allclose(plan.foot_heading_rad[-1], [0.2, 0.3], atol=1e-15)
    assert plan.foot_in_world[..., 2].max() == pytest.approx(0.015, abs=1e-5)


def test_pressure_is_in_the_middle_of_the_foot_that_carries():
    plan = step_plan(STEPS, FEET, TIMES, step_height_m=0.015, rate_hz=100.0)
    single = plan.contact.sum(axis=1) == 1
    carrying = np.argmax(plan.contact[single], axis=1)
    middle = plan.foot_in_world[single, carrying, :2]
    np.testing.assert_allclose(plan.zmp_in_world[single], middle, atol=1e-15)
    np.testing.assert_allclose(plan.zmp_in_world[0], [0.0, 0.0], atol=1e-15)
    np.testing.assert_allclose(plan.zmp_in_world[-1], [0.06, 0.0], atol=1e-15)


def test_outward_pressure_is_outside_both_soles():
    plan = step_plan(STEPS[:2], FEET, TIMES, step_height_m=0.015, rate_hz=100.0, outward_m=0.01)
    assert plan.zmp_in_world[:, 1].min() == pytest.approx(-0.0549, abs=1e-6)
    assert plan.zmp_in_world[:, 1].max() == pytest.approx(0.0549, abs=1e-6)


def test_body_faces_half_way_between_the_feet():
    plan = step_plan(STEPS, FEET, TIMES, step_height_m=0.015, rate_hz=100.0)
    np.testing.assert_allclose(plan.body_heading_rad, plan.foot_heading_rad.mean(axis=1), atol=1e-12)


def test_heading_goes_the_short_way_round():
    feet = standing(Place(0.0, 0.0, 3.1), 0.0898)
    turned = Footstep(RIGHT, Place(feet[0].x_m, feet[0].y_m, -3.1))
    plan = step_plan((turned,), feet, TIMES, step_height_m=0.015, rate_hz=100.0)
    assert np.ptp(plan.foot_heading_rad[:, RIGHT]) == pytest.approx(2.0 * np.pi - 6.2, abs=1e-9)
    assert np.ptp(plan.body_heading_rad) < 0.1


@pytest.mark.parametrize("rate_hz", [10.0, 10.008, 33.34, 100.0])
def test_a_plan_is_sampled_to_its_end_and_not_a_sample_further(rate_hz):
    plan = step_plan(STEPS, FEET, TIMES, step_height_m=0.015, rate_hz=rate_hz)
    beyond_s = plan.time_s[-1] - plan.phases[-1].stop_s
    assert -1e-9 < beyond_s < 1.0 / rate_hz - 1e-6


def test_times_must_be_positive():
    with pytest.raises(OutOfRangeError, match="The swing takes 0 s"):
        PhaseTimes(0.5, 0.0, 0.8)
