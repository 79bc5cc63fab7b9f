"""Overlaps by design: no leg passes through another, and robots of others keep what their folders say."""

import json
import sys
from itertools import combinations
from pathlib import Path

import mujoco
import numpy as np
import pytest

import strut
from strut.adoption.adopt import inspect_robot
from strut.adoption.robot_folder import encode_folder, write_folder
from strut.cli.main import main
from strut.models.catalogue import load_robot
from strut.verify.collision_rules import collision_rules

BALL, CAPSULE, BOX = (
    int(kind) for kind in (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE, mujoco.mjtGeom.mjGEOM_BOX)
)
POINTS = np.linspace(-1.0, 1.0, 31)


def centre_lines(model, data):
    """Return points on the centre line of each ball and capsule of a body. Shape (31, 3) each."""
    return {
        geom: data.geom_xpos[geom]
        + np.outer(POINTS * model.geom_size[geom, 1], data.geom_xmat[geom].reshape(3, 3)[:, 2])
        * (model.geom_type[geom] == CAPSULE)
        for geom in range(model.ngeom)
        if model.geom_bodyid[geom] and model.geom_type[geom] in (BALL, CAPSULE)
    }


def depth_in_box(model, data, box, points):
    """Return how deep each point is in a box, negative outside. Shape (n, 3) in, (n,) out."""
    outside = np.abs((points - data.geom_xpos[box]) @ data.geom_xmat[box].reshape(3, 3)) - model.geom_size[box]
    return -np.linalg.norm(np.maximum(outside, 0.0), axis=1) - np.minimum(outside.max(axis=1), 0.0)


def gaps_mm(model, data):
    """Return the distance of all balls, capsules and boxes, by pairs of geoms, from points on their centre lines."""
    lines = centre_lines(model, data)
    pairs = np.array(list(combinations(lines, 2)))
    points = np.zeros((model.ngeom, len(POINTS), 3))
    points[list(lines)] = list(lines.values())
    one, other = points[pairs.T]
    squared = (one**2).sum(axis=2)[:, :, None] + (other**2).sum(axis=2)[:, None] - 2.0 * one @ other.swapaxes(1, 2)
    nearest_m = np.sqrt(np.maximum(squared, 0.0).min(axis=(1, 2)))
    gap_m = dict(zip(map(tuple, pairs.tolist()), nearest_m - model.geom_size[pairs, 0].sum(axis=1), strict=True))
    for box in np.flatnonzero(model.geom_type == BOX):
        for geom, points in lines.items():
            deep_m = depth_in_box(model, data, box, points).max() + model.geom_size[geom, 0]
            gap_m[min(box, geom), max(box, geom)] = -deep_m
    return {pair: 1e3 * gap for pair, gap in gap_m.items()}


def test_no_pair_of_mr_petes_bodies_is_deeper_than_allowed_in_twenty_random_requests():
    robot = load_robot("mrpete")
    model = robot.model
    data = mujoco.MjData(model)
    rules = collision_rules(robot)
    parent = {body: int(model.body_parentid[body]) for body in range(model.nbody)}
    joined = {frozenset(one["bodies"]) for one in rules["joined"]}
    max_mm = {frozenset(one["bodies"]): one["max_mm"] for one in rules["overlapping"]}
    rng = np.random.default_rng(28)
    for _ in range(20):
        emotion = strut.Emotion(*rng.uniform(-1.0, 1.0, 3))
        motion = strut.walk(robot, emotion, intensity=float(rng.uniform(0.5, 1.5)), cycles=2, rate_hz=25.0)
        for qpos in motion.qpos[::40]:
            data.qpos[:] = qpos
            mujoco.mj_kinematics(model, data)
            for pair, gap in gaps_mm(model, data).items():
                bodies = [int(model.geom_bodyid[geom]) for geom in pair]
                names = frozenset(model.body(body).name for body in bodies)
                is_neighbour = len(names) == 1 or parent[bodies[0]] == bodies[1] or parent[bodies[1]] == bodies[0]
                if is_neighbour or names in joined:
                    continue
                assert gap >= (-max_mm[names] if names in max_mm else rules["min_distance_mm"]) - 0.01, names


def self_collisions(robot, qpos):
    """Return the reasons about distances for which a motion is refused. Shape (T, nq)."""
    contact = np.ones((len(qpos), len(robot.feet)), dtype=bool)
    time_s = np.arange(len(qpos)) * 0.02
    motion = strut.Motion(robot.name, time_s, qpos, robot.joint_names, contact, robot.foot_names)
    return [str(reason) for reason in strut.check(motion, robot).reasons if reason.limit == "self-collision"]


def statue(robot, **angles_rad):
    """Return the standing posture with some other angles, 51 times. Shape (51, nq)."""
    qpos = np.tile(robot.standing_qpos, (51, 1))
    for joint, angle_rad in angles_rad.items():
        qpos[:, robot.base_size + robot.joint_names.index(joint)] = angle_rad
    return qpos


def test_a_statue_whose_legs_cross_is_refused():
    robot = load_robot("mrpete")
    reasons = self_collisions(robot, statue(robot))  # with all joints at zero, its hind legs are in each other
    assert len(reasons) == 1
    assert "RH_hip_spin are 40.0 mm inside each other" in reasons[0]


def test_check_names_every_pair_whose_distance_is_not_limited(tmp_path, capsys):
    file = tmp_path / "one.npz"
    strut.perform("pepper", "wave").save(file)
    capsys.readouterr()
    assert main(["check", str(file), "--json"]) == 0
    rules = json.loads(capsys.readouterr().out)["collision_rules"]
    assert {"bodies": ["LShoulderRoll", "LElbowRoll"], "standing_mm": 26.0} in rules["joined"]
    assert rules["overlapping"] == [{"bodies": ["KneePitch", "HipRoll"], "standing_mm": 6.7, "max_mm": 28.7}]
    assert ["KneePitch", "HipPitch"] in rules["one_joint_apart"]
    assert rules["min_distance_mm"] == 5.0


@pytest.fixture(scope="module")
def import_description(tmp_path_factory):
    """Return a function that imports a robot of example-robot-data as `strut adopt` does, without fitting its gait."""
    homes = [Path(entry) / "cmeel.prefix/share/example-robot-data/robots" for entry in sys.path]
    home = next((home for home in homes if home.is_dir()), None)
    if home is None:
        pytest.skip("example-robot-data (pip install example-robot-data) is not installed")

    def load(file):
        folder = tmp_path_factory.mktemp("imported") / "robot"
        write_folder(folder, encode_folder(inspect_robot(home / file, "robot")))
        return load_robot(str(folder))

    return load


def test_a_head_bent_into_the_torso_and_a_thigh_in_the_root_are_refused(import_description):
    romeo = import_description("romeo_description/urdf/romeo.urdf")
    assert self_collisions(romeo, statue(romeo)) == []
    (bent,) = self_collisions(romeo, statue(romeo, NeckPitch=0.8))
    assert "torso and HeadRollLink" in bent
    icub = import_description("icub_description/robots/icub.urdf")
    assert self_collisions(icub, statue(icub)) == []
    (turned,) = self_collisions(icub, statue(icub, l_hip_yaw=-0.9))
    assert "root_link and l_upper_leg" in turned
