"""Frames of a body and how its coordinates move them, against MuJoCo after its whole pipeline."""

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.frame_kinematics import FrameKinematics, acceleration_scale, frame_names, frame_poses, site_id
from strut.errors import UnknownNameError
from strut.pilot.plant.passive_forces import passive_forces, tendon_lengths
from tests.engines.small_robot import ROBOT, forward, postures

ARM = """
<mujoco>
  <worldbody><body><joint name="a" axis="0 0 1"/><geom type="sphere" size="0.1" pos="0.5 0 0" mass="2"/>
    <body pos="1 0 0"><joint name="b" axis="0 0 1" armature="0.5"/>
      <geom type="sphere" size="0.1" pos="0.3 0 0" mass="1"/></body></body></worldbody>
  <actuator><motor joint="b" forcerange="-7 7" forcelimited="true"/>
    <motor joint="a" forcerange="-12 12" forcelimited="true"/></actuator>
</mujoco>
"""
SPRUNG = """
<mujoco>
  <worldbody>
    <site name="hook" pos="0 0 2"/>
    <body name="base" pos="0 0 1"><freejoint/><geom type="sphere" size="0.1" mass="1"/>
      <body><joint name="a" axis="0 1 0" stiffness="3" springref="20" damping="0.4"/>
        <geom type="sphere" size="0.1" pos="0.3 0 0" mass="1"/>
        <body pos="0.5 0 0"><joint name="b" type="slide" axis="1 0 0" stiffness="8" springref="0.1" damping="0.7"/>
          <geom type="sphere" size="0.1" mass="1"/><site name="tip" pos="0.1 0 0"/></body></body></body>
  </worldbody>
  <tendon>
    <fixed name="sum" stiffness="5" springlength="0.02" damping="0.3">
      <joint joint="a" coef="2"/><joint joint="b" coef="-1"/></fixed>
    <spatial name="cord"><site site="hook"/><site site="tip"/></spatial>
  </tendon>
</mujoco>
"""


def test_frames_and_jacobians_are_those_of_the_sites_asked_for_in_that_order():
    frames = FrameKinematics(ROBOT, ["sole", "ball"])
    qpos = postures(2)
    for row in qpos:
        frames.move(row)
        data = forward(row)
        for frame, name in zip(frames.frames, ("sole", "ball"), strict=True):
            moving, turning = np.zeros((2, 3, ROBOT.model.nv))
            mujoco.mj_jacSite(ROBOT.model, data, moving, turning, ROBOT.model.site(name).id)
            assert_allclose(frame.position_m, data.site(name).xpos, atol=1e-12)
            assert_allclose(frame.rotation, data.site(name).xmat, atol=1e-12)
            assert_allclose(frame.jacobian, np.concatenate([moving, turning]), atol=1e-12)


def test_poses_of_one_frame_along_a_movement():
    qpos = postures(3)
    position, rotation = frame_poses(ROBOT, "sole", qpos)
    for k in range(3):
        site = forward(qpos[k]).site("sole")
        assert_allclose(position[k], site.xpos, atol=1e-12)
        assert_allclose(rotation[k].ravel(), site.xmat, atol=1e-12)


def test_frames_have_numbers_by_name_and_unknown_ones_are_refused():
    assert frame_names(ROBOT) == ("ball", "sole")
    assert [site_id(ROBOT, name) for name in ("ball", "sole")] == [0, 1]
    with pytest.raises(UnknownNameError, match="hand"):
        site_id(ROBOT, "hand")


def test_each_drive_alone_gives_its_torque_over_its_inertia():
    """Of the first joint 2 kg at 0.5 m and 1 kg at 1.3 m, of the second 1 kg at 0.3 m and the rotor; balls of 0.1 m."""

    class Arm:
        model = mujoco.MjModel.from_xml_string(ARM)

    ball = 0.4 * 0.1**2
    inertia = np.array([2.0 * (0.25 + ball) + 1.0 * (1.69 + ball), 0.5 + 0.09 + ball])
    assert_allclose(acceleration_scale(Arm), np.array([12.0, 7.0]) / inertia, rtol=1e-6)


def test_springs_dampers_and_tendons_push_the_joints_as_their_numbers_say():
    model = mujoco.MjModel.from_xml_string(SPRUNG)
    rng = np.random.default_rng(0)
    qpos = np.tile(model.qpos0, (3, 1))
    qvel = rng.normal(size=(3, model.nv))
    qpos[:, 7:] = rng.normal(size=(3, 2)) * 0.3
    a, b = qpos[:, 7:].T
    da, db = qvel[:, 6:].T
    pull = -5.0 * (2.0 * a - b - 0.02) - 0.3 * (2.0 * da - db)
    expected = np.stack([-3.0 * (a - np.radians(20.0)) - 0.4 * da + 2.0 * pull, -8.0 * (b - 0.1) - 0.7 * db - pull], 1)
    assert_allclose(passive_forces(model, qpos, qvel), expected, atol=1e-9)
    tip = [(0.6 + b[0]) * np.cos(a[0]), 0.0, 1.0 - (0.6 + b[0]) * np.sin(a[0])]
    cord = np.linalg.norm(np.array(tip) - [0.0, 0.0, 2.0])
    assert_allclose(tendon_lengths(model, qpos[0]), [2.0 * a[0] - b[0], cord], atol=1e-9)
