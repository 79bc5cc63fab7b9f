"""Points of geoms reach as far as the geoms do: by the support function of each shape, in any direction."""

import mujoco
import numpy as np
import pytest

from strut.adoption.shape_points import collect_shape_points

SHAPES = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body>
      <geom name="ball" type="sphere" size="0.1" pos="1 2 3"/>
      <geom name="capsule" type="capsule" size="0.1 0.3" euler="20 30 0"/>
      <geom name="box" type="box" size="0.1 0.2 0.3" euler="0 30 40"/>
      <geom name="cylinder" type="cylinder" size="0.2 0.3" pos="0 0 1" euler="50 0 10"/>
      <geom name="ellipsoid" type="ellipsoid" size="0.1 0.2 0.4" euler="10 20 30"/>
      <geom name="seen" type="sphere" size="0.7" contype="0" conaffinity="0"/>
    </body>
  </worldbody>
</mujoco>
"""


def reach(model, name, direction):
    """Return how far a geom reaches in a direction, from the origin of its body."""
    geom = model.geom(name)
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, geom.quat)
    own = turn.reshape(3, 3).T @ direction
    size = geom.size
    far = {
        "ball": size[0],
        "capsule": size[0] + size[1] * abs(own[2]),
        "box": np.abs(own) @ size,
        "cylinder": size[0] * np.hypot(*own[:2]) + size[1] * abs(own[2]),
        "ellipsoid": np.linalg.norm(own * size),
    }[name]
    return float(geom.pos @ direction + far)


@pytest.mark.parametrize("name", ["ball", "capsule", "box", "cylinder", "ellipsoid"])
def test_the_points_of_a_geom_reach_as_far_as_it_does(name):
    model = mujoco.MjModel.from_xml_string(SHAPES)
    points = collect_shape_points(model, colliding=True)
    own = points.geom == model.geom(name).id
    assert (points.body[own] == 1).all()
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(50, 3))
    for direction in directions / np.linalg.norm(directions, axis=1, keepdims=True):
        found = (points.position[own] @ direction + points.radius[own]).max()
        true = reach(model, name, direction)
        assert found <= true + 1e-9
        assert found >= true - 0.03  # circles have corners


def test_visual_geoms_are_collected_apart_and_the_world_never():
    model = mujoco.MjModel.from_xml_string(SHAPES)
    assert set(collect_shape_points(model, colliding=False).geom) == {model.geom("seen").id}
    assert len(set(collect_shape_points(model, colliding=True).geom)) == 5
