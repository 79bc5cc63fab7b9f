"""Drawings as coordinates of bodies that stand: stances, feet that are down, and frames shown at other times."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.animation.animation_frames import sample_keyframes
from strut.animation.animation_ik import (
    LIFTED_M,
    MAX_HEIGHT_DIFFERENCE_M,
    euler_rotation,
    interpolate_frames,
    planted_stance,
    retime_frames,
    sample_times,
    solve_frames,
    stance_feet,
)
from strut.engines.rigid_body import foot_contact_points
from strut.engines.task_jacobians import task_jacobians
from strut.errors import OutOfRangeError, UnknownNameError, UnreachableFrameError
from strut.models.catalogue import load_robot
from strut.schemas.keyframes import Animation, AnimationKey, FootPose
from tests.alice import ALICE
from tests.stories import ALICE_STANDS

CASSIE = load_robot("cassie")


def story(*keys, **options):
    return Animation("story", "neutral", (AnimationKey(0.0), *keys, AnimationKey(0.4)), **options)


def drawing_of(animation, robot=CASSIE):
    return sample_keyframes(animation, robot.foot_names, robot.joint_names)


def test_instants_are_even_and_the_last_is_rounded_up():
    assert sample_times(1.0, 10.0).tolist() == pytest.approx(np.arange(11) / 10.0)
    assert sample_times(1.01, 10.0)[-1] == pytest.approx(1.1)
    assert sample_times(0.3, 10.0)[-1] == pytest.approx(0.3)  # 0.1 + 0.2, whatever rounding says


def test_curves_go_through_their_frames_and_rest_at_both_ends():
    time_s = np.array([0.0, 0.5, 1.5, 2.0])
    values = np.array([1.0, 3.0, -1.0, 2.0])
    assert_allclose(interpolate_frames(time_s, values, time_s), values)
    assert_allclose(interpolate_frames(time_s, values, np.array([2.0, 2.5])), 2.0)
    near = interpolate_frames(time_s, values, np.array([1e-4, 2.0 - 1e-4]))
    assert_allclose(near, [1.0, 2.0], atol=1e-6)


def test_turns_are_roll_then_pitch_then_yaw_about_fixed_axes():
    roll = 0.2
    pitch = -0.3
    yaw = 0.5
    parts = [Rotation.from_rotvec(vector) for vector in ([0, 0, yaw], [0, pitch, 0], [roll, 0, 0])]
    expected = parts[0] * parts[1] * parts[2]
    assert_allclose(euler_rotation(np.array([[roll, pitch, yaw]])).as_matrix()[0], expected.as_matrix(), atol=1e-12)


def test_feet_carry_that_are_neither_up_nor_in_the_ground():
    frames = drawing_of(story(AnimationKey(0.2)))
    shift = np.array(frames.foot_shift_m)
    shift[1, 0, 2] = 0.9 * LIFTED_M
    shift[2, 1, 2] = -0.9 * LIFTED_M
    shift[3, 0, 2] = 1.1 * LIFTED_M
    shift[4, 1, 2] = -1.1 * LIFTED_M
    shift[5, 0, :2] = 0.3
    down = stance_feet(replace(frames, foot_shift_m=shift))
    assert np.argwhere(~down).tolist() == [[3, 0], [4, 1]]


def test_frames_that_are_shown_slower_keep_keys_eyes_and_feet_that_stand():
    up = AnimationKey(0.2, (0.02, 0.0, 0.0), feet={"left_sole": FootPose((0.0, 0.0, 0.05))}, eyes="happy")
    frames = drawing_of(story(AnimationKey(0.12, interpolation="linear"), up, AnimationKey(0.28)))
    shown_s = 2.0 * np.asarray(frames.time_s)
    time_s = np.linspace(0.0, 0.8, 41)  # four instants a frame
    slow = retime_frames(frames, shown_s, time_s)
    assert slow.key.tolist() == [4 * frame for frame in frames.key]
    assert slow.corner.tolist() == [4 * frame for frame in frames.corner] == [12, 20]
    assert_allclose(slow.base_m[slow.key], frames.base_m[frames.key], atol=1e-12)
    first = int(np.flatnonzero(~stance_feet(frames)[:, CASSIE.foot_names.index("left_sole")])[0])
    last = int(np.flatnonzero(~stance_feet(frames)[:, CASSIE.foot_names.index("left_sole")])[-1])
    lifted = ~stance_feet(slow)[:, CASSIE.foot_names.index("left_sole")]
    assert np.flatnonzero(lifted)[[0, -1]].tolist() == [4 * (first - 1) + 1, 4 * (last + 1) - 1]
    assert stance_feet(slow)[:, CASSIE.foot_names.index("right_sole")].all()
    begins = next(k for k, eyes in enumerate(frames.eyes) if eyes == "happy")
    assert slow.eyes.index("happy") == 4 * begins
    assert retime_frames(frames, shown_s, np.array([0.0, 0.9])).eyes[-1] == frames.eyes[-1]


# stances


def test_a_stance_has_its_posture_and_all_feet_on_the_floor():
    stance = planted_stance(ALICE, story(posture_deg=ALICE_STANDS))
    knee = 7 + ALICE.joint_names.index("L_knee")
    assert stance.qpos[knee] == pytest.approx(np.radians(ALICE_STANDS["*_knee"]))
    assert_allclose(foot_contact_points(ALICE, stance.qpos[None])[0, :, 2], 0.0, atol=1e-4)
    assert_allclose(stance.foot_in_world[:, 2], [foot.radius_m for foot in ALICE.feet])
    assert_allclose(stance.foot_yaw_rad, 0.0, atol=1e-9)
    assert_allclose(stance.foot_in_world[:, :2], task_jacobians(ALICE, stance.qpos[None]).foot_in_world[0, :, :2])


def test_feet_on_different_heights_are_refused_and_the_floor_is_between_nearly_equal_ones():
    bent = dict(ALICE_STANDS)
    with pytest.raises(OutOfRangeError, match=r"foot L is \d+ mm above the floor"):
        planted_stance(ALICE, story(posture_deg=bent | {"L_knee": 110.0, "L_hip_pitch": 60.0}))
    tilted = planted_stance(ALICE, story(posture_deg=bent | {"L_hip_pitch": 40.0}))
    feet = task_jacobians(ALICE, tilted.qpos[None]).foot_in_world[0, :, 2] - [foot.radius_m for foot in ALICE.feet]
    assert 0.0 < np.ptp(feet) < MAX_HEIGHT_DIFFERENCE_M
    assert feet.mean() == pytest.approx(0.0, abs=1e-12)


def test_names_that_a_body_does_not_have_are_refused_with_their_keyframe():
    for key, words in (
        (AnimationKey(0.2, feet={"paw": FootPose()}), "paw"),
        (AnimationKey(0.2, joints_deg={"tail": 3.0}), "tail"),
    ):
        with pytest.raises(UnknownNameError, match=words) as caught:
            planted_stance(CASSIE, story(key))
        assert "keyframe 2" in str(caught.value)
    with pytest.raises(UnknownNameError, match="posture_deg"):
        planted_stance(CASSIE, story(posture_deg={"*_tail": 3.0}))
    with pytest.raises(OutOfRangeError, match="does not stand on feet"):
        planted_stance(load_robot("pepper"), story())


def test_a_drawing_moves_base_and_feet_by_what_it_says():
    key = AnimationKey(0.2, (0.01, 0.02, -0.05), (2.0, 4.0, 3.0), {"left_sole": FootPose((0.03, 0.01, 0.04), 5.0)})
    stance = planted_stance(CASSIE, story(key))
    frames = drawing_of(story(key))
    qpos = solve_frames(stance, frames)
    now = task_jacobians(CASSIE, qpos[[int(frames.key[1])]])
    then = task_jacobians(CASSIE, stance.qpos[None])
    assert_allclose(qpos[frames.key[1], :3] - stance.qpos[:3], [0.01, 0.02, -0.05], atol=1e-4)
    turned = Rotation.from_quat(qpos[frames.key[1], 3:7], scalar_first=True)
    assert_allclose(turned.as_euler("xyz", degrees=True), [2.0, 4.0, 3.0], atol=0.01)
    left = CASSIE.foot_names.index("left_sole")
    moved = now.foot_in_world[0, left] - stance.foot_in_world[left]
    assert_allclose(moved, [0.03, 0.01, 0.04], atol=2e-4)
    forward = now.foot_rotation[0, left, :, 0]
    assert np.arctan2(forward[1], forward[0]) - stance.foot_yaw_rad[left] == pytest.approx(np.radians(5.0), abs=1e-3)
    assert_allclose(now.foot_in_world[0, 1 - left], then.foot_in_world[0, 1 - left], atol=2e-4)
    com = np.tile(then.com_in_world[0, :2] + [0.02, 0.01], (len(frames.time_s), 1))
    by_mass, miss = stance.solve(frames, com_m=com)
    assert miss.max() < 1e-4
    assert_allclose(task_jacobians(CASSIE, by_mass).com_in_world[:, :2], com, atol=1e-4)


def test_a_frame_out_of_reach_of_the_legs_is_reported_with_its_time():
    key = AnimationKey(0.2, (0.0, 0.0, 0.4))
    with pytest.raises(UnreachableFrameError) as caught:
        solve_frames(planted_stance(CASSIE, story(key)), drawing_of(story(key)))
    assert caught.value.time_s == pytest.approx(0.2)
