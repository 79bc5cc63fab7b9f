"""Clearance: the lowest point of every kind of geom is where MuJoCo measures it."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.engines.inverse_dynamics import inverse_dynamics
from tests.engines.small_robot import ROBOT

KINDS = {
    "sphere": 'type="sphere" size="0.1"',
    "capsule": 'type="capsule" size="0.05 0.2"',
    "cylinder": 'type="cylinder" size="0.07 0.15"',
    "ellipsoid": 'type="ellipsoid" size="0.05 0.1 0.2"',
    "box": 'type="box" size="0.05 0.1 0.2"',
    "mesh": 'type="mesh" mesh="wedge"',
}
MODEL = """<mujoco><asset><mesh name="wedge" vertex="0 0 0  0.3 0 0  0 0.2 0  0 0 0.4  0.05 0.05 0.05"/></asset>
<worldbody><geom name="floor" type="plane" size="0 0 1"/>
<body name="part" pos="0 0 1"><freejoint/><geom name="part" {kind} margin="5"/></body></worldbody></mujoco>"""


def one_part(kind):
    """Return a floating robot of one part without joints and feet."""
    model = mujoco.MjModel.from_xml_string(MODEL.format(kind=KINDS[kind]))
    none = np.empty(0)
    limits = dict.fromkeys(("joint_lower_rad", "joint_upper_rad", "joint_speed_limit_rad_s", "torque_limit_nm"), none)
    return replace(ROBOT, model=model, joint_names=(), feet=(), **limits)


def at_orientations(turn):
    """Return coordinates of a part with given orientations. Shape (T, 7)."""
    position = np.tile([0.1, -0.2, 1.3], (len(turn), 1))
    return np.concatenate([position, turn.as_quat(scalar_first=True)], axis=1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_lowest_point_is_as_far_from_the_floor_as_mujoco_measures(kind):
    robot = one_part(kind)
    model = robot.model
    data = mujoco.MjData(model)
    rng = np.random.default_rng(3)
    upright = Rotation.from_rotvec([[0.0, 0.0, 0.0], [np.pi / 2, 0.0, 0.0]])
    qpos = at_orientations(Rotation.concatenate([upright, Rotation.random(12, rng=rng)]))
    clearance_m = inverse_dynamics(robot, np.arange(len(qpos)) / 50.0, qpos).clearance_m
    assert clearance_m.shape == (len(qpos), 1)
    for row, clearance in zip(qpos, clearance_m[:, 0], strict=True):
        data.qpos[:] = row
        mujoco.mj_kinematics(model, data)
        distance = mujoco.mj_geomDistance(model, data, model.geom("floor").id, model.geom("part").id, 5.0, None)
        assert clearance == pytest.approx(distance, abs=1e-6)


def test_an_upright_cylinder_is_as_high_as_its_half_length_at_any_heading():
    """The vertical component of its axis may exceed 1 by rounding."""
    headings = np.zeros((500, 3))
    headings[:, 2] = np.linspace(-np.pi, np.pi, len(headings))
    qpos = at_orientations(Rotation.from_rotvec(headings))
    qpos[:, 3:] *= 1.0 + 1e-16 * np.arange(len(qpos))[:, None]
    robot = one_part("cylinder")
    clearance_m = inverse_dynamics(robot, np.arange(len(qpos)) / 50.0, qpos).clearance_m
    assert_allclose(clearance_m[:, 0], 1.3 - 0.15, atol=1e-9)
