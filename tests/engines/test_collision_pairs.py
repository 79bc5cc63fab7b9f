"""Collision pairs of a small tree with known gaps, and distances of segments."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from strut.engines.self_distance import collision_pairs, segment_distance
from strut.models.catalogue import load_robot
from strut.schemas.collision import CollisionTable

MJCF = """
<mujoco>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="trunk"><freejoint/>
      <geom name="trunk" type="box" size="0.1 0.2 0.3"/>
      <geom name="visual" type="box" size="0.5 0.5 0.5" contype="0" conaffinity="0" group="1"/>
      <body name="arm" pos="0.2 0 0"><joint axis="0 1 0" range="-10 10"/>
        <geom name="arm" type="capsule" fromto="0 0 0 0.3 0 0" size="0.05"/>
        <body name="hand" pos="0.3 0 0"><joint axis="0 1 0" range="-10 10"/>
          <geom name="hand" type="sphere" pos="0.1 0 0" size="0.05"/></body></body>
      <body name="leg" pos="0 0 -0.5"><joint axis="0 1 0" range="-10 10"/>
        <geom name="leg" type="capsule" fromto="0 0 0 0 0 -0.3" size="0.04"/>
        <body name="foot" pos="0 0 -0.3"><joint axis="0 1 0" range="-90 90"/>
          <geom name="foot" type="sphere" pos="0 0 -0.09" size="0.05"/></body></body>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture(scope="module")
def model():
    return mujoco.MjModel.from_xml_string(MJCF)


def names(model, pairs):
    return {tuple(sorted(model.geom(geom).name for geom in pair)) for pair in pairs}


def of_model(model, **collision):
    body = load_robot("mrpete")
    tables = replace(body.tables, collision=CollisionTable(**collision))
    return replace(body, model=model, base_size=7, tables=tables)


def test_neighbours_visual_geoms_and_the_ground_are_not_checked_and_a_gap_of_a_millimetre_is(model):
    found = collision_pairs(of_model(model))
    assert names(model, found.clear) == {
        ("hand", "trunk"), ("arm", "leg"), ("arm", "foot"), ("hand", "leg"), ("foot", "hand"), ("foot", "trunk"),
    }  # fmt: skip
    assert found.joined == found.overlapping == ()


def test_geoms_that_overlap_as_it_stands_are_limited_by_depth_and_near_ones_by_distance(model):
    start = MJCF.index('<body name="hand"')
    stop = MJCF.index("</body>", start)
    joint = '<joint axis="0 1 0" range="-90 90"/>'
    hand = f'<body name="hand" pos="0.3 0 0">{joint}<geom name="hand" type="sphere" size="0.05"'
    near = MJCF[:start] + hand + ' pos="-0.36 0 0"/>' + MJCF[stop:]
    assert near != MJCF
    overlapping = mujoco.MjModel.from_xml_string(near)  # the hand 1 cm inside the trunk: 0.14 - 0.05 < 0.1
    found = collision_pairs(of_model(overlapping))
    assert ("hand", "trunk") not in names(overlapping, found.clear)
    assert [(one.bodies, one.is_joined) for one in found.overlapping] == [(("trunk", "hand"), False)]
    assert found.overlapping[0].distance_m == pytest.approx(-0.01, abs=1e-6)
    apart = mujoco.MjModel.from_xml_string(near.replace("-0.36 0 0", "-0.345 0 0"))  # 5 mm apart
    assert ("hand", "trunk") in names(apart, collision_pairs(of_model(apart)).clear)


def test_geoms_without_a_surface_are_not_checked(model):
    assert ("hand", "trunk") not in names(model, collision_pairs(of_model(model, no_surface=("hand",))).clear)


@pytest.mark.parametrize(
    ("ends", "distance"),
    [
        (((0, 0, 0), (2, 0, 0), (1, -1, 3), (1, 1, 3)), 3.0),  # they cross
        (((0, 0, 0), (2, 0, 0), (3, 4, 0), (3, 9, 0)), np.hypot(1.0, 4.0)),
        (((0, 0, 0), (2, 0, 0), (-3, 0, 4), (-5, 0, 4)), 5.0),  # parallel, apart along them
        (((0, 0, 0), (2, 0, 0), (1, 2, 0), (5, 2, 0)), 2.0),
        (((1, 1, 1), (1, 1, 1), (1, 1, 4), (1, 5, 4)), 3.0),  # a point and a segment
        (((1, 1, 1), (1, 3, 1), (4, 2, 1), (4, 2, 1)), 3.0),
        (((0, 0, 0), (0, 0, 0), (3, 4, 0), (3, 4, 0)), 5.0),
        (((0, 0, 0), (1, 1, 0), (2, 0, 1), (3, 3, 1)), None),  # by looking at many points
    ],
)
def test_the_distance_of_segments(ends, distance):
    rows = [np.array(end, dtype=float)[None] for end in ends]
    if distance is None:
        share = np.linspace(0.0, 1.0, 401)
        one = rows[0] + share[:, None] * (rows[1] - rows[0])
        other = rows[2] + share[:, None] * (rows[3] - rows[2])
        distance = np.linalg.norm(one[:, None] - other[None], axis=-1).min()
    assert segment_distance(*rows)[0] == pytest.approx(distance, abs=1e-5)
    assert segment_distance(*rows[2:], *rows[:2])[0] == pytest.approx(distance, abs=1e-5)
