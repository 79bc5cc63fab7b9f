"""Planted body: behaviour 5 of the reference: springs, feet, limits, toe and heel; and the closed-form leg agrees."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.animation.animation_frames import sample_keyframes
from strut.animation.animation_ik import planted_stance, solve_frames
from strut.engines.task_jacobians import task_jacobians
from strut.errors import UnknownNameError, UnreachableFrameError
from strut.kinematics.planted_body import BODY_WEIGHT, PlantedTargets, solve_planted
from strut.models.catalogue import load_robot
from strut.models.coupled_joints import coupled_joints
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


def planted_cost(robot, targets, qpos):
    """Return half the sum of the squared weighted errors, as the module documents its weights. Shape (T,)."""
    current = task_jacobians(robot, qpos)
    to_foot = np.swapaxes(current.foot_rotation, -1, -2)
    turn = Rotation.from_matrix((to_foot @ targets.foot_rotation).reshape(-1, 3, 3)).as_rotvec()
    turn = turn.reshape(targets.foot_in_world.shape) * robot.foot_turns
    body = targets.place_m - qpos[:, :3]
    if targets.by_mass:
        body[:, :2] = (targets.place_m - current.com_in_world)[:, :2]
    errors = (targets.foot_in_world - current.foot_in_world, turn, BODY_WEIGHT * body)
    return 0.5 * sum((error.reshape(len(qpos), -1) ** 2).sum(axis=1) for error in errors)


@pytest.mark.parametrize("by_mass", [False, True])
def test_a_solution_is_the_minimum_of_the_weighted_errors_within_limits_and_couplings(cassie, by_mass):
    """The body 0.15 m above what the legs reach, so that feet, body and limits contradict each other."""
    coupled = coupled_joints(cassie)
    rng = np.random.default_rng(6)
    start = np.tile(cassie.standing_qpos, (3, 1))
    exact = task_jacobians(cassie, start)
    tilt = Rotation.from_rotvec(0.02 * rng.normal(size=(6, 3))).as_matrix().reshape(3, 2, 3, 3)
    place = start[:, :3].copy()
    if by_mass:
        place[:, :2] = exact.com_in_world[:, :2]
    targets = PlantedTargets(
        foot_in_world=exact.foot_in_world + 0.01 * rng.normal(size=exact.foot_in_world.shape),
        foot_rotation=tilt @ exact.foot_rotation,
        base_rotation=exact.base_rotation,
        place_m=place + np.array([0.02, -0.01, 0.35]),
        joint_rad=start[:, 7:],
        by_mass=by_mass,
    )
    qpos = solve_planted(cassie, coupled, targets, start).qpos
    free = qpos[:, 7:][:, coupled.free]
    np.testing.assert_allclose(qpos[:, 7:], coupled.all_rad(free), atol=1e-12)
    lower = cassie.joint_lower_rad[coupled.free]
    upper = cassie.joint_upper_rad[coupled.free]
    start_cost = planted_cost(cassie, targets, start)
    for column in range(3 + len(coupled.free)):
        costs = []
        for sign in (1.0, -1.0):
            there = qpos.copy()
            if column < 3:
                there[:, column] += sign * 1e-5
            else:
                changed = free.copy()
                changed[:, column - 3] += sign * 1e-5
                there[:, 7:] = coupled.all_rad(changed)
            costs.append(planted_cost(cassie, targets, there))
        slope = (costs[0] - costs[1]) / 2e-5
        may_rise = np.ones(3, dtype=bool) if column < 3 else free[:, column - 3] < upper[column - 3] - 1e-9
        may_fall = np.ones(3, dtype=bool) if column < 3 else free[:, column - 3] > lower[column - 3] + 1e-9
        assert (slope[may_rise] > -1e-4 * start_cost.max()).all()
        assert (slope[may_fall] < 1e-4 * start_cost.max()).all()
