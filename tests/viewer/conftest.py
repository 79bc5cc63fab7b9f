"""Motions that every test of this folder shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import strut
from strut.engines.rigid_body import compile_model
from strut.motion import Motion
from strut.robot import Robot, ball_foot

STOOL_MJCF = """
<mujoco model="stool">
  <worldbody>
    <geom name="floor" type="plane" size="0 0 0.05"/>
    <body name="seat" pos="0 0 0.5">
      <freejoint name="base"/>
      <geom type="box" size="0.2 0.15 0.05" rgba="0.1 0.2 0.9 1"/>
      <body name="leg" pos="0.1 0 -0.05">
        <joint name="swing" type="hinge" axis="0 1 0" range="-1 1" limited="true"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.02" rgba="0.9 0.1 0.1 1"/>
        <geom name="tip" type="sphere" size="0.05" pos="0 0 -0.4" rgba="0.1 0.8 0.1 1"/>
        <geom type="sphere" size="0.3" rgba="0 0 0 0"/>
        <site name="tip" pos="0 0 -0.4"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="session")
def robot() -> Robot:
    return strut.load_robot("mrpete")


@pytest.fixture(scope="session")
def calm() -> Motion:
    return strut.walk("mrpete", "neutral", cycles=2, rate_hz=50.0)


@pytest.fixture(scope="session")
def angry() -> Motion:
    return strut.walk("mrpete", "angry", cycles=2, rate_hz=50.0)


@pytest.fixture(scope="session")
def stool() -> Robot:
    """A robot unlike the others: one joint, one foot, an invisible part, other sizes."""
    one = np.ones(1)
    return Robot(
        name="stool",
        title="A one-legged stool",
        model=compile_model(STOOL_MJCF),
        joint_names=("swing",),
        joint_lower_rad=-one,
        joint_upper_rad=one,
        joint_speed_limit_rad_s=2.0 * one,
        torque_limit_nm=one,
        feet=(ball_foot("tip", "tip", "leg", (0.0, 0.0, -0.4), 0.05),),
        mass_kg=1.0,
        friction=0.5,
        base_size=7,
        fingerprint="0" * 16,
    )


@pytest.fixture(scope="session")
def bare(stool: Robot) -> Motion:
    """A motion that nobody has measured: no receipt, no pressure, no torque, no emotion."""
    time_s = np.arange(0.0, 1.0, 0.02)
    qpos = np.zeros((len(time_s), 8))
    qpos[:, 2] = 0.5
    qpos[:, 3] = 1.0
    qpos[:, 7] = 0.5 * np.sin(2.0 * np.pi * time_s)
    return Motion("stool", time_s, qpos, ("swing",), np.ones((len(time_s), 1), dtype=bool), ("tip",))


@pytest.fixture(scope="session")
def arm(stool: Robot) -> Robot:
    """The same body bolted to the world: no floating base and no feet."""
    mjcf = STOOL_MJCF.replace('<freejoint name="base"/>', "")
    return replace(stool, name="arm", title="An arm", model=compile_model(mjcf), feet=(), base_size=0)


@pytest.fixture(scope="session")
def wave(bare: Motion) -> Motion:
    """A motion of the arm."""
    return Motion("arm", bare.time_s, bare.qpos[:, 7:], ("swing",), np.ones((len(bare.time_s), 0), dtype=bool), ())
