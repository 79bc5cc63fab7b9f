"""A gait in numbers, by hand: its speed, its work, its receipt, its steps, and where the ground pushes."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.human.anatomy import other_side
from strut.human.gait import centre_of_pressure, unfinished, work_j
from strut.human.transitions.turning_problem import turned_configuration
from strut.human.transitions.walk_pieces import WalkPiece, mirrored_step, placements, sample_walk, worst_seam
from strut.human.walking_direction import WalkingDirection
from strut.kinematics.contact_set import contact_set
from strut.kinematics.mirror import mirror_of
from strut.maths.rotation import qpos_from_angles
from strut.ocp.collocation import Solution
from strut.ocp.problem import ContactPhase
from tests.human.hand_made_gait import even_step, gait_of

GRAVITY = 9.81


@pytest.fixture(scope="module")
def path(drawn_step):
    """A step whose only work is of two joints: 2 N m at 3 rad/s, and 5 N m at -1 rad/s once the left heel is down."""
    u = np.zeros_like(drawn_step.u)
    v = np.zeros_like(drawn_step.v)
    u[:, 3] = 2.0
    v[:, 9] = 3.0
    landed = drawn_step.phase_of >= 2
    u[landed, 10] = 5.0
    v[landed, 16] = -1.0
    return replace(drawn_step, u=u, v=v)


@pytest.fixture(scope="module")
def hand_made(heiman, path):
    return gait_of(heiman, path)


def test_work_counts_braking_as_much_as_driving_and_nothing_between_two_phases(path):
    total_s = path.time_s[-1]
    late_s = path.duration_s[2:].sum()
    assert work_j(path) == pytest.approx(2.0 * 3.0 * total_s + 5.0 * 1.0 * late_s)


def test_speed_length_and_cost_of_transport_are_of_the_pelvis(heiman, hand_made, path):
    assert hand_made.step_length_m == pytest.approx(path.parameter["step_length_m"])
    assert hand_made.speed_m_s == pytest.approx(1.3)
    weight_n = heiman.mass_kg * GRAVITY
    assert hand_made.cost_of_transport() == pytest.approx(work_j(path) / (weight_n * path.parameter["step_length_m"]))


def test_a_receipt_text_has_millimetres_shares_and_the_computation_time(heiman, hand_made):
    receipt = hand_made.receipt(emotion="happy", intensity_kept=0.5)
    assert (receipt.verdict, receipt.reasons) == ("ok", ())
    assert (receipt.foot_slip_mm, receipt.penetration_mm) == pytest.approx((0.5, 0.25))
    assert (receipt.joint_limit_margin_rad, receipt.joint_speed_use) == (0.125, 0.5)
    assert receipt.solve_s == 1.75
    limits = dict(zip(heiman.joint_names, heiman.torque_limit_nm, strict=True))
    assert receipt.torque_use == pytest.approx(max(2.0 / limits["KneeRight_RY"], 5.0 / limits["KneeLeft_RY"]))
    assert (receipt.emotion, receipt.pad, receipt.intensity_kept) == ("happy", None, 0.5)
    assert receipt.naturalness is None
    sliding = replace(hand_made, soundness=replace(hand_made.soundness, contact_drift_m=0.004, drifting="HeelLeft"))
    assert sliding.receipt().verdict == "refused"
    assert [str(reason) for reason in sliding.receipt().reasons] == [
        "HeelLeft slides 4.0 mm while it should hold still"
    ]


def test_steps_of_a_motion_alternate_with_their_mirror_image_each_a_step_ahead(heiman, hand_made, path, mirror):
    motion = hand_made.motion(steps=3, rate_hz=20.0)
    count = round(20.0 * path.time_s[-1])
    assert len(motion.time_s) == 3 * count
    assert_allclose(np.diff(motion.time_s), path.time_s[-1] / count)
    q, u, force, contact = path.sampled(motion.time_s[:count], heiman.foot_names)
    step_m = hand_made.step_length_m
    for number, image in enumerate((q, mirror.image(q), q)):
        part = slice(number * count, (number + 1) * count)
        assert_allclose(motion.qpos[part], qpos_from_angles(image) + number * step_m * np.eye(35)[0], atol=1e-9)
    assert_allclose(motion.torque_nm[:count], u)
    assert_allclose(motion.torque_nm[count : 2 * count, 10], 2.0)  # the other knee's
    assert_allclose(motion.ground_force_n[2 * count :], force)
    assert motion.contact[2 * count :].tolist() == contact.tolist()
    assert motion.receipt.duration_s == motion.time_s[-1]
    assert motion.receipt.distance_m == pytest.approx(np.hypot(*(motion.qpos[-1, :2] - motion.qpos[0, :2])))
    assert motion.meta["phase_durations_s"] == path.duration_s.tolist()
    coarse = hand_made.motion(steps=1, rate_hz=0.1)
    assert len(coarse.time_s) == 2  # fewer than two are no motion
    assert len(hand_made.motion(rate_hz=20.0).time_s) == 2 * count
    assert len(hand_made.motion().time_s) == 2 * round(100.0 * path.time_s[-1])


def test_the_ground_pushes_where_loads_balance_on_the_points_that_carry(heiman):
    q = np.zeros((2, 34))
    q[:, 2] = heiman.subject.standing_pelvis_height_m
    q[:, 0] = 0.4
    force = np.zeros((2, 6, 3))
    at = heiman.foot_names.index
    force[:, at("HeelRight"), 2] = 300.0
    force[:, at("HalluxRight"), 2] = 100.0
    force[1, at("HeelRight"), 2] = 200.0
    force[1, at("HeelLeft"), 2] = 200.0
    force[:, at("HalluxRight"), 0] = 50.0  # sideways pushes move nothing
    force[1, at("HalluxRight"), 2] = 0.0
    lengths = heiman.subject.lengths_m
    heel_x = -lengths["FootRightPosteriorPoint"]
    toe_x = lengths["FootRightForefootX"]
    found = centre_of_pressure(heiman, qpos_from_angles(q), force)
    assert found[0, 0] - found[1, 0] == pytest.approx(0.25 * (toe_x - heel_x))
    assert found[1, 1] == pytest.approx(0.0, abs=1e-9)  # midway between the heels
    assert found[1, 0] == pytest.approx(0.4 + heel_x, abs=1e-6)


def test_a_piece_that_begins_turned_joins_with_its_velocities_turned_likewise(heiman, path):
    rng = np.random.default_rng(2)
    v = rng.normal(size=34)
    first = replace(path, v=np.tile(v, (len(path.v), 1)))
    angle = 0.7
    c = np.cos(angle)
    s = np.sin(angle)
    turned_v = v.copy()
    turned_v[:2] = c * v[0] - s * v[1], s * v[0] + c * v[1]
    turned_v[[4, 3]] = c * v[4] - s * v[3], s * v[4] + c * v[3]  # rates about x and y, of a pelvis that is upright
    q = np.tile(turned_configuration(path.q[-1:], np.array([angle])), (len(path.q), 1))
    then = replace(path, q=q, v=np.tile(turned_v, (len(path.v), 1)), u=np.tile(path.u[-1], (len(path.u), 1)))
    pieces = [WalkPiece(first), WalkPiece(then)]
    put = placements(heiman, pieces)
    assert put[1].turn_rad == pytest.approx(-angle)
    seam = worst_seam(heiman, pieces)
    assert (seam.position, seam.velocity, seam.torque_nm) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    faster = replace(then, v=then.v + 0.01 * np.eye(34)[0])
    assert worst_seam(heiman, [pieces[0], WalkPiece(faster)]).velocity == pytest.approx(0.01 * max(c, s))
    higher = replace(then, q=then.q + 0.02 * np.eye(34)[2])
    assert worst_seam(heiman, [pieces[0], WalkPiece(higher)]).position == pytest.approx(0.02)


def test_velocities_of_a_mirrored_piece_are_those_of_the_mirrored_body(heiman, path, mirror):
    piece = WalkPiece(replace(path, v=np.random.default_rng(3).normal(size=path.v.shape)), mirrored=True)
    q, v, _ = piece.state(heiman, -1)
    step_s = 1e-6
    image = mirror.image(piece.path.q[-1])
    ahead = qpos_from_angles((image + step_s * mirror.image(piece.path.v[-1]))[None])[0]
    assert_allclose((ahead[:3] - q[:3]) / step_s, v[:3], atol=1e-5)
    w, x, y, z = q[3:7]
    body = np.array(
        [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]
    )  # the rate of a quaternion by a turn in its axes
    assert_allclose(2.0 * body.T @ (ahead[3:7] - q[3:7]) / step_s, v[3:6], atol=1e-4)
    assert_allclose(v[6:], mirror.image(piece.path.v[-1])[6:])


def test_the_mirror_image_of_a_step_stands_on_the_other_foot_pushed_to_the_other_side(heiman, path):
    names = path.problem.contact.row_names
    force = np.zeros_like(path.force_n)
    for axis, push in (("X", 10.0), ("Y", 20.0), ("Z", 700.0)):
        force[:, names.index(f"HeelRight {axis}")] = push
    sides = [other_side(phase.contact.name) for phase in path.problem.phases]
    both = path.problem.on_phases(tuple(ContactPhase(name, contact_set(heiman, name), 1, (0.1, 0.2)) for name in sides))
    rows = both.contact.row_names
    image = mirrored_step(heiman, replace(path, force_n=force), both)
    found = dict(zip(rows, image.force_n[0], strict=True))
    assert [found[f"HeelLeft {axis}"] for axis in "XYZ"] == [10.0, -20.0, 700.0]
    assert np.count_nonzero(image.force_n[0]) == 3
    assert image.impulse_n_s == {}
    assert image.problem is both
    assert_allclose(image.u, mirror_of(heiman, heiman.joint_names).image(path.u))


def test_samples_of_a_walk_end_with_its_last_whole_sample(heiman, path):
    pieces = [WalkPiece(path), WalkPiece(path, mirrored=True)]
    time_s, qpos, u, force, contact = sample_walk(heiman, pieces, 30.0)
    assert time_s[-1] <= 2.0 * path.time_s[-1] < time_s[-1] + 1.0 / 30.0
    assert_allclose(np.diff(time_s), 1.0 / 30.0)
    assert len(qpos) == len(u) == len(force) == len(contact) == len(time_s)
    assert contact[0].sum() == 3


def test_bands_judge_one_cycle_from_a_landing_of_the_right_heel_to_the_next(heiman, drawn_step, mirror):
    """Of steps of 0.7 m that all last the same: their length, and as many a minute."""
    path = even_step(drawn_step, mirror, 0.7)
    gait = gait_of(heiman, path)
    scores = gait.band_scores()
    assert scores["step_length_m"].value == pytest.approx(0.7, rel=2e-3)
    assert scores["cadence_per_min"].value == pytest.approx(60.0 / path.time_s[-1], rel=2e-3)
    turned = replace(gait, direction=WalkingDirection(1.1, 0.3)).band_scores()
    assert {name: one.value for name, one in turned.items()} == pytest.approx(
        {name: one.value for name, one in scores.items()}, abs=1e-6
    )


def test_an_iterate_of_a_solver_that_was_stopped_is_not_played(heiman, drawn_step):
    best = Solution(drawn_step, 1.5, {}, 0.1, "a row", False, "stopped", 7, 0.25, 1.5, np.zeros(1))
    gait = unfinished(heiman, best)
    assert gait.soundness.playback_error_rad is None
    assert gait.attempts == ("stopped after 7 iterations, cost 1.5000",)
    assert gait.receipt().reasons[0].text == "the solver was stopped before it had ended"


def test_a_walk_that_turns_past_facing_backwards_goes_on_turning(heiman, drawn_step, mirror):
    """Quaternions of its samples neither jump nor lose a sign, from 140 to 220 degrees."""
    path = even_step(drawn_step, mirror, 0.7)
    q = np.zeros_like(path.q)
    q[:, 5] = np.linspace(np.radians(140.0), np.radians(220.0), len(q))
    piece = WalkPiece(replace(path, q=q, v=np.zeros_like(q), a=np.zeros_like(q)))
    _, qpos, *_ = sample_walk(heiman, [piece], 200.0)
    heading = np.unwrap(2.0 * np.arctan2(qpos[:, 6], qpos[:, 3]))
    assert_allclose(np.linalg.norm(qpos[:, 3:7], axis=1), 1.0)
    assert np.abs(np.diff(qpos[:, 3:7], axis=0)).max() < 0.1
    assert heading[-1] - heading[0] == pytest.approx(np.radians(80.0), abs=0.05)
    assert qpos[-1, 3] * qpos[0, 3] < 0.0  # the same sign of the turn, on the other side of half a turn
