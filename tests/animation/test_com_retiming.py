"""Centre-of-mass retiming: stretched intervals and their reasons, support polygons, uses of limits, convergence."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.animation import com_retiming
from strut.animation.animation_frames import AnimationFrames, sample_keyframes
from strut.animation.animation_ik import planted_stance, solve_frames
from strut.animation.com_retiming import (
    IntervalStretches,
    limit_uses,
    measure_zmp_offset,
    solve_body,
    stretch_overloaded_intervals,
    support_edges,
)
from strut.animation.feasible_animation import tracking_error
from strut.engines.task_jacobians import task_jacobians
from strut.errors import OutOfRangeError
from strut.gaits.crawl.crawl_plan import crawl_gait, crawl_plan
from strut.gaits.crawl.crawler import Crawler, crawler
from strut.gaits.crawl.key_pose import key_pose
from strut.models.catalogue import load_robot
from strut.ocp.balanced_path import BalancedPath, blending
from strut.style import Style
from strut.verify.measure import audit
from tests.stories import slow_nod, sway

CASSIE = load_robot("cassie")
PETE = load_robot("mrpete")
JOINTS = len(PETE.joint_names)
KEY = np.array([0, 20, 40])


def slowed(uses, min_stretch=(1.0, 1.0), worst=None, stretch=(1.0, 1.0)):
    """Return whether any interval was stretched, and the stretches, for 40 steps in two intervals."""
    time_s = np.linspace(0.0, 1.6, 41)
    path = BalancedPath(np.zeros((41, 2)), time_s, np.array(stretch), solved=True, cost=0.0, iterations=0)
    stretches = IntervalStretches(np.array(min_stretch, dtype=float), worst=worst or {})
    return stretch_overloaded_intervals(path, KEY, time_s, uses, stretches), stretches


def used(first, second):
    use = np.zeros(41)
    use[5] = first
    use[35] = second
    return use


def test_intervals_that_need_too_much_are_slowed_by_its_root():
    raised, reasons = slowed([("a torque", used(0.94, 1.2))])
    assert raised
    assert reasons.min[0] == 1.0
    assert reasons.min[1] == pytest.approx(np.sqrt(1.2 / 0.95) + 0.02)
    assert reasons.text == {1: "a torque would reach 120% of the limit"}
    assert reasons.worst == {("a torque", 1): 1.2}
    raised, reasons = slowed([("friction", used(9.0, 0.0))], stretch=(2.0, 1.0))
    assert reasons.min.tolist() == [2.5, 1.0]  # by a quarter at most
    assert not slowed([("a torque", used(0.95, 0.95))])[0]


def test_what_slowing_down_does_not_cure_is_left_and_what_is_slow_enough_too():
    before = {("a torque", 0): 1.2}
    assert not slowed([("a torque", used(0.981 * 1.2, 0.0))], worst=dict(before))[0]
    assert slowed([("a torque", used(0.979 * 1.2, 0.0))], worst=dict(before))[0]
    assert not slowed([("a torque", used(1.2, 0.0))], min_stretch=(1.3, 1.0))[0]
    most = com_retiming.LONGEST_STRETCH
    _, reasons = slowed([("a torque", used(9.0, 0.0))], stretch=(most, 1.0))
    assert reasons.min[0] == most


def test_a_little_more_than_the_least_stretch_is_more():
    """Of a torque at 120 % an interval takes 1.144 times as long: not again what it takes already."""
    enough = float(np.sqrt(1.2 / 0.95) + 0.02)
    for min_stretch, more in ((enough - 1e-3, True), (enough, False)):
        assert slowed([("a torque", used(1.2, 0.0))], min_stretch=(min_stretch, 1.0))[0] is more


def test_near_a_key_both_intervals_are_slowed_and_each_by_its_own_worst():
    share = blending(KEY)
    shared = int(np.flatnonzero((share > 0.2).all(axis=1))[0])
    alone = int(np.flatnonzero((share[:, 1] > 0.0) & (share[:, 1] < 0.2))[0])
    for sample, slower in ((shared, [True, True]), (alone, [True, False])):
        use = np.zeros(41)
        use[sample] = 1.2
        _, reasons = slowed([("a torque", use)])
        assert (reasons.min > 1.0).tolist() == slower
    use = used(1.1, 1.15)
    use[alone] = 1.4  # belongs to the first interval alone
    _, reasons = slowed([("a torque", use)])
    assert reasons.worst == {("a torque", 0): 1.4, ("a torque", 1): 1.15}
    last = np.zeros(41)
    last[-1] = 1.2
    assert slowed([("a torque", last)])[1].text == {1: "a torque would reach 120% of the limit"}


def test_stretches_mix_near_a_key():
    share = blending(KEY)
    assert_allclose(share.sum(axis=1), 1.0)
    assert share[5].tolist() == [1.0, 0.0]
    assert 0.2 < share[19, 1] < 0.8


def test_uses_are_shares_of_speed_torque_and_friction(monkeypatch):
    force = np.tile([0.0, 0.0, 20.0], (3, 4, 1))
    force[1, 2] = [3.0, 4.0, 10.0]
    force[2, 0] = [9.0, 0.0, 0.3]  # barely presses
    torque = np.zeros((3, JOINTS))
    torque[1, 5] = -0.7 * PETE.torque_limit_nm[5]
    speed = np.zeros((3, 6 + JOINTS))
    speed[:, 3] = 99.0  # of the base
    speed[2, 6 + 4] = -0.6 * PETE.joint_speed_limit_rad_s[4]
    monkeypatch.setattr(com_retiming, "velocities", lambda *_: (speed, None))
    monkeypatch.setattr(com_retiming, "share_ground_force", lambda *_: SimpleNamespace(force_n=force, torque_nm=torque))
    monkeypatch.setattr(com_retiming, "stance_feet", lambda dense: None)
    coupled = SimpleNamespace(
        free=np.array([1, 2]),
        motor_torque_nm=lambda t: np.array([[0.0, 0.0], [0.0, 0.0], [0.0, -0.8 * PETE.torque_limit_nm[2]]]),
    )
    found = dict(limit_uses(SimpleNamespace(robot=PETE, coupled=coupled), SimpleNamespace(time_s=None), None, None))
    assert_allclose(found["a joint's speed"], [0.0, 0.0, 0.6])
    assert_allclose(found["a torque"], [0.0, 0.7, 0.8])
    assert_allclose(found["friction"], np.array([0.0, 0.5, 0.0]) / PETE.friction)
    for share, needed in ((0.019, 0.0), (0.021, 0.4)):  # of the whole load
        force[2, 0] = np.array([0.4, 0.0, 1.0]) * 60.0 * share / (1.0 - share)
        found = dict(limit_uses(SimpleNamespace(robot=PETE, coupled=coupled), SimpleNamespace(time_s=None), None, None))
        assert found["friction"][2] == pytest.approx(needed / PETE.friction)


def test_edges_are_of_feet_on_the_ground_before_and_after_and_are_moved_inwards():
    lifted = np.zeros((5, 4, 3))
    lifted[2, 3, 2] = 0.05
    zeros = np.zeros((5, 3))
    frames = AnimationFrames(
        np.arange(5.0),
        zeros,
        zeros,
        lifted,
        np.zeros((5, 4)),
        np.zeros((5, 1)),
        np.array([0, 4]),
        np.array([]),
        ("",) * 5,
    )
    corners = np.array([[0.3, 0.2, 0.0], [-0.3, 0.2, 0.0], [0.3, -0.2, 0.0], [-0.3, -0.2, 0.0]])
    points = np.tile(corners, (5, 1, 1))
    edges = support_edges(PETE, frames, points, 0.02)
    assert [len(offset) for _, offset in edges] == [4, 3, 3, 3, 4]
    normal, offset = edges[0]
    assert_allclose(normal @ [0.0, 0.0] - offset, -offset)
    assert_allclose(np.sort(-offset), [0.18, 0.18, 0.28, 0.28])
    with pytest.raises(OutOfRangeError, match=r"At 0\.00 s the support polygon .* balance margin of 500 mm"):
        support_edges(PETE, frames, points, 0.5)


def test_departures_are_distances_turns_and_the_worst_joint():
    raw = np.tile(PETE.standing_qpos, (2, 1))
    moved = raw.copy()
    moved[1, :3] += [0.3, 0.0, 0.4]
    moved[1, 3:7] = [np.cos(0.1), 0.0, np.sin(0.1), 0.0]
    moved[1, 9] = raw[1, 9] - 0.3
    moved[1, 12] = raw[1, 12] + 0.2
    found = tracking_error(SimpleNamespace(frame_qpos=moved), raw)
    assert_allclose(found.place_m, [0.0, 0.5])
    assert_allclose(found.turn_rad, [0.0, 0.2], atol=1e-9)
    assert_allclose(found.joint_rad, [0.0, 0.3])


def test_angles_start_within_half_a_turn_of_the_middle_of_their_range(monkeypatch):
    """A solver may answer a whole turn away; the joint is where its range is, and goes on without a jump."""
    style = Style()
    pose = key_pose(PETE, style)
    body = crawler(PETE, pose, crawl_plan(crawl_gait(PETE), pose, style, cycles=2, rate_hz=10.0))
    still = np.zeros((len(body.plan.time_s), 2))
    plain = body.posture(still).qpos

    class Turned:
        def __init__(self, leg, turns):
            self._leg = leg
            self._turns = turns

        def place_foot(self, *targets):
            found = self._leg.place_foot(*targets)
            return SimpleNamespace(
                joints_rad=found.joints_rad + 2.0 * np.pi * self._turns, span_m=found.span_m, excess_m=found.excess_m
            )

    values = {name: getattr(body, name) for name in Crawler.__slots__}
    turned = Crawler(
        **values | {"legs": tuple(Turned(leg, turns) for leg, turns in zip(body.legs, (1, -1, 2, 0), strict=True))}
    )
    assert_allclose(turned.posture(still).qpos, plain, atol=1e-9)


def test_the_zmp_offset_of_a_body_at_rest_is_its_centre_of_pressure_beside_its_mass():
    time_s = np.array([0.0, 0.1, 0.2, 0.3])
    path = BalancedPath(np.tile([0.02, -0.01], (4, 1)), time_s, np.ones(1), solved=True, cost=0.0, iterations=0)
    force = np.tile([0.0, 0.0, 50.0], (31, 1))
    place = np.tile([0.05, 0.03, 0.0], (31, 1))
    place[[0, -1]] = 7.0  # finite differences contain only half of the acceleration there
    dynamics = SimpleNamespace(ground_force_n=force, ground_moment_nm=np.cross(place, force))
    offset_m = measure_zmp_offset(path, np.full(4, 0.4), np.linspace(0.0, 0.3, 31), dynamics)
    assert_allclose(offset_m, np.tile([0.03, 0.04], (4, 1)), atol=1e-12)


def test_the_body_follows_its_path_to_the_last_sample_at_any_rate():
    """At the frames themselves and between them, base and centre of mass are those of the path."""
    animation = slow_nod()
    stance = planted_stance(CASSIE, animation)
    frames = sample_keyframes(animation, CASSIE.foot_names, CASSIE.joint_names)
    qpos = solve_frames(stance, frames)
    com_m = task_jacobians(CASSIE, qpos).com_in_world[:, :2] + [0.005, -0.005]
    path = BalancedPath(com_m, 1.013 * np.asarray(frames.time_s), np.ones(1), solved=True, cost=0.0, iterations=0)
    samples, sample_qpos = solve_body(stance, frames, path, 20.0, qpos)
    assert samples.time_s[-1] == pytest.approx(2.05)  # 2.026 s, rounded up to a sample
    assert_allclose(task_jacobians(CASSIE, sample_qpos).com_in_world[[0, -1], :2], com_m[[0, -1]], atol=1e-6)
    same, frame_qpos = solve_body(stance, frames, path, None, qpos)
    assert_allclose(task_jacobians(CASSIE, frame_qpos).com_in_world[:, :2], com_m, atol=1e-6)
    assert_allclose(same.base_m, frames.base_m, atol=1e-12)


def made(animation):
    stance = planted_stance(CASSIE, animation)
    frames = sample_keyframes(animation, CASSIE.foot_names, CASSIE.joint_names)
    return com_retiming.retime_com(stance, frames, solve_frames(stance, frames), margin_m=0.01, rate_hz=50.0)


def test_what_is_feasible_is_planned_once_and_shown_to_its_end():
    story = made(slow_nod())
    assert (story.rounds, story.solved, story.why) == (1, True, {})
    assert_allclose(story.stretch, 1.0, atol=2e-3)
    assert_allclose(np.diff(story.time_s), 0.02)
    assert 0.0 <= story.time_s[-1] - story.frame_time_s[-1] < 0.02
    assert story.contact.all()
    assert_allclose(story.qpos[-1], story.frame_qpos[-1], atol=1e-4)


def test_measuring_and_planning_alternate_until_they_agree_and_the_margin_is_kept():
    """A sway that is too fast for its feet; what is left between frames is within what was spared for it."""
    story = made(sway())
    assert 1 < story.rounds < com_retiming.MAX_ROUNDS
    assert story.solved
    assert audit(CASSIE, story.time_s, story.qpos, story.contact).margin_m.min() > 0.01
