from collections import Counter

import numpy as np
import pytest

import strut
from strut.arrays import Array
from strut.engines.rigid_body import foot_contact_points, foot_positions
from strut.models.solids import Solid
from strut.robot import Robot
from strut.viewer.stick_figure import stick_poses, sticks


def posed(robot: Robot, seed: int) -> Array:
    """Return a random posture within the joint ranges, the base somewhere. Shape (1, nq)."""
    rng = np.random.default_rng(seed)
    joints = rng.uniform(robot.joint_lower_rad, robot.joint_upper_rad)
    base = np.array([0.3, -0.2, 1.0, *np.array([0.8, 0.2, -0.4, 0.4])])[: robot.base_size]
    return np.concatenate([base, joints])[None]


def tips(solid: Solid, centre: Array, rotation: Array) -> Array:
    """Return both ends of a stick. Shape (2, 3)."""
    return np.asarray(centre + np.outer([-1.0, 1.0], rotation[:, 2] * solid.size_m[1]))


@pytest.mark.parametrize("name", ["alice", "cassie", "heiman", "mrpete", "pepper"])
def test_every_stick_of_every_robot_starts_at_the_ball_of_its_joint(name: str) -> None:
    robot = strut.load_robot(name)
    parts = sticks(robot)
    centre, rotation = stick_poses(robot, posed(robot, 3))
    balls = np.array([centre[0, k] for k, solid in enumerate(parts) if solid.kind == "sphere"])
    outlines = sum(len(foot.outline_m) for foot in robot.feet if len(foot.outline_m) > 2)
    model = robot.model
    balls_of = Counter(int(model.site(foot.frame).bodyid[0]) for foot in robot.feet if len(foot.outline_m) < 3)
    outlines += sum(count for count in balls_of.values() if count > 2)  # three balls make a sole
    loose = 0
    for k, solid in enumerate(parts):
        if solid.kind == "capsule":
            ends = tips(solid, centre[0, k], rotation[0, k])
            nearest = np.linalg.norm(balls[:, None] - ends, axis=-1).min(axis=0)
            loose += nearest.min() > 1e-9
    assert loose == outlines


def test_alices_sticks_are_as_long_as_her_printed_links() -> None:
    lengths_cm = [200.0 * solid.size_m[1] for solid in sticks(strut.load_robot("alice")) if solid.kind == "capsule"]
    for printed in (9.57, 9.67, 6.09, 8.98 / 2.0):
        assert sum(length == pytest.approx(printed) for length in lengths_cm) == 2


def test_soles_are_outlined_where_they_touch_and_balls_stand_where_feet_are() -> None:
    alice = strut.load_robot("alice")
    pete = strut.load_robot("mrpete")
    qpos = posed(alice, 5)
    centre, rotation = stick_poses(alice, qpos)
    ends = [
        tips(solid, centre[0, k], rotation[0, k]) for k, solid in enumerate(sticks(alice)) if solid.kind == "capsule"
    ]
    for corner in foot_contact_points(alice, qpos)[0]:
        assert np.linalg.norm(np.concatenate(ends) - corner, axis=1).min() < 0.004  # half a line above the sole
    qpos = posed(pete, 7)
    balls = stick_poses(pete, qpos)[0][0]
    for foot, place in zip(pete.feet, foot_positions(pete, qpos)[0], strict=True):
        nearest = int(np.argmin(np.linalg.norm(balls - place, axis=1)))
        assert np.linalg.norm(balls[nearest] - place) < 1e-9
        assert foot.radius_m > 0.0


def test_the_edges_of_a_sole_are_thinner_than_the_bones_and_lie_in_its_plane() -> None:
    robot = strut.load_robot("alice")
    sizes = Counter(round(float(solid.size_m[0]), 9) for solid in sticks(robot) if solid.kind == "capsule")
    edges = sum(len(foot.outline_m) for foot in robot.feet)
    thin_m = min(sizes)
    thick_m = max(sizes)
    assert thin_m < thick_m
    assert sizes[thin_m] == edges
