"""The quadratic program of whole-body control against MuJoCo's own forward dynamics and statics."""

import mujoco
import numpy as np
import pytest

import strut
from strut.simulation.planned_walk import PlannedWalk
from strut.simulation.sensing import Sensing
from strut.simulation.step_adjustment import StepShift
from strut.simulation.walking_state import WalkingDynamics
from strut.simulation.whole_body_program import Footing, Task, WholeBodyProgram
from tests.adoption.small_robots import biped, import_robot

GRAVITY = 9.81


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("biped"), "biped.urdf")[0]


@pytest.fixture(scope="module")
def motion(robot):
    return strut.walk(robot, "neutral", cycles=2, speed_m_s=0.2)


@pytest.fixture
def moving(robot):
    """Return the dynamics of the robot standing, with some velocity, and that velocity."""
    state = WalkingDynamics(robot)
    qvel = np.random.default_rng(3).normal(0.0, 0.3, robot.model.nv)
    state.move(robot.standing_qpos, qvel)
    return state, qvel


def posture_task(robot, legs, wanted):
    rows = np.zeros((len(legs), robot.model.nv))
    rows[np.arange(len(legs)), 6 + legs] = 1.0
    return Task(rows, wanted, 1.0)


def footings(robot, state):
    corners = [np.array([(x, y, 0.0) for x, y in foot.outline_m]) for foot in robot.feet]
    return [Footing(k, corner @ state.foot_rotation[k].T, 0.5) for k, corner in enumerate(corners)]


def test_in_the_air_mujoco_accelerates_the_legs_as_the_program_says(robot, moving):
    state, qvel = moving
    program = WholeBodyProgram(robot, 0.6)
    wanted = np.random.default_rng(4).normal(0.0, 2.0, len(program.legs))
    others = np.zeros(len(robot.joint_names) - len(program.legs))  # they keep their speed
    task = posture_task(robot, program.legs, wanted)
    torque = program.torque(state, [task], np.zeros(3), np.zeros(3), [], others)
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.standing_qpos
    data.qvel[:] = qvel
    mujoco.mj_forward(robot.model, data)
    mass = np.zeros((robot.model.nv, robot.model.nv))
    applied = -data.qfrc_bias
    mujoco.mj_fullM(robot.model, data, mass)
    applied[6 + program.legs] += torque
    free = np.concatenate([np.arange(6), 6 + program.legs])
    accelerated = np.linalg.solve(mass[np.ix_(free, free)], applied[free])
    np.testing.assert_allclose(accelerated[6:], wanted, atol=1e-4)


def test_torques_keep_their_limits_whatever_is_asked(robot, moving):
    state, _ = moving
    program = WholeBodyProgram(robot, 0.6)
    others = np.zeros(len(robot.joint_names) - len(program.legs))
    task = posture_task(robot, program.legs, np.full(len(program.legs), 1e4))
    push = np.array([50.0, 0.0, 80.0])
    weight = np.ones(3)
    torque = program.torque(state, [task], push, weight, footings(robot, state), others)
    limit = robot.torque_limit_nm[program.legs]
    assert np.abs(torque / limit).max() == pytest.approx(1.0, abs=1e-6)


def test_standing_legs_carry_the_weight_that_is_above_them(robot):
    state = WalkingDynamics(robot)
    state.move(robot.standing_qpos, np.zeros(robot.model.nv))
    program = WholeBodyProgram(robot, 0.6)
    still = [Task(state.foot_jacobian[foot], -state.foot_drift[foot], 1.0) for foot in range(2)]
    attitude = Task(np.eye(6, robot.model.nv)[3:], np.zeros(3), 1.0)
    tasks = [*still, attitude, posture_task(robot, program.legs, np.zeros(len(program.legs)))]
    others = np.zeros(len(robot.joint_names) - len(program.legs))
    torque = program.torque(state, tasks, np.array([0.0, 0.0, GRAVITY]), np.ones(3), footings(robot, state), others)
    knees = [robot.joint_names.index(f"{side}_knee") for side in ("left", "right")]
    left, right = (float(torque[program.legs.tolist().index(knee)]) for knee in knees)
    assert left == pytest.approx(right, rel=0.02)
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.standing_qpos
    mujoco.mj_forward(robot.model, data)
    # statics of one leg: half of the weight at the foot, less what hangs below the knee, seen from the knee
    knee = robot.model.joint("left_knee")
    shank = robot.model.body("left_knee_link").id
    below_kg = robot.model.body_subtreemass[shank]
    anchor = data.xanchor[knee.id]
    below = data.subtree_com[shank]
    pressure_x = data.subtree_com[1, 0]  # at rest the ground pushes under the centre of mass
    half_n = robot.mass_kg * GRAVITY / 2.0
    lever = half_n * (pressure_x - anchor[0]) - below_kg * GRAVITY * (below[0] - anchor[0])
    assert left == pytest.approx(lever, rel=0.15)


def test_a_walk_stays_upright_with_noise_and_delay_of_an_estimator(robot, motion):
    outcome = strut.simulate(
        motion, robot, controller="whole_body", mass_scale=1.1, sensing=Sensing(0.05, 0.05, delay_s=0.005, seed=1)
    ).outcome
    assert (outcome.fell, outcome.stumbles, outcome.controller) == (False, 0, "whole_body")
    assert outcome.distance_m == pytest.approx(outcome.commanded_distance_m, rel=0.15)
    assert outcome.foot_slip_mm < 10.0


def test_a_foot_is_never_put_down_across_the_other(robot, motion):
    planned = PlannedWalk(robot, motion)
    state = WalkingDynamics(robot)
    sample = int(np.flatnonzero(~motion.contact[:, 0])[-3])
    plan = planned.at(float(motion.time_s[sample]))
    state.move(motion.qpos[sample], np.zeros(robot.model.nv))
    stands = np.array([False, True])
    far_right_m = np.array([0.0, -0.5])
    places = StepShift(robot, planned).foot_targets(plan, state, stands, np.zeros(2), far_right_m)
    sole_m = np.ptp(np.array(robot.feet[0].outline_m)[:, 1])
    assert places[0, 1] - state.foot_m[1, 1] >= sole_m
    assert places[0, 1] < plan.foot_m[0, 0, 1]
