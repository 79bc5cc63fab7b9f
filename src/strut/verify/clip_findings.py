"""Clip findings: what is wrong with a clip as a whole rather than at an instant, as sentences; nothing is changed.

Two faults of conversion break every limit at once and hide what else is wrong: legs that are exchanged, and a floor
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
MIN_STANCE = 0.2  # of the samples: with fewer, nothing tells where the floor is
SAME_LENGTH_M = 0.05  # two legs at the two sides of a body differ less in where they stand ahead


def find_clip_faults(robot: Robot, motion: Motion) -> tuple[str, ...]:
    """Return what is wrong with a clip as a whole, as sentences."""
    if not (robot.floats and robot.feet) or len(motion.time_s) < 2:
        return ()
    return (*_exchanged_legs(robot, motion), *_floor_height(robot, motion))


def exchange_legs(robot: Robot, qpos: Array) -> Array | None:
    """Return configurations with the angles of left and right legs exchanged; None without such legs. Shape (T, nq)."""
    stands_m = foot_positions(robot, robot.standing_qpos[None])[0]
    exchanged = qpos.copy()
    pairs = 0
    for leg in robot.legs:
        x, y = stands_m[robot.foot_names.index(leg.feet[0]), :2]
        for other in robot.legs:
            other_x, other_y = stands_m[robot.foot_names.index(other.feet[0]), :2]
            beside = abs(x - other_x) < SAME_LENGTH_M and y * other_y < 0.0
            if beside and len(leg.joints) == len(other.joints):
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
    step_s = np.diff(motion.time_s[pairs], axis=1)[:, 0]
    as_is = movement_error(robot, step_s, motion.qpos[pairs])
    other = movement_error(robot, step_s, exchanged[pairs])
    if as_is < EXCHANGED * other:
        return ()
    return (
        f"Left and right legs seem to be exchanged in the file: with the angles of the other side the feet slide "
        f"{as_is / other:.1f} times less; it is judged as it is.",
    )


def _floor_height(robot: Robot, motion: Motion) -> tuple[str, ...]:
    """Return that the feet stand above or below the floor throughout, if they do."""
    height_m = foot_contact_points(robot, motion.qpos)[..., 2]  # (T, n_points)
    of_foot = np.array(robot.point_feet)
    lowest_m = np.stack([height_m[:, of_foot == foot].min(axis=1) for foot in range(len(robot.feet))], axis=1)
    standing_m = lowest_m[motion.contact]
    if motion.contact.any(axis=1).mean() < MIN_STANCE:
        return ()
    floor_m = float(np.median(standing_m))
    shares = np.mean(standing_m * np.sign(floor_m) > FOOT_OFF_GROUND_M)
    if abs(floor_m) <= FOOT_OFF_GROUND_M:
        return ()
    what = "float above" if floor_m > 0.0 else "sink below"
    return (
        f"The feet {what} the floor by {1e3 * abs(floor_m):.0f} mm in the median of their stances, "
        f"{format_percent(float(shares))} of the time on that side; if the file has its floor there, add "
        f"--read floor_m={floor_m:.3f}.",
    )
