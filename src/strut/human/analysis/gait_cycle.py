"""Gait cycle: one whole cycle of a human walk, and the published step, cut out of a motion of any length.

A motion that ends as it began goes on from its start; one that ends as the mirror image of its start (a single step
of a symmetric gait) goes on as its mirror image. Otherwise the cycle must lie inside the motion. Wherever the walker
walks, the piece walks along x: it is turned and moved first.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from strut.arrays import Array, Index
from strut.human.anatomy import HEEL, LEFT, RIGHT, TOES, sided
from strut.human.walking_direction import (
    WalkingDirection,
    direction_of_cycles,
    direction_of_mirror,
    direction_of_travel,
)
from strut.kinematics.mirror import mirror_of, mirrored_feet
from strut.maths.rotation import angles_from_qpos, qpos_from_angles
from strut.motion import Motion
from strut.ocp.kinematic_tree import read_tree
from strut.robot import BASE, Robot

NEAR_RAD = 0.15  # ends that differ by less are the same posture; a joint moves about half of it between two samples
UNSURE_RAD = 0.2  # the direction of less than a cycle is hidden by the sway of the pelvis; nearer to +x than this is +x
LATERAL = np.array([1.0, -1.0, 1.0])
Closing = Literal["periodic", "mirrored", "open"]


@dataclass(frozen=True, slots=True, eq=False)
class GaitCycle:
    """A piece of walking.

    Args:
        motion: From its first instant to its last, along the x axis; the pelvis starts at x = 0, time at 0.
        closing: How the motion was continued to find it: from its start, from its mirror image, or not at all.
    """

    motion: Motion
    closing: Closing

    @property
    def share(self) -> Array:
        """Time as a share of the whole, 0 to 1. Shape (T,)."""
        return self.motion.time_s / self.motion.duration_s

    @property
    def speed_m_s(self) -> float:
        """Of the pelvis along the way."""
        return float(self.motion.qpos[-1, 0] - self.motion.qpos[0, 0]) / self.motion.duration_s


def coordinate_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of all coordinates of a human model, six of the pelvis first."""
    return read_tree(robot.model, angle_base=True).velocity_names


def gait_cycle(robot: Robot, motion: Motion) -> GaitCycle | None:
    """Return the cycle from one landing of the right heel to the next; None if there is none."""
    return _between(robot, motion, (sided(HEEL, RIGHT), True), (sided(HEEL, RIGHT), True))


def published_step(robot: Robot, motion: Motion) -> GaitCycle | None:
    """Return the step from toe-off of the left foot to that of the right, as published; None if there is none."""
    return _between(robot, motion, (sided(TOES, LEFT), False), (sided(TOES, RIGHT), False))


def along_x(robot: Robot, motion: Motion) -> Motion:
    """Return the motion turned and moved so that its walker follows the x axis."""
    return _direction(robot, motion).aligned_with_x(motion)


def repeat_walk(robot: Robot, motion: Motion, duration_s: float) -> tuple[Motion, Motion] | None:
    """Return one cycle of a human walk, repeated for at least a duration, and that cycle; None if it has none.

    Only a cycle that ends as it began can be repeated; one cut from a recording that changes on the way is None too.
    """
    if robot.tables.symmetry is None or (cycle := gait_cycle(robot, motion)) is None:
        return None
    angles = angles_from_qpos(cycle.motion.qpos)
    if np.abs(angles[-1] - angles[0])[1:].max() > NEAR_RAD:
        return None
    once = _part(cycle.motion, 0, len(angles) - 2)
    repeated = once
    while repeated.duration_s < duration_s:
        repeated = _appended(repeated, once)
    return repeated, cycle.motion


def mirror_image(robot: Robot, motion: Motion) -> Motion:
    """Return a motion in the mirror of the walker's x-z plane; torques and forces too."""
    names = coordinate_names(robot)
    feet = mirrored_feet(motion.foot_names)
    torque = motion.torque_nm
    force = motion.ground_force_n
    cop = motion.cop_in_world
    return replace(
        motion,
        qpos=qpos_from_angles(mirror_of(robot, names).image(angles_from_qpos(motion.qpos))),
        contact=motion.contact[:, feet],
        torque_nm=None if torque is None else mirror_of(robot, robot.joint_names).image(torque),
        ground_force_n=None if force is None else force[:, feet] * LATERAL,
        cop_in_world=None if cop is None else cop * LATERAL[:2],
        balance_margin_m=None,
    )


def _between(robot: Robot, motion: Motion, first: tuple[str, bool], last: tuple[str, bool]) -> GaitCycle | None:
    """Return the piece from one change of a foot's contact to the next of another's, in the motion or continued."""
    motion = along_x(robot, motion)
    closing = _closing(robot, motion)
    tries: list[tuple[Closing, Motion]] = [("open", motion)]
    if closing == "mirrored":
        both = _appended(motion, mirror_image(robot, motion))
        tries.append(("mirrored", _appended(both, both)))
    elif closing == "periodic":
        tries.append(("periodic", _appended(motion, motion)))
    for how, longer in tries:
        starts = _changes(longer, *first)
        stops = _changes(longer, *last)
        pairs = [(k, stops[stops > k][0]) for k in starts if (stops > k).any()]
        if pairs:
            start, stop = pairs[0]
            return GaitCycle(_part(longer, int(start), int(stop)), how)
    return None


def _direction(robot: Robot, motion: Motion) -> WalkingDirection:
    repeated = direction_of_cycles(motion)
    if repeated is not None:
        return repeated
    mirrored = direction_of_mirror(motion)
    travelled = direction_of_travel(motion)
    for direction, closing in ((mirrored, "mirrored"), (travelled, "periodic")):
        if _closing(robot, direction.aligned_with_x(motion)) == closing:
            return direction
    if abs(travelled.direction_rad) > UNSURE_RAD:
        return travelled
    return WalkingDirection(0.0, float(motion.qpos[:, 1].mean()))


def _closing(robot: Robot, motion: Motion) -> Closing:
    """Return how the motion may go on after its last sample."""
    angles = angles_from_qpos(motion.qpos)
    mirror = mirror_of(robot, coordinate_names(robot))
    following = 2.0 * angles[-1] - angles[-2]
    moves = np.ptp(angles[:, BASE:], axis=0).max() > NEAR_RAD
    for how, start in (("periodic", angles[0]), ("mirrored", mirror.image(angles[0]))):
        nearest = min(np.abs(end - start)[3:].max() for end in (angles[-1], following))
        if moves and nearest < NEAR_RAD:
            return "periodic" if how == "periodic" else "mirrored"
    return "open"


def _changes(motion: Motion, foot: str, down: bool) -> Index:
    column = motion.contact[:, motion.foot_names.index(foot)]
    return np.asarray(np.flatnonzero((column[1:] == down) & (column[:-1] != down)) + 1)


def _appended(motion: Motion, other: Motion) -> Motion:
    """Return one motion after the other, a sample later and as far on as the first has come by then."""
    step_s = float(motion.time_s[-1] - motion.time_s[-2])
    advance = 2.0 * motion.qpos[-1, 0] - motion.qpos[-2, 0] - other.qpos[0, 0]
    moved = other.qpos + advance * np.eye(other.qpos.shape[1])[0]
    cop = other.cop_in_world
    pressed = None if cop is None else cop + np.array([advance, 0.0])

    def both(one: Array | None, another: Array | None) -> Array | None:
        return None if one is None or another is None else np.concatenate([one, another])

    return replace(
        motion,
        time_s=np.concatenate([motion.time_s, other.time_s - other.time_s[0] + motion.time_s[-1] + step_s]),
        qpos=np.concatenate([motion.qpos, moved]),
        contact=np.concatenate([motion.contact, other.contact]),
        torque_nm=both(motion.torque_nm, other.torque_nm),
        ground_force_n=both(motion.ground_force_n, other.ground_force_n),
        cop_in_world=both(motion.cop_in_world, pressed),
        balance_margin_m=None,
    )


def _part(motion: Motion, start: int, stop: int) -> Motion:
    """Return the samples from `start` to `stop`, both in, walked from x = 0 and time 0."""
    part = slice(start, stop + 1)
    start_x = motion.qpos[start, 0]
    torque = motion.torque_nm
    force = motion.ground_force_n
    cop = motion.cop_in_world
    return replace(
        motion,
        time_s=motion.time_s[part] - motion.time_s[start],
        qpos=motion.qpos[part] - start_x * np.eye(motion.qpos.shape[1])[0],
        contact=motion.contact[part],
        torque_nm=None if torque is None else torque[part],
        ground_force_n=None if force is None else force[part],
        cop_in_world=None if cop is None else cop[part] - np.array([start_x, 0.0]),
        balance_margin_m=None,
    )
