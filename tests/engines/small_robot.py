"""A small floating robot with two unequal arms, a foot that is a ball and one that is a sole, for tests of adapters."""

import mujoco
import numpy as np

from strut.robot import ContactPoint, Foot, Robot, ball_foot

MJCF = """
<mujoco model="small">
  <worldbody>
    <geom name="floor" type="plane" size="0 0 0.05"/>
    <body name="trunk" pos="0.1 -0.2 0.6">
      <freejoint name="base"/>
      <geom name="trunk" type="box" size="0.2 0.15 0.05" mass="3"/>
      <body name="thigh" pos="0.12 0.1 -0.04" euler="10 20 -5">
        <joint name="hip" type="hinge" axis="0 1 0" range="-90 90" armature="0.02"/>
        <geom name="thigh" type="capsule" fromto="0 0 0 0.02 0 -0.25" size="0.02" mass="0.7"/>
        <body name="shank" pos="0.02 0 -0.25">
          <joint name="knee" type="hinge" axis="0 1 0" pos="0 0.01 0" range="-90 90" armature="0.01"/>
          <joint name="twist" type="hinge" axis="0 0 1" range="-90 90" armature="0.03"/>
          <geom name="ball" type="sphere" size="0.03" pos="0 0 -0.2" mass="0.4"/>
          <site name="ball" pos="0 0 -0.2"/>
        </body>
      </body>
      <body name="leg" pos="-0.1 -0.12 -0.05">
        <joint name="roll" type="hinge" axis="1 0 0" range="-90 90" armature="0.015"/>
        <geom name="sole" type="box" size="0.06 0.04 0.02" pos="0 0 -0.3" mass="1.1"/>
        <site name="sole" pos="0.01 0.02 -0.32"/>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="hip" joint="hip" kp="30" kv="1"/>
    <position name="knee" joint="knee" kp="20" kv="1"/>
    <position name="twist" joint="twist" kp="10" kv="1"/>
    <position name="roll" joint="roll" kp="40" kv="1"/>
  </actuator>
</mujoco>
"""
JOINTS = ("hip", "knee", "twist", "roll")
CORNERS = ((0.07, 0.06), (0.07, -0.02), (-0.05, 0.06), (-0.05, -0.02))


def small_robot():
    four = np.ones(4)
    sole = tuple(ContactPoint(f"sole_{k}", "leg", (x, y, -0.32)) for k, (x, y) in enumerate(CORNERS))
    return Robot(
        name="small",
        title="A small robot",
        model=mujoco.MjModel.from_xml_string(MJCF),
        joint_names=JOINTS,
        joint_lower_rad=-1.5 * four,
        joint_upper_rad=1.5 * four,
        joint_speed_limit_rad_s=4.0 * four,
        torque_limit_nm=20.0 * four,
        feet=(
            ball_foot("ball", "ball", "shank", (0.0, 0.0, -0.2), 0.03),
            Foot("sole", "sole", sole, (0.01, 0.02, -0.32)),
        ),
        mass_kg=5.2,
        friction=0.7,
        base_size=7,
        fingerprint="0" * 16,
    )


ROBOT = small_robot()


def postures(count, seed=0, robot=ROBOT):
    """Return coordinates of turned and bent bodies. Shape (count, nq)."""
    rng = np.random.default_rng(seed)
    qpos = np.tile(robot.model.qpos0, (count, 1))
    qpos[:, :3] += rng.normal(size=(count, 3))
    turned = rng.normal(size=(count, 4))
    qpos[:, 3:7] = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    qpos[:, 7:] += rng.normal(size=(count, robot.model.nq - 7)) * 0.5
    return qpos


def forward(qpos, qvel=None, robot=ROBOT):
    """Return MuJoCo's data after all of its own pipeline."""
    data = mujoco.MjData(robot.model)
    data.qpos[:] = qpos
    data.qvel[:] = 0.0 if qvel is None else qvel
    mujoco.mj_forward(robot.model, data)
    return data
