"""Alice's postures: masses, golden angles, and how far and how high she can step while the equations have solutions."""

from __future__ import annotations

import numpy as np

from strut.generators.phases import swing_share
from strut.kinematics.biped_model import TwoLegs, two_legs
from strut.kinematics.leg_angles import chain_points, leg_angles
from strut.kinematics.posture import solve_postures
from strut.reproduction.alice_bodies import golden_target, swing_targets
from strut.reproduction.comparison import Comparison, compared, unpublished
from strut.robot import Array, Robot

_HALVINGS = 16


def body_rows(robot: Robot) -> list[Comparison]:
    """Return masses, lengths and what follows from them alone."""
    legs, published = two_legs(robot), robot.table("published")
    mass, points = published["mass"], published["weights"]
    rows = [
        compared("body", "total mass", mass, "total", float(legs.mass_kg.sum())),
        compared("body", "mass of a leg with its shoe", mass, "leg", float(legs.mass_kg[:4].sum())),
        compared("body", "link lengths", published["link"], "lengths", (legs.link_m * 100.0).tolist()),
        compared("body", "joint points in the centre of mass", points, "points", legs.com_weights.tolist()),
    ]
    half = legs.separation_m * 50.0
    over = [golden_target({"com": [0.0, side]}, 2.0 * half) for side in (-half, half)]
    hips = [solve_postures(legs, target).joint_in_world[0, 3, 1] * 100.0 for target in over]
    travel = compared("body", "hips from shoe to shoe", published["hip_travel"], "travel", float(hips[1] - hips[0]))
    return [*rows, travel]


def golden_rows(robot: Robot) -> list[Comparison]:
    """Return the golden postures' angles, and how exactly the angles lead back."""
    legs, published = two_legs(robot), robot.table("published")
    rows, worst = [], 0.0
    for name, entry in published["target"].items():
        target = golden_target(entry, legs.separation_m * 100.0)
        joint = solve_postures(legs, target).joint_in_world
        theta = leg_angles(joint)
        rows.append(compared("postures", name.replace("_", " "), published["angles"], name, _degrees(theta[0])))
        back, _, _ = chain_points(legs, theta, target.ankle_in_world[:, 0], target.foot_heading_rad[:, 0])
        worst = max(worst, float(np.abs(back - joint).max()) * 100.0)
    return [*rows, unpublished("postures", "largest error of angles led back to points", worst, "cm")]


def _degrees(angles_rad: Array) -> list[float]:
    """Return angles to a millionth of a degree, so that rounding errors do not look like angles. Shape (n,)."""
    return [float(angle) for angle in np.round(np.degrees(angles_rad), 6)]


def reach_rows(robot: Robot) -> list[Comparison]:
    """Return the longest step by body height and the highest body by step."""
    legs, published = two_legs(robot), robot.table("published")
    section = published["longest_step"]
    heights_m = np.array(section["heights"]) / 100.0
    longest = _last_found(legs, np.zeros(len(heights_m)), np.full(len(heights_m), 0.12), heights_m, by_step=True)
    rows = [compared("reach", "longest step by body height", section, "steps", _capped(longest, section["steps"]))]
    section = published["highest_body"]
    steps_m = np.array(section["steps"]) / 100.0
    highest = _last_found(legs, np.full(len(steps_m), 0.16), np.full(len(steps_m), 0.26), steps_m, by_step=False)
    return [*rows, compared("reach", "highest body by step", section, "heights", (highest * 100.0).tolist())]


def _capped(longest_m: Array, published_cm: list[float]) -> list[float]:
    """Return steps in cm; the published map ends at its largest step, so ours are not judged beyond that."""
    return [float(step) for step in np.minimum(longest_m * 100.0, max(published_cm))]


def _last_found(legs: TwoLegs, good: Array, bad: Array, other: Array, *, by_step: bool) -> Array:
    """Return the last value on the way from good to bad whose whole swing has postures. Shape (N,) each."""
    for _ in range(_HALVINGS):
        middle = (good + bad) / 2.0
        step_m, height_m = (middle, other) if by_step else (other, middle)
        targets = swing_targets(step_m, height_m, legs.separation_m)
        found = solve_postures(legs, targets).found.reshape(len(middle), -1).all(axis=1)
        good, bad = np.where(found, middle, good), np.where(found, bad, middle)
    return good


def swing_rows(robot: Robot) -> list[Comparison]:
    """Return the extremes of the swing's polynomials."""
    section = robot.table("published")["swing"]
    share = np.linspace(0.0, 1.0, 20001)
    x, z = swing_share(share)
    step = share[1]
    speed, acceleration = np.gradient(x, step), np.diff(x, 2) / step**2
    lift = np.diff(z, 2) / step**2
    return [
        compared("swing", "peak speed of x over L/T", section, "x_peak_speed", float(speed.max())),
        compared(
            "swing", "peak of its acceleration over L/T²", section, "x_peak_acceleration", float(acceleration.max())
        ),
        compared("swing", "peak of z over h", section, "z_peak", float(z.max())),
        compared("swing", "acceleration of z over h/T²", section, "z_acceleration", [lift.min(), lift.max()]),
    ]
