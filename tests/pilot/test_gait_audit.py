"""A gait audit against Cassie's own library, and gaits whose faults everybody can count."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from strut.engines.rigid_body import foot_contact_points
from strut.models.catalogue import load_robot
from strut.pilot.gait_library.gait_audit import (
    ENDS,
    SAMPLES,
    GaitAudit,
    audit_gait,
    distance_to_segment,
    gait_qpos,
    gait_violation,
)
from strut.pilot.gait_library.gait_library import DEGREE
from strut.pilot.gait_library.gait_library_file import load_gait_library
from strut.pilot.gait_library.gait_optimization import gait_library_table

UP = 2


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


@pytest.fixture(scope="module")
def walk(cassie):
    return load_gait_library(cassie).lookup(0.4, 0.0, 0.86)


def test_a_walk_of_the_library_keeps_everything(cassie, walk):
    found = audit_gait(cassie, walk)
    table = gait_library_table(cassie)
    assert gait_violation(found, walk.step_s, table.step_range_s(0.86), table) == ""
    assert found.clearance_mm > 100.0
    assert 0.0 < found.joint_speed_use < 1.0


@pytest.mark.parametrize("end", [0, DEGREE], ids=["at its start", "at its end"])
def test_a_step_that_sinks_is_off_its_height_by_as_much_and_jumps_from_the_other_step(cassie, walk, end):
    base = np.array(walk.base)
    base[0, UP, end] = walk.parameter[2] - 0.05  # a Bézier curve begins and ends at its outer coefficients
    found = audit_gait(cassie, replace(walk, base=base))
    assert found.height_off_mm == pytest.approx(50.0, abs=1e-6)
    assert found.jump == pytest.approx(abs(base[0, UP, end] - walk.base[0, UP, end]), abs=1e-3)


def test_a_base_that_is_lifted_takes_both_soles_with_it(cassie, walk):
    base = np.array(walk.base)
    table = gait_library_table(cassie)
    usual = audit_gait(cassie, walk)
    base[:, UP] += 0.02
    found = audit_gait(cassie, replace(walk, base=base))
    assert found.clearance_mm == pytest.approx(usual.clearance_mm + 20.0, abs=1e-6)
    assert found.lowest_swing_mm == pytest.approx(usual.lowest_swing_mm + 20.0, abs=1e-6)
    assert found.slip_mm == pytest.approx(usual.slip_mm, abs=1e-6)
    base[:, UP] -= 0.04
    sunk = audit_gait(cassie, replace(walk, base=base))
    assert "the swing sole is" in gait_violation(sunk, walk.step_s, table.step_range_s(0.86), table)


def under(robot, qpos):
    """Return where on the ground the centre of mass is. Shape (2,)."""
    data = mujoco.MjData(robot.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(robot.model, data)
    mujoco.mj_comPos(robot.model, data)
    return data.subtree_com[0, :2]


def test_a_sole_that_is_dragged_along_slips_from_where_it_stood_first(cassie, walk):
    """A Bézier curve begins at its outer coefficient and is soon free of it."""
    base = np.array(walk.base)
    base[0, 1, 0] += 0.03
    usual = audit_gait(cassie, walk).slip_mm
    assert audit_gait(cassie, replace(walk, base=base)).slip_mm == pytest.approx(30.0, abs=usual + 1e-6)
    assert usual < 1.0


def test_a_sole_is_clear_by_its_height_at_the_middle_of_the_step(cassie, walk):
    found = audit_gait(cassie, walk)
    owner = np.array(cassie.point_feet)
    heights = [
        foot_contact_points(cassie, gait_qpos(cassie, walk, stance, np.array([0.5])))[0, owner == 1 - stance, 2].min()
        for stance in (0, 1)
    ]
    assert found.clearance_mm == pytest.approx(1e3 * min(heights), abs=1e-6)


def test_the_pressure_of_a_walk_in_slow_motion_is_under_its_centre_of_mass(cassie, walk):
    slow = replace(walk, step_s=1e3)
    found = audit_gait(cassie, slow)
    share = np.linspace(0.0, 1.0, SAMPLES)[ENDS:-ENDS]
    worst = 0.0
    for stance in (0, 1):
        qpos = gait_qpos(cassie, slow, stance, share)
        soles = foot_contact_points(cassie, qpos)[:, np.array(cassie.point_feet) == stance, :2]
        away = distance_to_segment(np.array([under(cassie, one) for one in qpos]), soles)
        worst = max(worst, float(away.max()))
    assert worst > 0.02
    assert found.off_line_mm == pytest.approx(1e3 * worst, abs=1e-3)
    assert found.joint_speed_use == pytest.approx(audit_gait(cassie, walk).joint_speed_use * walk.step_s / 1e3)


def test_room_is_what_is_left_to_the_nearer_limit_of_a_joint(cassie, walk):
    motors = np.array(walk.motors)
    own = cassie.tables.control.motors
    joint = cassie.joint_names.index(own[0])
    for limit, beyond in ((cassie.joint_upper_rad, 0.05), (cassie.joint_lower_rad, -0.04)):
        motors[0, 0] = limit[joint] + beyond  # all coefficients alike: it stands there throughout
        assert audit_gait(cassie, replace(walk, motors=motors)).joint_limit_margin_rad == pytest.approx(-abs(beyond))


def test_the_use_of_speed_is_of_the_motors_own_limits(cassie, walk):
    motors = np.array(walk.motors)
    own = cassie.tables.control.motors
    share = np.linspace(0.0, 1.0, DEGREE + 1)  # a straight line, from the first coefficient to the last
    motors[0, 3] = motors[0, 3].mean() + 8.0 * share
    use = 8.0 / walk.step_s / cassie.joint_speed_limit_rad_s[cassie.joint_names.index(own[3])]
    assert audit_gait(cassie, replace(walk, motors=motors)).joint_speed_use == pytest.approx(use)


def test_figures_of_a_gait_are_written_to_a_millionth():
    told = GaitAudit(1.23456789e-3, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.12345678).as_dict()
    assert (told["jump"], told["joint_speed_use"], told["slip_mm"]) == (0.001235, 0.123457, 2.0)


@pytest.mark.parametrize("seed", range(3))
def test_the_distance_from_a_segment_is_that_from_its_nearest_point(seed):
    rng = np.random.default_rng(seed)
    point = rng.normal(size=(50, 2))
    segment = rng.normal(size=(50, 2, 2))
    share = np.linspace(0.0, 1.0, 2001)[:, None, None]
    places = segment[:, 0] + share * (segment[:, 1] - segment[:, 0])
    nearest = np.linalg.norm(places - point, axis=2).min(axis=0)
    np.testing.assert_allclose(distance_to_segment(point, segment), nearest, atol=2e-3)


SOUND = GaitAudit(0.0, 0.0, 120.0, 0.0, 0.0, 0.0, 0.1, 0.5)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ({"slip_mm": 12.34}, "a stance sole moves by 12.3 mm."),
        ({"clearance_mm": 1.0}, "the swing sole is only 1 mm high at mid-step."),
        ({"lowest_swing_mm": -6.1}, "the swing sole is 6.1 mm in the ground."),
        ({"joint_limit_margin_rad": -0.0011}, "a joint is 0.001 rad beyond its limit."),
        ({"joint_speed_use": 1.02}, "a joint reaches 1.02 of its speed limit."),
        ({"joint_limit_margin_rad": -0.0009, "joint_speed_use": 1.0, "lowest_swing_mm": -5.9}, ""),
        (
            {"off_line_mm": 90.0, "height_off_mm": 90.0},
            "the zero-moment point is 90 mm off the stance sole and the base is 90 mm off its height.",
        ),
    ],
)
def test_what_a_gait_breaks_is_named_with_its_figure(cassie, fault, words):
    assert gait_violation(replace(SOUND, **fault), 0.35, (0.3, 0.4), gait_library_table(cassie)) == words


@pytest.mark.parametrize(("step_s", "is_outside"), [(0.3, False), (0.4, False), (0.299, True), (0.401, True)])
def test_a_step_outside_its_range_is_named_with_the_range(cassie, step_s, is_outside):
    words = gait_violation(SOUND, step_s, (0.3, 0.4), gait_library_table(cassie))
    assert words == (f"a step of {step_s:.3f} s is outside 0.300 to 0.400 s." if is_outside else "")


def test_a_clearance_may_miss_its_least_by_five_millimetres_and_a_height_its_band_by_one(cassie):
    table = gait_library_table(cassie)
    least_mm = table.clearance_m[0] * 1e3
    band_mm = table.height_band_m * 1e3
    for off_mm, is_broken in ((-0.5, False), (0.5, True)):
        low = replace(SOUND, clearance_mm=least_mm - 5.0 - off_mm)
        high = replace(SOUND, height_off_mm=band_mm + 1.0 + off_mm)
        for audit in (low, high):
            assert bool(gait_violation(audit, 0.35, (0.3, 0.4), table)) == is_broken
