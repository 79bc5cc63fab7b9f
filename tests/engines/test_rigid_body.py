"""Inverse dynamics of sampled movements, against Pinocchio, against momentum, and against MuJoCo's own differences."""

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from strut.engines.inverse_dynamics import ground_reaction, inverse_dynamics, velocities
from strut.engines.rigid_body import foot_positions
from tests.mjcf_text import text_of

RATE_HZ = 100.0
GRAVITY_M_S2 = 9.81


@pytest.fixture(scope="module")
def tumbling(mrpete):
    """A smooth random movement that starts and ends at rest: time (T,) and qpos (T, nq)."""
    rng = np.random.default_rng(1)
    time_s = np.arange(121) / RATE_HZ
    u = time_s / time_s[-1]
    bump = (u * (1.0 - u)) ** 3 * 64.0
    waves = np.sin(2.0 * np.pi * (u[:, None] * rng.uniform(0.3, 1.5, 34) + rng.uniform(0, 1, 34))) * bump[:, None]
    middle = (mrpete.joint_lower_rad + mrpete.joint_upper_rad) / 2.0
    turn = Rotation.from_rotvec(1.2 * waves[:, 3:6]) * Rotation.from_rotvec([0.2, -0.5, 2.9])
    base = 0.3 * waves[:, :3] + [0.4, -0.2, 0.9]
    qpos = np.concatenate([base, turn.as_quat(scalar_first=True), middle + 0.6 * waves[:, 6:]], axis=1)
    qpos[60:, 3:7] *= -1.0  # the same rotations: a quaternion may change sign at any time
    return time_s, qpos


def test_velocities_are_the_mean_of_mujocos_differences_either_side(mrpete, tumbling):
    time_s, qpos = tumbling
    model = mrpete.model
    change = np.zeros((len(qpos) + 1, model.nv))
    for k in range(1, len(qpos)):
        mujoco.mj_differentiatePos(model, change[k], 1.0 / RATE_HZ, qpos[k - 1], qpos[k])
    qvel, qacc = velocities(mrpete, time_s, qpos)
    assert_allclose(qvel, (change[1:] + change[:-1]) / 2.0, atol=1e-9)
    assert_allclose(qacc, (change[1:] - change[:-1]) * RATE_HZ, atol=1e-6)


def test_velocities_of_a_steady_turn_are_exact(mrpete):
    time_s = np.arange(20) / RATE_HZ
    spin = np.array([0.5, -1.0, 2.0])
    qpos = np.zeros((20, 35))
    qpos[:, :3] = time_s[:, None] * [1.0, 2.0, 3.0]
    qpos[:, 3:7] = (Rotation.from_rotvec([1.0, 1.0, 0.0]) * Rotation.from_rotvec(time_s[:, None] * spin)).as_quat(
        scalar_first=True
    )
    qvel, qacc = velocities(mrpete, time_s, qpos)
    assert_allclose(qvel[1:-1, :6], np.tile([1.0, 2.0, 3.0, *spin], (18, 1)), atol=1e-12)
    assert_allclose(qacc[1:-1], np.zeros((18, 34)), atol=1e-9)


def test_inverse_dynamics_of_a_movement_equal_those_of_pinocchio(mrpete, tumbling):
    oracle = pytest.importorskip("tests.oracle", reason="Pinocchio has no wheel for this system")
    time_s, qpos = tumbling
    model = oracle.oracle_model(text_of(mrpete.model))
    data = model.createData()
    qvel, qacc = velocities(mrpete, time_s, qpos)
    ours = inverse_dynamics(mrpete, time_s, qpos)
    rotation = oracle.base_rotation(qpos)
    q = oracle.oracle_q(qpos)
    v = oracle.oracle_v(qvel, rotation)
    a = oracle.oracle_a(qvel, qacc, rotation)
    for k in range(len(qpos)):
        tau = oracle.pin.rnea(model, data, q[k], v[k], a[k])
        assert_allclose(ours.torque_nm[k], tau[6:], atol=1e-9)
        force = rotation[k] @ tau[:3]
        assert_allclose(ours.ground_force_n[k], force, atol=1e-9)
        assert_allclose(ours.ground_moment_nm[k], rotation[k] @ tau[3:6] + np.cross(qpos[k, :3], force), atol=1e-9)
        assert_allclose(ours.com_in_world[k], oracle.pin.centerOfMass(model, data, q[k]), atol=1e-9)


def test_contact_jacobians_are_the_derivatives_of_the_lowest_points(mrpete, tumbling):
    """A point fixed to the foot's link: its world position by finite differences of joint angles."""
    _, qpos = tumbling
    time_s = np.arange(3) / RATE_HZ
    sample = np.tile(qpos[30], (3, 1))
    jacobian = inverse_dynamics(mrpete, time_s, sample).contact_jacobian[0]
    model = mrpete.model
    data = mujoco.MjData(model)
    step = 1e-6

    def points(q, local=None):
        data.qpos[:] = q
        mujoco.mj_kinematics(model, data)
        bodies = [model.site_bodyid[model.site(foot.frame).id] for foot in mrpete.feet]
        places = [(data.xpos[body].copy(), data.xmat[body].reshape(3, 3).copy()) for body in bodies]
        if local is None:
            lowest = [data.site_xpos[model.site(foot.frame).id] - [0, 0, foot.radius_m] for foot in mrpete.feet]
            return [rotation.T @ (low - place) for low, (place, rotation) in zip(lowest, places, strict=True)]
        return np.array([place + rotation @ at for at, (place, rotation) in zip(local, places, strict=True)])

    local = points(sample[0])
    for joint in range(28):
        more = sample[0].copy()
        less = sample[0].copy()
        more[7 + joint] += step
        less[7 + joint] -= step
        assert_allclose(jacobian[:, :, joint], (points(more, local) - points(less, local)) / (2 * step), atol=1e-8)


def test_ground_carries_weight_and_the_change_of_momentum(mrpete, tumbling):
    """Newton for the whole robot: m (c'' + g), with c'' by differences of the centre of mass."""
    time_s, qpos = tumbling
    dynamics = inverse_dynamics(mrpete, time_s, qpos)
    acceleration = np.gradient(np.gradient(dynamics.com_in_world, time_s, axis=0), time_s, axis=0)
    expected = mrpete.mass_kg * (acceleration + np.array([0.0, 0.0, GRAVITY_M_S2]))
    assert_allclose(dynamics.ground_force_n[4:-4], expected[4:-4], atol=0.03 * np.abs(expected).max())


def test_ground_reaction_alone_equals_that_of_the_full_inverse_dynamics(mrpete, tumbling):
    time_s, qpos = tumbling
    full = inverse_dynamics(mrpete, time_s, qpos)
    alone = ground_reaction(mrpete, time_s, qpos)
    assert_allclose(alone.force_n, full.ground_force_n, atol=1e-12)
    assert_allclose(alone.moment_nm, full.ground_moment_nm, atol=1e-12)
    assert_array_equal(alone.com_in_world, full.com_in_world)


def test_clearance_is_the_distance_that_mujoco_measures_to_the_floor(mrpete, tumbling):
    time_s, qpos = tumbling
    model = mrpete.model
    data = mujoco.MjData(model)
    floor = model.geom("floor").id
    feet = {model.geom(foot.frame).id for foot in mrpete.feet}
    others = [g for g in range(model.ngeom) if g != floor and g not in feet and model.geom_contype[g]]
    dynamics = inverse_dynamics(mrpete, time_s, qpos)
    assert dynamics.part_names == tuple(model.body(model.geom_bodyid[geom]).name for geom in others)
    for k in range(0, len(qpos), 15):
        data.qpos[:] = qpos[k]
        mujoco.mj_forward(model, data)
        distance = [mujoco.mj_geomDistance(model, data, floor, geom, 10.0, None) for geom in others]
        assert_allclose(dynamics.clearance_m[k], distance, atol=1e-9)


def test_feet_are_at_their_sites(mrpete, tumbling):
    time_s, qpos = tumbling
    assert_allclose(foot_positions(mrpete, qpos), inverse_dynamics(mrpete, time_s, qpos).foot_in_world, atol=1e-15)
