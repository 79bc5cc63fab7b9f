"""Torques of the controllers, put into the equations of motion, accelerate the body as the gains of its table ask."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation

from strut.engines.rigid_body import GRAVITY_M_S2
from strut.pilot.controllers.actuated_model import actuated_model
from strut.pilot.controllers.foot_placement import momentum_speed, pendulum_rate, periodic_speed, sway_speed
from strut.pilot.controllers.reference import StandReference, WalkReference
from strut.pilot.controllers.standing_controller import StandingController
from strut.pilot.controllers.state_estimator import Measurement, StateEstimator
from strut.pilot.controllers.walking_controller import WalkingController

TICK_S = 0.05  # so that few calls reach any instant of a step
REFERENCE = WalkReference(0.4, -0.1, 0.2, 0.86, 0.03, 0.05, 1.2)
SILENT = (1e-12, 1e-12)  # gains without effect


@pytest.fixture(scope="module")
def bare(model, table):
    """Return a body without damping, friction, torque limits and feedback of flat feet: only the tasks are left."""
    frictionless = copy(model)
    frictionless.dof_damping[:] = 0.0
    gains = structs.replace(
        table,
        motor_damping=(0.0,) * len(table.motors),
        walking=structs.replace(table.walking, flat_foot=SILENT),
        standing=structs.replace(table.standing, flat_foot=SILENT, regularisation=1e-10),
    )
    body = actuated_model(frictionless, gains)
    return replace(body, torque_limit_nm=np.full(body.motor_count, np.inf))


def disturbed(body, swing, seed=3, size=1.0):
    """Return the estimate of a body that is tilted, bent and moving."""
    rng = np.random.default_rng(seed)
    estimator = StateEstimator(body, 0.001)
    x, y, z, w = Rotation.from_euler("ZYX", size * np.array([0.1, 0.06, -0.04])).as_quat()
    measured = Measurement(
        quaternion=np.array([w, x, y, z]),
        gyro_rad_s=0.2 * size * rng.standard_normal(3),
        accelerometer_m_s2=np.array([0.3, -0.2, 9.9]),
        joint_rad=body.model.qpos0[7:] + 0.03 * size * rng.standard_normal(14),
        joint_rad_s=0.3 * size * rng.standard_normal(14),
    )
    for _ in range(50):  # the velocity of the base is filtered
        estimator.update(measured, swing)
    return estimator


def accelerations(estimator, torque, rows):
    """Return what torques do to a body whose soles in `rows` rest: the equations of motion with constraints."""
    dynamics = estimator.dynamics
    contact = dynamics.foot_rows[rows]
    count = len(contact)
    matrix = np.block([[dynamics.mass, -contact.T], [contact, np.zeros((count, count))]])
    forces = np.concatenate([np.zeros(6), torque]) - dynamics.bias
    return np.linalg.solve(matrix, np.concatenate([forces, -dynamics.foot_drift[rows]]))[: len(dynamics.bias)]


def tilt_error(rotation, wanted):
    """Return the turn to a wanted attitude in base axes, with the sine of the angle as length."""
    turn = (Rotation.from_matrix(rotation).inv() * wanted).as_rotvec()
    angle = np.linalg.norm(turn)
    return turn * np.sin(angle) / angle


def walking(body, stance, ticks, *, reference=REFERENCE):
    """Return an estimate, its controller after some ticks of a step, and the torques of the last tick."""
    estimator = disturbed(body, None, seed=8)
    controller = WalkingController(estimator, TICK_S)
    controller.start(stance)
    pivot = estimator.dynamics.pivot
    lift_off_m = pivot[1 - stance] - pivot[stance]
    moved = disturbed(body, 1 - stance)
    for name in ("dynamics", "velocity", "foot_velocity", "height_m", "motor_rad"):
        setattr(estimator, name, getattr(moved, name))
    for _ in range(ticks):
        torque = controller.torque(reference)
    return estimator, controller, lift_off_m, torque


def swing_path(table, controller, lift_off_m):
    """Return place, speed and acceleration of the swing foot as splines from lift-off to landing give them. (3, 3)."""
    gains = table.walking.swing
    step_s = table.walking.step_s
    time_s = controller.step_time_s
    share = CubicHermiteSpline([0.0, gains.done_share * step_s], [0.0, 1.0], [0.0, 0.0])
    height = CubicHermiteSpline(
        [0.0, step_s / 2.0, step_s],
        [lift_off_m[2], REFERENCE.lift * gains.clearance_m, -gains.landing_depth_m],
        [0.0, 0.0, -gains.landing_speed_m_s],
    )
    along = np.array([share(time_s, order) for order in range(3)])
    span = np.array(controller.target_m) - lift_off_m[:2]
    flat = along[:, None] * span + [[*lift_off_m[:2]], [0.0, 0.0], [0.0, 0.0]]
    return np.column_stack([flat, [height(time_s, order) for order in range(3)]])


@pytest.mark.parametrize("stance", [0, 1])
@pytest.mark.parametrize("ticks", [1, 5])
def test_the_torques_of_a_walk_accelerate_base_and_swing_foot_by_their_gains(bare, stance, ticks):
    estimator, controller, lift_off_m, torque = walking(bare, stance, ticks)
    dynamics = estimator.dynamics
    gains = bare.table.walking
    done = accelerations(estimator, torque, slice(5 * stance, 5 * stance + 5))
    kp, kd = gains.height
    assert done[2] == pytest.approx(kp * (0.86 - estimator.height_m) + kd * (0.03 - estimator.velocity[2]))
    wanted = Rotation.from_euler("ZY", [controller.heading_rad, 0.05])
    error = tilt_error(dynamics.base_rotation, wanted)
    kp, kd = np.transpose(gains.rotation)
    np.testing.assert_allclose(done[3:6], kp * error + kd * ([0.0, 0.0, 0.2] - estimator.velocity[3:6]), rtol=1e-6)
    swing = 5 * (1 - stance)
    foot = (dynamics.foot_rows @ done + dynamics.foot_drift)[swing : swing + 5]
    place, speed, acceleration = swing_path(bare.table, controller, lift_off_m)
    velocity = estimator.foot_velocity[swing : swing + 5]
    kp, kd = gains.swing.place
    away_m = place - (dynamics.pivot[1 - stance] - dynamics.pivot[stance])
    np.testing.assert_allclose(foot[:3], acceleration + kp * away_m + kd * (speed - velocity[:3]), rtol=1e-6)
    line = dynamics.line[1 - stance]
    kp, kd = gains.swing.pitch
    assert foot[3] == pytest.approx(kp * np.arcsin(line[2]) - kd * velocity[3])
    kp, kd = gains.swing.yaw
    turn = controller.heading_rad - np.arctan2(line[1], line[0])
    assert foot[4] == pytest.approx(kp * turn + kd * (0.2 - velocity[4]))
    assert torque[bare.foot_motor[stance]] == pytest.approx(0.0, abs=1e-6)  # the stance ankle is passive


@pytest.mark.parametrize("stance", [0, 1])
@pytest.mark.parametrize("ticks", [1, 4, 6, 7])
def test_a_pendulum_that_steps_on_the_foothold_ends_its_next_step_with_the_wanted_speed(bare, stance, ticks):
    """Forwards without bounds; sideways within the range of widths, and swaying from foot to foot."""
    estimator, controller, _, _ = walking(bare, stance, ticks)
    dynamics = estimator.dynamics
    gains = bare.table.walking
    away_m = dynamics.com - dynamics.pivot[stance]
    rate = pendulum_rate(away_m[2])
    speed = momentum_speed(dynamics.momentum, dynamics.pivot[stance], dynamics.mass_kg, away_m[2])
    turn = np.exp(-1j * controller.heading_rad)
    start, start_speed, foothold = (complex(*pair) * turn for pair in (away_m[:2], speed, controller.target_m))
    side = 1.0 if stance == 1 else -1.0

    def fall(state, duration_s):
        path = solve_ivp(
            lambda _, y: [y[1], GRAVITY_M_S2 / away_m[2] * y[0]], (0.0, duration_s), state, rtol=1e-10, atol=1e-12
        )
        return path.y[:, -1]

    left_s = max(gains.step_s - controller.step_time_s, 0.0)
    for axis, wanted in (("real", 0.4), ("imag", -0.1)):
        state = np.array([getattr(start, axis), getattr(start_speed, axis)])
        landed = fall(state, left_s) if left_s > 1e-9 else state
        end = periodic_speed(wanted, rate, gains.step_s)
        if axis == "imag":
            end -= side * sway_speed(gains.width_m, rate, gains.step_s)
        ends = [fall([landed[0] - foot, landed[1]], gains.step_s)[1] for foot in (0.0, 1.0)]  # linear in the foothold
        exact = (end - ends[0]) / (ends[1] - ends[0])
        if axis == "imag":
            exact = side * np.clip(side * exact, *gains.width_range_m)
        assert getattr(foothold, axis) == pytest.approx(exact, abs=1e-6)


def task_velocity(estimator, controller, stance, lift_off_m, table):
    """Return the minimal velocities at which soles, base and swing foot move as the tasks ask."""
    dynamics = estimator.dynamics
    swing = 5 * (1 - stance)
    speed = swing_path(table, controller, lift_off_m)[1]
    rows = np.concatenate([dynamics.foot_rows[5 * stance : 5 * stance + 5], dynamics.foot_rows[swing : swing + 5]])
    base = np.eye(6, len(dynamics.bias))
    wanted = [*np.zeros(5), *speed, 0.0, 0.2, *estimator.velocity[:2], 0.03, 0.0, 0.0, 0.2]
    return np.linalg.solve(np.concatenate([rows, base]), wanted)[6:]


@pytest.mark.parametrize("stance", [0, 1])
def test_motors_of_a_walk_damp_what_is_no_task_and_make_up_for_friction(bare, body, table, stance):
    _, _, _, without = walking(bare, stance, 3)
    unlimited = replace(body, torque_limit_nm=np.full(10, np.inf))
    estimator, controller, lift_off_m, torque = walking(unlimited, stance, 3)
    velocity = task_velocity(estimator, controller, stance, lift_off_m, table)
    damping = np.array(table.motor_damping)
    damping[5 * (1 - stance) : 5 * (1 - stance) + 5] *= table.walking.swing_damping
    damping[body.foot_motor[stance]] = 0.0
    expected = body.friction_nm_s_rad * velocity - damping * (estimator.velocity[6:] - velocity)
    kp, kd = table.walking.flat_foot
    toe_up = np.arcsin(estimator.dynamics.line[stance, 2])
    expected[body.foot_motor[stance]] -= kp * toe_up - kd * estimator.foot_velocity[5 * stance + 3]
    assert (body.friction_nm_s_rad > 0.0).all()
    np.testing.assert_allclose(torque - without, expected, atol=1e-6)
    limited = walking(body, stance, 3)[3]
    np.testing.assert_allclose(limited, np.clip(torque, -body.torque_limit_nm, body.torque_limit_nm))


STAND = StandReference(
    (0.0, 0.004, 0.898), (0.01, -0.02, 0.03), (0.01, -0.02, 0.03), (0.05, -0.1, 0.1), (0.1, -0.1, 0.2), (0.2, 0.1, -0.3)
)  # so near that the soles can push as much as it needs


def stand_tasks(estimator, gains):
    """Return the accelerations of the centre of mass along the ground, the height and the attitude of the base."""
    dynamics = estimator.dynamics
    along = dynamics.line[:, :2].sum(axis=0)
    along /= np.linalg.norm(along)
    axes = np.array([along, [-along[1], along[0]]])  # forward and left of the feet
    middle_m = dynamics.pivot[:, :2].mean(axis=0) + gains.sole_middle_m * along
    away_m = axes @ (dynamics.com[:2] - middle_m)
    speed = axes @ dynamics.momentum[:2] / dynamics.mass_kg
    kp, kd = gains.com
    com = STAND.place_m_s2[:2] + kp * (STAND.place_m[:2] - away_m) + kd * (STAND.place_m_s[:2] - speed)
    kp, kd = gains.height
    off_m = STAND.place_m[2] - estimator.height_m
    height = STAND.place_m_s2[2] + kp * off_m + kd * (STAND.place_m_s[2] - estimator.velocity[2])

    def attitude(turn_rad):
        roll, pitch, yaw = turn_rad
        return Rotation.from_euler("ZYX", [yaw + np.arctan2(along[1], along[0]), pitch, roll])

    step = 1e-6  # of finite differences
    wanted = attitude(STAND.turn_rad)
    rates, bends = (
        (wanted.inv() * attitude(np.array(STAND.turn_rad) + step * np.array(change))).as_rotvec() / step
        for change in (STAND.turn_rad_s, STAND.turn_rad_s2)
    )
    kp, kd = np.transpose(gains.rotation)
    error = tilt_error(dynamics.base_rotation, wanted)
    return axes.T @ com, height, bends + kp * error + kd * (rates - estimator.velocity[3:6])


@pytest.mark.parametrize("seed", [3, 5])
def test_the_torques_of_a_stand_accelerate_centre_of_mass_and_base_by_their_gains(bare, seed):
    estimator = disturbed(bare, None, seed, size=0.2)
    done = accelerations(estimator, StandingController(estimator).torque(STAND), slice(0, 10))
    dynamics = estimator.dynamics
    com, height, attitude = stand_tasks(estimator, bare.table.standing)
    force_n = dynamics.mass[:2] @ done + dynamics.bias[:2]
    np.testing.assert_allclose(force_n / dynamics.mass_kg, com, rtol=1e-4, atol=1e-4)
    assert done[2] == pytest.approx(height, rel=1e-4)
    np.testing.assert_allclose(done[3:6], attitude, rtol=1e-4, atol=1e-4)


def test_motors_of_a_stand_damp_what_is_no_task_and_keep_the_feet_flat(bare, body, table):
    without = StandingController(disturbed(bare, None, size=0.2)).torque(STAND)
    unlimited = replace(
        body,
        torque_limit_nm=np.full(10, np.inf),
        table=structs.replace(table, standing=structs.replace(table.standing, regularisation=1e-10)),
    )
    estimator = disturbed(unlimited, None, size=0.2)
    dynamics = estimator.dynamics
    torque = StandingController(estimator).torque(STAND)
    along = dynamics.line[:, :2].sum(axis=0)
    along /= np.linalg.norm(along)
    com = np.array([along, [-along[1], along[0]]]).T @ STAND.place_m_s[:2]
    heading = np.arctan2(along[1], along[0])
    turned = [
        Rotation.from_euler("ZYX", np.add([heading, 0.0, 0.0], angles[::-1]))
        for angles in (np.array(STAND.turn_rad), np.array(STAND.turn_rad) + 1e-6 * np.array(STAND.turn_rad_s))
    ]
    rates = (turned[0].inv() * turned[1]).as_rotvec() / 1e-6
    rows = np.concatenate([dynamics.foot_rows, dynamics.mass[:2] / dynamics.mass_kg, np.eye(6, 16)[2:]])
    velocity = np.linalg.solve(rows, [*np.zeros(10), *com, STAND.place_m_s[2], *rates])[6:]
    expected = body.friction_nm_s_rad * velocity - np.array(table.motor_damping) * (estimator.velocity[6:] - velocity)
    kp, kd = table.standing.flat_foot
    for foot, motor in enumerate(body.foot_motor):
        expected[motor] -= kp * np.arcsin(dynamics.line[foot, 2]) - kd * estimator.foot_velocity[5 * foot + 3]
    np.testing.assert_allclose(torque - without, expected, atol=1e-5)
