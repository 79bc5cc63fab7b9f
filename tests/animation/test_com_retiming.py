"""Centre-of-mass retiming part by part: which intervals are slowed down and why, edges of what carries, and uses."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.animation import com_retiming
from strut.animation.animation_frames import sample_keyframes
from strut.animation.animation_ik import planted_stance, solve_frames
from strut.animation.com_retiming import StretchReasons, _edges, _inset, _Maker, _slow_down, _uses
from strut.animation.feasible_animation import tracking_error
from strut.engines.task_jacobians import task_jacobians
from strut.errors import OutOfRangeError
from strut.gaits.crawl.crawl_plan import crawl_gait, crawl_plan
from strut.gaits.crawl.crawler import Crawler, crawler
from strut.gaits.crawl.key_pose import key_pose
from strut.models.catalogue import load_robot
from strut.ocp.balanced_path import blending
from strut.style import Style
from strut.verify.measure import audit
from tests.stories import slow_nod, sway

CASSIE = load_robot("cassie")
PETE = load_robot("mrpete")
JOINTS = len(PETE.joint_names)
KEY = np.array([0, 20, 40])


def slowed(uses, least=(1.0, 1.0), worst=None, stretch=(1.0, 1.0), monkeypatch=None):
    """Return whether anything was slowed down, and the reasons, of 40 steps in two intervals."""
    time_s = np.linspace(0.0, 1.6, 41)
    path = SimpleNamespace(time_s=time_s, stretch=np.array(stretch))
    reasons = StretchReasons(np.array(least, dtype=float), worst=worst or {})
    maker = SimpleNamespace(drawing=SimpleNamespace(key=KEY), stance=None)
    monkeypatch.setattr(com_retiming, "_uses", lambda *_: iter(uses))
    return _slow_down(maker, path, SimpleNamespace(time_s=time_s), None, None, reasons), reasons


def used(first, second):
    use = np.zeros(41)
    use[5] = first
    use[35] = second
    return use


def test_intervals_that_need_too_much_are_slowed_by_its_root(monkeypatch):
    raised, reasons = slowed([("a torque", used(0.94, 1.2))], monkeypatch=monkeypatch)
    assert raised
    assert reasons.least[0] == 1.0
    assert reasons.least[1] == pytest.approx(np.sqrt(1.2 / 0.95) + 0.02)
    assert reasons.words == {1: "a torque would reach 120% of the limit"}
    assert reasons.worst == {("a torque", 1): 1.2}
    raised, reasons = slowed([("friction", used(9.0, 0.0))], stretch=(2.0, 1.0), monkeypatch=monkeypatch)
    assert reasons.least.tolist() == [2.5, 1.0]  # by a quarter at most
    assert not slowed([("a torque", used(0.95, 0.95))], monkeypatch=monkeypatch)[0]


def test_what_slowing_down_does_not_cure_is_left_and_what_is_slow_enough_too(monkeypatch):
    before = {("a torque", 0): 1.2}
    assert not slowed([("a torque", used(0.981 * 1.2, 0.0))], worst=dict(before), monkeypatch=monkeypatch)[0]
    assert slowed([("a torque", used(0.979 * 1.2, 0.0))], worst=dict(before), monkeypatch=monkeypatch)[0]
    assert not slowed([("a torque", used(1.2, 0.0))], least=(1.3, 1.0), monkeypatch=monkeypatch)[0]
    most = com_retiming.LONGEST_STRETCH
    _, reasons = slowed([("a torque", used(9.0, 0.0))], stretch=(most, 1.0), monkeypatch=monkeypatch)
    assert reasons.least[0] == most


def test_a_little_more_than_the_least_stretch_is_more(monkeypatch):
    """Of a torque at 120 % an interval takes 1.144 times as long: not again what it takes already."""
    enough = float(np.sqrt(1.2 / 0.95) + 0.02)
    for least, more in ((enough - 1e-3, True), (enough, False)):
        assert slowed([("a torque", used(1.2, 0.0))], least=(least, 1.0), monkeypatch=monkeypatch)[0] is more


def test_near_a_key_both_intervals_are_slowed_and_each_by_its_own_worst(monkeypatch):
    share = blending(KEY)
    shared = int(np.flatnonzero((share > 0.2).all(axis=1))[0])
    alone = int(np.flatnonzero((share[:, 1] > 0.0) & (share[:, 1] < 0.2))[0])
    for sample, slower in ((shared, [True, True]), (alone, [True, False])):
        use = np.zeros(41)
        use[sample] = 1.2
        _, reasons = slowed([("a torque", use)], monkeypatch=monkeypatch)
        assert (reasons.least > 1.0).tolist() == slower
    use = used(1.1, 1.15)
    use[alone] = 1.4  # belongs to the first interval alone
    _, reasons = slowed([("a torque", use)], monkeypatch=monkeypatch)
    assert reasons.worst == {("a torque", 0): 1.4, ("a torque", 1): 1.15}
    last = np.zeros(41)
    last[-1] = 1.2
    assert slowed([("a torque", last)], monkeypatch=monkeypatch)[1].words == {
        1: "a torque would reach 120% of the limit"
    }


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
    found = dict(_uses(SimpleNamespace(robot=PETE, coupled=coupled), SimpleNamespace(time_s=None), None, None))
    assert_allclose(found["a joint's speed"], [0.0, 0.0, 0.6])
    assert_allclose(found["a torque"], [0.0, 0.7, 0.8])
    assert_allclose(found["friction"], np.array([0.0, 0.5, 0.0]) / PETE.friction)
    for share, needed in ((0.019, 0.0), (0.021, 0.4)):  # of the whole load
        force[2, 0] = np.array([0.4, 0.0, 1.0]) * 60.0 * share / (1.0 - share)
        found = dict(_uses(SimpleNamespace(robot=PETE, coupled=coupled), SimpleNamespace(time_s=None), None, None))
        assert found["friction"][2] == pytest.approx(needed / PETE.friction)


def test_edges_are_of_feet_that_are_down_before_and_after_and_are_moved_inwards(monkeypatch):
    down = np.ones((5, 4), dtype=bool)
    down[2, 3] = False
    monkeypatch.setattr(com_retiming, "stance_feet", lambda drawing: down.copy())
    corners = np.array([[0.3, 0.2, 0.0], [-0.3, 0.2, 0.0], [0.3, -0.2, 0.0], [-0.3, -0.2, 0.0]])
    edges = _edges(PETE, SimpleNamespace(time_s=np.arange(5.0)), np.tile(corners, (5, 1, 1)), 0.02)
    assert [len(offset) for _, offset in edges] == [4, 3, 3, 3, 4]
    normal, offset = edges[0]
    assert_allclose(normal @ [0.0, 0.0] - offset, -offset)
    assert_allclose(np.sort(-offset), [0.18, 0.18, 0.28, 0.28])
    with pytest.raises(OutOfRangeError, match=r"At 1\.50 s the feet .* with 20 mm to spare"):
        _inset(None, 0.02, 1.5)


def test_the_next_plan_takes_over_three_fifths_of_what_was_measured():
    asked = []
    program = SimpleNamespace(solve=lambda path, assumed, least: asked.append((path, assumed.copy(), least)) or "next")
    maker = SimpleNamespace(assumed=np.full((3, 2), 0.1), program=program)
    assert _Maker.plan(maker, "path", np.full((3, 2), 0.2), "least") == "next"
    assert_allclose(maker.assumed, 0.16)
    assert asked[0][0::2] == ("path", "least")


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

        def placed(self, *targets):
            found = self._leg.placed(*targets)
            return SimpleNamespace(
                joints_rad=found.joints_rad + 2.0 * np.pi * self._turns, span_m=found.span_m, excess_m=found.excess_m
            )

    values = {name: getattr(body, name) for name in Crawler.__slots__}
    turned = Crawler(
        **values | {"legs": tuple(Turned(leg, turns) for leg, turns in zip(body.legs, (1, -1, 2, 0), strict=True))}
    )
    assert_allclose(turned.posture(still).qpos, plain, atol=1e-9)


def test_what_the_body_adds_to_its_pendulum_is_the_difference_of_their_zero_moment_points():
    """A body at rest presses under its mass; where its moments differ, it adds their lever, at both ends as beside."""
    time_s = np.array([0.0, 0.1, 0.2, 0.3])
    dense_s = np.linspace(0.0, 0.3, 31)
    com = np.tile([0.02, -0.01], (4, 1))
    path = SimpleNamespace(time_s=time_s, com_m=com)
    maker = SimpleNamespace(com_m=np.tile([9.0, 9.0, 0.4], (4, 1)))
    force = np.tile([0.0, 0.0, 50.0], (31, 1))
    place = np.tile([0.05, 0.03, 0.0], (31, 1))
    place[[0, -1]] = 7.0  # differences see only half of what happens there
    dynamics = SimpleNamespace(ground_force_n=force, ground_moment_nm=np.cross(place, force))
    assert_allclose(_Maker.beyond(maker, path, dense_s, dynamics), np.tile([0.03, 0.04], (4, 1)), atol=1e-12)


def test_a_path_is_shown_to_its_last_sample_whatever_the_rate():
    asked = []
    frames = sample_keyframes(slow_nod(), CASSIE.foot_names, CASSIE.joint_names)
    stance = SimpleNamespace(solve=lambda frames, com_m, near: (asked.append((frames, com_m, near)) or "qpos", None))
    maker = SimpleNamespace(drawing=frames, stance=stance)
    shown_s = 1.013 * np.asarray(frames.time_s)
    com = np.outer(np.arange(len(shown_s)), [0.01, -0.02])
    path = SimpleNamespace(time_s=shown_s, com_m=com)
    near = np.arange(float(len(shown_s)))[:, None]
    shown, qpos = _Maker.body(maker, path, 20.0, near)
    assert qpos == "qpos"
    assert shown.time_s[-1] == pytest.approx(2.05)  # 2.026 s, rounded up to a sample
    assert_allclose(asked[0][1][[0, -1]], com[[0, -1]], atol=1e-12)
    assert_allclose(asked[0][2][[0, -1]], near[[0, -1]], atol=1e-12)
    _Maker.body(maker, path, None, near)
    assert_allclose(asked[1][1], com, atol=1e-12)
    assert_allclose(asked[1][0].base_m, frames.base_m, atol=1e-12)


def test_a_maker_knows_the_mass_of_its_drawing_and_how_steeply_the_ground_may_push():
    stance = planted_stance(CASSIE, slow_nod())
    frames = sample_keyframes(slow_nod(), CASSIE.foot_names, CASSIE.joint_names)
    raw = solve_frames(stance, frames)
    maker = _Maker(stance, frames, raw, 0.01)
    assert_allclose(maker.com_m, task_jacobians(CASSIE, raw).com_in_world, atol=1e-9)
    assert not maker.assumed.any()
    problem = maker.program.drawn
    assert problem.slope == pytest.approx(com_retiming.SPARE_FRICTION * CASSIE.friction / np.sqrt(2.0))
    assert problem.frame_s == pytest.approx(0.04)


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
    assert 1 < story.rounds < com_retiming.ROUNDS
    assert story.solved
    assert audit(CASSIE, story.time_s, story.qpos, story.contact).margin_m.min() > 0.01
