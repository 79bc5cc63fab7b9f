"""Windowed tracking: Algorithm 1 with its errata over all joints, at once and in pieces; behaviours 9 to 11."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.animation.animation_frames import FRAMES_PER_S, sample_keyframes
from strut.animation.animation_ik import planted_stance, solve_frames, stance_feet
from strut.engines.inverse_dynamics import inverse_dynamics
from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.ocp.reduced_model import ReducedModel, body_contacts
from strut.ocp.support_constraints import ReferenceMotion
from strut.ocp.windowed_tracking import LIMITS, track_motion
from strut.robot import BASE, ContactPoint
from tests.stories import dance

MARGIN_M = 0.014


def given_of(animation):
    robot = load_robot("cassie")
    stance = planted_stance(robot, animation)
    frames = sample_keyframes(animation, robot.foot_names, robot.joint_names)
    body = ReducedModel(robot)
    q = body.coordinates(solve_frames(stance, frames))
    return ReferenceMotion(body, 1.0 / FRAMES_PER_S, q, stance_feet(frames), frames.key, MARGIN_M)


@pytest.fixture(scope="module")
def given():
    return given_of(dance(beats=2, beat_s=0.24))


@pytest.fixture(scope="module")
def whole(given):
    return track_motion(given)


@pytest.fixture(scope="module")
def pieces(given):
    return track_motion(given, window_intervals=3)


@pytest.fixture(params=["whole", "pieces"])
def near(request):
    return request.getfixturevalue(request.param)


def test_every_frame_is_shown_once_with_a_time_scale_from_1_to_4(near):
    assert near.solved
    assert len(near.frame_time_s) == len(near.given.q)
    assert (np.diff(near.frame_time_s) > 0.039).all()
    assert near.stretch.min() >= 1.0 - 1e-6
    assert near.stretch.max() <= 4.0 + 1e-6
    assert near.stretch.max() > 1.1  # it is too fast as it is drawn
    assert sum(len(part.duration_s) for part in near.parts) == len(near.given.phases)


def test_pieces_join_exactly(pieces):
    assert len(pieces.parts) > 1
    for before, after in zip(pieces.parts[:-1], pieces.parts[1:], strict=True):
        assert_allclose(after.q[0], before.q[-1], atol=1e-6)
        assert_allclose(after.v[0], before.v[-1], atol=1e-5)


def test_pieces_find_nearly_what_the_whole_finds(whole, pieces):
    assert pieces.frame_time_s[-1] == pytest.approx(whole.frame_time_s[-1], rel=0.1)
    assert np.abs(pieces.at_frames() - whole.at_frames())[:, :3].max() < 0.02


def test_torques_speeds_ranges_friction_and_pressure_are_kept(near):
    body = near.given.body
    ranges, speed, torque = body.limits
    for part in near.parts:
        assert (np.abs(part.u) <= torque).all()
        assert (np.abs(part.v[:, BASE:]) <= speed).all()
        assert (part.q[:, BASE:] >= ranges[0]).all()
        assert (part.q[:, BASE:] <= ranges[1]).all()
        rows = part.problem.contact.rows
        for own in part.problem.contact.by_body.values():
            force = np.stack(
                [part.force_n[:, [rows.index(r) for r in own if r.axis == k]].sum(axis=1) for k in range(3)]
            )
            assert (force[2] >= -1e-3).all()
            assert (np.hypot(force[0], force[1]) <= body.robot.friction * force[2] + 1e-3).all()


def test_the_ground_forces_are_those_of_mujoco(near):
    """Its inverse dynamics of the sampled movement against the solver's contact forces."""
    body = near.given.body
    time_s = np.arange(0.0, near.frame_time_s[-1], 0.004)
    found = inverse_dynamics(body.robot, time_s, body.qpos(near.at(time_s)[0]))
    starts = 0.0
    forces = np.zeros((len(time_s), 3))
    for part in near.parts:
        inside = (time_s >= starts) & (time_s < starts + part.duration_s.sum())
        rows = part.at(time_s[inside] - starts)[2]
        for index, row in enumerate(part.problem.contact.rows):
            forces[inside, row.axis] += rows[:, index]
        starts += part.duration_s.sum()
    off = np.linalg.norm(forces - found.ground_force_n, axis=1)[5:-5]
    assert np.median(off) < 0.01 * body.robot.mass_kg * 9.81


def test_it_begins_and_ends_at_rest_with_its_feet_where_they_were_drawn(near):
    first = near.parts[0]
    last = near.parts[-1]
    assert_allclose(first.v[0], 0.0, atol=1e-6)
    assert_allclose(last.v[-1], 0.0, atol=2e-3)
    body = near.given.body
    points = [point for foot in body.robot.feet for point in foot.points]
    assert_allclose(body.places(points, near.at_frames()), body.places(points, near.given.q), atol=2e-3)


def test_keyframes_are_nearer_to_the_drawing_for_their_weight(whole, given, monkeypatch):
    monkeypatch.setattr("strut.ocp.motion_tracking_ocp.KEYFRAME", 1500.0)
    unweighted = track_motion(given)
    away = [np.linalg.norm((near.at_frames() - given.q)[given.key]) for near in (whole, unweighted)]
    assert away[0] < away[1]


def test_it_says_why_it_takes_longer(whole):
    slowest = int(np.argmax(whole.stretch))
    said = whole.reason(slowest)
    assert said.startswith("at the drawn speed ")
    assert any(sentence in said for sentence in LIMITS.values())


def test_coordinates_come_back_and_coupled_joints_follow():
    body = ReducedModel(load_robot("cassie"))
    assert body.tree.nv == 16
    q = np.random.default_rng(1).normal(scale=0.2, size=(4, 16))
    assert_allclose(body.coordinates(body.qpos(q)), q, atol=1e-12)
    names = list(body.robot.joint_names)
    qpos = body.qpos(q)[:, 7:]
    assert_allclose(qpos[:, names.index("left_shin")], 0.0, atol=1e-12)
    both = qpos[:, names.index("left_knee")] + qpos[:, names.index("left_ankle")]
    assert_allclose(both, np.radians(13.0), atol=1e-4)


@pytest.mark.parametrize(
    ("places", "rows", "may_pull"),
    [
        ([(0.0, 0.0)], "XYZ", 0),
        ([(0.1, 0.0), (-0.1, 0.0)], "XYZYZ", 0),  # along x the second point cannot repeat X
        ([(0.0, 0.1), (0.0, -0.1)], "XYZXZ", 0),
        ([(0.1, 0.05), (0.1, -0.05), (-0.1, -0.05), (-0.1, 0.05)], "XYZYZZ", 3),
    ],
)
def test_a_point_a_line_and_a_sole_hold_three_five_and_six_ways(places, rows, may_pull):
    points = [ContactPoint(f"p{k}", "foot", (*place, 0.0)) for k, place in enumerate(places)]
    (foot,) = body_contacts(points, np.array(places))
    assert "".join("XYZ"[row.axis] for row in foot.rows) == rows
    assert len(foot.may_pull) == may_pull


def test_a_foot_that_leaves_no_room_is_named_with_its_time(given):
    one = given.contact.copy()
    one[10:20, 0] = False
    lifted = ReferenceMotion(given.body, given.frame_s, given.q, one, given.key, MARGIN_M)
    with pytest.raises(OutOfRangeError, match=r"At 0\.3\d s the feet that are down leave no room"):
        track_motion(lifted)
