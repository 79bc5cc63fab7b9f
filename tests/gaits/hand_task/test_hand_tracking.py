"""Hand tracking: the levels of a configuration, and the integration of the velocities that solve them."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.engines.frame_kinematics import FrameKinematics, acceleration_scale
from strut.errors import UnreachablePathError
from strut.gaits.hand_task import hand_tracking
from strut.gaits.hand_task.gaze import looking_at
from strut.gaits.hand_task.hand_tracking import HandTracker, TrackingGoals
from strut.gaits.hand_task.named_tasks import hand_frame
from strut.kinematics.task_priority import PrioritySolution
from strut.maths.rotation import slerp
from strut.models.catalogue import load_robot

PEPPER = load_robot("pepper")
MODEL = PEPPER.model
JOINTS = len(PEPPER.joint_names)
NV = PEPPER.model.nv
GAIN = PEPPER.chains.gain
HAND = hand_frame(PEPPER, "right")
USER = np.array([2.0, 0.7, 1.5])


def quaternion(vector):
    return tuple(Rotation.from_rotvec(vector).as_quat(scalar_first=True).tolist())


def goals(*, led=3, turned=True, spinning=False, showing=True, law="corrected", steps=1, samples=3):
    """Return goals near the pose at which Pepper's joints are in the middle of their ranges."""
    rng = np.random.default_rng(3)
    stages = 2 * (samples - 1) * steps + 1
    kinematics = FrameKinematics(PEPPER, (HAND, PEPPER.chains.head.frame))
    posture = np.tile((PEPPER.joint_lower_rad + PEPPER.joint_upper_rad) / 2.0, (stages, 1))
    posture = posture + 0.02 * rng.normal(size=posture.shape)
    platform = 0.01 * rng.normal(size=(stages, 3))
    kinematics.move(np.concatenate([platform[0], posture[0]]))
    hand = kinematics.frames[0]
    place = hand.position_m.copy()
    turn = Rotation.from_matrix(hand.rotation.reshape(3, 3))
    turns = [
        tuple((Rotation.from_rotvec(0.01 * rng.normal(size=3)) * turn).as_quat(scalar_first=True).tolist())
        for _ in range(stages)
    ]
    across = np.stack([Rotation.from_quat(one, scalar_first=True).as_matrix()[:, 1:].T for one in turns])
    return TrackingGoals(
        robot=PEPPER,
        kinematics=kinematics,
        acceleration_limit=acceleration_scale(PEPPER),
        task="test",
        time_s=1.0 + 0.1 * np.arange(samples),
        steps=steps,
        law=law,
        hand_m=place + 0.004 * rng.normal(size=(stages, 3)),
        hand_turn=turns if turned else None,
        sideways=across if spinning else None,
        hand_velocity=0.1 * rng.normal(size=(stages, 6)),
        led=led,
        platform=platform,
        platform_velocity=0.1 * rng.normal(size=(stages, led)),
        posture=posture,
        head_turn=[quaternion(0.1 * rng.normal(size=3)) for _ in range(stages)] if showing else [],
        gaze=0.3,
        user_m=USER,
        start_rad={},
    )


def error(rotation, wanted):
    """Return the turn in world from one orientation to another, by scipy."""
    now = Rotation.from_matrix(np.asarray(rotation).reshape(3, 3))
    return (Rotation.from_quat(wanted, scalar_first=True) * now.inv()).as_rotvec()


@pytest.fixture
def asked(monkeypatch):
    """Record what the levels are asked, and answer with velocities of our own."""
    calls = []

    def answer(levels, lower, upper, *, law, held):
        calls.append((levels, lower, upper, law, held))
        velocity = 0.01 * len(calls) * np.arange(1.0, 1.0 + len(lower))
        return PrioritySolution(velocity, (14, 12 - len(calls), 0), {len(calls): True})

    monkeypatch.setattr(hand_tracking, "resolve", answer)
    return calls


CASES = [
    {"led": 3},
    {"led": 0},
    {"led": 3, "turned": False},
    {"led": 3, "spinning": True},
    {"led": 0, "showing": False},
]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("moving", [True, False])
def test_levels_are_the_hand_the_head_and_the_posture(case, moving):
    own = goals(**case)
    tracker = HandTracker(own)
    led = own.led
    stage = 1
    qpos = np.concatenate([own.platform[0], own.posture[0] + 0.03])
    own.kinematics.move(qpos)
    levels = tracker.levels(qpos, stage, is_moving=moving)
    hand, head = own.kinematics.frames
    drift = own.platform_velocity[stage] if moving else np.zeros(led)
    ahead = own.hand_velocity[stage] if moving else np.zeros(6)
    linear = ahead[:3] + GAIN.hand_per_s * (own.hand_m[stage] - hand.position_m)
    rows = hand.jacobian[:3]
    wanted = linear
    if own.hand_turn is not None:
        turning = ahead[3:] + GAIN.hand_per_s * error(hand.rotation, own.hand_turn[stage])
        across = np.eye(3) if own.sideways is None else own.sideways[stage]
        rows = np.concatenate([rows, across @ hand.jacobian[3:]])
        wanted = np.concatenate([linear, across @ turning])
    assert_allclose(levels[0].jacobian, rows[:, led:], atol=1e-12)
    assert_allclose(levels[0].velocity, wanted - rows[:, :led] @ drift, atol=1e-9)
    if not own.head_turn:
        assert len(levels) == 2
        assert levels[1].jacobian is None
        assert_allclose(levels[1].velocity, np.zeros(NV - led))
        return
    gaze = slerp(own.head_turn[stage], looking_at(head.position_m, USER), 0.3)
    glance = GAIN.head_per_s * error(head.rotation, gaze) - head.jacobian[3:, :led] @ drift
    assert_allclose(levels[1].jacobian, head.jacobian[3:, led:], atol=1e-12)
    assert_allclose(levels[1].velocity, glance, atol=1e-9)
    posture = GAIN.posture_per_s * (np.concatenate([own.platform[stage], own.posture[stage]]) - qpos)
    posture[:3] = 0.0
    assert levels[2].jacobian is None
    assert_allclose(levels[2].velocity, posture[led:], atol=1e-12)


@pytest.mark.parametrize("led", [0, 3])
@pytest.mark.parametrize("steps", [1, 2])
def test_integration_is_by_the_midpoint_rule(asked, monkeypatch, led, steps):
    """Midpoint rule with answers that are known: 0.01 n for the n-th question, growing from joint to joint."""
    own = goals(led=led, steps=steps)
    monkeypatch.setattr(HandTracker, "settled", HandTracker.start)
    monkeypatch.setattr(hand_tracking, "MAX_HAND_ERROR_M", np.inf)
    monkeypatch.setattr(hand_tracking, "MAX_HAND_TURN_RAD", np.inf)
    tracker = HandTracker(own)
    moved = []
    move = own.kinematics.move
    monkeypatch.setattr(own.kinematics, "move", lambda qpos: (moved.append(qpos.copy()), move(qpos))[1], raising=False)
    found = tracker.track()
    step_s = 0.1 / steps
    slope = 0.01 * np.arange(1.0, NV - led + 1.0)
    now = tracker.start()
    rows = []
    for step in range(2 * steps):
        if step % steps == 0:
            rows.append(now.copy())
        half = now.copy()
        half[led:] += step_s / 2.0 * (2 * step + 1) * slope
        half[:led] = own.platform[2 * step + 1, :led]
        assert_allclose(moved[2 * step], now, atol=1e-12)
        assert_allclose(moved[2 * step + 1], half, atol=1e-12)
        joints = now[led:] + step_s * (2 * step + 2) * slope
        lower = np.concatenate([np.full(3, -np.inf), PEPPER.joint_lower_rad])[led:]
        upper = np.concatenate([np.full(3, np.inf), PEPPER.joint_upper_rad])[led:]
        now = np.concatenate([own.platform[2 * step + 2, :led], np.clip(joints, lower, upper)])
    assert_allclose(found.qpos, [*rows, now], atol=1e-12)
    assert found.redundancy == 12 - (4 * steps - 1)  # of the second last level, at first stages alone
    gentle = [levels[1].within for levels, *_ in asked]
    change = 0.5 * own.acceleration_limit[led:] * step_s
    assert_allclose(gentle[0], [-change, change], atol=1e-12)
    assert_allclose(gentle[2], [2.0 * slope - change, 2.0 * slope + change], atol=1e-12)


def test_held_coordinates_are_passed_on_and_speeds_are_bounded(asked, monkeypatch):
    """Speeds are bounded by the drive, the joints and the distance to their limits, for both halves of a step."""
    monkeypatch.setattr(HandTracker, "settled", HandTracker.start)
    monkeypatch.setattr(hand_tracking, "MAX_HAND_ERROR_M", np.inf)
    monkeypatch.setattr(hand_tracking, "MAX_HAND_TURN_RAD", np.inf)
    for led in (0, 3):
        asked.clear()
        tracker = HandTracker(goals(led=led))
        tracker.track()
        assert [call[4] for call in asked] == [{}, {1: True}, {2: True}, {3: True}]
        assert {call[3] for call in asked} == {"corrected"}
        drive = PEPPER.platform
        drive_speed = [drive.speed_limit_m_s, drive.speed_limit_m_s, drive.turn_limit_rad_s]
        speed = np.array([*drive_speed, *PEPPER.joint_speed_limit_rad_s])[led:]
        joints_rad = tracker.start()[3:]
        for _, lower, upper, *_ in asked[:2]:
            assert (-speed <= lower).all()
            assert (upper <= speed).all()
            assert_allclose(upper[: 3 - led], speed[: 3 - led])
            assert (joints_rad + 0.1 * upper[3 - led :] <= PEPPER.joint_upper_rad + 1e-12).all()
            assert (joints_rad + 0.1 * lower[3 - led :] >= PEPPER.joint_lower_rad - 1e-12).all()
            is_far = joints_rad + 0.1 * speed[3 - led :] < PEPPER.joint_upper_rad
            assert is_far.any()
            assert_allclose(upper[3 - led :][is_far], speed[3 - led :][is_far])


def test_the_start_is_the_posture_with_the_angles_asked_for_inside_their_ranges():
    own = replace(goals(), start_rad={PEPPER.joint_names[4]: 0.123, PEPPER.joint_names[2]: 99.0})
    start = HandTracker(own).start()
    wanted = np.concatenate([own.platform[0], np.clip(own.posture[0], PEPPER.joint_lower_rad, PEPPER.joint_upper_rad)])
    wanted[3 + 4] = np.clip(0.123, PEPPER.joint_lower_rad[4], PEPPER.joint_upper_rad[4])
    wanted[3 + 2] = PEPPER.joint_upper_rad[2]
    assert_allclose(start, wanted, atol=1e-12)


@pytest.mark.parametrize("law", ["corrected", "paper"])
def test_the_head_follows_the_velocity_of_its_goal_unless_the_law_is_the_published_one(law):
    """The head's goal turns steadily; without the velocity, the error of the head is the velocity over the gain."""
    rate_rad_s = 0.2
    own = goals(law=law, turned=False, samples=21, steps=2)
    stages_s = 0.1 / 4.0 * np.arange(len(own.hand_m))
    own = replace(
        own,
        gaze=0.0,
        hand_m=np.tile(own.hand_m[0], (len(stages_s), 1)),
        hand_velocity=np.zeros_like(own.hand_velocity),
        platform=np.zeros_like(own.platform),
        platform_velocity=np.zeros_like(own.platform_velocity),
        posture=np.tile(own.posture[0], (len(stages_s), 1)),
        head_turn=[quaternion(np.array([0.0, 0.0, rate_rad_s * at_s])) for at_s in stages_s],
    )
    lag_rad = HandTracker(own).track().gaze_error_rad[-1]
    assert lag_rad == pytest.approx(
        0.0 if law == "corrected" else rate_rad_s / GAIN.head_per_s, abs=0.1 * rate_rad_s / GAIN.head_per_s
    )


def test_a_settled_hand_is_in_its_first_pose_and_the_head_near_its_goal():
    own = goals()
    qpos = HandTracker(own).settled()
    own.kinematics.move(qpos)
    hand, head = own.kinematics.frames
    assert np.linalg.norm(own.hand_m[0] - hand.position_m) < 1e-6
    assert np.linalg.norm(error(hand.rotation, own.hand_turn[0])) < 1e-6
    gaze = slerp(own.head_turn[0], looking_at(head.position_m, USER), 0.3)
    assert np.linalg.norm(error(head.rotation, gaze)) < 0.02


@pytest.mark.parametrize("case", [{}, {"turned": False}, {"spinning": True}, {"showing": False}], ids=str)
def test_errors_are_the_distance_of_the_hand_and_the_turns_of_hand_and_head(asked, monkeypatch, case):
    """The first sample is the start itself, so its errors are known without any integration."""
    monkeypatch.setattr(HandTracker, "settled", HandTracker.start)
    monkeypatch.setattr(hand_tracking, "MAX_HAND_ERROR_M", np.inf)
    monkeypatch.setattr(hand_tracking, "MAX_HAND_TURN_RAD", np.inf)
    own = goals(**case)
    tracker = HandTracker(own)
    task = tracker.track()
    own.kinematics.move(tracker.start())
    hand, head = own.kinematics.frames
    assert task.hand_error_m[0] == pytest.approx(np.linalg.norm(own.hand_m[0] - hand.position_m))
    turn_rad = 0.0
    if own.hand_turn is not None:
        across = np.eye(3) if own.sideways is None else own.sideways[0]
        turn_rad = np.linalg.norm(across @ error(hand.rotation, own.hand_turn[0]))
    assert task.hand_turn_rad[0] == pytest.approx(turn_rad)
    if own.head_turn:
        gaze = slerp(own.head_turn[0], looking_at(head.position_m, USER), 0.3)
        assert task.gaze_error_rad[0] == pytest.approx(np.linalg.norm(error(head.rotation, gaze)))
    else:
        assert task.gaze_error_rad is None


def test_a_hand_that_cannot_follow_is_reported_with_its_time():
    own = goals(samples=4, steps=5, turned=False, showing=False)
    far = np.tile(own.hand_m[0], (len(own.hand_m), 1))
    far[20:] += 1.0  # from the third sample on
    still = {"platform": 0.0 * own.platform, "platform_velocity": 0.0 * own.platform_velocity}
    tracker = HandTracker(replace(own, hand_m=far, hand_velocity=0.0 * own.hand_velocity, **still))
    with pytest.raises(UnreachablePathError, match="test") as told:
        tracker.track()
    assert "at frame 2 (1.20 s)" in str(told.value)
