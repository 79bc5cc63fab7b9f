"""Distances between a robot's own bodies against the duality of convex sets, brute force and what is known by hand."""

from dataclasses import replace
from itertools import combinations

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

from strut.engines.rigid_body import compile_model
from strut.engines.self_distance import collision_pairs, self_distance
from strut.models.catalogue import load_robot
from strut.schemas.collision import CollisionTable

SIZES = {
    "sphere": (0.03,),
    "capsule": (0.02, 0.04),
    "box": (0.04, 0.03, 0.02),
    "cylinder": (0.03, 0.04),
    "ellipsoid": (0.02, 0.03, 0.05),
}


def of_model(mjcf, *, base_size=0, **collision):
    body = load_robot("mrpete")
    tables = replace(body.tables, collision=CollisionTable(**collision))
    return replace(body, model=compile_model(mjcf), base_size=base_size, tables=tables)


def two_bodies(first, second, asset=""):
    """Return a robot of two bodies that each go and turn as they like; at rest they are 1 m apart in x."""
    joints = "".join(f'<joint type="slide" axis="{axis}"/>' for axis in ("1 0 0", "0 1 0", "0 0 1"))
    joints += '<joint type="ball"/>'
    bodies = f'<body name="a">{joints}{first}</body><body name="b" pos="1 0 0">{joints}{second}</body>'
    return of_model(f"<mujoco>{asset}<worldbody>{bodies}</worldbody></mujoco>")


def geom(kind):
    return f'<geom type="{kind}" size="{" ".join(map(str, SIZES[kind]))}"/>'


def farthest_point(kind, direction):
    """Return the point of a geom at the origin that is farthest along a direction: its support mapping."""
    size = np.array(SIZES[kind])
    across = direction[:2] / max(np.hypot(*direction[:2]), 1e-12)
    if kind == "box":
        return np.sign(direction) * size
    if kind == "ellipsoid":
        return size**2 * direction / np.sqrt(np.sum((size * direction) ** 2))
    if kind == "cylinder":
        return np.array([*across * size[0], np.sign(direction[2]) * size[1]])
    half_m = size[1] if kind == "capsule" else 0.0
    return size[0] * direction / np.linalg.norm(direction) + np.array([0.0, 0.0, np.sign(direction[2]) * half_m])


def distance_by_duality(kinds, places, turns):
    """Return the largest gap between two parallel planes with the bodies on either side: their distance."""

    def overlap(direction):
        direction = direction / np.linalg.norm(direction)
        first = turns[0] @ farthest_point(kinds[0], turns[0].T @ direction) + places[0]
        second = turns[1] @ farthest_point(kinds[1], -turns[1].T @ direction) + places[1]
        return direction @ (first - second)

    starts = [places[1] - places[0], *np.random.default_rng(0).normal(size=(1, 3))]  # concave for bodies that are apart
    options = {"xatol": 1e-10, "fatol": 1e-12, "maxiter": 3000}
    return -min(minimize(overlap, start, method="Nelder-Mead", options=options).fun for start in starts)


@pytest.mark.parametrize("kinds", [(a, b) for a in SIZES for b in SIZES if a <= b])
def test_any_two_geoms_are_as_far_apart_as_the_widest_gap_between_parallel_planes(kinds):
    robot = two_bodies(*map(geom, kinds))
    rng = np.random.default_rng(4)
    qpos = np.zeros((4, 14))
    qpos[:, :3] = rng.normal(size=(4, 3))
    qpos[:, :3] *= rng.uniform(0.12, 0.16, size=(4, 1)) / np.linalg.norm(qpos[:, :3], axis=1, keepdims=True)
    qpos[:, 0] += 1.0
    for ball in (slice(3, 7), slice(10, 14)):
        qpos[:, ball] = rng.normal(size=(4, 4))
        qpos[:, ball] /= np.linalg.norm(qpos[:, ball], axis=1, keepdims=True)
    data = mujoco.MjData(robot.model)
    for sample in qpos:
        data.qpos[:] = sample
        mujoco.mj_kinematics(robot.model, data)
        true_m = distance_by_duality(kinds, data.geom_xpos, data.geom_xmat.reshape(2, 3, 3))
        found = self_distance(robot, sample[None], threshold_m=0.0)
        assert found.smallest_m == pytest.approx(true_m, abs=1e-5)
        assert found.bodies == ("a", "b")


def test_a_mesh_is_as_far_away_as_its_nearest_corner():
    cube = " ".join(f"{x} {y} {z}" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))
    asset = f'<asset><mesh name="cube" vertex="{cube}" scale=".1 .1 .1"/></asset>'
    robot = two_bodies('<geom type="mesh" mesh="cube"/>', geom("sphere"), asset)
    qpos = np.zeros((1, 14))
    qpos[0, [3, 10]] = 1.0
    qpos[0, 7:10] = [-0.8, 0.2, 0.2]
    found = self_distance(robot, qpos, threshold_m=0.0)
    assert found.smallest_m == pytest.approx(0.1 * np.sqrt(3.0) - 0.03, abs=1e-6)


@pytest.mark.parametrize("name", ["mrpete", "alice", "pepper"])
def test_the_nearest_bodies_and_all_near_samples_are_those_of_every_pair_at_every_sample(name):
    robot = load_robot(name)
    rng = np.random.default_rng(2)
    middle = (robot.joint_upper_rad + robot.joint_lower_rad) / 2
    reach = robot.joint_upper_rad - robot.joint_lower_rad
    time = np.linspace(0.0, 1.0, 150)[:, None]
    waves = np.sin(2 * np.pi * (time * rng.uniform(0.2, 2.0, len(reach)) + rng.uniform(size=len(reach))))
    model = robot.model
    qpos = np.tile(model.qpos0, (150, 1))
    qpos[:, robot.base_size :] = middle + 0.2 * reach * waves
    data = mujoco.MjData(model)
    pairs = collision_pairs(robot).clear
    apart = np.empty((150, len(pairs)))
    for sample in range(150):
        data.qpos[:] = qpos[sample]
        mujoco.mj_kinematics(model, data)
        apart[sample] = [mujoco.mj_geomDistance(model, data, *pair, 10.0, None) for pair in pairs]
    near_m = float(np.median(apart.min(axis=1)))
    for limit_m in (near_m, -1.0):  # with samples that are near, and without: the nearest is found in any case
        found = self_distance(robot, qpos, threshold_m=limit_m)
        assert found.smallest_m == pytest.approx(apart.min(), abs=1e-6)
        assert apart[found.sample].min() == pytest.approx(apart.min(), abs=1e-6)
        clear_cut = np.abs(apart.min(axis=1) - limit_m) > 1e-6
        assert_array_equal(found.near[clear_cut], (apart.min(axis=1) < limit_m)[clear_cut])


def test_where_the_whole_body_is_does_not_matter():
    robot = load_robot("mrpete")
    rng = np.random.default_rng(5)
    here = np.tile(robot.model.qpos0, (40, 1))
    here[:, 7:] = (robot.joint_lower_rad + robot.joint_upper_rad) / 2 + 0.3 * rng.normal(size=28)
    there = here.copy()
    there[:, :3] += 5.0 * rng.normal(size=(40, 3))
    there[:, 3:7] = rng.normal(size=(40, 4))
    one, other = (self_distance(robot, qpos, threshold_m=0.01) for qpos in (here, there))
    assert (one.smallest_m, one.bodies) == (other.smallest_m, other.bodies)


CHAIN = """<mujoco>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 1"/>
    <body name="trunk"><joint type="slide" axis="0 0 1" range="-0.1 0.1" limited="true"/>
      <geom type="sphere" size="0.1"/>
      <body name="hip"><joint axis="1 0 0" range="-1 1" limited="true"/><geom type="sphere" size="0.05"/>
        <body name="thigh"><joint axis="0 1 0" range="-1 1" limited="true"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/>
          <body name="plate" pos="0 0 -0.3"><geom type="box" size="0.02 0.02 0.02"/></body>
          <body name="foot" pos="0 0 -0.3"><joint axis="0 1 0" range="-1 1" limited="true"/>
            <geom name="ball" type="sphere" size="0.01" pos="0.2 0 0"/>
            <geom type="sphere" size="0.01" pos="0.2 0 0" group="2" contype="0" conaffinity="0"/>
          </body>
        </body>
      </body>
      <body name="tail" pos="-0.3 0 0"><joint axis="0 1 0"/><geom type="sphere" size="0.04"/></body>
    </body>
    <body name="wall" pos="0.25 0 -0.3"><joint type="slide" axis="1 0 0"/>
      <geom name="bulge" type="box" size="0.05 0.5 0.02"/><geom name="edge" type="sphere" size="0.01" pos="0.2 0 0"/>
    </body>
  </worldbody>EXCLUDE
</mujoco>"""


def clear_bodies(robot):
    model = robot.model
    owner = model.geom_bodyid
    return {tuple(model.body(owner[geom]).name for geom in pair) for pair in collision_pairs(robot).clear}


def bodies(overlaps):
    return {overlap.bodies for overlap in overlaps}


def test_neighbours_and_pictures_are_not_limited_and_what_overlaps_as_it_stands_is_so_by_depth():
    robot = of_model(CHAIN.replace("EXCLUDE", ""))
    pairs = collision_pairs(robot)
    names = ("trunk", "hip", "thigh", "plate", "foot", "tail", "wall")
    neighbours = {("trunk", "hip"), ("hip", "thigh"), ("thigh", "foot"), ("plate", "foot")}
    neighbours |= {("hip", "plate"), ("trunk", "tail")}
    assert set(pairs.neighbours) == neighbours
    assert bodies(pairs.joined) == {("trunk", "thigh")}  # both axes of the hip meet inside trunk and thigh
    assert bodies(pairs.overlapping) == {("foot", "wall")}
    assert pairs.overlapping[0].distance_m == pytest.approx(-0.01)  # the bulge is from x = 0.2, where the ball is
    one_body = {("thigh", "plate")}
    assert clear_bodies(robot) == set(combinations(names, 2)) - neighbours - one_body - {("trunk", "thigh")}
    foot_and_wall = [pair for pair in pairs.clear if "ball" in {robot.model.geom(geom).name for geom in pair}]
    assert len([pair for pair in foot_and_wall if robot.model.geom(pair[1]).name == "edge"]) == 1
    assert not [pair for pair in foot_and_wall if robot.model.geom(pair[1]).name == "bulge"]


def test_a_pair_that_the_model_excludes_keeps_its_distance_and_what_is_no_surface_does_not():
    mjcf = CHAIN.replace("EXCLUDE", '<contact><exclude body1="wall" body2="tail"/></contact>')
    assert ("tail", "wall") in clear_bodies(of_model(mjcf))
    assert not [pair for pair in clear_bodies(of_model(mjcf, no_surface=("ball",))) if "foot" in pair]


def test_a_keyframe_is_the_posture_in_which_a_model_stands():
    away = '<keyframe><key name="standing" qpos="0 0 0 0 0 1"/></keyframe>'  # the wall is a metre off
    assert collision_pairs(of_model(CHAIN.replace("EXCLUDE", away))).overlapping == ()


def test_an_overlap_by_design_may_become_a_little_deeper():
    robot = of_model(CHAIN.replace("EXCLUDE", ""))
    qpos = np.zeros((3, 6))
    qpos[1:, -1] = [-0.003, -0.007]  # the wall comes nearer to the ball, which is 10 mm in it as they stand
    found = self_distance(robot, qpos).overlap
    assert found.bodies == ("foot", "wall")
    assert found.standing_m == pytest.approx(0.01)
    assert found.deeper_m == pytest.approx(0.007, abs=1e-6)
    assert found.sample == 2
    assert_array_equal(found.deep, [False, False, True])


def test_a_table_that_names_overlaps_allows_no_others():
    mjcf = CHAIN.replace("EXCLUDE", "")
    named = collision_pairs(of_model(mjcf, joined=(("thigh", "trunk"),)))
    assert bodies(named.joined) == {("trunk", "thigh")}
    assert named.overlapping == ()  # foot and wall keep their distance now
    by_depth = collision_pairs(of_model(mjcf, overlapping=(("trunk", "thigh"), ("foot", "wall"))))
    assert bodies(by_depth.overlapping) == {("trunk", "thigh"), ("foot", "wall")}
    no_hinge_joins_them = collision_pairs(of_model(mjcf, joined=(("foot", "wall"),)))
    assert no_hinge_joins_them.joined == ()


def test_pairs_that_former_folders_exclude_are_limited_like_all_others():
    mjcf = CHAIN.replace("EXCLUDE", "")
    former = of_model(mjcf, excluded=(("foot", "wall"), ("tail", "wall")))
    assert collision_pairs(former).clear == collision_pairs(of_model(mjcf)).clear


def test_a_robot_of_one_body_has_no_distance():
    robot = of_model('<mujoco><worldbody><body><joint/><geom size="0.1"/></body></worldbody></mujoco>')
    assert self_distance(robot, np.zeros((3, 1)), threshold_m=0.0) is None


@pytest.mark.parametrize("name", ["alice", "cassie", "heiman", "mrpete", "pepper"])
def test_the_folder_of_a_robot_names_every_overlap(name):
    robot = load_robot(name)
    pairs = collision_pairs(robot)
    table = robot.collision
    named = {frozenset(pair) for pair in (*(table.joined or ()), *(table.overlapping or ()))}
    assert {frozenset(pair) for pair in bodies((*pairs.joined, *pairs.overlapping))} == named


def test_one_sample_is_enough():
    robot = load_robot("alice")
    found = self_distance(robot, robot.model.qpos0[None], threshold_m=1.0)
    assert_allclose(found.smallest_m, 0.0898 - 0.07, atol=1e-9)  # the shoes: hips' distance less a shoe's width
    assert found.bodies == ("R_shoe", "L_shoe")
    assert_array_equal(found.near, [True])
