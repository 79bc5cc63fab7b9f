"""Run outcome: falls, slips, distances and costs of a simulated run, measured against its plan."""

from __future__ import annotations

import math

import numpy as np

from strut.arrays import Array, Mask
from strut.audit import STANDS_STILL_M
from strut.engines.contact_slip import slip_under_load
from strut.engines.frame_kinematics import frame_poses
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.maths.rotation import heading_of
from strut.maths.sampling import runs
from strut.motion import Motion
from strut.robot import Robot
from strut.simulation.outcome import Outcome
from strut.simulation.physics import Run

TIPPED_RAD = math.radians(30.0)  # a base tilted further than this from its planned attitude is down
SUNK = 0.5  # a base below this share of its planned height is down
TOUCHED_N = 1.0  # a smaller contact force is numerical noise
CARRIES = 0.05  # share of the weight below which a foot brushes the ground and does not stand on it


def measure_outcome(robot: Robot, motion: Motion, run: Run, mass_scale: float) -> Outcome:
    """Return the outcome of a run of a motion. After a fall nothing counts."""
    if not robot.floats:
        return _outcome_of_hand(robot, motion, run)
    down = list(runs(is_down(motion, run)))
    fell = bool(down) and down[-1].stop == len(run.time_s)  # otherwise it got up again
    last = down[-1].start if fell else len(run.time_s) - 1
    commanded_m, direction = _commanded_way(motion)
    distance_m = float((run.qpos[last, :2] - run.qpos[0, :2]) @ direction)
    joint_rad = run.qpos[: last + 1, robot.base_size :]
    work_j = float(np.sum(run.power_w[:last]) * (run.time_s[1] - run.time_s[0]))
    weight_n = robot.mass_kg * mass_scale * GRAVITY_M_S2
    heading_drift_rad = heading_of(run.qpos[last, 3:7]) - heading_of(motion.qpos[last, 3:7])
    return Outcome(
        fell=fell,
        stumbles=len(down) - fell,
        upright_s=float(run.time_s[last] - run.time_s[0]),
        distance_m=distance_m,
        commanded_distance_m=commanded_m,
        heading_drift_rad=math.remainder(heading_drift_rad, math.tau),
        foot_slip_mm=largest_slip_m(robot, run.first(last + 1)) * 1e3,
        tracking_error_rad=float(np.abs(joint_rad - motion.joint_angles_rad[: last + 1]).max()),
        torque_use=float(np.max(np.abs(run.torque_nm[: last + 1]) / robot.torque_limit_nm)),
        cost_of_transport=work_j / (weight_n * abs(distance_m)) if abs(distance_m) > STANDS_STILL_M else None,
    )


def _outcome_of_hand(robot: Robot, motion: Motion, run: Run) -> Outcome:
    """Return the outcome of a robot that cannot fall, because it is bolted down or stands on a platform."""
    commanded_m = 0.0
    distance_m = 0.0
    heading_drift_rad = 0.0
    if robot.base_size:
        commanded_m, direction = _commanded_way(motion)
        distance_m = float((run.qpos[-1, :2] - run.qpos[0, :2]) @ direction)
        heading_drift_rad = float(run.qpos[-1, 2] - motion.qpos[-1, 2])
    joints = len(robot.joint_names)
    return Outcome(
        fell=False,
        upright_s=float(run.time_s[-1] - run.time_s[0]),
        distance_m=distance_m,
        commanded_distance_m=commanded_m,
        heading_drift_rad=heading_drift_rad,
        foot_slip_mm=None,
        tracking_error_rad=float(np.abs(run.qpos[:, -joints:] - motion.joint_angles_rad).max()),
        torque_use=float(np.max(np.abs(run.torque_nm[:, -joints:]) / robot.torque_limit_nm)),
        cost_of_transport=None,
        hand_error_mm=hand_error_m(robot, motion, run.qpos) * 1e3,
    )


def _commanded_way(motion: Motion) -> tuple[float, Array]:
    """Return the planned distance from start to end and its direction; straight ahead on the spot. Shape (2,)."""
    way_m = motion.qpos[-1, :2] - motion.qpos[0, :2]
    commanded_m = float(np.linalg.norm(way_m))
    return commanded_m, way_m / commanded_m if commanded_m > STANDS_STILL_M else np.array([1.0, 0.0])


def hand_error_m(robot: Robot, motion: Motion, qpos: Array) -> float:
    """Return the largest distance of the task's hand from its plan; of all hands if the motion names none."""
    hands = robot.chains.hand
    busy = motion.meta.get("task", {}).get("hand")
    frames = [hands[busy]] if busy in hands else list(hands.values())
    errors_m = [frame_poses(robot, frame, qpos)[0] - frame_poses(robot, frame, motion.qpos)[0] for frame in frames]
    return float(max(np.linalg.norm(error_m, axis=1).max() for error_m in errors_m))


def is_down(motion: Motion, run: Run) -> Mask:
    """Return when the base is tipped or sunk against the plan, or anything but a foot touches the ground. (T,)."""
    planned = motion.qpos[: len(run.qpos)]
    cosine = np.abs(np.sum(run.qpos[:, 3:7] * planned[:, 3:7], axis=1)).clip(0.0, 1.0)
    is_tipped = 2.0 * np.arccos(cosine) > TIPPED_RAD
    is_sunk = run.qpos[:, 2] < SUNK * planned[:, 2]
    is_broken = ~np.isfinite(run.qpos).all(axis=1)
    return np.asarray(is_tipped | is_sunk | is_broken | (run.other_load_n > TOUCHED_N))


def largest_slip_m(robot: Robot, run: Run, *, ends: range | None = None) -> float:
    """Return the largest distance that a foot slid while it carried, rolling not counted, planned or not.

    Args:
        robot: The robot.
        run: What happened.
        ends: Samples before which a foot must cease to carry for its slip to count; all count if None.
    """
    is_loaded = run.foot_load_n > CARRIES * robot.mass_kg * GRAVITY_M_S2
    stances = [(foot, stance) for foot, carries in enumerate(is_loaded.T) for stance in runs(carries)]
    chosen = [(foot, stance) for foot, stance in stances if ends is None or stance.stop in ends]
    if not chosen:
        return 0.0
    first = min(stance.start for _, stance in chosen)
    rows = slice(first, max(stance.stop for _, stance in chosen))
    step_s = float(run.time_s[1] - run.time_s[0])
    slip_m = slip_under_load(robot, run.foot_in_world[rows], run.qpos[rows], is_loaded[rows], step_s)
    return max(float(slip_m[stance.start - first : stance.stop - first, foot].max()) for foot, stance in chosen)
