"""Keyframe extraction: an animation solved to configurations is recovered with few keyframes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.animation.animation_frames import sample_keyframes
from strut.animation.animation_ik import planted_stance, solve_frames
from strut.animation.keyframe_extraction import (
    extract_keyframes,
)
from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.schemas.keyframes import Animation, AnimationKey, FootPose

CASSIE = load_robot("cassie")
LEFT, RIGHT = CASSIE.foot_names
ANIMATION = Animation(
    "bow",
    "neutral",
    (
        AnimationKey(0.0, (0.0, 0.0, -0.05)),
        AnimationKey(0.4, (0.02, -0.03, -0.08), (3.0, 5.0, -4.0)),
        AnimationKey(
            0.8, (0.01, -0.06, -0.06), (1.0, 2.0, 6.0), {LEFT: FootPose((0.03, 0.02, 0.04), 8.0)}, {}, "happy"
        ),
        AnimationKey(1.2, (0.0, 0.0, -0.05)),
    ),
)


@pytest.fixture(scope="module")
def drawing():
    return sample_keyframes(ANIMATION, CASSIE.foot_names, CASSIE.joint_names)


@pytest.fixture(scope="module")
def stance():
    return planted_stance(CASSIE, ANIMATION)


@pytest.fixture(scope="module")
def qpos(stance, drawing):
    return solve_frames(stance, drawing)


@pytest.fixture(scope="module")
def extracted(drawing, qpos):
    return extract_keyframes(CASSIE, qpos, drawing.eyes, title="bow", emotion="neutral")


def extract(qpos, eyes="neutral"):
    eyes = (eyes,) * len(qpos) if isinstance(eyes, str) else eyes
    return extract_keyframes(CASSIE, qpos, eyes, title="bow", emotion="neutral").animation


def last_key(stance, *, moved=(0.0, 0.0, 0.0), turned_deg=0.0):
    """Return the second of two keyframes, between which the standing robot moves as a whole."""
    qpos = np.tile(stance.qpos, (2, 1))
    qpos[1, :3] += moved
    half = np.radians(turned_deg) / 2.0
    qpos[1, 3:7] = np.cos(half), 0.0, 0.0, np.sin(half)
    return extract(qpos).keyframe[-1]


def test_an_animation_is_recovered_from_its_configurations(drawing, extracted, qpos):
    again = sample_keyframes(extracted.animation, CASSIE.foot_names, CASSIE.joint_names)
    assert extracted.frames == len(qpos) == 31
    assert len(extracted.animation.keyframe) < 20
    assert_allclose(again.base_m, drawing.base_m, atol=0.0025)
    assert_allclose(again.turn_rad, drawing.turn_rad, atol=np.radians(0.35))
    assert_allclose(again.foot_shift_m[:, 0], drawing.foot_shift_m[:, 0], atol=0.004)
    assert not again.foot_shift_m[:, 1].any()  # the right foot stands throughout
    assert again.eyes == drawing.eyes
    assert 0.0 < extracted.away_m <= 0.0015 + 1e-5
    assert 0.0 < np.degrees(extracted.away_rad) <= 0.3 + 1e-3
    animation = extracted.animation
    assert (animation.title, animation.emotion, animation.robot) == ("bow", "neutral", "cassie")
    assert not animation.posture_deg  # the robot's folder has a standing posture
    legs = {joint for leg in CASSIE.legs for joint in leg.joints}
    assert not any(legs & set(key.joints_deg) for key in animation.keyframe)  # legs follow from their feet


def test_the_solved_keyframes_are_the_motion_again(stance, extracted, drawing, qpos):
    solved = solve_frames(stance, sample_keyframes(extracted.animation, CASSIE.foot_names, CASSIE.joint_names))
    assert_allclose(solved[:, :3], qpos[:, :3], atol=0.0025)


def test_the_position_of_the_robot_does_not_matter(extracted, drawing, qpos):
    moved = qpos.copy()
    moved[:, :2] += [1.5, -0.7]
    again = extract(moved, drawing.eyes)
    assert [key.time_s for key in again.keyframe] == [key.time_s for key in extracted.animation.keyframe]
    for key, own in zip(again.keyframe, extracted.animation.keyframe, strict=True):
        assert_allclose(key.base_m, own.base_m, atol=2e-5)


def test_keyframes_are_at_both_ends_new_eyes_lift_off_and_landing(extracted, drawing):
    times = {round(25.0 * key.time_s) for key in extracted.animation.keyframe}
    up = np.abs(drawing.foot_shift_m[:, 0, 2]) >= 0.002
    lifted = np.flatnonzero(up)
    changes = {number for number in range(1, 31) if drawing.eyes[number] != drawing.eyes[number - 1]}
    assert changes
    assert {0, 30, int(lifted[0]) - 1, int(lifted[-1]) + 1} | changes <= times


def test_a_still_motion_has_two_empty_keyframes(stance):
    first, last = extract(np.tile(stance.qpos, (5, 1)), "happy").keyframe
    assert (first.time_s, last.time_s, last.eyes) == (0.0, pytest.approx(0.16), "happy")
    assert_allclose([*last.base_m, *last.turn_deg], 0.0, atol=1e-5)
    assert (last.feet, last.joints_deg) == ({}, {})


@pytest.mark.parametrize(("rise_m", "moves"), [(0.0019, False), (0.0021, True)])
def test_a_foot_that_rises_less_than_two_millimetres_stands(stance, rise_m, moves):
    key = last_key(stance, moved=(0.0, 0.0, rise_m))
    assert bool(key.feet) is moves
    assert key.base_m[2] == pytest.approx(rise_m, abs=1e-5)


@pytest.mark.parametrize(("aside_m", "moves"), [(0.0019, False), (0.0021, True)])
def test_a_foot_that_moves_less_than_two_millimetres_aside_stands(stance, aside_m, moves):
    assert bool(last_key(stance, moved=(0.0, aside_m, 0.0)).feet) is moves


@pytest.mark.parametrize(("turn_deg", "turns"), [(0.45, False), (0.55, True)])
def test_a_foot_that_turns_less_than_half_a_degree_keeps_its_heading(stance, turn_deg, turns):
    feet = last_key(stance, turned_deg=turn_deg).feet
    assert any(pose.direction_deg for pose in feet.values()) is turns


def test_a_robot_without_a_standing_posture_starts_in_its_first_posture_in_degrees(neutral_walk):
    pete = load_robot("mrpete")
    qpos = neutral_walk.qpos[neutral_walk.contact.all(axis=1)][0]
    posture = extract_keyframes(pete, np.tile(qpos, (2, 1)), ("neutral",) * 2, title="x", emotion="neutral").animation
    assert list(posture.posture_deg) == list(pete.joint_names)
    assert_allclose(list(posture.posture_deg.values()), np.degrees(qpos[7:]), atol=5.1e-5)
    with pytest.raises(OutOfRangeError, match="does not stand on feet"):
        extract_keyframes(load_robot("pepper"), np.zeros((2, 18)), ("neutral",) * 2, title="x", emotion="neutral")
