"""Springs in the legs: mirrored torques, rest without torque, and bounds as data."""

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.human.problem.criteria import Criteria
from strut.human.problem.gait_options import GaitOptions
from strut.human.problem.gait_problem import gait_problem
from strut.kinematics.mirror import mirror_of


def spring_torques(problem, q, v, values):
    node = problem.node()
    symbols = ca.symvar(ca.vertcat(node.q, node.v, ca.vertcat(*node.parameter.values())))
    numbers = {f"q.{i}": q[i] for i in range(34)} | {f"v.{i}": v[i] / 5.0 for i in range(34)}
    numbers |= {f"parameter.{i}": values[p.name] for i, p in enumerate(problem.parameters)}
    function = ca.Function("springs", [ca.vertcat(*symbols)], [problem.passive(node)])
    return function([numbers[symbol.name()] for symbol in symbols]).full().ravel()


def test_springs_pull_towards_their_rest_and_dampers_against_the_motion(heiman):
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.3, options=GaitOptions(springs=True))
    values = {parameter.name: 0.0 for parameter in problem.parameters}
    values |= {"stiffness Knee_RY": 50.0, "rest Knee_RY": 0.3, "damping Knee_RY": 2.0}
    q = np.zeros(34)
    v = np.zeros(34)
    knee = problem.tree.velocity_names.index("KneeRight_RY")
    q[knee] = 0.1
    v[knee] = 1.5
    torque = spring_torques(problem, q, v, values)
    assert torque[knee] == pytest.approx(50.0 * 0.2 - 2.0 * 1.5)
    assert torque[problem.tree.velocity_names.index("KneeLeft_RY")] == pytest.approx(50.0 * 0.3)
    assert_allclose(torque[:6], 0.0)


def test_springs_of_both_legs_are_mirror_images(heiman):
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.3, options=GaitOptions(springs=True))
    rng = np.random.default_rng(4)
    values = {parameter.name: rng.uniform(0.0, 1.0) for parameter in problem.parameters}
    q, v = rng.normal(size=(2, 34))
    mirror = mirror_of(heiman, problem.tree.velocity_names)
    turned = spring_torques(problem, mirror.image(q), mirror.image(v), values)
    assert_allclose(turned, mirror.image(spring_torques(problem, q, v, values)), atol=1e-12)


def test_there_are_three_parameters_for_each_of_seven_joints(heiman):
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.3, options=GaitOptions(springs=True))
    assert len(problem.parameters) == 2 + 3 * 7
    assert gait_problem(heiman, Criteria(), speed_m_s=1.3).passive is None


def test_springs_begin_soft_at_the_middle_of_their_joints_and_stay_within_the_table(heiman):
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.3, options=GaitOptions(springs=True))
    found = {one.name: (one.lower, one.upper, one.guess) for one in problem.parameters}
    assert found["stiffness Ankle_RX"] == (0.0, 200.0, 1.0)
    assert found["damping Ankle_RX"] == (0.0, 10.0, 0.1)
    for joint, name in (("Knee_RY", "KneeLeft_RY"), ("Hip_RZ", "HipLeft_RZ")):
        index = heiman.joint_names.index(name)
        low = heiman.joint_lower_rad[index]
        high = heiman.joint_upper_rad[index]
        assert found[f"rest {joint}"] == pytest.approx((low, high, (low + high) / 2.0))


def test_a_rest_angle_that_turns_the_left_leg_out_turns_the_right_one_out(heiman):
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.3, options=GaitOptions(springs=True))
    values = {parameter.name: 0.0 for parameter in problem.parameters}
    values |= {"stiffness Hip_RZ": 10.0, "rest Hip_RZ": 0.2}
    torque = spring_torques(problem, np.zeros(34), np.zeros(34), values)
    at = problem.tree.velocity_names.index
    assert (torque[at("HipLeft_RZ")], torque[at("HipRight_RZ")]) == pytest.approx((2.0, -2.0))
