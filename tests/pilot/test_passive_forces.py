"""Passive forces of a plant: springs, dampers and tendons by their own laws."""

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.pilot.plant.passive_forces import passive_forces, tendon_lengths

SPRUNG = """
<mujoco>
  <worldbody>
    <body>
      <freejoint/>
      <geom size="0.1"/>
      <body name="thigh">
        <joint name="hip" axis="0 1 0" stiffness="30" damping="2" springref="20"/>
        <geom size="0.05" pos="0 0 -0.2"/>
        <body pos="0 0 -0.4">
          <joint name="knee" axis="0 1 0" damping="0.5"/>
          <geom size="0.04" pos="0 0 -0.2"/>
        </body>
      </body>
    </body>
  </worldbody>
  <tendon>
    <fixed name="rod" stiffness="100" springlength="0.1"><joint joint="hip" coef="1"/><joint joint="knee" coef="-2"/></fixed>
  </tendon>
</mujoco>
"""  # noqa: E501


@pytest.fixture(scope="module")
def model():
    return mujoco.MjModel.from_xml_string(SPRUNG)


def test_springs_dampers_and_tendons_pull_by_their_laws(model):
    rng = np.random.default_rng(0)
    angle = rng.normal(0.0, 0.4, (5, 2))
    rate = rng.normal(0.0, 1.0, (5, 2))
    qpos = np.column_stack([rng.normal(size=(5, 3)), np.tile([1.0, 0.0, 0.0, 0.0], (5, 1)), angle])
    qvel = np.column_stack([rng.normal(size=(5, 6)), rate])
    tension = 100.0 * (0.1 - (angle[:, 0] - 2.0 * angle[:, 1]))
    hip = -30.0 * (angle[:, 0] - np.radians(20.0)) - 2.0 * rate[:, 0] + tension
    knee = -0.5 * rate[:, 1] - 2.0 * tension
    assert_allclose(passive_forces(model, qpos, qvel), np.column_stack([hip, knee]), atol=1e-9)


def test_the_length_of_a_fixed_tendon_is_the_sum_of_its_joints(model):
    assert_allclose(tendon_lengths(model, np.array([0.0, 0, 0, 1, 0, 0, 0, 0.3, -0.2])), [0.3 + 0.4])
