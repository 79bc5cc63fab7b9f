"""A sound walk passes the audit from its samples alone; every way of breaking it is told in its own sentence."""

import re
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.inverse_dynamics import contact_demand
from strut.errors import BadMotionError
from strut.kinematics.contact_set import contact_points
from strut.verify.check import check, draft_of
from strut.verify.contact_force_fit import fit_contact_forces
from strut.verify.landing_audit import landing_audit
from strut.viewer.receipt_text import measured_sentences
from tests.walker import walked

WEIGHT_N = 75.0 * 9.81


@pytest.fixture(scope="module")
def walk(gait):
    return gait.motion(steps=3)


def moved(motion, column, by):
    qpos = motion.qpos.copy()
    qpos[:, column] += by
    return replace(motion, qpos=qpos)


def audited(robot, motion):
    return landing_audit(draft_of(motion, robot))


def joint(motion, name):
    return motion.qpos.shape[1] - len(motion.joint_names) + motion.joint_names.index(name)


def reasons(motion):
    receipt = check(motion)
    assert receipt.verdict == "refused"
    return " | ".join(map(str, receipt.reasons))


def test_a_sound_walk_is_ok_and_measures_what_its_own_receipt_says(walk):
    found = check(walk)
    claimed = walk.receipt
    assert (found.verdict, found.reasons) == ("ok", ())
    assert found.soundness["unjudged"] is None
    assert "of its strength" in " ".join(measured_sentences(found))  # people have no motors
    assert found.torque_use == pytest.approx(claimed.torque_use, abs=0.02)
    assert found.joint_speed_use == pytest.approx(claimed.joint_speed_use, abs=0.04)
    assert found.joint_limit_margin_rad == pytest.approx(claimed.joint_limit_margin_rad, abs=0.003)
    assert found.foot_slip_mm == pytest.approx(claimed.foot_slip_mm, abs=0.05)
    assert found.penetration_mm == pytest.approx(claimed.penetration_mm, abs=0.1)
    assert (found.duration_s, found.distance_m) == pytest.approx((claimed.duration_s, claimed.distance_m))


def test_nothing_that_the_file_says_is_needed(walk):
    bare = replace(walk, receipt=None, meta={}, torque_nm=None, ground_force_n=None, cop_in_world=None)
    assert check(bare).verdict == "ok"


def test_more_samples_leave_less_that_nothing_explains(gait, heiman):
    coarse, fine = (audited(heiman, gait.motion(steps=2, rate_hz=rate)) for rate in (100.0, 400.0))
    assert coarse.landings.unexplained_n.max() < 0.001 * WEIGHT_N
    assert fine.landings.unexplained_n.max() < 0.2
    assert coarse.torque_disagreement < 0.01
    assert fine.torque_disagreement < 0.002
    assert coarse.margin_m.min() > -0.002


def test_a_person_has_neither_wheels_nor_parts_that_must_clear_the_ground(heiman):
    found = audited(heiman, walked(heiman, 2))
    assert found.drive_use.shape == found.clearance_m.shape == (len(found.time_s), 0)


def test_velocities_and_forces_are_those_of_the_solver(gait, heiman):
    motion = gait.motion(steps=1, rate_hz=400.0)
    found = audited(heiman, motion)
    inside = slice(14, 95)  # on one foot nothing is left to choose, and medians over 20 samples see no end of it
    assert_allclose(found.torque_nm[inside], motion.torque_nm[inside], atol=1.6)
    total = found.ground_force_n.sum(axis=1)
    claimed = motion.ground_force_n.sum(axis=1)
    assert_allclose(total[inside], claimed[inside], atol=4.0)


@pytest.mark.parametrize("by_m", [0.01, -0.01])
def test_a_walk_above_or_in_the_ground_is_refused(walk, by_m):
    assert re.match(r"foot contact: \w+ is 1[01]\.\d mm off the ground's surface", reasons(moved(walk, 2, by_m)))


def test_a_walk_that_slides_is_refused(walk):
    stretched = moved(walk, 0, 0.02 * walk.qpos[:, 0])
    assert "slides" in reasons(stretched)
    assert "rolling not counted" in reasons(stretched)


@pytest.mark.parametrize("factor", [0.8, 1.1, 1.5])
def test_a_walk_played_too_fast_or_too_slowly_is_refused(walk, factor):
    said = reasons(replace(walk, time_s=walk.time_s / factor))
    assert "no force of the ground explains" in said
    assert "the centre of pressure is" in said


def test_a_walk_that_is_too_fast_for_its_joints_says_so(walk):
    assert "of its speed limit" in reasons(replace(walk, time_s=walk.time_s / 2.5))


def test_a_knee_that_is_bent_more_is_refused(walk):
    said = reasons(moved(walk, joint(walk, "KneeRight_RY"), np.radians(5.0)))
    assert "foot contact: " in said
    assert "no force of the ground explains" in said


def test_a_body_that_leans_without_falling_is_refused(walk):
    said = reasons(moved(walk, joint(walk, "Lumbar_RX"), 0.15))
    assert "the centre of pressure is" in said
    assert "mm outside the support polygon" in said
    assert "no force of the ground explains" in said


def test_an_angle_beyond_its_range_is_named(walk):
    assert "joint limit: Head_RY is" in reasons(moved(walk, joint(walk, "Head_RY"), 1.0))


def test_contacts_that_are_not_those_of_the_feet_are_refused(walk):
    late = walk.contact.copy()
    late[:, walk.foot_names.index("HeelLeft")] = np.roll(late[:, walk.foot_names.index("HeelLeft")], 4)
    assert "HeelLeft is" in reasons(replace(walk, contact=late))


def test_a_foot_that_is_said_to_be_in_the_air_carries_nothing(walk):
    without = walk.contact.copy()
    without[:, :3] = False
    assert "no force of the ground explains" in reasons(replace(walk, contact=without))


def test_torques_and_forces_that_are_not_those_of_the_movement_are_called_so(walk):
    assert "file: torques in the file are 10 % off" in reasons(replace(walk, torque_nm=1.1 * walk.torque_nm))
    assert "file: ground forces in the file are" in reasons(replace(walk, ground_force_n=1.1 * walk.ground_force_n))


@pytest.mark.parametrize("factor", [1.0, 1.1])
def test_torques_without_forces_are_judged_while_one_foot_alone_touches(walk, heiman, factor):
    bare = replace(walk, torque_nm=factor * walk.torque_nm, ground_force_n=None, cop_in_world=None)
    found = audited(heiman, bare)
    assert (found.force_disagreement, found.landings.unjudged) == (None, ())
    assert found.torque_disagreement == pytest.approx(factor - 1.0, abs=0.015)
    assert check(bare).verdict == ("ok" if factor == 1.0 else "refused")


def test_torques_that_nothing_can_judge_are_called_so(walk, heiman):
    both = walk.contact[:, :3].any(axis=1) & walk.contact[:, 3:].any(axis=1)
    first = int(np.flatnonzero(both)[0])
    rows = slice(first, first + int(np.argmin(both[first:])))
    parts = {name: getattr(walk, name)[rows] for name in ("time_s", "qpos", "contact", "torque_nm")}
    receipt = check(replace(walk, **parts, ground_force_n=None, cop_in_world=None))
    assert receipt.soundness["torque_disagreement"] is None
    assert "Not judged: the torques in the file" in " ".join(measured_sentences(receipt))


def test_what_lies_between_landings_that_are_too_near_is_said_to_be_unjudged(walk):
    contact = walk.contact.copy()
    heel = walk.foot_names.index("HeelLeft")
    lands = int(np.flatnonzero(contact[1:, heel] & ~contact[:-1, heel])[0]) + 1
    contact[lands - 2, heel] = True  # lands, lifts and lands again within two samples
    receipt = check(replace(walk, contact=contact))
    share = 2.0 / len(walk.time_s)
    assert receipt.soundness["unjudged"].startswith(f"{100.0 * share:.1f} % of the samples and 2 landings")
    assert "Not judged: " in " ".join(measured_sentences(receipt))


def test_a_walk_backwards_in_time_does_not_have_the_torques_that_it_says(walk):
    """Between landings mechanics run both ways; what landings do does not."""
    names = ("qpos", "contact", "torque_nm", "ground_force_n", "cop_in_world")
    assert "file: torques" in reasons(replace(walk, **{name: getattr(walk, name)[::-1] for name in names}))


def test_slipping_is_distinguished_from_falling(walk, heiman):
    slippery = replace(heiman, friction=0.1)
    said = " | ".join(map(str, check(walk, slippery).reasons))
    assert "without more friction" in said
    assert "outside what touches" not in said


def test_at_a_landing_what_touches_before_or_after_pushes(walk, heiman):
    """An impact needs the foot that lands as much as the one that carries: together they explain all of it."""
    landings = audited(heiman, walk).landings
    assert landings.landing_unexplained_n.max() < 1.0
    assert np.abs(landings.landing_torque_nm).max() > 1.0
    lands = (walk.contact[1:] & ~walk.contact[:-1]).any(axis=1)
    assert not landings.landing_torque_nm[1:][~lands].any()


def test_a_walk_with_too_few_samples_cannot_be_judged(gait):
    with pytest.raises(BadMotionError, match=r"the velocity is unknown.*Sample the walk more often"):
        check(gait.motion(steps=2, rate_hz=25.0))


def test_the_ground_carries_a_standing_body_and_cannot_pull(heiman):
    points = [contact_points(heiman)[name] for name in heiman.foot_names]
    qpos = np.zeros((1, 35))
    qpos[0, 2] = heiman.subject.standing_pelvis_height_m
    qpos[0, 3] = 1.0
    still = np.zeros((1, 34))
    falling = np.zeros((1, 34))
    falling[0, 2] = -20.0
    touches = np.ones((1, 6), dtype=bool)
    standing = fit_contact_forces(
        heiman, contact_demand(heiman.model, points, qpos, still, still), touches, friction=0.8
    )
    assert_allclose(standing.force_n.sum(axis=1)[0], [0.0, 0.0, WEIGHT_N], atol=1.0)
    assert_allclose(standing.rest, 0.0, atol=1e-2)
    pulled = fit_contact_forces(
        heiman, contact_demand(heiman.model, points, qpos, still, falling), touches, friction=0.8
    )
    assert (pulled.force_n[..., 2] >= 0.0).all()
    assert_allclose(pulled.rest[0, 2], 75.0 * (9.81 - 20.0), rtol=1e-3)
