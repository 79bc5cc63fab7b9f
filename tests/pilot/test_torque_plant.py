"""A plant driven by torques: weight under its feet, pushes, gears, and sensors with the noise that was drawn."""

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from strut.pilot.plant.torque_plant import NO_NOISE, USUAL_NOISE, SensorNoise, Sensors, TorquePlant

FLOORS = {
    "plane": '<geom name="floor" type="plane" size="0 0 0.05"/>',
    "slab": '<geom name="floor" type="box" size="2 2 0.1" pos="0 0 -0.1"/>',  # spheres come first in its contacts
}
BODY = """
<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    FLOOR
    <body name="base" pos="0 0 0.5"><freejoint/>
      <geom type="box" size="0.2 0.1 0.05" mass="4"/><site name="imu"/>
      <geom name="bumper" type="sphere" size="0.02" pos="-0.3 0 -0.48" mass="0.1"/>
      <body name="left" pos="0.1 0.2 0"><joint name="l" type="slide" axis="0 0 1" range="-0.001 0.001"/>
        <geom type="sphere" size="0.05" pos="0 0 -0.45" mass="0.5"/></body>
      <body name="right" pos="0.1 -0.2 0"><joint name="r" type="slide" axis="0 0 1" range="-0.001 0.001"/>
        <geom type="sphere" size="0.05" pos="0 0 -0.45" mass="0.5"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="r" gear="4"/><motor joint="l" gear="2"/></actuator>
  <sensor><framepos objtype="site" objname="imu"/><gyro name="gyro" site="imu"/>
    <accelerometer name="accelerometer" site="imu"/></sensor>
</mujoco>
"""


def plant_on(floor):
    model = mujoco.MjModel.from_xml_string(BODY.replace("FLOOR", FLOORS[floor]))
    return TorquePlant(model, "base", ("left", "right"))


@pytest.mark.parametrize("floor", FLOORS)
def test_at_rest_the_floor_carries_the_weight_at_the_feet_and_at_what_is_no_foot(floor):
    """5.1 kg, whose middle says what the bumper 0.3 m behind and the feet 0.1 m ahead carry."""
    plant = plant_on(floor)
    plant.reset(plant.model.qpos0)
    plant.step(np.zeros(2), 3000)
    forces, other = plant.foot_forces()
    weight = 5.1 * 9.81
    behind = 9.81 * (0.1 * 0.4 + 4.0 * 0.1) / 0.4  # moments about the line of the feet
    assert other == pytest.approx(behind, rel=0.04)  # sphere and stops give a little
    assert_allclose(forces[:, 2], (weight - behind) / 2.0, rtol=0.04)
    assert forces[:, 2].sum() + other == pytest.approx(weight, rel=1e-3)
    assert_allclose(forces[:, :2].sum(axis=0), 0.0, atol=0.05)
    assert_allclose(plant.foot_places()[:, :2], [[0.1, 0.2], [0.1, -0.2]], atol=5e-3)
    assert plant.time_s == pytest.approx(3.0)


def test_a_push_accelerates_the_base_and_a_reset_forgets_it():
    plant = plant_on("plane")
    qpos = np.array(plant.model.qpos0)
    qpos[2] = 5.0
    plant.reset(qpos)
    plant.push(np.array([5.1, 10.2, 0.0]))
    plant.step(np.zeros(2), 10)
    mujoco.mj_forward(plant.model, plant.data)
    mujoco.mj_subtreeVel(plant.model, plant.data)
    assert_allclose(plant.data.subtree_linvel[1], [0.01, 0.02, -0.0981], atol=1e-4)  # of the centre of mass
    plant.reset(qpos)
    assert_array_equal(plant.qvel, np.zeros(8))
    plant.step(np.zeros(2), 10)
    assert_allclose(plant.qvel[:3], [0.0, 0.0, -0.0981], atol=1e-6)


def test_torques_reach_their_joints_whatever_the_gear():
    plant = plant_on("plane")
    assert_array_equal(plant.motor_dof, [7, 6])
    plant.step(np.array([3.0, -1.0]), 1)
    assert_allclose(plant.data.qfrc_actuator[6:], [-1.0, 3.0])


def test_a_body_at_rest_feels_the_weight_along_its_own_axes():
    plant = plant_on("plane")
    qpos = np.array(plant.model.qpos0)
    qpos[3:7] = np.cos(0.2), np.sin(0.2), 0.0, 0.0  # rolled by 0.4 rad
    plant.reset(qpos)
    assert_allclose(plant.accelerometer, [0.0, 9.81 * np.sin(0.4), 9.81 * np.cos(0.4)], atol=1e-9)
    assert_array_equal(plant.gyro, np.zeros(3))


def tilted(quaternion, tilt):
    w, x, y, z = quaternion
    a, b, c, _ = tilt
    return [w * a - x * b - y * c, w * b + x * a - z * c, w * c + y * a + z * b, x * c - y * b + z * a]


@pytest.mark.parametrize("noise", [NO_NOISE, USUAL_NOISE, SensorNoise(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)])
def test_sensors_read_the_state_with_the_noise_and_the_bias_that_were_drawn(noise):
    plant = plant_on("plane")
    rng = np.random.default_rng(2)
    qpos = np.array(plant.model.qpos0) + np.arange(9) * 0.01
    qpos[3:7] = np.array([0.8, 0.4, -0.2, 0.4]) / np.linalg.norm([0.8, 0.4, -0.2, 0.4])
    plant.reset(qpos)
    plant.qvel[:] = rng.normal(size=8)
    sensors = Sensors(plant, noise, np.random.default_rng(5))
    drawn = np.random.default_rng(5)
    bias = drawn.standard_normal(3)
    angle = drawn.uniform(0.0, 2.0 * np.pi)
    half = 0.5 * noise.tilt_bias_rad
    tilt = np.array([1.0, half * np.cos(angle), half * np.sin(angle), 0.0])
    tilt /= np.linalg.norm(tilt)
    for _ in range(2):
        quaternion, gyro, accelerometer, joints, rates = sensors.read()
        white = drawn.standard_normal(10)
        assert_allclose(quaternion, tilted(plant.qpos[3:7], tilt), atol=1e-12)
        assert_allclose(joints, plant.qpos[7:] + noise.joint_rad * white[:2], atol=1e-12)
        assert_allclose(rates, plant.qvel[6:] + noise.joint_rad_s * white[2:4], atol=1e-12)
        assert_allclose(gyro, plant.qvel[3:6] + noise.gyro_rad_s * white[4:7], atol=1e-12)
        shift = noise.accelerometer_bias_m_s2 * bias / np.linalg.norm(bias) + noise.accelerometer_m_s2 * white[7:]
        assert_allclose(accelerometer, plant.accelerometer + shift, atol=1e-12)


def test_usual_noise_is_that_of_encoders_and_a_good_gyro():
    assert (USUAL_NOISE.joint_rad, USUAL_NOISE.joint_rad_s, USUAL_NOISE.gyro_rad_s) == (5e-4, 0.03, 0.005)
    assert np.degrees(USUAL_NOISE.tilt_bias_rad) == pytest.approx(0.3, abs=1e-3)
