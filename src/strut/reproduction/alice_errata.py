"""Alice's errata: what the paper's misprints cost when they are run as printed. Numbers are those of docs/alice.md."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from strut.generators.route import Route, pivot_displacement, route_to, shorter_pivots
from strut.kinematics.biped_model import TwoLegs, two_legs
from strut.kinematics.leg_angles import chain_points, leg_angles
from strut.kinematics.posture import PostureTargets, solve_postures
from strut.place import Place
from strut.reproduction.alice_bodies import golden_target
from strut.reproduction.comparison import Comparison, compared, corrected
from strut.robot import Array, Robot

_POSTURES, _GOALS = 400, 4000


def errata_rows(robot: Robot) -> list[Comparison]:
    """Return what each misprint that can be run costs."""
    legs = two_legs(robot)
    return [*_length_rows(legs), _sign_row(legs), _lift_row(), *_path_rows(robot, legs)]


def _length_rows(legs: TwoLegs) -> list[Comparison]:
    """Return what the printed left thigh and the printed centre of mass of the thighs cost."""
    stand = golden_target({"com": [0.0, 0.0]}, legs.separation_m * 100.0)
    printed = replace(legs, link_m=np.where(np.arange(7) == 5, legs.link_m[3], legs.link_m))
    knees = [np.degrees(leg_angles(solve_postures(body, stand).joint_in_world)[0, [2, 9]]) for body in (printed, legs)]
    on_points = legs.mass_on_points.copy()
    for row, (upper, lower) in ((2, (2, 1)), (6, (5, 6))):  # 4.63 cm over the shin's length, not over the thigh's
        share = on_points[row, lower] * legs.link_m[1] / legs.link_m[0]
        on_points[row, [upper, lower]] = 1.0 - share, share
    wrong = replace(legs, mass_on_points=on_points)
    joint = solve_postures(legs, stand).joint_in_world
    moved_cm = np.abs((wrong.com_weights - legs.com_weights) @ joint[0, :, :2]).max() * 100.0
    return [
        corrected("4", "knees when standing", knees[0].tolist(), knees[1].tolist(), "deg", "printed: l6 = l4"),
        corrected("3", "shift of the centre of mass", float(moved_cm), 0.0, "cm", "printed: 4.63 over l1"),
    ]


def _sign_row(legs: TwoLegs) -> Comparison:
    """Return what taking the sign of the ankles' roll from a horizontal vector costs."""
    targets = _random_targets(legs, np.random.default_rng(0))
    joint = solve_postures(legs, targets).joint_in_world
    theta = leg_angles(joint)
    printed = theta.copy()
    printed[:, [0, 11]] = 0.0  # the z-part of a horizontal vector has no sign

    def error_cm(angles: Array) -> float:
        back, _, _ = chain_points(legs, angles, targets.ankle_in_world[:, 0], targets.foot_heading_rad[:, 0])
        return float(np.linalg.norm(back - joint, axis=2).max() * 100.0)

    note = "eq 27 takes the sign from n_1, which is horizontal; right is n_A1"
    return corrected("7", "largest error of angles led back to points", error_cm(printed), error_cm(theta), "cm", note)


def _random_targets(legs: TwoLegs, rng: np.random.Generator) -> PostureTargets:
    half = legs.separation_m / 2.0
    ankles = np.zeros((_POSTURES, 2, 3))
    ankles[:, 0, 1], ankles[:, 1, 1] = -half, half
    ankles[:, 1, 0], ankles[:, 1, 2] = rng.uniform(-0.04, 0.04, _POSTURES), rng.uniform(0.0, 0.015, _POSTURES)
    headings = rng.uniform(-0.3, 0.3, (_POSTURES, 2))
    com = np.tile([0.0, -half], (_POSTURES, 1))
    return PostureTargets(ankles, com, headings, headings.mean(axis=1), rng.uniform(0.19, 0.22, _POSTURES))


def _lift_row() -> Comparison:
    """Return the height at which the printed swing ends for a step of 4 cm and a lift of 1.5 cm."""
    step_cm, lift_cm = 4.0, 1.5
    printed_cm = lift_cm * (-64.0 + 192.0 - 192.0) + 64.0 * step_cm
    return corrected("10", "height at touch-down", printed_cm, 0.0, "cm", "printed: 64 L in eq 34")


def _path_rows(robot: Robot, legs: TwoLegs) -> list[Comparison]:
    """Return what the printed path costs: a plain arctangent, and the pivot by the side of the goal."""
    rng = np.random.default_rng(1)
    goals = [Place(*row) for row in rng.uniform([-1.0, -1.0, -math.pi], [1.0, 1.0, math.pi], (_GOALS, 3)).tolist()]
    missed_cm = {"printed": 0.0, "ours": 0.0}
    right = 0
    for goal in goals:
        right += ("left" if goal.y_m > 0.0 else "right") in shorter_pivots(goal, legs.separation_m)
        ours = route_to(goal, legs.separation_m, lambda route: route.turning_rad)
        x_m, y_m = pivot_displacement(goal, legs.separation_m, ours.pivot)
        plain = math.atan(y_m / x_m)
        printed = Route(ours.pivot, "forwards", plain, math.hypot(x_m, y_m), goal.heading_rad - plain)
        for name, route in (("printed", printed), ("ours", ours)):
            missed_cm[name] = max(missed_cm[name], route.end(legs.separation_m).distance_m(goal) * 100.0)
    note = "eqs 31 and 32 use a plain arctangent, so goals behind are walked away from"
    section = robot.table("published")["sign_rule"]
    return [
        corrected("15", "largest miss of a goal", missed_cm["printed"], missed_cm["ours"], "cm", note),
        compared("errata", "goals whose shorter line the sign of Y picks", section, "share", right / _GOALS),
    ]
