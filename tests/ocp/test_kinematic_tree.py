"""A tree read out of MuJoCo: where its coordinates stand, where springs rest, and how long its tendons are."""

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.ocp.kinematic_tree import read_tree

MJCF = """
<mujoco model="tree">
  <worldbody>
    <site name="wall" pos="0.5 0 0.3"/>
    <body name="trunk" pos="0 0 1">
      <freejoint name="base"/>
      <geom type="box" size="0.1 0.1 0.1" mass="2"/>
      <site name="hook" pos="0.1 0.02 0"/>
      <body name="arm" pos="0 0.2 0">
        <joint name="shoulder" type="ball" stiffness="3"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02" mass="1"/>
        <body name="hand" pos="0 0 -0.3">
          <joint name="wrist" type="hinge" axis="0 1 0" springref="20" stiffness="1"/>
          <joint name="reach" type="slide" axis="1 0 0" springref="0.05" stiffness="1"/>
          <geom type="sphere" size="0.03" mass="0.5"/>
          <site name="finger" pos="0 0 -0.05"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="both"><joint joint="wrist" coef="2"/><joint joint="reach" coef="-3"/></fixed>
    <spatial name="cord" stiffness="7" damping="0.2">
      <site site="hook"/><site site="finger"/><site site="wall"/>
    </spatial>
  </tendon>
</mujoco>
"""


@pytest.fixture(scope="module")
def model():
    return mujoco.MjModel.from_xml_string(MJCF)


@pytest.fixture(scope="module")
def tree(model):
    return read_tree(model)


def test_coordinates_and_rests_of_springs_are_those_of_the_engine(model, tree):
    assert [(step.name, step.kind, step.q_index, step.v_index) for step in tree.steps] == [
        ("base", "free", 0, 0), ("shoulder", "ball", 7, 6), ("wrist", "hinge", 11, 9), ("reach", "slide", 12, 10),
    ]  # fmt: skip
    wanted = [model.qpos_spring[:7], [1.0, 0.0, 0.0, 0.0], [np.radians(20.0)], [0.05]]
    for step, rest in zip(tree.steps, wanted, strict=True):
        assert_allclose(step.spring_rest, rest)


def test_tendons_have_their_joints_pieces_and_springs(model, tree):
    both, cord = tree.tendons
    assert (both.name, cord.name) == ("both", "cord")
    assert both.joints == ((2, 2.0), (3, -3.0))
    assert (len(cord.stretches), cord.stiffness, cord.damping) == (2, 7.0, 0.2)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert cord.length_0 == pytest.approx(float(data.ten_length[1]))
    hook, finger, wall = (data.site(name).xpos for name in ("hook", "finger", "wall"))
    assert cord.length_0 == pytest.approx(np.linalg.norm(finger - hook) + np.linalg.norm(wall - finger))
