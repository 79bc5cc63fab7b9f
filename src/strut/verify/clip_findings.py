"""Clip findings: faults of a clip as a whole rather than at an instant, as sentences; the clip is not changed.

Two faults of conversion break many limits at once and hide what else is wrong: legs that are exchanged, and a floor
that is not at height 0.
"""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.audit import FOOT_OFF_GROUND_M
from strut.balance.foot_drift import movement_error, scored_pairs
from strut.engines.rigid_body import foot_contact_points, foot_positions
from strut.motion import Motion
from strut.plumbing.number_text import format_percent
from strut.robot import Robot

# Chosen on 22 human recordings that mink retargeted to a G1 frame by frame: the right legs always have the smaller
# error, and in the 19 without a run, a skip or hops the exchanged ones have at least 1.43 times as much.
EXCHANGED = 1.4
MIN_STANCE = 0.2  # of the samples: fewer do not say where the floor is
BESIDE_M = 0.05  # two feet side by side differ less in how far ahead they stand


def find_clip_faults(robot: Robot, motion: Motion) -> tuple[str, ...]:
    """Return the faults of a clip as a whole, as sentences."""
    if not (robot.floats and robot.feet) or len(motion.time_s) < 2:
        return ()
    return (*_exchanged_legs(robot, motion), *_floor_height(robot, motion))


def exchange_legs(robot: Robot, qpos: Array) -> Array | None:
    """Return configurations with the angles of left and right legs exchanged; None without such legs. Shape (T, nq)."""
    foot_in_world = foot_positions(robot, robot.standing_qpos[None])[0]
    exchanged = qpos.copy()
    pairs = 0
    for leg in robot.legs:
        x, y = foot_in_world[robot.foot_names.index(leg.feet[0]), :2]
        for other in robot.legs:
            other_x, other_y = foot_in_world[robot.foot_names.index(other.feet[0]), :2]
            is_beside = abs(x - other_x) < BESIDE_M and y * other_y < 0.0
            if is_beside and len(leg.joints) == len(other.joints):
                pairs += 1
                own = [robot.base_size + robot.joint_names.index(joint) for joint in leg.joints]
                others = [robot.base_size + robot.joint_names.index(joint) for joint in other.joints]
                exchanged[:, own] = qpos[:, others]
    return exchanged if pairs and pairs == len(robot.legs) else None


def _exchanged_legs(robot: Robot, motion: Motion) -> tuple[str, ...]:
    exchanged = exchange_legs(robot, motion.qpos)
    if exchanged is None:
        return ()
    pairs = scored_pairs(len(motion.time_s))
    error = movement_error(robot, motion.time_s[pairs], motion.qpos[pairs])
    error_exchanged = movement_error(robot, motion.time_s[pairs], exchanged[pairs])
    if error < EXCHANGED * error_exchanged:
        return ()
    return (
        f"Left and right legs seem to be exchanged in the file: with the angles of the other side the feet slide "
        f"{error / error_exchanged:.1f} times less; it is judged as it is.",
    )


def _floor_height(robot: Robot, motion: Motion) -> tuple[str, ...]:
    """Return a sentence if the feet stand above or below the floor in the median of their stances."""
    if motion.contact.any(axis=1).mean() < MIN_STANCE:
        return ()
    height_m = foot_contact_points(robot, motion.qpos)[..., 2]  # (T, n_points)
    foot_of_point = np.array(robot.point_feet)
    lowest_m = np.stack([height_m[:, foot_of_point == foot].min(axis=1) for foot in range(len(robot.feet))], axis=1)
    standing_m = lowest_m[motion.contact]
    floor_m = float(np.median(standing_m))
    if abs(floor_m) <= FOOT_OFF_GROUND_M:
        return ()
    share = float(np.mean(standing_m * np.sign(floor_m) > FOOT_OFF_GROUND_M))
    what = "float above" if floor_m > 0.0 else "sink below"
    return (
        f"The feet {what} the floor by {1e3 * abs(floor_m):.0f} mm in the median of their stances, "
        f"{format_percent(share)} of the time on that side; if the file has its floor there, add "
        f"--read floor_m={floor_m:.3f}.",
    )
