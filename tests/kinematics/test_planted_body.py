"""Planted body: behaviour 5 of the reference: springs, feet, limits, toe and heel; and the closed-form leg agrees."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.animation.animation_frames import sample_keyframes
from strut.animation.animation_ik import planted_stance, solve_frames
from strut.engines.task_jacobians import task_jacobians
from strut.errors import UnknownNameError, UnreachableFrameError
from strut.models.catalogue import load_robot
from strut.schemas.keyframes import Animation, AnimationKey, FootPose
from tests.stories import alice_sways, paw

KNEE = 3
SHIN = 4
ANKLE = 5
LEG = 7
WILD = (
    AnimationKey(0.0),
    AnimationKey(0.5, (0.03, 0.06, -0.15), (8.0, 20.0, 12.0)),
    AnimationKey(1.0, (-0.03, -0.08, -0.05), (-6.0, -12.0, -15.0)),
    AnimationKey(1.5, (0.0, 0.0, 0.06), (0.0, 5.0, 18.0)),
)


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


@pytest.fixture(scope="module")
def wild(cassie):
    animation = Animation("wild", "happy", WILD)
    stance = planted_stance(cassie, animation)
    frames = sample_keyframes(animation, cassie.foot_names, cassie.joint_names)
    return stance, frames, solve_frames(stance, frames)


def test_springs_rest_and_limits_hold(cassie, wild):
    joints = wild[2][:, 7:]
    for leg in (0, LEG):
        np.testing.assert_allclose(joints[:, leg + SHIN], 0.0, atol=1e-12)
        np.testing.assert_allclose(joints[:, leg + KNEE] + joints[:, leg + ANKLE], np.radians(13.0), atol=1e-12)
    assert (joints >= cassie.joint_lower_rad - 1e-12).all()
    assert (joints <= cassie.joint_upper_rad + 1e-12).all()


def test_feet_stay_with_toe_and_heel_level(cassie, wild):
    stance, _, qpos = wild
    now = task_jacobians(cassie, qpos)
    np.testing.assert_allclose(
        now.foot_in_world, np.broadcast_to(stance.foot_in_world, now.foot_in_world.shape), atol=1e-4
    )
    toe_over_heel_m = 0.16 * now.foot_rotation[:, :, 2, 0]  # the line's slope times its length
    np.testing.assert_allclose(toe_over_heel_m, 0.0, atol=1e-5)
    np.testing.assert_allclose(np.arctan2(now.foot_rotation[:, :, 1, 0], now.foot_rotation[:, :, 0, 0]), 0.0, atol=1e-4)


def test_base_is_where_it_was_drawn(wild):
    stance, frames, qpos = wild
    np.testing.assert_allclose(qpos[:, :3], stance.qpos[:3] + frames.base_m, atol=1e-5)
    turned = Rotation.from_quat(qpos[:, 3:7], scalar_first=True)
    wanted = Rotation.from_euler("ZYX", frames.turn_rad[:, ::-1])
    assert (turned * wanted.inv()).magnitude().max() < 1e-9


def test_leg_angles_are_those_of_the_closed_form(cassie):
    """The reference's table of stances: height of a level pelvis over feet under the hips → pitch, knee, foot."""
    frames = [AnimationKey(float(n), (0.0, 0.0, height - 0.9)) for n, height in enumerate((0.9, 0.8, 0.7, 1.0))]
    animation = Animation("heights", "neutral", tuple(frames))
    drawing = sample_keyframes(animation, cassie.foot_names, cassie.joint_names)
    qpos = solve_frames(planted_stance(cassie, animation), drawing)[drawing.key]
    table = [[35.76, -88.02, -98.76], [42.94, -103.31, -105.94], [49.26, -117.09, -112.26], [27.21, -70.10, -90.21]]
    np.testing.assert_allclose(np.degrees(qpos[:, [9, 10, 13]]), table, atol=0.05)


def test_unreachable_frame_is_named_with_foot_and_distance(cassie):
    animation = Animation("giant", "proud", (AnimationKey(0.0), AnimationKey(1.0, (0.0, 0.0, 0.4))))
    with pytest.raises(UnreachableFrameError) as refused:
        solve_frames(
            planted_stance(cassie, animation), sample_keyframes(animation, cassie.foot_names, cassie.joint_names)
        )
    assert refused.value.frame == 25
    assert refused.value.foot in cassie.foot_names
    assert 0.1 < refused.value.off_m < 0.25  # at most 1.1286 m of the 1.3 m drawn
    assert "Frame 25 at 1.00 s cannot be reached: foot" in str(refused.value)


def test_unknown_feet_and_joints_are_refused(cassie):
    start = AnimationKey(0.0)
    for frame in (AnimationKey(1.0, feet={"left_hoof": FootPose()}), AnimationKey(1.0, joints_deg={"tail": 3.0})):
        with pytest.raises(UnknownNameError, match="keyframe 2 names it"):
            planted_stance(cassie, Animation("test", "neutral", (start, frame)))


@pytest.mark.parametrize(("name", "animation"), [("alice", alice_sways()), ("mrpete", paw())])
def test_other_bodies_keep_their_feet_too(name, animation):
    robot = load_robot(name)
    stance = planted_stance(robot, animation)
    frames = sample_keyframes(animation, robot.foot_names, robot.joint_names)
    now = task_jacobians(robot, solve_frames(stance, frames))
    np.testing.assert_allclose(now.foot_in_world, stance.foot_in_world + frames.foot_shift_m, atol=1e-4)
