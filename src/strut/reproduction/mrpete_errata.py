"""Mr. Pete's errata: the effect of each misprint of the thesis, beside the same computation with strut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.balance.centre_of_pressure import cop_of_wrench, cop_with_swing_leg
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.kinematics.leg7r import Leg, knee_position, knee_reference_direction, leg_forward, leg_inverse
from strut.kinematics.mounted_leg import mounted_legs
from strut.maths.rotation import turn_angle
from strut.reproduction.comparison import Comparison, Sheet
from strut.reproduction.mrpete_gait import knee_turn_in_a_cycle
from strut.robot import Robot
from strut.schemas.body import LimbBody

Misprint = Literal["flexion", "knee axis", "turn angle", "thresholds"]
TRIALS = 1000
SEED = 2017


@dataclass(frozen=True, slots=True, eq=False)
class LegTargets:
    """Targets of N legs: ankle (N, 3), foot orientation (N, 3, 3), knee angle in the printed reference (N,)."""

    ankle_in_hip: Array
    foot_to_hip: Array
    knee_rad: Array


def errata(robot: Robot) -> list[Comparison]:
    """Return the errata whose effect can be computed."""
    sheet = Sheet("errata")
    leg = mounted_legs(robot)[0].leg
    rng = np.random.default_rng(SEED)
    free = reachable_targets(leg, rng)
    foot, knee = (f"largest position error of the {what} in {TRIALS} targets" for what in ("foot", "knee"))
    note = "knee flexion as printed, in metres: no target is reached"
    _add_misses(sheet, "E1", foot, _misses(leg, free, "flexion"), note)
    note = "rotation about the thigh does not move the knee: the foot is reached, the knee angle is not"
    _add_misses(sheet, "E2", knee, _misses(leg, free, "knee axis"), note, what=2)
    _add_misses(sheet, "E3", foot, _misses(leg, free, "turn angle"), "finite rotation as in appendix A, in metres")
    note = "the listing treats 0.005 rad as singular, strut 1e-8 rad"
    for joint, low_rad, high_rad, quantity, what in (
        (1, 1e-6, 0.005, "largest position error of the foot, thigh near joint 1", 0),
        (3, 1e-4, 0.005, "largest position error of the foot, leg nearly straight", 0),
        (5, np.pi - 0.005, np.pi - 1e-6, "largest orientation error of the foot, ankle nearly folded", 1),
    ):
        close = near_singular_targets(leg, rng, joint, low_rad, high_rad)
        _add_misses(sheet, "E6b", quantity, _misses(leg, close, "thresholds"), note, what=what)
    printed, ours = (np.degrees(knee_turn_in_a_cycle(robot, "sad", reference=r)[1]) for r in ("published", "body"))
    note = "the printed zero of the knee angle rotates with the leg, ours is fixed to the body"
    sheet.correct("E7", "rotation of the hind knee per cycle, sad", printed, ours, "deg", note)
    _add_centre_of_pressure(sheet, robot, rng)
    return sheet.rows


def reachable_targets(leg: Leg, rng: np.random.Generator) -> LegTargets:
    """Return random targets in the reach of the leg."""
    shortest, longest = leg.reach_m
    direction = rng.normal(size=(TRIALS, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    distance = rng.uniform(shortest + 0.1 * longest, 0.98 * longest, TRIALS)
    foot = np.asarray(Rotation.random(TRIALS, rng=rng).as_matrix())
    return LegTargets(direction * distance[:, None], foot, rng.uniform(-np.pi, np.pi, TRIALS))


def near_singular_targets(
    leg: Leg, rng: np.random.Generator, joint: int, low_rad: float, high_rad: float
) -> LegTargets:
    """Return targets with one joint (counted from 0) in a range and all others random."""
    joints = rng.uniform(-np.pi, np.pi, (TRIALS, 7))
    joints[:, 1], joints[:, 5] = rng.uniform(0.3, np.pi - 0.3, (2, TRIALS))
    joints[:, 3] = leg.knee_sign * rng.uniform(0.3, 2.6, TRIALS)
    joints[:, joint] = rng.uniform(low_rad, high_rad, TRIALS) * (leg.knee_sign if joint == 3 else 1)
    ankle, foot, knee = leg_forward(leg, joints)
    line = ankle / np.linalg.norm(ankle, axis=-1, keepdims=True)
    zero = knee_reference_direction(leg, ankle, reference="published")
    return LegTargets(ankle, foot, turn_angle(zero, knee, line))


def miss(leg: Leg, targets: LegTargets, joints_rad: Array) -> tuple[float, float, float]:
    """Return the largest errors of ankle [m], foot orientation [rad] and knee [m]. Joints (N, 7)."""
    ankle, foot, knee = leg_forward(leg, joints_rad)
    wanted_knee = knee_position(leg, targets.ankle_in_hip, targets.knee_rad, reference="published")
    turned = Rotation.from_matrix(np.swapaxes(targets.foot_to_hip, -1, -2) @ foot).magnitude()
    return (
        float(np.linalg.norm(ankle - targets.ankle_in_hip, axis=-1).max()),
        float(np.max(turned)),
        float(np.linalg.norm(knee - wanted_knee, axis=-1).max()),
    )


def _misses(leg: Leg, targets: LegTargets, misprint: Misprint) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the errors of the printed form and of ours."""
    wanted = targets.ankle_in_hip, targets.foot_to_hip, targets.knee_rad
    printed = printed_inverse(leg, *wanted, misprint)
    return miss(leg, targets, printed), miss(leg, targets, leg_inverse(leg, *wanted, reference="published"))


def _add_misses(
    sheet: Sheet,
    erratum: str,
    quantity: str,
    misses: tuple[tuple[float, ...], tuple[float, ...]],
    note: str,
    what: int = 0,
) -> None:
    """Add the error of the leg by a misprint; `what` is 0 for the ankle, 1 for the orientation, 2 for the knee."""
    printed, ours = (missed[what] * 1e3 for missed in misses)
    sheet.correct(erratum, quantity, printed, ours, "mrad" if what == 1 else "mm", note)


def _add_centre_of_pressure(sheet: Sheet, robot: Robot, rng: np.random.Generator) -> None:
    """Add the error of the printed centre of pressure, for a body at rest and one swing leg of point masses."""
    leg_kg = np.array([link.mass_kg for link in robot.body_as(LimbBody).limb["leg"].links])
    body_kg = robot.mass_kg - leg_kg.sum()
    height_m = 0.3
    body_at = np.concatenate([rng.uniform(-0.05, 0.05, (TRIALS, 2)), np.zeros((TRIALS, 1))], axis=1)
    leg_at = rng.uniform([-0.3, -0.3, -0.3], [0.3, 0.3, 0.0], (TRIALS, len(leg_kg), 3))
    accelerated_n = leg_kg[:, None] * rng.uniform(-5.0, 5.0, leg_at.shape)
    weight_n = robot.mass_kg * GRAVITY_M_S2
    com = (body_kg * body_at + np.einsum("k,nki->ni", leg_kg, leg_at)) / robot.mass_kg
    force = accelerated_n.sum(axis=1)
    moment = np.cross(leg_at, accelerated_n).sum(axis=1)

    lift = np.array([0.0, 0.0, weight_n])
    exact = cop_of_wrench(force + lift, moment + np.cross(com, lift), ground_m=-height_m)
    ours = cop_with_swing_leg(com[:, :2], force, moment, weight_n=weight_n, height_m=height_m)
    vertical = force[:, 2] + weight_n
    printed = com[:, :2] + np.stack(
        [-(moment[:, 1] + height_m * force[:, 0]) / vertical, (moment[:, 0] - height_m * force[:, 1]) / vertical],
        axis=1,
    )
    off_mm, our_off_mm = (float(np.linalg.norm(form - exact, axis=1).max()) * 1e3 for form in (printed, ours))
    note = "about the middle of the body the printed sum of moments lacks a term; random swings of up to 5 m/s²"
    quantity = f"largest error of the centre of pressure in {TRIALS} swings"
    sheet.correct("E9", quantity, off_mm, our_off_mm, "mm", note)


def printed_inverse(
    leg: Leg, ankle_in_hip: Array, foot_to_hip: Array, knee_rad: Array, misprint: Misprint | None
) -> Array:
    """Return the joint angles that the printed equations give.

    Args:
        leg: Geometry and knee sign.
        ankle_in_hip: Shape (N, 3) [m]; the misprints of `flexion` and `turn angle` depend on the unit of length.
        foot_to_hip: Shape (N, 3, 3).
        knee_rad: Turn of the knee about the hip-ankle line, printed reference. Shape (N,).
        misprint: The one to keep: knee flexion (E1), rotation axis of the knee (E2), inverse of the finite rotation in
            the appendix (E3), wide singularity thresholds of the listing (E6b).

    Returns:
        Joint angles [rad]. Shape (N, 7).
    """
    theta4 = _flexion(leg, np.linalg.norm(ankle_in_hip, axis=-1), misprint)
    knee = _knee(leg, ankle_in_hip, theta4, knee_rad, misprint)
    theta1 = np.arctan2(knee[:, 1], knee[:, 0])
    theta2 = np.arctan2(np.hypot(knee[:, 0], knee[:, 1]), -knee[:, 2])
    if misprint == "thresholds":
        theta1 = np.where(_rounds_to_zero_or_pi(theta2), 0.0, theta1)
    theta3 = _spin(leg, ankle_in_hip, knee, (theta1, theta2, theta4), misprint)
    if misprint == "thresholds":
        theta3 = np.where(_rounds_to_zero_or_pi(theta4), 0.0, theta3)
    none = np.zeros_like(theta1)
    _, shin_to_hip, _ = leg_forward(leg, np.stack([theta1, theta2, theta3, theta4, none, none, none], axis=-1))
    ankle = _ankle(np.swapaxes(shin_to_hip, -1, -2) @ foot_to_hip, misprint)
    return np.stack([theta1, theta2, theta3, theta4, *ankle], axis=-1)


def _flexion(leg: Leg, distance: Array, misprint: Misprint | None) -> Array:
    """Return the angle of the knee joint. Shape (N,)."""
    shortest, longest = leg.reach_m
    if misprint == "flexion":
        return np.asarray(leg.knee_sign * np.arctan(np.sqrt(longest**2 - distance**2) / (distance**2 - longest**2)))
    ratio = (longest**2 - distance**2) / (distance**2 - shortest**2)
    return np.asarray(leg.knee_sign * 2.0 * np.arctan(np.sqrt(ratio)))


def _knee(leg: Leg, ankle: Array, theta4: Array, knee_rad: Array, misprint: Misprint | None) -> Array:
    """Return the position of the knee: without the redundant joint, then rotated by the knee angle. Shape (N, 3)."""
    azimuth = np.arctan2(ankle[:, 1], ankle[:, 0])
    elevation = np.arctan2(ankle[:, 2], np.hypot(ankle[:, 0], ankle[:, 1]))
    inside = np.arctan2(leg.shin_m * np.sin(theta4), leg.thigh_m + leg.shin_m * np.cos(theta4))
    pitch = elevation - inside + np.pi / 2.0
    before = leg.thigh_m * np.stack(
        [np.cos(azimuth) * np.sin(pitch), np.sin(azimuth) * np.sin(pitch), -np.cos(pitch)], axis=-1
    )
    axis = _unit(before if misprint == "knee axis" else ankle)
    c = np.cos(knee_rad)[:, None]
    s = np.sin(knee_rad)[:, None]
    along = np.sum(axis * before, axis=-1, keepdims=True)
    return np.asarray(axis * along * (1.0 - c) + before * c + np.cross(axis, before) * s)


def _spin(leg: Leg, ankle: Array, knee: Array, joints: tuple[Array, Array, Array], misprint: Misprint | None) -> Array:
    """Return the angle of the redundant joint, which rotates the shin about the thigh. Shape (N,)."""
    theta1, theta2, theta4 = joints
    none = np.zeros_like(theta1)
    unspun, _, _ = leg_forward(leg, np.stack([theta1, theta2, none, theta4, none, none, none], axis=-1))
    before = unspun - knee
    after = ankle - knee
    axis = _unit(knee)
    along = np.sum(before * axis, axis=-1)
    across = np.cross(axis, before)
    cosine = (np.sum(before * after, axis=-1) - along**2) / (np.sum(before**2, axis=-1) - along**2)
    sine = np.sum(across * (after - along[:, None] * axis), axis=-1)
    if misprint != "turn angle":
        sine = sine / np.sum(across**2, axis=-1)
    return np.asarray(np.arctan2(sine, cosine))


def _ankle(turn: Array, misprint: Misprint | None) -> tuple[Array, Array, Array]:
    """Return the three ankle angles for an orientation of the foot in the shin. Shape (N, 3, 3) in, (N,) each out."""
    theta5 = np.arctan2(turn[:, 1, 2], turn[:, 0, 2])
    c = np.cos(theta5)
    s = np.sin(theta5)
    theta6 = np.arctan2(turn[:, 0, 2] * c + turn[:, 1, 2] * s, turn[:, 2, 2])
    theta7 = np.arctan2(turn[:, 1, 0] * c - turn[:, 0, 0] * s, turn[:, 1, 1] * c - turn[:, 0, 1] * s)
    if misprint == "thresholds":
        in_line = np.abs(theta6) < 0.001
        folded = _rounds_to(theta6, np.pi)
        theta5 = np.where(in_line, np.arctan2(turn[:, 1, 0], turn[:, 0, 0]), theta5)
        theta5 = np.where(folded, np.arctan2(-turn[:, 1, 0], -turn[:, 0, 0]), theta5)
        theta7 = np.where(in_line | folded, 0.0, theta7)
    return theta5, theta6, theta7


def _rounds_to(angle: Array, target_rad: float) -> npt.NDArray[np.bool_]:
    """Return the equality test of the listing: both angles rounded to hundredths. Shape (N,)."""
    return np.asarray(np.round(angle * 100.0) == round(target_rad * 100.0))


def _rounds_to_zero_or_pi(angle: Array) -> npt.NDArray[np.bool_]:
    return _rounds_to(angle, 0.0) | _rounds_to(angle, np.pi)


def _unit(vector: Array) -> Array:
    return np.asarray(vector / np.linalg.norm(vector, axis=-1, keepdims=True))
