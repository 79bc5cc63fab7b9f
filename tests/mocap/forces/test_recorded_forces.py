"""Receipts of recorded walks on a person who stands still: every figure follows from statics or from counting."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from strut.engines.rigid_body import foot_contact_points
from strut.maths.rotation import qpos_from_angles
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.verify.recorded_walk import (
    BEFORE_LANDING_S,
    ENDS_S,
    NO_FORCES,
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


def measured(**changes):
    return recorded_receipt(HEIMAN, standing(**changes)).soundness


def com_m():
    data = mujoco.MjData(HEIMAN.model)
    data.qpos[:] = STANDING
    mujoco.mj_kinematics(HEIMAN.model, data)
    mujoco.mj_comPos(HEIMAN.model, data)
    return data.subtree_com[0]


def test_without_forces_the_whole_weight_is_unexplained():
    figures = measured(ground_force_n=np.zeros((100, 6, 3)), torque_nm=np.zeros((100, len(HEIMAN.joint_names))))
    assert figures["unexplained_weight"] == pytest.approx(1.0)
    assert figures["landing_weight"] == pytest.approx(1.0)
    assert (figures["least_vertical_weight"], figures["friction_use"]) == (0.0, 0.0)
    assert figures["torque_disagreement"] == pytest.approx(1.0)  # no torques are all of the torques off
    assert figures["unjudged"] is None
    assert measured()["unjudged"] == NO_FORCES
    assert measured()["torque_disagreement"] is None


@pytest.mark.parametrize("aside_n", [(0.0, 0.0), (60.0, 0.0), (0.0, -80.0)])
def test_the_weight_beside_the_centre_of_mass_leaves_a_moment_of_that_lever(aside_n):
    """Sideways forces on the ground have no moment about a point of it."""
    figures = measured(ground_force_n=pushed([*aside_n, WEIGHT_N]))
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
def test_errors_near_landings_are_counted_apart_from_all_others(sample, kind):
    """The left foot lands at 0.4 s and at 1.6 s; a quarter of a second later, or 0.09 s before, no landing is near."""
    force_n = pushed([0.0, 0.0, WEIGHT_N])
    force_n[sample, 0, 2] *= 1.5
    figures = measured(ground_force_n=force_n)
    counted = {"unexplained": 43, "landing": 87 - 43}
    for name, samples in counted.items():
        expected = 0.5 / np.sqrt(samples) if name == kind else 0.0
        assert figures[f"{name}_weight"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(("load", "use"), [(0.049, 0.0), (0.051, 0.5)])
def test_a_foot_with_hardly_any_load_needs_no_friction(load, use):
    force_n = pushed([0.0, 0.0, WEIGHT_N])
    force_n[50, 4] = np.array([0.5 * HEIMAN.friction * load, 0.0, load]) * WEIGHT_N
    assert measured(ground_force_n=force_n)["friction_use"] == pytest.approx(use)


def test_the_largest_pull_is_reported():
    force_n = pushed([0.0, 0.0, WEIGHT_N])
    force_n[50, 5, 2] = -0.25 * WEIGHT_N
    assert measured(ground_force_n=force_n)["least_vertical_weight"] == pytest.approx(-0.25)


def test_a_receipt_reports_penetration_height_steps_and_duration():
    motion = standing()
    qpos = motion.qpos.copy()
    lowest_m = foot_contact_points(HEIMAN, qpos[:1])[0, :, 2].min()
    qpos[:, 2] += 0.03 - lowest_m
    qpos[60, 2] -= 0.05
    high = recorded_receipt(HEIMAN, replace(motion, qpos=qpos))
    assert high.penetration_mm == pytest.approx(20.0, abs=1e-6)
    assert high.soundness["highest_mm"] == pytest.approx(30.0, abs=0.5)
    assert high.soundness["steps"] == 1
    assert high.soundness["standing_height_mm"] == pytest.approx(30.0, abs=0.5)
    assert [str(reason) for reason in high.reasons] == [
        "foot contact: standing feet are 0.030 m above the ground",
    ]
    assert high.duration_s == pytest.approx(99 * STEP_S)
    sunk = motion.qpos.copy()
    sunk[:, 2] -= 0.02 + lowest_m
    deep = recorded_receipt(HEIMAN, replace(motion, qpos=sunk))
    assert (deep.penetration_mm, deep.soundness["highest_mm"]) == (pytest.approx(20.0, abs=1e-6), 0.0)


def test_on_a_treadmill_distance_and_slip_are_relative_to_the_belt():
    """Feet that rest on a belt do not slip, and a body that drifts back with it covers no distance."""
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


def is_judged(motion, sample):
    """Return whether feet in the ground at one sample alone count."""
    qpos = motion.qpos.copy()
    qpos[:, 2] += 0.1
    qpos[sample, 2] -= 0.2
    return recorded_receipt(HEIMAN, replace(motion, qpos=qpos)).penetration_mm > 0.0


def contact_without(*gaps):
    """Return a table of contacts of 100 samples from which gaps, slices of samples of a point, are lifted."""
    contact = np.ones((100, 6), dtype=bool)
    for samples, point in gaps:
        contact[samples, point] = False
    return contact


@pytest.mark.parametrize(
    ("contact", "first", "last"),
    [
        (contact_without(), 3, 96),
        (contact_without((slice(0, 2), 0), (slice(98, 100), 3)), 3, 96),
        (contact_without((slice(0, 20), 0), (slice(80, 100), 3)), 19, 80),
        (contact_without((slice(0, 20), 0), (slice(70, 100), 0), (slice(30, 60), 3)), 19, 70),
    ],
)
def test_a_walk_is_judged_between_its_first_and_last_change_of_contacts_without_its_ends(contact, first, last):
    """At either end 0.05 s are left out: two and a half samples."""
    assert pytest.approx(2.5 * STEP_S) == ENDS_S
    assert BEFORE_LANDING_S > ENDS_S
    motion = standing(contact=contact)
    assert [is_judged(motion, sample) for sample in (first - 1, first, last, last + 1)] == [False, True, True, False]


def test_steps_are_counted_from_one_foot_to_the_other_and_not_in_hops():
    feet = {"first": contact_without((slice(0, 20), RIGHT), (slice(30, 60), LEFT), (slice(70, 100), RIGHT))}
    feet["hop"] = contact_without((slice(0, 20), RIGHT), (slice(30, 40), RIGHT), (slice(70, 100), RIGHT))
    assert measured(contact=feet["first"])["steps"] == 1
    assert measured(contact=feet["hop"])["steps"] == 0


@pytest.mark.parametrize(("claimed", "error"), [(7, 7.0), (2.5, 2.5), ("7", None), (np.nan, None), (None, None)])
def test_the_marker_error_of_a_file_is_reported_if_it_is_a_number(claimed, error):
    assert measured(meta={"marker_error_mean_mm": claimed})["marker_error_mean_mm"] == error


def test_a_body_that_falls_freely_needs_no_force_and_its_heading_may_pass_a_half_turn():
    time_s = STEP_S * np.arange(100)
    q = np.zeros((100, HEIMAN.model.nv))
    q[:, 0] = 1.5 * time_s
    q[:, 2] = 20.0 - 0.5 * 9.81 * time_s**2
    q[:, 5] = 2.4 + 0.8 * time_s  # passes π at 0.93 s
    figures = measured(qpos=qpos_from_angles(q), ground_force_n=np.zeros((100, 6, 3)))
    off_axis = 0.8**2 * 0.1 / 9.81  # bound for a centre of mass beside the axis of the turn
    assert figures["unexplained_weight"] < off_axis
    assert figures["landing_weight"] < off_axis


def test_torques_on_one_foot_are_those_of_the_weight_below_the_centre_of_mass():
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
        figures = measured(ground_force_n=pushed([0.0, 0.0, WEIGHT_N]), torque_nm=torque_nm)
        assert figures["torque_disagreement"] == pytest.approx(abs(scale - 1.0), abs=1e-6)
    torque_nm[[32, 76]] = 0.0
    assert figures == measured(ground_force_n=pushed([0.0, 0.0, WEIGHT_N]), torque_nm=torque_nm)
