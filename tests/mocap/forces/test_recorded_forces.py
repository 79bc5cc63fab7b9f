"""Forces of a recorded walk against a person who stands still: what they leave open is counted by hand."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from strut.engines.rigid_body import foot_contact_points
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.verify.recorded_walk import (
    BEFORE_LANDING_S,
    ENDS_S,
    NO_FORCES,
    _is_judged,
    recorded_receipt,
)

HEIMAN = load_robot("heiman")
WEIGHT_N = HEIMAN.mass_kg * 9.81
STEP_S = 0.02
RIGHT = slice(0, 3)
LEFT = slice(3, 6)
STANDING = np.array(HEIMAN.standing_qpos)
STANDING[:2] = 0.8, -0.5


def standing(**changes):
    """Return a person who stands still, on the right foot alone from 0.6 s to 1.6 s, and lands twice before that."""
    samples = 100
    contact = np.ones((samples, 6), dtype=bool)
    contact[5:9, RIGHT] = contact[15:20, LEFT] = contact[30:80, LEFT] = False
    contact[90:, RIGHT] = False
    qpos = np.tile(STANDING, (samples, 1))
    plain = Motion("heiman", STEP_S * np.arange(samples), qpos, HEIMAN.joint_names, contact, HEIMAN.foot_names)
    return replace(plain, **changes)


def pushed(force_n):
    """Return forces that act at the first point of the right foot. Shape (3,) in."""
    table = np.zeros((100, 6, 3))
    table[:, 0] = force_n
    return table


def found(**changes):
    return recorded_receipt(HEIMAN, standing(**changes)).soundness


def com_m():
    data = mujoco.MjData(HEIMAN.model)
    data.qpos[:] = STANDING
    mujoco.mj_kinematics(HEIMAN.model, data)
    mujoco.mj_comPos(HEIMAN.model, data)
    return data.subtree_com[0]


def test_without_forces_the_whole_weight_is_unexplained():
    figures = found(ground_force_n=np.zeros((100, 6, 3)), torque_nm=np.zeros((100, len(HEIMAN.joint_names))))
    assert figures["unexplained_weight"] == pytest.approx(1.0)
    assert figures["landing_weight"] == pytest.approx(1.0)
    assert (figures["least_vertical_weight"], figures["friction_use"]) == (0.0, 0.0)
    assert figures["torque_disagreement"] == pytest.approx(1.0)  # no torques are all of the torques off
    assert figures["unjudged"] is None
    assert found()["unjudged"] == NO_FORCES
    assert found()["torque_disagreement"] is None


@pytest.mark.parametrize("aside_n", [(0.0, 0.0), (60.0, 0.0), (0.0, -80.0)])
def test_the_weight_beside_the_centre_of_mass_leaves_a_moment_of_that_lever(aside_n):
    """Sideways forces on the ground have no moment about a point of it."""
    figures = found(ground_force_n=pushed([*aside_n, WEIGHT_N]))
    heel_m = foot_contact_points(HEIMAN, STANDING[None])[0, 0]
    lever_m = np.linalg.norm((com_m() - heel_m)[:2])
    side = np.linalg.norm(aside_n) / WEIGHT_N
    for name in ("unexplained", "landing"):
        assert figures[f"{name}_weight"] == pytest.approx(side, abs=1e-9)
        assert figures[f"{name}_moment_weight_m"] == pytest.approx(lever_m, rel=1e-6)
    assert figures["friction_use"] == pytest.approx(side / HEIMAN.friction)


@pytest.mark.parametrize(
    ("sample", "kind"),
    [(3, None), (4, "landing"), (32, "landing"), (33, "unexplained"), (75, "unexplained"), (76, "landing"),
     (90, "landing"), (91, None)],
)  # fmt: skip
def test_what_is_wrong_far_from_landings_is_told_apart_from_what_is_wrong_near_them(sample, kind):
    """The left foot lands at 0.4 s and at 1.6 s; a quarter of a second later, or 0.09 s before, no landing is near."""
    force_n = pushed([0.0, 0.0, WEIGHT_N])
    force_n[sample, 0, 2] *= 1.5
    figures = found(ground_force_n=force_n)
    counted = {"unexplained": 43, "landing": 87 - 43}
    for name, samples in counted.items():
        expected = 0.5 / np.sqrt(samples) if name == kind else 0.0
        assert figures[f"{name}_weight"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("load", "use"), [(0.049, 0.0), (0.051, 0.5)])
def test_a_foot_that_barely_carries_needs_no_friction(load, use):
    force_n = pushed([0.0, 0.0, WEIGHT_N])
    force_n[50, 4] = np.array([0.5 * HEIMAN.friction * load, 0.0, load]) * WEIGHT_N
    assert found(ground_force_n=force_n)["friction_use"] == pytest.approx(use)


def test_forces_that_pull_are_told_with_their_size():
    force_n = pushed([0.0, 0.0, WEIGHT_N])
    force_n[50, 5, 2] = -0.25 * WEIGHT_N
    assert found(ground_force_n=force_n)["least_vertical_weight"] == pytest.approx(-0.25)


def test_a_receipt_tells_way_slide_depth_and_height_in_its_units():
    motion = standing()
    qpos = motion.qpos.copy()
    lowest_m = foot_contact_points(HEIMAN, qpos[:1])[0, :, 2].min()
    qpos[:, 2] += 0.03 - lowest_m
    qpos[60, 2] -= 0.05
    high = recorded_receipt(HEIMAN, replace(motion, qpos=qpos))
    assert high.penetration_mm == pytest.approx(20.0, abs=1e-6)
    assert high.soundness["highest_mm"] == pytest.approx(30.0, abs=0.5)
    assert high.soundness["steps"] == 1
    assert (high.verdict, high.duration_s) == ("ok", pytest.approx(99 * STEP_S))
    sunk = motion.qpos.copy()
    sunk[:, 2] -= 0.02 + lowest_m
    deep = recorded_receipt(HEIMAN, replace(motion, qpos=sunk))
    assert (deep.penetration_mm, deep.soundness["highest_mm"]) == (pytest.approx(20.0, abs=1e-6), 0.0)


def test_on_a_belt_a_walk_goes_as_far_as_the_belt_took_it_back():
    """Feet that rest on a belt do not slide, and who drifts back with it walks nowhere."""
    motion = standing()
    belt = np.array([-0.3, 0.4])
    carried = motion.qpos.copy()
    carried[:, :2] += np.outer(motion.time_s, belt)
    still = replace(motion, meta={"belt_m_s": [*belt, 0.0]})
    walked = recorded_receipt(HEIMAN, still)
    assert walked.distance_m == pytest.approx(0.5 * motion.duration_s)
    assert walked.speed_m_s == pytest.approx(0.5)
    assert walked.foot_slip_mm > 100.0
    rode = recorded_receipt(HEIMAN, replace(still, qpos=carried))
    assert (rode.distance_m, rode.foot_slip_mm) == pytest.approx((0.0, 0.0), abs=1e-6)
    gone = recorded_receipt(HEIMAN, replace(motion, qpos=carried))
    assert gone.distance_m == pytest.approx(0.5 * motion.duration_s)
    moved = motion.qpos.copy()
    moved[50, 0] += 0.025
    assert recorded_receipt(HEIMAN, replace(motion, qpos=moved)).foot_slip_mm == pytest.approx(25.0)


def test_the_ends_of_a_recording_are_left_out_to_the_sample():
    """Half a tenth of a second is two and a half samples."""
    assert pytest.approx(2.5 * STEP_S) == ENDS_S
    never = standing(contact=np.ones((100, 6), dtype=bool))
    assert np.flatnonzero(_is_judged(never))[[0, -1]].tolist() == [3, 96]
    contact = np.ones((100, 6), dtype=bool)
    contact[:2, 0] = contact[98:, 3] = False
    assert np.flatnonzero(_is_judged(standing(contact=contact)))[[0, -1]].tolist() == [3, 96]
    contact[:20, 0] = contact[80:, 3] = False
    assert np.flatnonzero(_is_judged(standing(contact=contact)))[[0, -1]].tolist() == [19, 80]
    assert BEFORE_LANDING_S > ENDS_S


def test_torques_of_who_stands_on_one_foot_are_those_of_its_weight_under_the_centre_of_mass():
    model = HEIMAN.model
    data = mujoco.MjData(HEIMAN.model)
    data.qpos[:] = STANDING
    mujoco.mj_forward(model, data)
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jac(model, data, jacobian, None, com_m() * [1.0, 1.0, 0.0], model.body("FootRight").id)
    needed = (data.qfrc_bias - jacobian.T @ [0.0, 0.0, WEIGHT_N])[6:]
    torque_nm = np.tile(needed, (100, 1))
    for scale in (1.0, 1.2, 0.7):
        torque_nm[33:76] = scale * needed  # elsewhere a landing is near, or two feet share the load
        figures = found(ground_force_n=pushed([0.0, 0.0, WEIGHT_N]), torque_nm=torque_nm)
        assert figures["torque_disagreement"] == pytest.approx(abs(scale - 1.0), abs=1e-6)
    torque_nm[[32, 76]] = 0.0
    assert figures == found(ground_force_n=pushed([0.0, 0.0, WEIGHT_N]), torque_nm=torque_nm)
