"""Audit: what a motion needs from its robot, sample by sample, and the tolerances of its limits. Data only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from strut.arrays import Array

FOOT_OFF_GROUND_M = 0.003  # a stance foot is no farther above the ground, and no foot is deeper in it
MAX_SLIP_M = 0.005
MAX_ROLLING_SLIP_M = 0.003  # of a walk that rolls over its feet; rolling does not count
MIN_JOINT_LIMIT_MARGIN_RAD = -0.002  # between the nodes of a mesh, angles may leave their range by this much
DEFAULT_MARGIN_M = 0.010  # distance that the centre of pressure keeps from the edge of the support polygon
STANDS_STILL_M = 1e-3  # a shorter way leads nowhere


class AuditPart(Protocol):
    """What a feature measures of its own motions besides the general audit, for instance how well a task is done."""

    def receipt_figures(self) -> Mapping[str, Any]:
        """Return what the receipt reports of it, by the receipt's keys."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class LandingAudit:
    """How well ground forces explain the movement of a walk that lands with impacts. Shapes start with T.

    Args:
        unexplained_n: Force that no force of the ground explains, in the median. Shape (T,).
        gripped_n: The same on a ground on which nothing slips. Shape (T,).
        landing_unexplained_n: The same over the sample of a landing; 0 elsewhere. Shape (T,).
        landing_torque_nm: Joint torques over the sample of a landing; 0 elsewhere. Shape (T, n_joints).
        unjudged: What could not be measured, as sentences.
    """

    unexplained_n: Array
    gripped_n: Array
    landing_unexplained_n: Array
    landing_torque_nm: Array
    unjudged: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SelfOverlap:
    """How much deeper two bodies that overlap by design come into each other than while the robot stands.

    Args:
        deeper_m: By how much; negative if they never come as deep. That of some samples only if it is well allowed.
        standing_m: How deep they are in the standing posture.
        sample: Where in the motion that is.
        bodies: The names of the two.
        deep: Where any such pair is deeper than allowed. Shape (T,).
    """

    deeper_m: float
    standing_m: float
    sample: int
    bodies: tuple[str, str]
    deep: npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class SelfDistance:
    """How near two bodies of a robot come to each other along a motion.

    Args:
        smallest_m: Smallest distance between their surfaces; negative where they overlap. Infinite if all pairs overlap
            by design.
        sample: Where in the motion that is.
        bodies: The names of the two.
        near: Where any pair is nearer than allowed. Shape (T,).
        overlap: Of bodies that overlap by design; None if there are none.
    """

    smallest_m: float
    sample: int
    bodies: tuple[str, str]
    near: npt.NDArray[np.bool_]
    overlap: SelfOverlap | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What a motion needs. All shapes start with T.

    Args:
        time_s: Shape (T,).
        qpos: Shape (T, nq).
        contact: Shape (T, n_feet).
        cop_in_world: Centre of pressure. Shape (T, 2).
        margin_m: Its distance inside the support polygon of feet or wheels; infinite where no margin is kept. Shape
            (T,).
        joint_limit_margin_rad: Distance to the nearer joint limit. Shape (T, n_joints).
        joint_speed_rad_s: Shape (T, n_joints).
        torque_nm: Shape (T, n_joints).
        drive_use: Share of its limits that a platform uses, in the order of `DRIVE_LIMITS`. Shape (T, 4 or 0).
        ground_force_n: Shape (T, n_feet, 3).
        part_names: The parts that could touch the ground and are not feet.
        clearance_m: Their height above the ground. Shape (T, n_parts).
        foot_height_m: Height of the lowest point of each foot. Shape (T, n_feet).
        foot_top_m: Height of the highest point of each foot that should touch the ground. Shape (T, n_feet).
        slip_m: How far each foot has slipped since it landed. Shape (T, n_feet).
        landings: Of a walk that lands with impacts.
        self_distance: How near its bodies come to each other; None if no two of them can meet.
        force_disagreement: Root mean square, in the worst second, of the difference between the ground forces that
            come with the motion and those of its movement, over the weight; None if the motion comes without forces.
        torque_disagreement: The same of its torques, over the torques; None without torques, or if they cannot be
            judged.
        cop_disagreement_m: Root mean square of the distance between the centre of pressure that comes with the motion
            and that of its movement; None without one, or if it cannot be judged.
        margin_disagreement_m: The same of the balance margin that comes with the motion.
        on_lines: Whether it stands on fewer than three points at some sample, where no margin can be kept.
        limit_set: Name of the limits in the registry group `strut.limit_sets` that judge it.
        parts: What features measure besides, by their name in the registry group `strut.audits`.
    """

    time_s: Array
    qpos: Array
    contact: npt.NDArray[np.bool_]
    cop_in_world: Array
    margin_m: Array
    joint_limit_margin_rad: Array
    joint_speed_rad_s: Array
    torque_nm: Array
    drive_use: Array
    ground_force_n: Array
    part_names: tuple[str, ...]
    clearance_m: Array
    foot_height_m: Array
    foot_top_m: Array
    slip_m: Array
    landings: LandingAudit | None = None
    self_distance: SelfDistance | None = None
    force_disagreement: float | None = None
    torque_disagreement: float | None = None
    cop_disagreement_m: float | None = None
    margin_disagreement_m: float | None = None
    on_lines: bool = False
    limit_set: str = "standing"
    parts: Mapping[str, AuditPart] = field(default_factory=dict)

    @property
    def distance_m(self) -> float:
        """How far the base travels over the ground, from first to last sample; 0 if it is bolted down."""
        if self.qpos.shape[1] == self.torque_nm.shape[1]:
            return 0.0
        return float(np.linalg.norm(self.qpos[-1, :2] - self.qpos[0, :2]))

    @property
    def penetration_m(self) -> float:
        """Depth of the deepest part in the ground."""
        lowest_m = min(self.clearance_m.min(initial=np.inf), self.foot_height_m.min(initial=np.inf))
        return max(0.0, -float(lowest_m))
