"""Audit: what a motion needs from its robot, measured from the motion alone, and which limits it breaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.balance.ground_force import share_ground_force
from strut.balance.pressure import pressure_of_wrench
from strut.balance.support import support_margin
from strut.engines.rigid_body import inverse_dynamics, velocities
from strut.robot import Array, Robot

GRAVITY_M_S2 = 9.81
LEAST_CLEARANCE_M = 0.005  # a knee that near the floor touches it when the servos sag


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What a motion needs, sample by sample. All shapes start with T.

    Args:
        time_s: Shape (T,).
        qpos: Shape (T, nq).
        contact: Shape (T, n_feet).
        cop_in_world: Centre of pressure. Shape (T, 2).
        margin_m: Its distance inside the support polygon. Shape (T,).
        joint_room_rad: Distance from the nearer limit. Shape (T, n_joints).
        joint_speed_rad_s: Shape (T, n_joints).
        torque_nm: Shape (T, n_joints).
        ground_force_n: Shape (T, n_feet, 3).
        part_names: The parts that could touch the ground and are no feet.
        clearance_m: How high over the ground each of them is. Shape (T, n_parts).
        foot_height_m: Height of the feet's lowest points. Shape (T, n_feet).
        slip_m: How far each foot has moved over the ground since it landed. Shape (T, n_feet).
    """

    time_s: Array
    qpos: Array
    contact: npt.NDArray[np.bool_]
    cop_in_world: Array
    margin_m: Array
    joint_room_rad: Array
    joint_speed_rad_s: Array
    torque_nm: Array
    ground_force_n: Array
    part_names: tuple[str, ...]
    clearance_m: Array
    foot_height_m: Array
    slip_m: Array

    @property
    def distance_m(self) -> float:
        """How far the body travels over the ground, from first to last sample."""
        return float(np.linalg.norm(self.qpos[-1, :2] - self.qpos[0, :2]))

    @property
    def penetration_m(self) -> float:
        """How deep the deepest part is in the ground."""
        return max(0.0, -float(self.clearance_m.min()), -float(self.foot_height_m.min()))

    @property
    def friction_needed(self) -> float:
        """The largest friction that a loaded foot needs."""
        load = self.ground_force_n[..., 2]
        loaded = load > 0.02 * load.sum(axis=1, keepdims=True)  # of a foot that barely presses, slip moves nothing
        sideways = np.linalg.norm(self.ground_force_n[..., :2], axis=-1)
        return float(np.max(sideways[loaded] / load[loaded], initial=0.0))


@dataclass(frozen=True, slots=True, eq=False)
class Shortfall:
    """A limit that a motion breaks: which, where in time, and in words."""

    limit: str
    broken: npt.NDArray[np.bool_]
    sentence: str


def audit(robot: Robot, time_s: Array, qpos: Array, contact: npt.NDArray[np.bool_]) -> Audit:
    """Measure a motion. Shapes (T,), (T, nq), (T, n_feet)."""
    dynamics = inverse_dynamics(robot, time_s, qpos)
    cop = pressure_of_wrench(dynamics.ground_force_n, dynamics.ground_moment_nm)
    ground = share_ground_force(robot, dynamics, contact)
    qvel, _ = velocities(robot, time_s, qpos)
    angles = qpos[:, robot.base_size :]
    owner = np.array(robot.point_feet, dtype=int)
    height = dynamics.point_in_world[..., 2]
    return Audit(
        time_s=time_s,
        qpos=qpos,
        contact=contact,
        cop_in_world=cop,
        margin_m=support_margin(contact[:, owner], dynamics.point_in_world, cop),
        joint_room_rad=np.minimum(angles - robot.joint_lower_rad, robot.joint_upper_rad - angles),
        joint_speed_rad_s=qvel[:, -len(robot.joint_names) :],
        torque_nm=ground.torque_nm,
        ground_force_n=ground.force_n,
        part_names=dynamics.part_names,
        clearance_m=dynamics.clearance_m,
        foot_height_m=np.stack([height[:, owner == foot].min(axis=1) for foot in range(len(robot.feet))], axis=1),
        slip_m=_slip(dynamics.foot_in_world, contact),
    )


def shortfalls(robot: Robot, measured: Audit, *, margin_m: float, largest_use: float = 1.0) -> list[Shortfall]:
    """Return the limits that a motion breaks, each with its worst sample in words.

    Args:
        robot: Whose limits.
        measured: What the motion needs.
        margin_m: Smallest allowed balance margin.
        largest_use: Share of speed and torque limits that may be used.
    """
    time_s, joints = measured.time_s, robot.joint_names
    speed_use = np.abs(measured.joint_speed_rad_s) / robot.joint_speed_limit_rad_s
    torque_use = np.abs(measured.torque_nm) / robot.torque_limit_nm
    needed_mm, clear_mm = f"{margin_m * 1e3:.0f} mm", f"{LEAST_CLEARANCE_M * 1e3:.0f} mm"
    found = [
        _worst("joint limit", joints, -measured.joint_room_rad, 0.0, time_s, "is {:.2f} rad beyond its range"),
        _worst(
            "ground clearance",
            measured.part_names,
            -1e3 * measured.clearance_m,
            -1e3 * LEAST_CLEARANCE_M,
            time_s,
            f"clears the ground by {{:.1f}} mm where {clear_mm} are needed",
        ),
        _worst("joint speed", joints, speed_use, largest_use, time_s, "reaches {:.0%} of its speed limit"),
        _worst("torque", joints, torque_use, largest_use, time_s, "reaches {:.0%} of its torque limit"),
        _worst(
            "balance margin",
            ("the centre of pressure",),
            -1e3 * measured.margin_m[:, None],
            -1e3 * margin_m,
            time_s,
            f"is inside the feet by {{:.1f}} mm where {needed_mm} are needed",
        ),
    ]
    return [shortfall for shortfall in found if shortfall is not None]


def _worst(
    limit: str, names: tuple[str, ...], value: Array, bound: float, time_s: Array, words: str
) -> Shortfall | None:
    """Return where `value` (T, n) exceeds `bound`, the worst in words; for lower bounds both come with a minus sign."""
    if not value.max() > bound:
        return None
    sample, column = np.unravel_index(int(np.argmax(value)), value.shape)
    number = -value[sample, column] if bound < 0.0 else value[sample, column]
    sentence = f"{limit}: {names[column]} {words.format(number)} at {time_s[sample]:.2f} s"
    return Shortfall(limit, np.asarray((value > bound).any(axis=1)), sentence)


def _slip(foot_in_world: Array, contact: npt.NDArray[np.bool_]) -> Array:
    """Return how far each foot has moved over the ground since it landed. Shape (T, n)."""
    slip = np.zeros(contact.shape)
    for foot in range(contact.shape[1]):
        landed = np.flatnonzero(contact[:, foot] & ~np.concatenate([[False], contact[:-1, foot]]))
        if len(landed) == 0:
            continue
        stance = np.searchsorted(landed, np.arange(len(contact)), side="right") - 1
        start = foot_in_world[landed[np.maximum(stance, 0)], foot, :2]
        moved = np.linalg.norm(foot_in_world[:, foot, :2] - start, axis=1)
        slip[:, foot] = np.where(contact[:, foot], moved, 0.0)
    return slip
