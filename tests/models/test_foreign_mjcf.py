"""A model of others in MJCF: its joints, meshes and motor limits are kept; floor, servos and keyframes are ours."""

import numpy as np
import pytest

from strut.errors import BadTableError
from strut.models.catalogue import load_robot

MODEL = """<mujoco model="hopper"><compiler angle="radian"/>
  <asset><mesh name="wedge" vertex="0 0 0  0.1 0 0  0 0.1 0  0 0 0.1"/></asset>
  <worldbody><light pos="0 0 3"/><geom name="ground" type="plane" size="5 5 0.1"/>
    <body name="trunk" pos="0 0 1"><freejoint/><geom type="mesh" mesh="wedge" mass="2"/>
      <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
      <body name="thigh" pos="0 0 -0.1"><joint name="hip" type="{kind}" axis="0 1 0" range="-1 1"/>
        <inertial pos="0 0 -0.1" mass="1" diaginertia="0.01 0.01 0.01"/>
        <body name="shin" pos="0 0 -0.2"><joint name="knee" axis="0 1 0"/>
          <inertial pos="0 0 -0.1" mass="0.5" diaginertia="0.01 0.01 0.01"/>
          <geom name="toe" size="0.03" pos="0 0 -0.2"/></body></body></body>
  </worldbody>
  <actuator><motor joint="hip" gear="2" ctrlrange="-10 10"/><position joint="knee" kp="5" forcerange="-7 7"/></actuator>
  <keyframe><key qpos="0 0 1 1 0 0 0 0.1 0.2"/></keyframe>
</mujoco>"""
TABLE = """title = "hopper"
mjcf = "hopper.xml"
height_m = 0.53
limit = { speed_rad_s = 8.0, torque_nm = 1.0 }
servo = { sag_rad = 0.02, settle_s = 0.04, armature_s2 = 0.0 }
contact = { friction = 0.7 }
foot = { toe = { link = "shin", offset_m = [0.0, 0.0, -0.2], radius_m = 0.03 } }
"""


def hopper(folder, kind="hinge"):
    (folder / "hopper.xml").write_text(MODEL.replace("{kind}", kind), "utf-8")
    (folder / "robot.toml").write_text(TABLE, "utf-8")
    return load_robot(str(folder))


def test_joints_meshes_and_motor_limits_are_kept(tmp_path):
    robot = hopper(tmp_path)
    assert robot.joint_names == ("hip", "knee")
    assert robot.torque_limit_nm.tolist() == [20.0, 7.0]  # control range times gear, and the range of force
    assert robot.joint_speed_limit_rad_s.tolist() == [8.0, 8.0]
    np.testing.assert_allclose(robot.joint_lower_rad, [-1.0, -np.pi])
    assert (robot.base_size, robot.mass_kg, robot.model.nmesh) == (7, 3.5, 1)
    assert [leg.joints for leg in robot.legs] == [("hip", "knee")]


def test_the_floor_is_ours_and_what_is_rigid_with_a_foot_leaves_the_ground_to_it(tmp_path):
    model = hopper(tmp_path).model
    planes = [model.geom(k).name for k in range(model.ngeom) if model.geom_bodyid[k] == 0]
    touching = {model.body(model.geom_bodyid[k]).name for k in range(model.ngeom) if model.geom_contype[k]}
    assert planes == ["floor"]
    assert touching == {"trunk", "toe"}
    assert (model.nkey, model.nu) == (0, 2)


def test_a_sliding_joint_is_refused_by_name(tmp_path):
    with pytest.raises(BadTableError, match="the joint hip is no hinge"):
        hopper(tmp_path, kind="slide")
