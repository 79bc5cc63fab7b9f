"""Inverse dynamics of small bodies: differences in time, points of feet, and what a platform's floor must hold."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.inverse_dynamics import contact_demand, ground_reaction, inverse_dynamics, velocities
from strut.engines.rigid_body import joint_anchors, linear_momentum, point_masses, point_positions
from strut.models.catalogue import load_robot
from strut.robot import ContactPoint
from tests.engines.small_robot import CORNERS, ROBOT, forward, postures

MODEL = ROBOT.model
STEP_S = 0.01


def smooth(samples=6, seed=0, robot=ROBOT):
    """Return a movement of a floating body that is nowhere special. Shapes (T,), (T, nq)."""
    rng = np.random.default_rng(seed)
    qpos = postures(1, seed, robot)[0]
    velocity = rng.normal(size=robot.model.nv)
    rows = [qpos]
    for _ in range(samples - 1):
        later = rows[-1].copy()
        mujoco.mj_integratePos(robot.model, later, velocity, STEP_S)
        velocity = velocity + rng.normal(size=robot.model.nv) * 0.05
        rows.append(later)
    return 2.0 + STEP_S * np.arange(samples), np.array(rows)


def test_velocities_are_central_differences_with_rest_at_both_ends():
    time_s, qpos = smooth()
    qvel, qacc = velocities(ROBOT, time_s, qpos)
    change = np.zeros((len(qpos) + 1, MODEL.nv))
    for k in range(len(qpos) - 1):
        mujoco.mj_differentiatePos(MODEL, change[k + 1], 1.0, qpos[k], qpos[k + 1])
    assert_allclose(qvel, (change[1:] + change[:-1]) / (2.0 * STEP_S), atol=1e-9)
    assert_allclose(qacc, np.diff(change, axis=0) / STEP_S**2, atol=1e-6)


def test_velocities_of_a_body_that_is_held_are_plain_differences():
    pepper = load_robot("pepper")
    rng = np.random.default_rng(1)
    qpos = rng.normal(size=(4, pepper.model.nq))
    qvel, qacc = velocities(pepper, 1.0 + 0.1 * np.arange(4), qpos)
    padded = np.concatenate([qpos[:1], qpos, qpos[-1:]])
    assert_allclose(qvel, (padded[2:] - padded[:-2]) / 0.2, atol=1e-9)
    assert_allclose(qacc, (padded[2:] - 2.0 * qpos + padded[:-2]) / 0.01, atol=1e-9)


def needed(qpos, qvel, qacc):
    """Return MuJoCo's mj_inverse without contacts, springs and limits, rotors included."""
    data = forward(qpos, qvel)
    mass = np.zeros((MODEL.nv, MODEL.nv))
    mujoco.mj_fullM(MODEL, data, mass)
    return mass @ qacc + data.qfrc_bias


def test_forces_and_torques_are_mass_times_acceleration_and_bias():
    time_s, qpos = smooth()
    qvel, qacc = velocities(ROBOT, time_s, qpos)
    found = inverse_dynamics(ROBOT, time_s, qpos)
    reaction = ground_reaction(ROBOT, time_s, qpos)
    for k in range(len(qpos)):
        force = needed(qpos[k], qvel[k], qacc[k])
        data = forward(qpos[k])
        assert_allclose(found.torque_nm[k], force[6:], atol=1e-8)
        assert_allclose(found.ground_force_n[k], force[:3], atol=1e-8)
        moment = data.xmat[1].reshape(3, 3) @ force[3:6] + np.cross(qpos[k, :3], force[:3])
        assert_allclose(found.ground_moment_nm[k], moment, atol=1e-8)
        assert_allclose(found.com_in_world[k], data.subtree_com[1], atol=1e-12)
    assert_allclose(reaction.force_n, found.ground_force_n, atol=1e-12)
    assert_allclose(reaction.moment_nm, found.ground_moment_nm, atol=1e-12)
    assert_allclose(reaction.com_in_world, found.com_in_world, atol=1e-12)
    assert found.drive_force.shape == (len(qpos), 0)


def test_points_of_feet_and_their_jacobians_are_those_of_the_matter_there():
    """The lowest point of the ball, and the corners of the sole wherever it is turned."""
    time_s, qpos = smooth(3)
    found = inverse_dynamics(ROBOT, time_s, qpos)
    for k in range(3):
        data = forward(qpos[k])
        jacobian = np.zeros((3, MODEL.nv))
        site = data.site("sole")
        low = [data.site("ball").xpos - [0.0, 0.0, 0.03]]
        corners = [site.xpos + site.xmat.reshape(3, 3) @ [x - 0.01, y - 0.02, 0.0] for x, y in CORNERS]
        for point, place in enumerate(low + corners):
            body = MODEL.body("shank" if point == 0 else "leg").id
            mujoco.mj_jac(MODEL, data, jacobian, None, place, body)
            assert_allclose(found.point_in_world[k, point], place, atol=1e-12)
            assert_allclose(found.contact_jacobian[k, point], jacobian[:, 6:], atol=1e-12)
        assert_allclose(found.foot_in_world[k], [data.site("ball").xpos, site.xpos], atol=1e-12)
        assert_allclose(found.foot_rotation[k, 1].ravel(), site.xmat, atol=1e-12)


def test_parts_that_are_no_feet_are_named_by_their_bodies_with_their_lowest_points():
    qpos = np.tile(MODEL.qpos0, (3, 1))
    found = inverse_dynamics(ROBOT, np.arange(3) * STEP_S, qpos)
    assert found.part_names == ("trunk", "thigh")
    data = forward(qpos[0])
    knee = data.geom("thigh").xpos - data.geom("thigh").xmat.reshape(3, 3)[:, 2] * MODEL.geom("thigh").size[1]
    other = 2.0 * data.geom("thigh").xpos - knee
    assert_allclose(found.clearance_m[0], [0.6 - 0.05, min(knee[2], other[2]) - 0.02], atol=1e-9)


def test_a_body_that_is_bolted_down_has_no_ground():
    bolted = replace(load_robot("pepper"), base_size=0)
    still = np.tile(bolted.model.qpos0, (3, 1))
    found = inverse_dynamics(bolted, np.arange(3) * STEP_S, still)
    assert np.isnan(found.ground_force_n).all()
    assert np.isnan(found.ground_moment_nm).all()


def test_the_floor_under_a_platform_holds_its_weight_and_pushes_its_mass():
    """By Newton and Euler: force is the rate of momentum and the weight, moment that of the angular momentum."""
    pepper = load_robot("pepper")
    rng = np.random.default_rng(4)
    model = pepper.model
    time_s = 0.002 * np.arange(9)
    velocity = rng.normal(size=model.nv) * 0.5
    bend = rng.normal(size=model.nv)
    qpos = model.qpos0 + time_s[:, None] * velocity + 0.5 * time_s[:, None] ** 2 * bend
    found = inverse_dynamics(pepper, time_s, qpos)
    qvel, _ = velocities(pepper, time_s, qpos)
    linear = []
    angular = []
    for row, speed in zip(qpos, qvel, strict=True):
        data = mujoco.MjData(model)
        data.qpos[:] = row
        data.qvel[:] = speed
        mujoco.mj_forward(model, data)
        mujoco.mj_subtreeVel(model, data)
        momentum = model.body_subtreemass[1] * data.subtree_linvel[1]
        linear.append(momentum)
        angular.append(data.subtree_angmom[1] + np.cross(data.subtree_com[1], momentum))
    mass = float(model.body_subtreemass[1])
    middle = slice(2, -2)
    weight = np.array([0.0, 0.0, 9.81 * mass])
    assert_allclose(found.ground_force_n[middle], np.gradient(linear, 0.002, axis=0)[middle] + weight, atol=0.05)
    lever = np.cross(found.com_in_world, weight)
    assert_allclose(found.ground_moment_nm[middle], (np.gradient(angular, 0.002, axis=0) + lever)[middle], atol=0.05)
    assert found.drive_force.shape == (9, 3)
    assert_allclose(found.drive_force[middle, :2], found.ground_force_n[middle, :2], atol=0.05)
    assert_allclose(linear_momentum(model, qpos, qvel), linear, atol=1e-9)


def test_the_demand_of_contact_points_is_at_the_lowest_point_of_balls():
    time_s, qpos = smooth(3)
    qvel, qacc = velocities(ROBOT, time_s, qpos)
    points = (ContactPoint("a", "shank", (0.01, 0.02, -0.2), 0.03), ContactPoint("b", "leg", (0.05, -0.04, -0.32)))
    found = contact_demand(MODEL, points, qpos, qvel, qacc)
    for k in range(3):
        data = forward(qpos[k])
        jacobian = np.zeros((3, MODEL.nv))
        assert_allclose(found.force[k], needed(qpos[k], qvel[k], qacc[k]), atol=1e-8)
        for index, point in enumerate(points):
            body = MODEL.body(point.body).id
            place = data.xpos[body] + data.xmat[body].reshape(3, 3) @ point.position_m - [0.0, 0.0, point.radius_m]
            mujoco.mj_jac(MODEL, data, jacobian, None, place, body)
            assert_allclose(found.place_in_world[k, index], place, atol=1e-12)
            assert_allclose(found.jacobian[k, index], jacobian, atol=1e-12)
    centres = point_positions(MODEL, [(point.body, point.position_m) for point in points], qpos)
    assert_allclose(centres - found.place_in_world, np.tile([[0.0, 0.0, 0.03], [0.0, 0.0, 0.0]], (3, 1, 1)), atol=1e-12)


def test_masses_know_their_limb_and_anchors_their_joints():
    masses = point_masses(ROBOT, postures(1))
    assert_allclose(masses.mass_kg, [3.0, 0.7, 0.4, 1.1])
    assert masses.limb.tolist() == [-1, 0, 0, 1]
    data = forward(postures(1)[0])
    assert_allclose(masses.centre_in_world[0], data.xipos[1:], atol=1e-12)
    assert_allclose(
        joint_anchors(ROBOT, postures(1)[0]), [data.joint(n).xanchor for n in ROBOT.joint_names], atol=1e-12
    )


@pytest.mark.parametrize(("kind", "size", "below"), [
    ("cylinder", "0.1 0.3", lambda c, s: 0.1 * s + 0.3 * c),
    ("capsule", "0.1 0.3", lambda c, s: 0.1 + 0.3 * c),
    ("ellipsoid", "0.1 0.2 0.3", lambda c, s: np.hypot(0.2 * s, 0.3 * c)),
    ("box", "0.1 0.2 0.3", lambda c, s: 0.2 * s + 0.3 * c),
    ("sphere", "0.15", lambda c, s: 0.15),
])  # fmt: skip
def test_the_lowest_point_of_a_rolled_part(kind, size, below):
    part = f'<body name="p" pos="0 0 2"><freejoint/><geom type="{kind}" size="{size}"/></body>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{part}</worldbody></mujoco>")
    limits = ("joint_lower_rad", "joint_upper_rad", "joint_speed_limit_rad_s", "torque_limit_nm")
    robot = replace(ROBOT, model=model, joint_names=(), feet=(), **dict.fromkeys(limits, np.zeros(0)))
    qpos = np.tile([0.0, 0.0, 2.0, np.cos(0.35), np.sin(0.35), 0.0, 0.0], (3, 1))  # rolled by 0.7 rad
    clearance = inverse_dynamics(robot, np.arange(3) * STEP_S, qpos).clearance_m
    assert_allclose(clearance[:, 0], 2.0 - below(np.cos(0.7), np.sin(0.7)), atol=1e-9)
