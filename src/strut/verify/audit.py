"""Audit: what a motion needs from its robot, measured from the motion alone, and which limits it breaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.balance.ground_force import share_ground_force
from strut.balance.pressure import pressure_of_wrench
from strut.balance.support import runs, support_margin
from strut.balance.wheels import DRIVE_LIMITS, drive_use, wheel_margin
from strut.engines.inverse_dynamics import inverse_dynamics, velocities
from strut.motion import frozen_mask
from strut.robot import Array, Robot

FOOT_OFF_GROUND_M = 0.003  # a foot that carries is no farther from the ground, and no foot is deeper in it
MOST_SLIP_M = 0.005
DEFAULT_MARGIN_M = 0.010  # that the centre of pressure keeps from the edge of what carries it
SHORTEST_SWING_S = 0.1  # a foot that carries nothing for less than this has only been unloaded
LEAST_CLEARANCE_M = 0.005  # a knee that near the floor touches it when the servos sag


@dataclass(frozen=True, slots=True, eq=False)
class Audit:
    """What a motion needs, sample by sample. All shapes start with T.

    Args:
        time_s: Shape (T,).
        qpos: Shape (T, nq).
        contact: Shape (T, n_feet).
        cop_in_world: Centre of pressure. Shape (T, 2).
        margin_m: Its distance inside the support polygon of feet or wheels. Shape (T,).
        joint_room_rad: Distance from the nearer limit. Shape (T, n_joints).
        joint_speed_rad_s: Shape (T, n_joints).
        torque_nm: Shape (T, n_joints).
        drive_use: Share of its limits that a platform uses, as `DRIVE_LIMITS` names them. Shape (T, 4 or 0).
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
    drive_use: Array
    ground_force_n: Array
    part_names: tuple[str, ...]
    clearance_m: Array
    foot_height_m: Array
    slip_m: Array

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

    @property
    def friction_needed(self) -> Array:
        """The friction that each loaded foot needs. Shape (T, n_feet)."""
        load = self.ground_force_n[..., 2]
        loaded = load > 0.02 * np.abs(load.sum(axis=1, keepdims=True))  # if a foot barely presses, slip moves nothing
        sideways = np.linalg.norm(self.ground_force_n[..., :2], axis=-1)
        return np.where(loaded, sideways / np.where(loaded, load, 1.0), 0.0)

    @property
    def lift_m(self) -> Array:
        """The greatest height that a foot reaches in the swing it is in; infinite on the ground. Shape (T, n_feet)."""
        lift = np.full(self.contact.shape, np.inf)
        for foot, down in enumerate(self.contact.T):
            for swing in runs(~down):
                if self.time_s[swing][-1] - self.time_s[swing][0] > SHORTEST_SWING_S:
                    lift[swing, foot] = self.foot_height_m[swing, foot].max()
        return lift


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
    if robot.feet:
        margin_m = support_margin(contact[:, owner], dynamics.point_in_world, cop)
    else:
        margin_m = wheel_margin(robot, qpos, cop)
    return Audit(
        time_s=time_s,
        qpos=qpos,
        contact=contact,
        cop_in_world=cop,
        margin_m=margin_m,
        joint_room_rad=np.minimum(angles - robot.joint_lower_rad, robot.joint_upper_rad - angles),
        joint_speed_rad_s=qvel[:, -len(robot.joint_names) :],
        torque_nm=ground.torque_nm,
        drive_use=drive_use(robot, qvel, dynamics.drive_force),
        ground_force_n=ground.force_n,
        part_names=dynamics.part_names,
        clearance_m=dynamics.clearance_m,
        foot_height_m=_lowest(height, owner, len(robot.feet)),
        slip_m=_slip(dynamics.foot_in_world, contact),
    )


def shortfalls(robot: Robot, measured: Audit, *, margin_m: float) -> list[Shortfall]:
    """Return the limits that a motion breaks, each with its worst sample in words.

    Args:
        robot: Whose limits.
        measured: What the motion needs.
        margin_m: Smallest allowed balance margin.
    """
    feet, joints, mm = robot.foot_names, robot.joint_names, 1e3
    touching_m = np.where(measured.contact, np.abs(measured.foot_height_m), -measured.foot_height_m)
    unclear_m, unlifted_m = LEAST_CLEARANCE_M - measured.clearance_m, LEAST_CLEARANCE_M - measured.lift_m
    short_m = margin_m - measured.margin_m
    unbalanced_m = np.where(np.isposinf(short_m), 0.0, short_m)[:, None]  # in flight: see `_nothing_carries`
    speed_use = np.abs(measured.joint_speed_rad_s) / robot.joint_speed_limit_rad_s
    torque_use = np.abs(measured.torque_nm) / robot.torque_limit_nm
    short_of = f"falls {{:.1f}} mm short of the {LEAST_CLEARANCE_M * mm:.0f} mm it must"
    inside = f"falls {{:.1f}} mm short of the {margin_m * mm:.0f} mm it must be inside the {support_of(robot)}"
    limits: list[tuple[str, tuple[str, ...], Array, float, str]] = [
        (
            "foot contact",
            feet,
            touching_m * mm,
            FOOT_OFF_GROUND_M * mm,
            "is {:.1f} mm from the ground it should stand on",
        ),
        ("foot slip", feet, measured.slip_m * mm, MOST_SLIP_M * mm, "slides {:.1f} mm"),
        ("swing height", feet, unlifted_m * mm, 0.0, f"{short_of} lift"),
        ("joint limit", joints, -measured.joint_room_rad, 0.0, "is {:.2f} rad beyond its range"),
        ("ground clearance", measured.part_names, unclear_m * mm, 0.0, f"{short_of} clear the ground by"),
        ("joint speed", joints, speed_use, 1.0, "reaches {:.0%} of its speed limit"),
        ("torque", joints, torque_use, 1.0, "reaches {:.0%} of its torque limit"),
        ("platform", DRIVE_LIMITS, measured.drive_use, 1.0, "reaches {:.0%} of its limit"),
        ("friction", feet, measured.friction_needed, robot.friction, "needs a friction of {:.2f}"),
        ("balance margin", ("the centre of pressure",), unbalanced_m * mm, 0.0, inside),
    ]
    found = [worst(*limit, measured.time_s) for limit in limits]
    return [shortfall for shortfall in (*found, _nothing_carries(measured)) if shortfall is not None]


def support_of(robot: Robot) -> str:
    """Return what carries a robot, in a word."""
    return "feet" if robot.feet else "wheels"


def _nothing_carries(measured: Audit) -> Shortfall | None:
    """Return when no foot is on the ground, if ever: then there is no margin to speak of."""
    flying = frozen_mask(~measured.contact.any(axis=1))
    if not flying.any() or measured.contact.shape[1] == 0:  # a robot without feet does not stand on them
        return None
    first_s = measured.time_s[int(np.argmax(flying))]
    return Shortfall("balance margin", flying, f"balance margin: no foot is on the ground at {first_s:.2f} s")


def worst(
    limit: str, names: tuple[str, ...], value: Array, bound: float, words: str, time_s: Array
) -> Shortfall | None:
    """Return where `value` (T, n) exceeds `bound`, with the worst of it in words; None if it nowhere does."""
    if value.size == 0 or value.max() <= bound:  # a NaN is not: it counts as broken
        return None
    sample, column = np.unravel_index(int(np.argmax(value)), value.shape)
    sentence = f"{limit}: {names[column]} {words.format(value[sample, column])} at {time_s[sample]:.2f} s"
    return Shortfall(limit, frozen_mask((value > bound).any(axis=1)), sentence)


def _lowest(height: Array, owner: npt.NDArray[np.int_], feet: int) -> Array:
    """Return the height of each foot's lowest contact point. Shapes (T, n_points), (n_points,) in, (T, n_feet) out."""
    lowest = np.full((len(height), feet), np.inf)
    for point, foot in enumerate(owner):
        lowest[:, foot] = np.minimum(lowest[:, foot], height[:, point])
    return lowest


def _slip(foot_in_world: Array, contact: npt.NDArray[np.bool_]) -> Array:
    """Return how far each foot has moved over the ground since it landed. Shape (T, n)."""
    slip = np.zeros(contact.shape)
    for foot, down in enumerate(contact.T):
        for stance in runs(down):
            path = foot_in_world[stance, foot, :2]
            slip[stance, foot] = np.linalg.norm(path - path[0], axis=1)
    return slip
