"""Parts of the audit of walks with landings: pieces, pressure, jolts and what a file says, on bodies that stand."""

from types import SimpleNamespace

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.draft import Draft
from strut.engines.inverse_dynamics import ContactDemand, contact_demand
from strut.errors import BadMotionError
from strut.human.table import human_gait
from strut.kinematics.contact_set import contact_points
from strut.maths.rotation import qpos_from_angles
from strut.models.catalogue import load_robot
from strut.verify.contact_force_fit import LEVER_M, ContactForceFit
from strut.verify.landing_audit import (
    _at,
    _cop_and_margin,
    _disagreement,
    _joint_speeds,
    _over_landings,
    _size,
    _sprung,
    _unjudged,
    landing_audit,
    mean_size,
)
from strut.verify.landing_pieces import DEGREE, FEWEST, landing_pieces

HEIMAN = load_robot("heiman")
POINTS = [contact_points(HEIMAN)[name] for name in HEIMAN.foot_names]
JOINTS = len(HEIMAN.joint_names)
WEIGHT_N = HEIMAN.mass_kg * 9.81


def draft_of(samples, step_s=0.01, **changes):
    """Return a draft of a body that stands."""
    plain = {
        "time_s": step_s * np.arange(samples),
        "qpos": np.tile(HEIMAN.standing_qpos, (samples, 1)),
        "contact": np.ones((samples, 6), dtype=bool),
    }
    return Draft(HEIMAN, style=None, **plain | changes)


def com_from_base_m(qpos):
    """Return where the centre of mass is, as MuJoCo has it, from the base, in world axes."""
    data = mujoco.MjData(HEIMAN.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(HEIMAN.model, data)
    mujoco.mj_comPos(HEIMAN.model, data)
    return data.subtree_com[0] - qpos[:3]


# pieces


def landing_at(samples, *lands):
    contact = np.zeros((samples, len(lands)), dtype=bool)
    for column, first in enumerate(lands):
        contact[first:, column] = True
    return contact


def test_a_piece_has_as_many_samples_as_a_curve_needs_and_is_stiffer_with_few():
    samples = 2 * FEWEST + 2 * DEGREE
    cuts = (FEWEST, 2 * FEWEST - 1, 2 * FEWEST - 1 + DEGREE)  # pieces of FEWEST, FEWEST - 1, DEGREE and DEGREE + 1
    motion = draft_of(samples)
    pieces = landing_pieces(motion.time_s, motion.qpos, landing_at(samples, *cuts))
    assert [(piece.first, piece.stop) for piece in pieces] == [(0, cuts[0]), (cuts[1], cuts[2]), (cuts[2], samples)]
    assert [piece.curve.k for piece in pieces] == [3, 3, DEGREE]


def test_curves_have_the_velocities_and_accelerations_of_what_they_go_through():
    time_s = 0.01 * np.arange(30)
    q = np.zeros((30, 6 + JOINTS))
    q[:, 0] = 1.5 * time_s
    q[:, 2] = 1.0 - 0.5 * 9.81 * time_s**2
    q[:, 5] = 3.0 + 0.8 * time_s
    q[:, 9] = 2.0 * time_s**2  # the heading passes half a turn
    (piece,) = landing_pieces(time_s, qpos_from_angles(q), np.ones((30, 1), dtype=bool))
    assert piece.rows == slice(0, 30)
    speed = piece.velocity(time_s)
    rate = piece.acceleration(time_s[1:-1])
    assert_allclose(
        speed[:, [0, 2, 5]], np.column_stack([0 * time_s + 1.5, -9.81 * time_s, 0 * time_s + 0.8]), atol=1e-6
    )
    assert_allclose(speed[:, 9], 4.0 * time_s, atol=1e-6)
    assert_allclose(rate[:, [0, 2, 5, 9]], np.tile([0.0, -9.81, 0.0, 4.0], (28, 1)), atol=1e-3)


def test_at_both_ends_of_a_piece_speeds_are_those_of_the_nearest_interval():
    angles = np.array([0.0, 1.0, 3.0, 6.0, 10.0, 20.0, 21.0])[:, None]
    pieces = [SimpleNamespace(first=0, stop=4), SimpleNamespace(first=4, stop=7)]
    found = _joint_speeds(0.1 * np.arange(7), angles, pieces, np.full((7, 1), -5.0))
    assert_allclose(found[:, 0], [10.0, -5.0, -5.0, 30.0, 100.0, -5.0, 10.0])


# centre of pressure


@pytest.mark.parametrize(("heading", "lean"), [(0.0, 0.0), (1.1, 0.0), (-2.0, 0.05)])
def test_the_pressure_of_who_stands_is_under_the_centre_of_mass_whichever_way_it_faces(heading, lean):
    qpos = np.array(HEIMAN.standing_qpos)
    qpos[:2] = 0.7, -0.4
    qpos[3:7] = Rotation.from_euler("ZY", [heading, lean]).as_quat(scalar_first=True)
    still = np.zeros((2, 6 + JOINTS))
    demand = contact_demand(HEIMAN.model, POINTS, np.tile(qpos, (2, 1)), still, still)
    cop, margin = _cop_and_margin(np.tile(qpos, (2, 1)), np.ones((2, 6), dtype=bool), demand)
    under = (qpos[:3] + com_from_base_m(qpos))[:2]
    assert_allclose(cop, [under, under], atol=1e-9)
    soles = demand.place_in_world[0, :, :2]
    turned = (soles - under) @ np.array([[np.cos(heading), -np.sin(heading)], [np.sin(heading), np.cos(heading)]])
    assert margin[0] <= np.abs(turned[:, 1]).max()  # no farther inside than the feet are apart
    assert margin[0] > 0.03


# landings


@pytest.mark.parametrize("first", [0.2, 3.0])  # past half a turn, too
def test_over_a_landing_the_ground_stops_the_fall_and_carries_a_spin_at_its_middle(first):
    """Heavier by what stops the fall, and pulled in as a body that turns about an axis beside its mass is."""
    spin = 3.0
    lapse_s = 0.1
    fall_m_s = 0.4
    headings = np.array([first, first + spin * lapse_s])
    qpos = np.tile(HEIMAN.standing_qpos, (2, 1))
    qpos[:, 7 + HEIMAN.joint_names.index("Lumbar_RY")] = 0.2  # it bows
    qpos[:, 3:7] = Rotation.from_euler("z", headings[:, None]).as_quat(scalar_first=True)
    contact = np.zeros((2, 6), dtype=bool)
    contact[0, :3] = contact[1, 3:] = True  # one foot leaves as the other lands: over the landing both push
    qvel = np.zeros((2, 6 + JOINTS))
    qvel[:, 5] = spin
    qvel[0, 2] = -fall_m_s
    draft = draft_of(2, lapse_s, qpos=qpos, contact=contact)
    found = _over_landings(draft, POINTS, qvel, np.array([1]))
    middle = qpos[0].copy()
    middle[3:7] = Rotation.from_euler("z", headings.mean()).as_quat(scalar_first=True)
    off_m = com_from_base_m(middle) * [1.0, 1.0, 0.0]
    assert np.linalg.norm(off_m) > 0.02
    pushed = HEIMAN.mass_kg * (np.array([0.0, 0.0, 9.81 + fall_m_s / lapse_s]) - spin**2 * off_m)
    assert_allclose(found.force_n[0].sum(axis=0), pushed, atol=0.02)
    assert_allclose(found.rest, 0.0, atol=0.02)
    assert found.force_n[0, :3, 2].sum() > 50.0
    assert found.force_n[0, 3:, 2].sum() > 50.0


def test_values_at_some_samples_are_nothing_at_the_others():
    assert _at(np.array([1, 3]), np.array([5.0, 7.0]), 5).tolist() == [0.0, 5.0, 0.0, 7.0, 0.0]
    assert _at(np.array([0]), np.ones((1, 2)), 2).tolist() == [[1.0, 1.0], [0.0, 0.0]]


def test_moments_count_as_forces_at_a_lever():
    rest = np.array([[3.0, 0.0, 4.0, 0.0, 12.0 * LEVER_M, 0.0]])
    assert _size(rest).tolist() == [pytest.approx(13.0)]
    assert mean_size(np.array([[3.0, 4.0], [0.0, 0.0]])) == pytest.approx(2.5)


# what a file says of itself


def disagreement(samples=12, **changes):
    """Return forces and torques against a movement that needs 1 N m of each joint and 5 N where told."""
    told = {
        "needed_n": np.zeros(samples),
        "torque_nm": np.ones((samples, JOINTS)),
        "claimed": True,
        "meta": {},
    } | changes
    force = np.concatenate([np.zeros((samples, 6)), np.ones((samples, JOINTS))], axis=1)
    force[:, 0] = 0.6 * told["needed_n"]
    force[:, 1] = 0.8 * told["needed_n"]
    jacobian = np.zeros((samples, 6, 3, 6 + JOINTS))
    nothing = np.zeros((samples, 6, 3))
    contact = told.get("contact", np.ones((samples, 6), dtype=bool))
    draft = draft_of(
        samples,
        contact=contact,
        torque_nm=told["torque_nm"],
        ground_force_n=nothing if told["claimed"] else None,
        meta=told["meta"],
    )
    fit = ContactForceFit(nothing, np.zeros((samples, JOINTS)), np.zeros((samples, 6)))
    pieces = [SimpleNamespace(first=0, stop=5), SimpleNamespace(first=5, stop=samples)]
    return _disagreement(draft, ContactDemand(force, nothing, jacobian), fit, pieces)


def test_forces_of_a_file_are_judged_away_from_the_ends_of_pieces():
    inside = [2, 7, 8, 9]
    for sample in range(12):
        needed_n = np.zeros(12)
        needed_n[sample] = 40.0
        force, torque = disagreement(needed_n=needed_n)
        assert force == pytest.approx(40.0 / np.sqrt(len(inside)) / WEIGHT_N if sample in inside else 0.0)
        assert torque == 0.0


def test_torques_of_a_file_are_judged_of_the_torques_and_not_where_springs_are():
    assert disagreement(torque_nm=np.full((12, JOINTS), 1.25))[1] == pytest.approx(0.25)
    assert disagreement(torque_nm=None) == (0.0, None)
    sprung = np.array([name in _sprung(draft_of(2, meta={"asked": {"springs": True}})) for name in HEIMAN.joint_names])
    assert 0 < sprung.sum() < JOINTS
    off = np.where(sprung, 9.0, 1.1) * np.ones((12, 1))
    assert disagreement(torque_nm=off, meta={"asked": {"springs": True}})[1] == pytest.approx(0.1)
    assert disagreement(torque_nm=off)[1] > 1.0


def test_without_forces_torques_are_judged_on_one_foot_alone():
    both = np.ones((12, 6), dtype=bool)
    one = np.ones((12, 6), dtype=bool)
    one[7, :3] = False
    torque_nm = np.ones((12, JOINTS))
    torque_nm[7] = 1.5
    assert disagreement(claimed=False, contact=both, torque_nm=torque_nm) == (None, None)
    assert disagreement(claimed=False, contact=one, torque_nm=torque_nm) == (None, pytest.approx(0.5))


def test_springs_are_on_both_sides_and_only_by_the_drafts_own_word():
    names = _sprung(draft_of(2, meta={"asked": {"springs": True}}))
    own = {name.replace("Right", "").replace("Left", "") for name in names}
    assert own <= set(human_gait(HEIMAN).springs.joints)
    assert all(name.replace("Right", "Left") in names for name in names)
    assert all(name.replace("Left", "Right") in names for name in names)
    for meta in ({}, {"asked": {}}, {"asked": {"springs": 1}}, {"asked": "springs"}):
        assert _sprung(draft_of(2, meta=meta)) == ()


def test_torques_that_nothing_judges_are_told_and_nothing_else_is():
    known = np.ones(3, dtype=bool)
    none = np.array([], dtype=int)
    bare = draft_of(3)
    driven = draft_of(3, torque_nm=np.zeros((3, JOINTS)))
    assert _unjudged(bare, known, none, None) == ()
    assert _unjudged(driven, known, none, 0.1) == ()
    assert "the torques in the file" in _unjudged(driven, known, none, None)[0]


# the whole, of who stands still

BOWED = np.array(HEIMAN.standing_qpos)
BOWED[7 + HEIMAN.joint_names.index("Lumbar_RY")] = 0.1


def landing_twice(samples):
    """Return a bow, held still, in the middle of which the big toes are said to land three samples apart."""
    contact = np.ones((samples, 6), dtype=bool)
    middle = samples // 2
    contact[middle - 4 : middle, 1] = contact[middle - 1 : middle + 3, 4] = False
    return draft_of(samples, contact=contact, qpos=np.tile(BOWED, (samples, 1))), middle


def test_who_stands_still_needs_its_weight_and_nothing_else():
    draft, middle = landing_twice(60)
    found = landing_audit(draft)
    known = np.ones(60, dtype=bool)
    known[middle : middle + 3] = False
    assert_allclose(found.ground_force_n[known].sum(axis=1), np.tile([0.0, 0.0, WEIGHT_N], (57, 1)), atol=0.5)
    assert_allclose(found.landings.unexplained_n, 0.0, atol=0.5)
    assert_allclose(found.landings.gripped_n, 0.0, atol=0.5)
    assert_allclose(found.landings.landing_unexplained_n, 0.0, atol=0.5)
    assert_allclose(found.joint_speed_rad_s, 0.0, atol=1e-6)
    assert_allclose(found.slip_m, 0.0, atol=1e-12)
    assert_allclose(found.foot_height_m, found.foot_top_m)
    angles = BOWED[7:]
    room = np.minimum(angles - HEIMAN.joint_lower_rad, HEIMAN.joint_upper_rad - angles)
    assert_allclose(found.joint_limit_margin_rad, np.tile(room, (60, 1)))
    under = (BOWED[:3] + com_from_base_m(BOWED))[:2]
    assert_allclose(found.cop_in_world[known], np.tile(under, (57, 1)), atol=1e-6)
    assert (found.margin_m[known] > 0.01).all()
    assert found.landings.unjudged[0].startswith("5.0 % of the samples and 2 landings")


def test_what_is_not_known_is_nothing_and_does_not_leave_its_place():
    """Three samples of five: the median there is of what is not known."""
    draft, middle = landing_twice(60)
    found = landing_audit(draft)
    away = found.torque_nm[middle + 20]
    alike = np.abs(away) > 0.5
    assert alike.any()
    assert_allclose(found.torque_nm[middle + 1, alike], 0.0, atol=1e-12)
    assert np.isposinf(found.margin_m[middle + 1])
    assert found.landings.unexplained_n[middle + 1] == found.landings.gripped_n[middle + 1] == 0.0


@pytest.mark.parametrize(("samples", "enough"), [(29, False), (31, True)])
def test_nine_tenths_of_the_samples_must_be_known(samples, enough):
    draft, _ = landing_twice(samples)
    if enough:
        assert landing_audit(draft).landings is not None
    else:
        with pytest.raises(BadMotionError, match="10 % of the samples the velocity is unknown"):
            landing_audit(draft)
