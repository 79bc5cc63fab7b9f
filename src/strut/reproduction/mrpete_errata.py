"""Mr. Pete's errata: what each misprint of the thesis costs when it is run, beside the same with strut."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from strut.balance.pressure import pressure_of_wrench, pressure_with_swing_leg
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.kinematics.leg7r import (
    Leg,
    knee_position,
    knee_reference_direction,
    leg_forward,
    leg_inverse,
)
from strut.kinematics.mounted_leg import mounted_legs
from strut.reproduction.comparison import Comparison, corrected
from strut.reproduction.mrpete_gait import knee_turn_in_a_cycle
from strut.reproduction.printed_leg import Misprint, printed_inverse
from strut.robot import Array, Robot
from strut.rotation import turn_angle

TRIALS = 1000
SEED = 2017


@dataclass(frozen=True, slots=True, eq=False)
class LegTargets:
    """What N legs shall do: ankle (N, 3), foot orientation (N, 3, 3), knee angle in the printed reference (N,)."""

    ankle_in_hip: Array
    foot_to_hip: Array
    knee_rad: Array


def errata_rows(robot: Robot) -> list[Comparison]:
    """Return the errata of which the cost can be measured."""
    leg = mounted_legs(robot)[0].leg
    rng = np.random.default_rng(SEED)
    free = reachable_targets(leg, rng)
    return [
        _foot_row(leg, free, "E1", "flexion", "knee flexion as printed, in metres: no target is met"),
        _knee_row(leg, free),
        _foot_row(leg, free, "E3", "turn angle", "finite rotation as in appendix A, in metres"),
        *_threshold_rows(leg, rng),
        _knee_turn_row(robot),
        _pressure_row(robot, rng),
    ]


def reachable_targets(leg: Leg, rng: np.random.Generator) -> LegTargets:
    """Return random targets all over the leg's reach."""
    shortest, longest = leg.reach_m
    direction = rng.normal(size=(TRIALS, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    distance = rng.uniform(shortest + 0.1 * longest, 0.98 * longest, TRIALS)
    foot = np.asarray(Rotation.random(TRIALS, rng=rng).as_matrix())
    return LegTargets(direction * distance[:, None], foot, rng.uniform(-np.pi, np.pi, TRIALS))


def near_singular_targets(
    leg: Leg, rng: np.random.Generator, joint: int, low_rad: float, high_rad: float
) -> LegTargets:
    """Return targets for which one joint (counted from 0) lies in a range and all others anywhere."""
    joints = rng.uniform(-np.pi, np.pi, (TRIALS, 7))
    joints[:, 1], joints[:, 5] = rng.uniform(0.3, np.pi - 0.3, (2, TRIALS))
    joints[:, 3] = leg.knee_sign * rng.uniform(0.3, 2.6, TRIALS)
    joints[:, joint] = rng.uniform(low_rad, high_rad, TRIALS) * (leg.knee_sign if joint == 3 else 1)
    ankle, foot, knee = leg_forward(leg, joints)
    line = ankle / np.linalg.norm(ankle, axis=-1, keepdims=True)
    zero = knee_reference_direction(leg, ankle, reference="published")
    return LegTargets(ankle, foot, turn_angle(zero, knee, line))


def miss(leg: Leg, targets: LegTargets, joints_rad: Array) -> tuple[float, float, float]:
    """Return the largest misses of ankle [m], foot orientation [rad] and knee [m]. Joints (N, 7)."""
    ankle, foot, knee = leg_forward(leg, joints_rad)
    wanted_knee = knee_position(leg, targets.ankle_in_hip, targets.knee_rad, reference="published")
    turned = Rotation.from_matrix(np.swapaxes(targets.foot_to_hip, -1, -2) @ foot).magnitude()
    return (
        float(np.linalg.norm(ankle - targets.ankle_in_hip, axis=-1).max()),
        float(np.max(turned)),
        float(np.linalg.norm(knee - wanted_knee, axis=-1).max()),
    )


def _misses(leg: Leg, targets: LegTargets, misprint: Misprint) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return the misses of the printed form and of ours."""
    wanted = targets.ankle_in_hip, targets.foot_to_hip, targets.knee_rad
    printed = printed_inverse(leg, *wanted, misprint)
    return miss(leg, targets, printed), miss(leg, targets, leg_inverse(leg, *wanted, reference="published"))


def _foot_row(leg: Leg, targets: LegTargets, erratum: str, misprint: Misprint, note: str) -> Comparison:
    printed, ours = _misses(leg, targets, misprint)
    return corrected(
        erratum, f"largest miss of the foot in {TRIALS} targets", printed[0] * 1e3, ours[0] * 1e3, "mm", note
    )


def _knee_row(leg: Leg, targets: LegTargets) -> Comparison:
    printed, ours = _misses(leg, targets, "knee axis")
    note = "turned about the thigh the knee stays where it was: the foot is met, the knee angle is not"
    return corrected("E2", f"largest miss of the knee in {TRIALS} targets", printed[2] * 1e3, ours[2] * 1e3, "mm", note)


def _threshold_rows(leg: Leg, rng: np.random.Generator) -> list[Comparison]:
    """Return what the listing's wide thresholds cost close to each singularity."""
    hip = _misses(leg, near_singular_targets(leg, rng, 1, 1e-6, 0.005), "thresholds")
    knee = _misses(leg, near_singular_targets(leg, rng, 3, 1e-4, 0.005), "thresholds")
    ankle = _misses(leg, near_singular_targets(leg, rng, 5, np.pi - 0.005, np.pi - 1e-6), "thresholds")
    note = "the listing calls half a hundredth of a radian singular, strut 1e-8"
    return [
        corrected("E6b", "largest miss of the foot, thigh near joint 1", hip[0][0] * 1e3, hip[1][0] * 1e3, "mm", note),
        corrected(
            "E6b", "largest miss of the foot, leg nearly straight", knee[0][0] * 1e3, knee[1][0] * 1e3, "mm", note
        ),
        corrected(
            "E6b", "largest tilt of the foot, ankle nearly folded", ankle[0][1] * 1e3, ankle[1][1] * 1e3, "mrad", note
        ),
    ]


def _knee_turn_row(robot: Robot) -> Comparison:
    printed = knee_turn_in_a_cycle(robot, "angry", reference="published")[1]
    ours = knee_turn_in_a_cycle(robot, "angry", reference="body")[1]
    note = "the printed zero of the knee angle turns with the leg, ours stays with the body"
    return corrected("E7", "turn of the angry hind knee in a cycle", np.degrees(printed), np.degrees(ours), "deg", note)


def _pressure_row(robot: Robot, rng: np.random.Generator) -> Comparison:
    """Return how far the printed centre of pressure is off for a body at rest and one leg of point masses in swing."""
    leg_kg = np.array([link["mass_kg"] for link in robot.table("robot")["limb"]["leg"]["links"]])
    body_kg, height_m = robot.mass_kg - leg_kg.sum(), 0.3
    body_at = np.concatenate([rng.uniform(-0.05, 0.05, (TRIALS, 2)), np.zeros((TRIALS, 1))], axis=1)
    leg_at = rng.uniform([-0.3, -0.3, -0.3], [0.3, 0.3, 0.0], (TRIALS, len(leg_kg), 3))
    accelerated_n = leg_kg[:, None] * rng.uniform(-5.0, 5.0, leg_at.shape)
    weight_n = robot.mass_kg * GRAVITY_M_S2
    com = (body_kg * body_at + np.einsum("k,nki->ni", leg_kg, leg_at)) / robot.mass_kg
    force, moment = accelerated_n.sum(axis=1), np.cross(leg_at, accelerated_n).sum(axis=1)

    lift = np.array([0.0, 0.0, weight_n])
    exact = pressure_of_wrench(force + lift, moment + np.cross(com, lift), ground_m=-height_m)
    ours = pressure_with_swing_leg(com[:, :2], force, moment, weight_n=weight_n, height_m=height_m)
    vertical = force[:, 2] + weight_n
    printed = com[:, :2] + np.stack(
        [-(moment[:, 1] + height_m * force[:, 0]) / vertical, (moment[:, 0] - height_m * force[:, 1]) / vertical],
        axis=1,
    )
    off_mm, our_off_mm = (float(np.linalg.norm(form - exact, axis=1).max()) * 1e3 for form in (printed, ours))
    note = "moments about the body's middle; the printed sum lacks a term there. Random swings of up to 5 m/s²"
    return corrected(
        "E9", f"largest error of the centre of pressure in {TRIALS} swings", off_mm, our_off_mm, "mm", note
    )
