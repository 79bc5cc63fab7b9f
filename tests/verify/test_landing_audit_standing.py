"""The landing audit of bodies that stand, bow, turn or land, against statics and Newton's laws."""

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.draft import Draft
from strut.engines.rigid_body import foot_contact_points
from strut.errors import BadMotionError
from strut.human.table import human_gait
from strut.kinematics.contact_set import contact_points
from strut.models.catalogue import load_robot
from strut.verify.landing_audit import landing_audit

HEIMAN = load_robot("heiman")
JOINTS = len(HEIMAN.joint_names)
POINTS = len(HEIMAN.foot_names)
WEIGHT_N = HEIMAN.mass_kg * 9.81
RIGHT = [index for index, name in enumerate(HEIMAN.foot_names) if name.endswith("Right")]
LEFT = [index for index, name in enumerate(HEIMAN.foot_names) if name.endswith("Left")]
BOWED = np.array(HEIMAN.standing_qpos)
BOWED[7 + HEIMAN.joint_names.index("Lumbar_RY")] = 0.1


def draft_of(samples, step_s=0.01, **changes):
    """Return a draft of a body that stands."""
    plain = {
        "time_s": step_s * np.arange(samples),
        "qpos": np.tile(HEIMAN.standing_qpos, (samples, 1)),
        "contact": np.ones((samples, POINTS), dtype=bool),
    }
    return Draft(HEIMAN, style=None, **plain | changes)


def mujoco_data(qpos):
    data = mujoco.MjData(HEIMAN.model)
    data.qpos[:] = qpos
    mujoco.mj_forward(HEIMAN.model, data)
    return data


def com_from_base_m(qpos):
    """Return the vector from the base to the centre of mass in world, from MuJoCo."""
    return mujoco_data(qpos).subtree_com[0] - qpos[:3]


def landing_twice(samples, apart=3, step_s=0.01, start_s=0.0):
    """Return a bow, held still, with two landings in its middle, a few samples apart."""
    contact = np.ones((samples, POINTS), dtype=bool)
    middle = samples // 2
    contact[middle - 4 : middle, 1] = contact[middle - 1 : middle + apart, 4] = False
    draft = draft_of(
        samples, contact=contact, qpos=np.tile(BOWED, (samples, 1)), time_s=start_s + step_s * np.arange(samples)
    )
    return draft, middle


def test_standing_still_needs_the_weight_alone():
    draft, middle = landing_twice(60)
    audit = landing_audit(draft)
    known = np.ones(60, dtype=bool)
    known[middle : middle + 3] = False
    assert_allclose(audit.ground_force_n[known].sum(axis=1), np.tile([0.0, 0.0, WEIGHT_N], (57, 1)), atol=0.5)
    assert_allclose(audit.landings.unexplained_n, 0.0, atol=0.5)
    assert_allclose(audit.landings.gripped_n, 0.0, atol=0.5)
    assert_allclose(audit.landings.landing_unexplained_n, 0.0, atol=0.5)
    assert_allclose(audit.joint_speed_rad_s, 0.0, atol=1e-6)
    assert_allclose(audit.slip_m, 0.0, atol=1e-12)
    assert_allclose(audit.foot_height_m, audit.foot_top_m)
    angles = BOWED[7:]
    margin = np.minimum(angles - HEIMAN.joint_lower_rad, HEIMAN.joint_upper_rad - angles)
    assert_allclose(audit.joint_limit_margin_rad, np.tile(margin, (60, 1)))
    below_com = (BOWED[:3] + com_from_base_m(BOWED))[:2]
    assert_allclose(audit.cop_in_world[known], np.tile(below_com, (57, 1)), atol=1e-6)
    assert (audit.margin_m[known] > 0.01).all()
    assert audit.landings.unjudged[0].startswith("5.0 % of the samples and 2 landings")


def test_one_landing_without_enough_samples_is_counted_in_the_singular():
    contact = np.ones((60, POINTS), dtype=bool)
    contact[50:58, 1] = False  # lands two samples before the end
    (reason,) = landing_audit(draft_of(60, contact=contact)).landings.unjudged
    assert reason.startswith("3.3 % of the samples and 1 landing, where")


@pytest.mark.parametrize(("samples", "enough"), [(29, False), (31, True)])
def test_nine_tenths_of_the_samples_must_be_known(samples, enough):
    draft, _ = landing_twice(samples)
    if enough:
        assert landing_audit(draft).landings is not None
    else:
        with pytest.raises(BadMotionError, match="10 % of the samples the velocity is unknown"):
            landing_audit(draft)


@pytest.mark.parametrize("start_s", [0.0, 5.0])
@pytest.mark.parametrize(("rate_hz", "unknown", "blank"), [(20.0, 2, True), (100.0, 2, False), (100.0, 3, True),
                                                          (200.0, 3, False)])  # fmt: skip
def test_figures_are_medians_over_a_twentieth_of_a_second(rate_hz, unknown, blank, start_s):
    """Unknown samples count only where they are most of the 3 samples at 20 Hz, 5 at 100 Hz or 11 at 200 Hz."""
    draft, middle = landing_twice(60, unknown, 1.0 / rate_hz, start_s)
    audit = landing_audit(draft)
    sample = middle + unknown // 2
    lumbar_nm = audit.torque_nm[:, HEIMAN.joint_names.index("Lumbar_RY")]
    assert abs(lumbar_nm[middle + 20]) > 5.0
    assert lumbar_nm[sample] == pytest.approx(0.0 if blank else lumbar_nm[middle + 20], abs=1e-3)
    assert np.isposinf(audit.margin_m[sample]) == blank
    assert audit.landings.unexplained_n[sample] < 0.5
    if blank:
        assert audit.landings.unexplained_n[sample] == audit.landings.gripped_n[sample] == 0.0


@pytest.mark.parametrize(("heading", "lean"), [(0.0, 0.0), (1.1, 0.0), (-2.0, 0.05)])
def test_the_centre_of_pressure_of_a_standing_body_is_below_its_centre_of_mass(heading, lean):
    qpos = np.array(HEIMAN.standing_qpos)
    qpos[:2] = 0.7, -0.4
    qpos[3:7] = Rotation.from_euler("ZY", [heading, lean]).as_quat(scalar_first=True)
    audit = landing_audit(draft_of(8, qpos=np.tile(qpos, (8, 1))))
    below_com = (qpos[:3] + com_from_base_m(qpos))[:2]
    assert_allclose(audit.cop_in_world, np.tile(below_com, (8, 1)), atol=1e-6)
    soles = foot_contact_points(HEIMAN, qpos[None])[0, :, :2]
    across = (soles - below_com) @ [-np.sin(heading), np.cos(heading)]
    assert (audit.margin_m <= np.abs(across).max()).all()  # no farther inside than the feet are apart
    assert (audit.margin_m > 0.03).all()


def test_slip_counts_movement_along_the_ground_and_not_upwards():
    qpos = np.tile(HEIMAN.standing_qpos, (20, 1))
    qpos[:, 2] += np.linspace(0.0, 0.0029, 20)
    assert_allclose(landing_audit(draft_of(20, qpos=qpos)).slip_m, 0.0, atol=1e-12)
    qpos[:, 1] += np.linspace(0.0, 0.03, 20)
    assert_allclose(landing_audit(draft_of(20, qpos=qpos)).slip_m[-1], 0.03, atol=1e-12)
    qpos[:, 2] += 0.0029
    assert_allclose(landing_audit(draft_of(20, qpos=qpos)).slip_m[-1], 0.0)  # in the air, whatever the flags say


def test_joint_speeds_at_both_ends_of_a_piece_are_those_of_the_nearest_interval():
    """In between they are those of the curve: 2 a t of an angle a t²."""
    draft = draft_of(20)
    draft.qpos[:, 7] += 4.0 * draft.time_s**2
    draft.contact[5:10, 1] = False  # lands at sample 10
    speed = landing_audit(draft).joint_speed_rad_s
    expected = 8.0 * draft.time_s
    between = np.diff(draft.qpos[:, 7]) / 0.01
    for sample, interval in ((0, 0), (9, 8), (10, 10), (19, 18)):
        expected[sample] = between[interval]
    assert_allclose(speed[:, 0], expected, atol=1e-6)
    assert_allclose(speed[:, 1:], 0.0, atol=1e-6)


# landings


def landing(speed_change_m_s, heading=0.0, spin_rad_s=0.0):
    """Return a body that turns and whose velocity jumps by a vector as one foot lands and the other one lifts.

    Its heading at the landing, between samples 9 and 10, is as given.
    """
    time_s = 0.01 * np.arange(20)
    since_s = time_s - 0.095
    turn = Rotation.from_euler("z", heading)
    qpos = np.tile(BOWED, (20, 1))
    moved = np.outer(np.maximum(since_s, 0.0), speed_change_m_s)
    qpos[:, :3] = turn.apply(qpos[:, :3] + moved)
    qpos[:, 3:7] = Rotation.from_euler("z", heading + spin_rad_s * since_s[:, None]).as_quat(scalar_first=True)
    contact = np.zeros((20, POINTS), dtype=bool)
    contact[:10, RIGHT] = True
    contact[10:, LEFT] = True
    return landing_audit(draft_of(20, qpos=qpos, contact=contact)).landings


def test_the_ground_can_stop_a_fall_at_a_landing_but_cannot_pull():
    """A velocity that changes by v in 0.01 s needs m (g + v / 0.01 s): upwards the ground can, downwards it cannot."""
    assert landing([0.0, 0.0, 0.04]).landing_unexplained_n.max() < 0.5
    pulled = landing([0.0, 0.0, -0.3]).landing_unexplained_n
    needed_n = HEIMAN.mass_kg * (0.3 / 0.01 - 9.81)
    assert pulled[10] > 0.999 * needed_n
    assert not np.delete(pulled, 10).any()


def test_a_landing_is_judged_alike_in_every_direction():
    """Also where the heading passes from π to -π between the two samples of the landing."""
    expected = landing([0.02, 0.01, 0.05], spin_rad_s=3.0)
    assert np.abs(expected.landing_torque_nm[10]).max() > 10.0
    for heading in (1.0, np.pi):
        turned = landing([0.02, 0.01, 0.05], heading, spin_rad_s=3.0)
        assert_allclose(turned.landing_torque_nm, expected.landing_torque_nm, atol=0.05)
        assert_allclose(turned.landing_unexplained_n, expected.landing_unexplained_n, atol=0.05)


# forces and torques of the file


def standing_torques(force_n):
    """Return the joint torques of the standing body under forces at its contact points, from MuJoCo. Shape (n, 3)."""
    data = mujoco_data(HEIMAN.standing_qpos)
    jacobian = np.zeros((3, HEIMAN.model.nv))
    torque_nm = data.qfrc_bias.copy()
    points_m = foot_contact_points(HEIMAN, HEIMAN.standing_qpos[None])[0]
    for name, place_m, push_n in zip(HEIMAN.foot_names, points_m, force_n, strict=True):
        body = HEIMAN.model.body(contact_points(HEIMAN)[name].body).id
        mujoco.mj_jac(HEIMAN.model, data, jacobian, None, place_m, body)
        torque_nm -= jacobian.T @ push_n
    return torque_nm[6:]


FORCE_N = np.tile([0.0, 0.0, WEIGHT_N / POINTS], (POINTS, 1))
TORQUE_NM = standing_torques(FORCE_N)


def disagreement(torque_nm=TORQUE_NM, aside_n=0.0, meta=None, contact=None):
    """Return the disagreement of forces and torques of a file: 12 samples, a landing at sample 5."""
    touches = np.ones((12, POINTS), dtype=bool)
    touches[3:5, 1] = False
    force_n = np.tile(FORCE_N, (12, 1, 1))
    force_n[:, 0, 0] += 0.6 * aside_n
    force_n[:, 0, 1] += 0.8 * aside_n
    audit = landing_audit(
        draft_of(
            12,
            contact=touches if contact is None else contact,
            torque_nm=None if torque_nm is None else np.broadcast_to(torque_nm, (12, JOINTS)),
            ground_force_n=force_n if contact is None else None,
            meta=meta or {},
        )
    )
    return audit.force_disagreement, audit.torque_disagreement


def test_forces_of_a_file_are_judged_away_from_the_ends_of_pieces():
    inside = [2, 7, 8, 9]
    for sample in range(12):
        aside_n = np.where(np.arange(12) == sample, 40.0, 0.0)
        force, torque = disagreement(aside_n=aside_n, torque_nm=None)
        assert torque is None
        assert force == pytest.approx(40.0 / np.sqrt(len(inside)) / WEIGHT_N if sample in inside else 0.0, abs=1e-6)


def test_torques_of_a_file_are_judged_by_their_relative_error():
    assert disagreement() == pytest.approx((0.0, 0.0), abs=1e-4)
    assert disagreement(1.25 * TORQUE_NM)[1] == pytest.approx(0.25, abs=1e-4)


def test_joints_with_springs_are_left_out_if_the_file_says_that_it_was_planned_with_springs():
    table = human_gait(HEIMAN).springs.joints
    sprung = np.array([name.replace("Right", "").replace("Left", "") in table for name in HEIMAN.joint_names])
    assert 0 < sprung.sum() < JOINTS
    off = np.where(sprung, TORQUE_NM + 300.0, TORQUE_NM)
    assert disagreement(off, meta={"asked": {"springs": True}})[1] == pytest.approx(0.0, abs=1e-4)
    for meta in ({}, {"asked": {}}, {"asked": {"springs": 1}}, {"asked": "springs"}):
        assert disagreement(off, meta=meta)[1] > 1.0


def test_without_forces_torques_are_judged_on_one_foot_alone():
    """Heel and ball of one foot are one foot; how two feet share a load does not follow from the movement."""
    both = np.zeros((12, POINTS), dtype=bool)
    both[:, RIGHT] = True
    both[:, LEFT[0]] = True
    assert disagreement(contact=both) == (None, None)
    one = both.copy()
    one[6:, LEFT[0]] = False
    needed_nm = landing_audit(draft_of(12, contact=one)).torque_nm[8]
    torque_nm = np.tile(1.25 * needed_nm, (12, 1))
    torque_nm[:6] = 500.0
    force, torque = disagreement(torque_nm, contact=one)
    assert force is None
    assert torque == pytest.approx(0.25, abs=1e-4)
