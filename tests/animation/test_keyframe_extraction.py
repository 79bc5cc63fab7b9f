"""Keyframe extraction: numbers read back from coordinates are those that were drawn, and few keyframes repeat them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.animation.animation_frames import sample_keyframes
from strut.animation.animation_ik import planted_stance, solve_frames
from strut.animation.keyframe_extraction import (
    _columns,
    _key,
    _needed_keys,
    _numbers,
    _posture_deg,
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


def test_numbers_read_from_coordinates_are_those_that_were_drawn(stance, drawing, qpos):
    """But for feet that stand, which are exactly there, and legs, whose joints follow from their feet."""
    values = _numbers(stance, qpos)
    wanted = _columns(drawing)
    feet = slice(6, 6 + 6 + 2)
    assert_allclose(values[:, :3], wanted[:, :3], atol=1e-3)
    assert_allclose(values[:, 3:6], wanted[:, 3:6], atol=0.05)
    lifted = np.abs(wanted[:, 6 + 2]) >= 2e-3
    assert lifted.any()
    assert_allclose(values[lifted, 6:9], wanted[lifted, 6:9], atol=1e-3)
    assert_allclose(values[lifted, 12], wanted[lifted, 12], atol=0.2)
    assert not values[~lifted, feet][:, 2].any()
    assert not values[:, 9:12].any()  # the right foot stands throughout
    legs = {joint for leg in CASSIE.legs for joint in leg.joints}
    assert not values[:, 14:][:, [name in legs for name in CASSIE.joint_names]].any()


def test_a_story_begins_where_the_robot_stands_wherever_that_is(stance, qpos):
    moved = qpos.copy()
    moved[:, :2] += [1.5, -0.7]
    assert_allclose(_numbers(stance, moved), _numbers(stance, qpos), atol=1e-6)


def test_columns_of_a_drawing_are_metres_and_degrees_in_order(drawing):
    row = _columns(drawing)[20]
    assert_allclose(row[:3], drawing.base_m[20])
    assert_allclose(row[3:6], np.degrees(drawing.turn_rad[20]))
    assert_allclose(row[6:12], drawing.foot_shift_m[20].ravel())
    assert_allclose(row[12:14], np.degrees(drawing.foot_turn_rad[20]))
    assert_allclose(row[14:], np.degrees(drawing.joint_rad[20]))


def test_keyframes_are_needed_at_the_ends_at_new_eyes_and_where_feet_leave_or_land():
    shift = np.zeros((12, 6))
    shift[3:7, 2] = 0.05  # up from frame 3 to 6
    shift[8:10, 5] = 0.02
    eyes = ("neutral",) * 5 + ("happy",) * 7
    assert _needed_keys(shift, eyes) == [0, 2, 5, 7, 10, 11]
    assert _needed_keys(np.zeros((4, 6)), ("neutral",) * 4) == [0, 3]


def test_a_keyframe_has_only_what_differs_from_standing():
    values = np.zeros(14 + len(CASSIE.joint_names))
    values[:6] = 0.1, -0.2, 0.3, 4.0, -5.0, 6.0
    values[9:12] = 0.01, 0.02, 0.03
    values[13] = 7.0
    values[14 + 3] = -8.0
    key = _key(CASSIE, 10, values, "happy")
    assert key.time_s == pytest.approx(0.4)
    assert (key.base_m, key.turn_deg, key.eyes) == ((0.1, -0.2, 0.3), (4.0, -5.0, 6.0), "happy")
    assert key.feet == {RIGHT: FootPose((0.01, 0.02, 0.03), 7.0)}
    assert key.joints_deg == {CASSIE.joint_names[3]: -8.0}
    turned = np.zeros_like(values)
    turned[12] = 2.0
    assert _key(CASSIE, 0, turned, "neutral").feet == {LEFT: FootPose((0.0, 0.0, 0.0), 2.0)}


def test_few_keyframes_pass_through_all_frames_within_what_an_eye_sees(drawing, stance, qpos):
    traced = extract_keyframes(CASSIE, qpos, drawing.eyes, title="bow", emotion="neutral")
    again = sample_keyframes(traced.animation, CASSIE.foot_names, CASSIE.joint_names)
    assert traced.frames == len(qpos) == 31
    assert len(traced.animation.keyframe) < 20
    away = np.abs(_columns(again) - _numbers(stance, qpos))
    metres = np.r_[0:3, 6:12]
    assert traced.away_m == pytest.approx(away[:, metres].max())
    assert traced.away_rad == pytest.approx(np.radians(np.delete(away, metres, axis=1).max()))
    assert traced.away_m <= 0.0015 + 1e-5
    assert np.degrees(traced.away_rad) <= 0.3 + 1e-3
    assert again.eyes == drawing.eyes
    assert (traced.animation.title, traced.animation.emotion, traced.animation.robot) == ("bow", "neutral", "cassie")
    assert not traced.animation.posture_deg  # its folder says how it stands


def test_a_robot_without_a_standing_posture_starts_in_its_first_posture_in_degrees():
    pete = load_robot("mrpete")
    qpos = np.array(pete.standing_qpos)
    qpos[7:] = np.linspace(-1.0, 1.0, 28)
    posture = _posture_deg(pete, qpos)
    assert list(posture) == list(pete.joint_names)
    assert_allclose(list(posture.values()), np.degrees(qpos[7:]), atol=5.1e-5)
    assert posture[pete.joint_names[0]] == pytest.approx(-57.2958, abs=1e-9)
    assert _posture_deg(CASSIE, np.array(CASSIE.standing_qpos)) == {}
    with pytest.raises(OutOfRangeError, match="does not stand on feet"):
        _posture_deg(load_robot("pepper"), np.zeros(18))


def test_feet_that_are_nearly_where_they_stand_are_there(stance):
    """By less than 2 mm or half a degree; one that is up, or aside by more, is not."""
    still = np.tile(stance.qpos, (2, 1))
    for rise_m, kept in ((0.0019, False), (0.0021, True)):
        raised = still.copy()
        raised[1, 2] += rise_m
        values = _numbers(stance, raised)
        assert bool(values[1, 6:12].any()) is kept
        assert values[1, 2] == pytest.approx(rise_m, abs=1e-9)
    for aside_m, kept in ((0.0019, False), (0.0021, True)):
        moved = still.copy()
        moved[1, 1] += aside_m
        assert bool(_numbers(stance, moved)[1, 6:12].any()) is kept
    for turn_deg, kept in ((0.45, False), (0.55, True)):
        turned = still.copy()
        half = np.radians(turn_deg) / 2.0
        turned[1, 3:7] = np.cos(half), 0.0, 0.0, np.sin(half)
        assert bool(_numbers(stance, turned)[1, 12:14].any()) is kept
