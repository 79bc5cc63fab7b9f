"""Audit: what a motion needs from its robot, sample by sample, and the tolerances it is judged by. Data only."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array

FOOT_OFF_GROUND_M = 0.003  # a foot that carries is no farther from the ground, and no foot is deeper in it
MOST_SLIP_M = 0.005
MOST_SLIDE_M = 0.003  # of what touches in a walk that rolls over its feet, rolling not counted
MOST_PILOTED_SLIP_M = 0.03  # in a stance of a body on springs, whose feet are set down while they move
LEAST_ROOM_RAD = -0.002  # angles may leave their range by this much between the nodes of a mesh
DEFAULT_MARGIN_M = 0.010  # that the centre of pressure keeps from the edge of what carries it
LARGEST_HAND_ERROR_M = 1e-3
LARGEST_HAND_TURN_RAD = 5e-3  # beyond them a task is not done
LARGEST_GAZE_ERROR_RAD = 0.002
SETTLED_S = 3.0  # gaze counts from here on, or from a third of a shorter motion
STANDS_STILL_M = 1e-3  # a walk shorter than this has no cost of transport


@dataclass(frozen=True, slots=True, eq=False)
class LandingAudit:
    """What a walk that lands with impacts needs besides: pushes of the ground that explain it. Shapes start with T.

    Args:
        unexplained_n: What no push of the ground explains, in the median. Shape (T,).
        gripped_n: The same on a ground on which nothing slips. Shape (T,).
        landing_unexplained_n: What no push explains over the sample of a landing; 0 elsewhere. Shape (T,).
        landing_torque_nm: Joint torques over the sample of a landing; 0 elsewhere. Shape (T, n_joints).
        unjudged: What could not be judged, in words.
    """

    unexplained_n: Array
    gripped_n: Array
    landing_unexplained_n: Array
    landing_torque_nm: Array
    unjudged: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlantAudit:
    """How well the columns of a recorded run explain each other; each is 0 in a perfect record.

    Args:
        force_off: Forces against the movement of the mass, of the weight, root mean square.
        cop_off_m: Where the feet push against where the movement needs it, sideways to them, root mean square.
        torque_off: Torques, springs and forces against the movement of the joints, of the torques, root mean square.
        tilt_rad: Largest tilt of the base.
    """

    force_off: float
    cop_off_m: float
    torque_off: float
    tilt_rad: float


@dataclass(frozen=True, slots=True, eq=False)
class TaskAudit:
    """How well the task of a hand was done. All shapes start with T.

    Args:
        time_s: Shape (T,).
        hand_error_m: Distance of the hand from its path. Shape (T,).
        hand_turn_rad: Angle of the hand from its path; zero where any will do. Shape (T,).
        gaze_error_rad: Angle of the head from where the style wants it; None if nothing was to be shown. Shape (T,).
        redundancy: Fewest dimensions that hand and head left free.
        gaze_counts: Whether the head was to keep to its goal; the published law does not promise that.
    """

    time_s: Array
    hand_error_m: Array
    hand_turn_rad: Array
    gaze_error_rad: Array | None
    redundancy: int
    gaze_counts: bool = True

    @property
    def largest_gaze_error_rad(self) -> float | None:
        """The largest angle of the head from its goal once it has had time to settle; None without a goal."""
        return None if self.gaze_error_rad is None else float(self.gaze_error_rad[settled(self.time_s)].max())


@dataclass(frozen=True, slots=True, eq=False)
class SelfDistance:
    """How near two bodies of a robot come to each other along a motion.

    Args:
        smallest_m: Smallest distance between their surfaces; negative where they overlap.
        sample: Where in the motion that is.
        bodies: Which two.
        near: Where any pair is nearer than allowed. Shape (T,).
    """

    smallest_m: float
    sample: int
    bodies: tuple[str, str]
    near: npt.NDArray[np.bool_]


def settled(time_s: Array) -> npt.NDArray[np.bool_]:
    """Return which samples count for the gaze: the head needs time to get there. Shape (T,) in and out."""
    since_s = time_s - time_s[0]
    return np.asarray(since_s >= min(SETTLED_S, since_s[-1] / 3.0))


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What a motion needs. All shapes start with T.

    Args:
        time_s: Shape (T,).
        qpos: Shape (T, nq).
        contact: Shape (T, n_feet).
        cop_in_world: Centre of pressure. Shape (T, 2).
        margin_m: Its distance inside the support polygon of feet or wheels. Shape (T,).
        joint_limit_margin_rad: Distance from the nearer limit. Shape (T, n_joints).
        joint_speed_rad_s: Shape (T, n_joints).
        torque_nm: Shape (T, n_joints).
        drive_use: Share of its limits that a platform uses, as `DRIVE_LIMITS` names them. Shape (T, 4 or 0).
        ground_force_n: Shape (T, n_feet, 3).
        part_names: The parts that could touch the ground and are no feet.
        clearance_m: How high over the ground each of them is. Shape (T, n_parts).
        foot_height_m: Height of the feet's lowest points. Shape (T, n_feet).
        foot_top_m: Height of the highest point under which each foot should touch. Shape (T, n_feet).
        slip_m: How far each foot has moved over the ground since it landed. Shape (T, n_feet).
        landings: Of a walk that lands with impacts.
        task: Of a hand that has one.
        self_distance: How near its bodies come to each other; None where no two of them can meet.
        force_disagreement: How far the ground forces that come with the motion are from its movement, of the weight,
            root mean square; None if there are none.
        torque_disagreement: How far its torques are, of the torques; None if there are none or nothing can tell.
        plant: Of a recorded run of a torque-driven plant: how well its columns explain each other.
        on_lines: Whether it ever stands on fewer than three points, where no margin can be kept.
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
    task: TaskAudit | None = None
    self_distance: SelfDistance | None = None
    force_disagreement: float | None = None
    torque_disagreement: float | None = None
    plant: PlantAudit | None = None
    on_lines: bool = False

    @property
    def distance_m(self) -> float:
        """How far the body travels over the ground, from first to last sample; of a body bolted down, nothing."""
        if self.qpos.shape[1] == self.torque_nm.shape[1]:
            return 0.0
        return float(np.linalg.norm(self.qpos[-1, :2] - self.qpos[0, :2]))

    @property
    def penetration_m(self) -> float:
        """How deep the deepest part is in the ground."""
        deepest = (self.clearance_m.min(initial=np.inf), self.foot_height_m.min(initial=np.inf))
        return max(0.0, -float(min(deepest)))
