"""Is there a body of Mr. Pete whose legs do not collide? Searches the dimensions that the thesis does not print.

    python benchmarks/search_mrpete_body.py [--seconds 600] [--seed 0]

Printed and kept: size of the body, seven joints a leg, four equal legs, mounted 45 degrees below the horizontal, 500 mm
upright, five poses, steps, knees that face each other. Free: where the hips are, to which side their mounts point, and
how the leg is split into thigh and shin; the links are as thick as they were. Differential evolution looks for a body
whose five walks, planned with the sway of the present one, keep surfaces apart while every foot is in reach, joints
keep range and speed, and everything but the feet stays off the ground. The best are printed, to be proved with `strut
walk`.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np
from scipy.optimize import differential_evolution

import strut
from strut.arrays import Array
from strut.emotion import named_emotion
from strut.engines.rigid_body import point_masses
from strut.engines.self_distance import self_distance
from strut.expression.blend import style_for
from strut.gaits.crawl.crawl_plan import crawl_gait, crawl_plan
from strut.gaits.crawl.crawler import Crawler, crawler
from strut.gaits.crawl.key_pose import key_pose
from strut.kinematics.leg7r import knee_position, leg_inverse
from strut.kinematics.mounted_leg import mounted_legs
from strut.models.limb_robot import limb_robot
from strut.models.solids import solid_poses, solids
from strut.robot import Robot
from strut.schemas.body import LimbBody

KEPT = {"neutral": 1.0, "happy": 0.9, "sad": 1.0, "angry": 1.0, "fearful": 1.0}  # with legs that cross
LEG_M = 0.46  # thigh and shin together: 0.5 upright less 0.04 from the ankle to the middle of the foot
KNEE_MOST_RAD = math.radians(157.0)
CLEAR_M = 0.0055
APART_M = 0.01
SPEED_USE = 0.93  # the gate's limit, and a little for what only the full walk shows
CYCLES = 5
SAMPLES_PER_CYCLE = 128
EVERY = 4  # speeds are taken from all samples, the rest from every fourth
FIRST = (0.14, -0.14, 0.125, 0.125, 0.23, 0.0, 0.0)
START = (0.17, -0.14, 0.125, 0.125, 0.22, 0.175, -0.524)  # the body of robot.toml, found by wider searches
NAMES = ("front hip x", "hind hip x", "front hip y", "hind hip y", "thigh", "front lean", "hind lean")
BOUNDS = ((0.12, 0.175), (-0.16, -0.10), (0.10, 0.14), (0.10, 0.14), (0.20, 0.24), (0.0, 0.8), (-0.8, 0.0))
COM_X_M = (
    0.003  # of the centre of mass in neutral; if it is farther back, swaying sideways takes more friction than there is
)
RADIUS_M = {  # of the links
    "hip_yaw": 0.025,
    "hip_pitch": 0.025,
    "hip_spin": 0.020,
    "knee": 0.024,
    "shin_spin": 0.016,
    "ankle_pitch": 0.018,
    "ankle_spin": 0.010,
}


def body_table(present: dict[str, Any], values: Array, radius_m: dict[str, float]) -> dict[str, Any]:
    """Return `robot.toml` with other dimensions; the middles of the joints are left as they were."""
    table = deepcopy(present)
    front_x, hind_x, front_y, hind_y, thigh_m, front_lean, hind_lean = (float(value) for value in values)
    for mount in table["mount"]:
        front = mount["name"][1] == "F"
        side = 1.0 if mount["name"][0] == "L" else -1.0
        mount["position_m"] = [front_x if front else hind_x, side * (front_y if front else hind_y), 0.0]
        lean = front_lean if front else -hind_lean  # positive: the front legs lean forwards, the hind legs backwards
        down_and_out = np.array([math.sin(lean), side * math.cos(lean), -1.0]) / math.sqrt(2.0)
        z_axis = -down_and_out if front else down_and_out
        mount["z_axis"] = z_axis.tolist()
        mount["x_axis"] = [math.cos(lean), -side * math.sin(lean), 0.0]
    limb = table["limb"]["leg"]
    lengths = {"hip_spin": thigh_m, "shin_spin": LEG_M - thigh_m}
    above_m = 0.0
    for link in limb["links"]:
        link["rod"]["radius_m"] = radius_m[link["name"]]
        link["offset_m"] = [0.0, 0.0, above_m]
        above_m = lengths.get(link["name"], 0.0)
        if above_m:
            link["rod"]["to_m"] = [0.0, 0.0, above_m]
    return table


def neutral_middles_rad(robot: Robot) -> dict[str, list[float]]:
    """Return every joint's middle by leg: where it is in the neutral pose, except the knee's, which is straight."""
    pose = key_pose(robot, style_for(robot, named_emotion("neutral"), 1.0))
    middles = {}
    for leg, mounted in enumerate(mounted_legs(robot)):
        ankle = mounted.ankle_in_hip(pose.foot_in_body[leg], np.eye(3))
        joints = leg_inverse(mounted.leg, ankle, mounted.hip_to_body.T, pose.knee_rad[leg], reference="published")
        joints[3] = 0.0
        middles[mounted.leg.name] = [round(float(angle), 2) for angle in joints]
    return middles


def knees_face_each_other(robot: Robot) -> float:
    """Return how far the neutral knees point backwards in front and forwards behind: 1 is straight, 0 is sideways."""
    pose = key_pose(robot, style_for(robot, named_emotion("neutral"), 1.0))
    facing = []
    for leg, mounted in enumerate(mounted_legs(robot)):
        ankle = mounted.ankle_in_hip(pose.foot_in_body[leg], np.eye(3))
        knee = knee_position(mounted.leg, ankle, pose.knee_rad[leg], reference="published")
        line = ankle / np.linalg.norm(ankle)
        out = mounted.hip_to_body @ (knee - line * (line @ knee))
        facing.append((-1.0 if mounted.leg.name[1] == "F" else 1.0) * out[0] / np.linalg.norm(out))
    return min(facing)


class Search:
    """The present body, the sway of its walks, and how good another body is."""

    def __init__(self) -> None:
        present = strut.load_robot("mrpete")
        self.body = msgspec.to_builtins(present.tables.robot)
        self.tables = present.tables
        self.sway_m = {emotion: self._sway(present, emotion) for emotion in KEPT}
        self.best: list[tuple[float, Array]] = []

    def _sway(self, robot: Robot, emotion: str) -> Array:
        motion = strut.walk(robot, emotion, intensity=KEPT[emotion], cycles=CYCLES)
        body = _steps(robot, emotion)
        at = np.linspace(0.0, 1.0, len(body.plan.time_s))
        known = np.linspace(0.0, 1.0, len(motion.time_s))
        x, y = (np.interp(at, known, motion.qpos[:, column]) for column in (0, 1))
        return np.stack([x - body.plan.body_x_m, y], axis=1)

    def robot(self, values: Array) -> Robot:
        """Return Mr. Pete with other dimensions."""
        body = msgspec.convert(body_table(self.body, values, RADIUS_M), LimbBody)
        return limb_robot("mrpete", body, replace(self.tables, robot=body))

    def apart_m(self, values: Array) -> dict[str, tuple[float, tuple[str, str]]]:
        """Return the smallest distance between surfaces, and between which, for each walk."""
        return {emotion: self._walk(self.robot(values), emotion)[0] for emotion in KEPT}

    def _walk(self, robot: Robot, emotion: str) -> tuple[tuple[float, tuple[str, str]], float]:
        """Return the nearest bodies of a walk and its other violations [m]."""
        body = _steps(robot, emotion)
        shift = self.sway_m[emotion]
        qpos = body.posture(shift).qpos
        speed = np.abs(np.diff(qpos[:, 7:], axis=0)).max() / (body.plan.time_s[1] - body.plan.time_s[0])
        too_fast = max(0.0, float(speed) / robot.joint_speed_limit_rad_s[0] - SPEED_USE)
        qpos = qpos[::EVERY]
        apart = self_distance(robot, qpos, threshold_m=0.0)
        assert apart is not None
        bent = max(float(np.abs(qpos[:, 7 + joint]).max()) for joint in range(3, 28, 7))
        height_m = min(float((place[:, 2] - solid.size_m[0]).min()) for solid, place in _balls(robot, qpos))
        wrong = max(0.0, float(body.posture(shift).excess_m.max())) + 0.1 * max(0.0, bent - KNEE_MOST_RAD)
        return (apart.smallest_m, apart.bodies), wrong + max(0.0, CLEAR_M - height_m) + 0.02 * min(too_fast, 2.0)

    def cost(self, values: Array) -> float:
        """Return the summed violations of all walks [mm], and a small cost of the distance from the first body."""
        robot = self.robot(values)
        lacking = 0.0
        lacking += 0.1 * max(0.0, 0.7 - knees_face_each_other(robot))
        lacking += 2.0 * max(0.0, COM_X_M - _com_x_m(robot))
        for emotion in KEPT:
            (apart_m, _), wrong_m = self._walk(robot, emotion)
            lacking += max(0.0, APART_M - apart_m) + 2.0 * wrong_m
        changed = (values - np.array(FIRST)) / np.ptp(BOUNDS, axis=1)
        cost = 1e3 * lacking + 0.2 * float(changed @ changed)
        self.best = sorted([*self.best, (cost, values.copy())], key=lambda one: one[0])[:40]
        return cost


def _steps(robot: Robot, emotion: str) -> Crawler:
    style = style_for(robot, named_emotion(emotion), KEPT[emotion])
    pose = key_pose(robot, style)
    gait = crawl_gait(robot)
    rate_hz = SAMPLES_PER_CYCLE * style.tempo / gait.cycle_s
    return crawler(robot, pose, crawl_plan(gait, pose, style, cycles=CYCLES, rate_hz=rate_hz))


def _com_x_m(robot: Robot) -> float:
    """Return how far the centre of mass is in front of the body's middle, standing in neutral."""
    body = _steps(robot, "neutral")
    standing = body.posture(np.zeros((len(body.plan.time_s), 2))).qpos[:1]
    masses = point_masses(robot, standing)
    return float(masses.mass_kg @ masses.centre_in_world[0, :, 0] / masses.mass_kg.sum() - standing[0, 0])


def _balls(robot: Robot, qpos: Array) -> Iterator[tuple[Any, Array]]:
    """Yield knees, ankles and their places; the feet touch the ground and the hips are with the body."""
    places, _ = solid_poses(robot, qpos)
    for index, solid in enumerate(solids(robot)):
        if solid.kind == "sphere" and solid.size_m[0] in (RADIUS_M["knee"], RADIUS_M["ankle_pitch"]):
            yield solid, places[:, index]


def main() -> None:
    """Search, and print the best bodies."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    search = Search()
    until = time.monotonic() + asked.seconds

    def enough(intermediate_result: Any) -> None:
        shown = ", ".join(f"{name} {value:.3f}" for name, value in zip(NAMES, intermediate_result.x, strict=True))
        print(f"lacks {intermediate_result.fun:.1f} mm: {shown}", flush=True)
        if time.monotonic() > until:
            raise StopIteration

    differential_evolution(
        search.cost, BOUNDS, seed=asked.seed, popsize=8, maxiter=10_000, callback=enough, polish=False
    )
    for lacking, values in search.best[:5]:
        print(f"lacks {lacking:.2f} mm at {np.round(values, 4).tolist()}: {search.apart_m(values)}")
        print(f"    middles of the joints: {neutral_middles_rad(search.robot(values))}")


if __name__ == "__main__":
    main()
