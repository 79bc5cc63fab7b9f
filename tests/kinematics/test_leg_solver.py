"""Leg solvers: every form inverts the model's own forward kinematics; the geometry says which one a leg takes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.frame_kinematics import frame_poses
from strut.errors import BadTableError
from strut.kinematics.leg3r import Leg3R, leg_3r
from strut.kinematics.leg7r import clamp_to_reach, knee_position
from strut.kinematics.leg_chain import LegChain, leg_chains
from strut.kinematics.leg_solver import leg_solvers
from strut.kinematics.mounted_leg import MountedLeg
from strut.kinematics.numeric_leg import NumericLeg
from strut.models.catalogue import load_robot

LEFT = 1.0


def quadruped_leg(*, side=LEFT, knee=(-2.7, 2.7), mirrored_knee=False, twist=0.0):
    """Return a leg of abduction about x, pitch and knee about y, with every offset that such a leg may have."""
    offsets = [
        [0.2, side * 0.08, 0.03],
        [0.05, side * 0.04, -0.01],
        [0.01, side * 0.03, -0.2],
        [0.02, side * 0.01, -0.21],
    ]
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0 if mirrored_knee else 1.0, twist]])
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    limits = np.array([[-0.9, 0.9], [-2.5, 2.5], knee])
    return LegChain("leg", np.array(offsets), np.tile(np.eye(3), (4, 1, 1)), axes, limits[:, 0], limits[:, 1])


def feet_below(chain, rng, count=300):
    side = np.sign(chain.offset_m[0, 1])
    return chain.offset_m[0] + [0.05, side * 0.08, -0.28] + rng.uniform(-0.07, 0.07, (count, 3))


@pytest.mark.parametrize("side", [LEFT, -LEFT])
@pytest.mark.parametrize("mirrored_knee", [False, True])
@pytest.mark.parametrize("knee_sign", [1, -1])
def test_the_closed_3r_form_puts_the_foot_where_it_is_wanted(side, mirrored_knee, knee_sign):
    chain = quadruped_leg(side=side, mirrored_knee=mirrored_knee)
    leg = leg_3r(chain, knee_sign)
    feet = feet_below(chain, np.random.default_rng(1))
    assert isinstance(leg, Leg3R)
    joints = leg.place_foot(feet, np.eye(3), np.zeros(len(feet))).joints_rad
    assert_allclose(chain.forward(joints)[0], feet, atol=1e-12)
    assert (leg.place_foot(feet, np.eye(3), np.zeros(len(feet))).excess_m < 0.0).all()
    knee = chain.forward(joints)[2][:, 2]
    hip = chain.forward(joints)[2][:, 1]
    share = (hip[:, 2] - knee[:, 2]) / (hip[:, 2] - feet[:, 2])
    line = hip[:, 0] + share * (feet[:, 0] - hip[:, 0])
    assert (np.sign(knee[:, 0] - line) == knee_sign).all()


@pytest.mark.parametrize(("knee", "forwards"), [((-2.7, -0.8), False), ((0.8, 2.7), True)])
def test_limits_choose_the_way_a_knee_bends_whatever_was_asked(knee, forwards):
    chain = quadruped_leg(knee=knee)
    for asked in (1, -1, None):
        leg = leg_3r(chain, asked)
        joints = leg.place_foot(feet_below(chain, np.random.default_rng(2), 20), np.eye(3), np.zeros(20)).joints_rad
        assert (joints[:, 2] > 0.0).all() == forwards
        assert (joints >= chain.lower_rad).all()
        assert (joints <= chain.upper_rad).all()


def test_a_foot_out_of_reach_is_approached_and_the_distance_is_returned():
    chain = quadruped_leg()
    leg = leg_3r(chain, -1)
    far = chain.offset_m[0] + np.array([0.05, 0.08, -0.9])
    placed = leg.place_foot(far, np.eye(3), np.zeros(()))
    excess = placed.excess_m
    reached = chain.forward(placed.joints_rad)[0]
    assert excess == pytest.approx(placed.span_m - leg.reach_m[1])
    assert np.linalg.norm(reached - far) == pytest.approx(excess, abs=1e-6)


@pytest.mark.parametrize("chain", [quadruped_leg(twist=0.1), quadruped_leg(mirrored_knee=True, twist=-0.2)])
def test_a_leg_whose_knee_is_not_parallel_to_its_hip_is_solved_numerically(chain):
    assert leg_3r(chain, None) is None
    leg = NumericLeg(chain)
    feet = feet_below(chain, np.random.default_rng(3), 60)
    joints = leg.place_foot(feet, np.eye(3), np.zeros(len(feet))).joints_rad
    assert_allclose(chain.forward(joints)[0], feet, atol=1e-9)
    assert (leg.place_foot(feet, np.eye(3), np.zeros(len(feet))).excess_m < 0.0).all()
    assert (joints >= chain.lower_rad).all()
    assert (joints <= chain.upper_rad).all()


def test_the_numeric_solver_meets_position_and_orientation_of_six_joints():
    alice = load_robot("alice")
    legs = leg_solvers(alice)
    assert [type(leg) for leg in legs] == [NumericLeg, NumericLeg]
    middle = (legs[0].chain.lower_rad + legs[0].chain.upper_rad) / 2.0
    wave = 0.3 * np.sin(np.linspace(0.0, 6.0, 40))[:, None] * np.array([1.0, -0.5, 1.0, 1.0, 0.7, 0.4])
    place, turn, _, _ = legs[0].chain.forward(middle + wave)
    joints = legs[0].place_foot(place, turn, np.zeros(40)).joints_rad
    found, own_turn, _, _ = legs[0].chain.forward(joints)
    assert_allclose(found, place, atol=1e-9)
    assert_allclose(own_turn, turn, atol=1e-9)
    assert np.abs(np.diff(joints, axis=0)).max() < 0.2  # follows, without jumps


def test_the_numeric_solver_agrees_with_the_closed_7r_form_on_what_both_must_reach(mrpete):
    closed = leg_solvers(mrpete)[0]
    chain = leg_chains(mrpete)[0]
    assert isinstance(closed, MountedLeg)
    feet = np.array([0.15, 0.2, -0.3]) + np.random.default_rng(4).uniform(-0.02, 0.02, (30, 3))
    turn = np.tile(np.eye(3), (30, 1, 1))
    for leg in (closed, NumericLeg(chain)):
        found, own_turn, _, _ = chain.forward(leg.place_foot(feet, turn, np.zeros(30)).joints_rad)
        assert_allclose(found, feet, atol=1e-9)
        assert_allclose(own_turn, turn, atol=1e-9)


def test_a_robot_without_feet_is_refused_with_what_to_write():
    with pytest.raises(BadTableError, match=r"pepper has no feet: name them in its robot\.toml"):
        leg_solvers(load_robot("pepper"))


@pytest.mark.parametrize("name", ["alice", "mrpete"])
def test_a_chain_puts_its_foot_where_the_model_has_it(name):
    robot = load_robot(name)
    rng = np.random.default_rng(6)
    joints = rng.uniform(robot.joint_lower_rad, robot.joint_upper_rad, (8, len(robot.joint_names)))
    qpos = np.concatenate([np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], (8, 1)), joints], axis=1)
    for chain, leg in zip(leg_chains(robot), robot.legs, strict=True):
        columns = [robot.joint_names.index(joint) for joint in leg.joints]
        foot, turn, _, _ = chain.forward(joints[:, columns])
        place, rotation = frame_poses(robot, leg.frame, qpos)
        assert_allclose(foot, place, atol=1e-12)
        assert_allclose(turn, rotation, atol=1e-12)


def test_feet_that_are_far_from_the_first_one_are_found_from_other_starts():
    chain = quadruped_leg(twist=0.2)
    rng = np.random.default_rng(8)
    joints = rng.uniform(chain.lower_rad, chain.upper_rad, (120, 3))
    feet = chain.forward(joints)[0]  # all over the workspace, so that some cannot be reached from the first
    placed = NumericLeg(chain).place_foot(feet, np.eye(3), np.zeros(120))
    assert (placed.excess_m < 0.0).all()
    assert_allclose(chain.forward(placed.joints_rad)[0], feet, atol=1e-5)


def test_a_held_knee_is_where_the_published_reference_has_it(mrpete):
    rng = np.random.default_rng(9)
    for leg in leg_solvers(mrpete):
        feet = leg.chain.forward(np.zeros(7))[0] + [0.0, 0.0, 0.1] + rng.uniform(-0.03, 0.03, (10, 3))
        turn = np.tile(np.eye(3), (10, 1, 1))
        knee_rad = rng.uniform(-1.0, 1.0, 10)
        ankle = clamp_to_reach(leg.leg, leg.ankle_in_hip(feet, turn))
        held = knee_position(leg.leg, ankle, leg.body_fixed_knee(feet, turn, knee_rad), reference="body")
        assert_allclose(held, knee_position(leg.leg, ankle, knee_rad, reference="published"), atol=1e-9)
