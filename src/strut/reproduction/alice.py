"""Alice: the published numbers of her gait generator that strut can compute again, and the fastest walks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import msgspec
import numpy as np
from scipy.optimize import brentq

from strut.arrays import Array
from strut.gaits.footsteps.biped_model import BipedModel, biped_model
from strut.gaits.footsteps.biped_posture import PostureTargets, solve_postures
from strut.gaits.footsteps.body_path import dynamic_margin_m, effective_height_m, solve_step_plan
from strut.gaits.footsteps.footsteps import StepLimits, footsteps_to, standing
from strut.gaits.footsteps.leg_angles import chain_points, leg_angles
from strut.gaits.footsteps.phases import PhaseTimes, step_plan, swing_share
from strut.gaits.footsteps.request import PressureLaw
from strut.gaits.footsteps.route import Route, pivot_displacement, route_to, shorter_pivots
from strut.gaits.footsteps.table import StepsTable
from strut.models.catalogue import load_robot
from strut.models.limb_robot import limb_robot
from strut.pipeline.walk import walk
from strut.place import Place
from strut.reproduction.comparison import Comparison, Parts, Sheet
from strut.robot import Robot
from strut.schemas.body import LimbBody

_HALF_WIDTH_M = 0.035  # of the shoe
_STEPS = 3  # of the walk whose margin is computed
_SAMPLES_PER_PHASE = 60.0
_SETTLE_S = 1.5  # so slow a start and stop that the steps between them have the smallest margin
_BISECTIONS = 16
_POSTURES = 400  # random targets for the errata of the posture
_GOALS = 4000  # random goals for the errata of the route


def parts() -> Parts:
    """Return the functions that compute Alice's rows."""
    robot = load_robot("alice")
    computed = {
        "body": alice_body,
        "golden postures": golden_postures,
        "reach": reach,
        "swing": swing,
        "balance": balance,
        "errata": alice_errata,
        "speed": fastest_walks,
    }
    return {name: partial(compute, robot) for name, compute in computed.items()}


def variant(robot: Robot, *, torso_m: float, half_width_m: float) -> Robot:
    """Return the robot with its torso mass at a height above the hips and with shoes of another width."""
    table = robot.body_as(LimbBody)
    leg = table.limb["leg"]
    foot = msgspec.structs.replace(leg.foot, width_m=2.0 * half_width_m)
    body = msgspec.structs.replace(table.body, com_m=(0.0, 0.0, torso_m), part=())
    limb = {"leg": msgspec.structs.replace(leg, foot=foot)}
    wider = msgspec.structs.replace(table, body=body, limb=limb)
    return limb_robot(robot.name, wider, replace(robot.tables, robot=wider))


def golden_target(entry: Mapping[str, Any], separation_cm: float) -> PostureTargets:
    """Return the targets of a published posture, given in cm and degrees, at a body height of 22 cm."""
    right = entry.get("right", [0.0, -separation_cm / 2.0, 0.0])
    left = entry.get("left", [0.0, separation_cm / 2.0, 0.0])
    headings = np.radians(entry.get("headings", [0.0, 0.0, 0.0]))
    ankles = np.array([[right, left]]) / 100.0
    com = np.array([entry["com"]]) / 100.0
    return PostureTargets(ankles, com, headings[None, :2], headings[2:], np.array([0.22]))


def swing_targets(step_m: Array, height_m: Array, separation_m: float) -> PostureTargets:
    """Return targets of swings of the left foot with the centre of mass over the right shoe. N in, N × 25 out."""
    count = len(step_m)
    points = 25
    share = np.linspace(0.0, 1.0, points)
    ankles = np.zeros((count, points, 2, 3))
    ankles[..., 0, 1] = -separation_m / 2.0
    ankles[..., 1, 1] = separation_m / 2.0
    ankles[..., 1, 0] = step_m[:, None] * (share**3 * (10.0 + share * (6.0 * share - 15.0)))
    ankles[..., 1, 2] = 0.015 * 64.0 * (share * (1.0 - share)) ** 3
    total = count * points
    com = np.tile([0.0, -separation_m / 2.0], (total, 1))
    heights = np.repeat(height_m, points)
    return PostureTargets(ankles.reshape(total, 2, 3), com, np.zeros((total, 2)), np.zeros(total), heights)


def alice_body(robot: Robot) -> list[Comparison]:
    """Compare masses, lengths and the travel of the hips."""
    legs = biped_model(robot)
    sheet = Sheet("body", robot.published)
    sheet.compare("total mass", "mass", "total", float(legs.mass_kg.sum()), kind="constant")
    sheet.compare("mass of a leg with its shoe", "mass", "leg", float(legs.mass_kg[:4].sum()), kind="constant")
    sheet.compare("link lengths", "link", "lengths", (legs.link_m * 100.0).tolist(), kind="constant")
    sheet.compare("weights of the joint points in the centre of mass", "weights", "points", legs.com_weights.tolist())
    half = legs.separation_m * 50.0
    over = [golden_target({"com": [0.0, side]}, 2.0 * half) for side in (-half, half)]
    hips = [solve_postures(legs, target).joint_in_world[0, 3, 1] * 100.0 for target in over]
    sheet.compare("travel of the hips from one shoe to the other", "hip_travel", "travel", float(hips[1] - hips[0]))
    return sheet.rows


def golden_postures(robot: Robot) -> list[Comparison]:
    """Compare the joint angles of the published postures, and check them by forward kinematics."""
    legs = biped_model(robot)
    sheet = Sheet("postures", robot.published)
    largest_error_cm = 0.0
    for name, entry in sheet.published["target"].items():
        target = golden_target(entry, legs.separation_m * 100.0)
        joint = solve_postures(legs, target).joint_in_world
        theta = leg_angles(joint)
        degrees = np.round(np.degrees(theta[0]), 6).tolist()  # removes rounding errors
        sheet.compare(name.replace("_", " "), "angles", name, degrees)
        back, _, _ = chain_points(legs, theta, target.ankle_in_world[:, 0], target.foot_heading_rad[:, 0])
        largest_error_cm = max(largest_error_cm, float(np.abs(back - joint).max()) * 100.0)
    sheet.add("largest position error of forward kinematics", largest_error_cm, "cm")
    return sheet.rows


def reach(robot: Robot) -> list[Comparison]:
    """Compare the longest feasible step by body height and the highest feasible body by step length."""
    legs = biped_model(robot)
    sheet = Sheet("reach", robot.published)
    section = sheet.published["longest_step"]
    heights_m = np.array(section["heights"]) / 100.0
    longest = _last_feasible(legs, np.zeros(len(heights_m)), np.full(len(heights_m), 0.12), heights_m, by_step=True)
    clipped_cm = np.minimum(longest * 100.0, max(section["steps"]))  # the published map ends at its largest step
    sheet.compare("longest feasible step by body height", section, "steps", clipped_cm.tolist())
    section = sheet.published["highest_body"]
    steps_m = np.array(section["steps"]) / 100.0
    highest = _last_feasible(legs, np.full(len(steps_m), 0.16), np.full(len(steps_m), 0.26), steps_m, by_step=False)
    sheet.compare("highest feasible body by step length", section, "heights", (highest * 100.0).tolist())
    return sheet.rows


def _last_feasible(legs: BipedModel, good: Array, bad: Array, other: Array, *, by_step: bool) -> Array:
    """Return by bisection the last value from good to bad whose whole swing has postures. Shape (N,) each."""
    for _ in range(_BISECTIONS):
        middle = (good + bad) / 2.0
        step_m, height_m = (middle, other) if by_step else (other, middle)
        targets = swing_targets(step_m, height_m, legs.separation_m)
        found = solve_postures(legs, targets).found.reshape(len(middle), -1).all(axis=1)
        good = np.where(found, middle, good)
        bad = np.where(found, bad, middle)
    return good


def swing(robot: Robot) -> list[Comparison]:
    """Compare the extremes of the polynomials of the swing."""
    sheet = Sheet("swing", robot.published)
    share = np.linspace(0.0, 1.0, 20001)
    x, z = swing_share(share)
    step = share[1]
    speed = np.gradient(x, step)
    acceleration = np.diff(x, 2) / step**2
    lift = np.diff(z, 2) / step**2
    sheet.compare("peak speed of x, in L/T", "swing", "x_peak_speed", float(speed.max()))
    sheet.compare("peak acceleration of x, in L/T²", "swing", "x_peak_acceleration", float(acceleration.max()))
    sheet.compare("peak of z, in h", "swing", "z_peak", float(z.max()))
    sheet.compare(
        "smallest and largest acceleration of z, in h/T²", "swing", "z_acceleration", [lift.min(), lift.max()]
    )
    return sheet.rows


def walking_margin_m(robot: Robot, step_m: float, phase_s: float, *, law: PressureLaw = "mass") -> float:
    """Return the smallest margin of the zero-moment point of the nine masses in a straight walk with equal phases.

    Example:
        >>> strut.reproduction.walking_margin_m(strut.load_robot("alice"), 0.04, 1.0, law="pressure")
    """
    legs = biped_model(robot)
    table = robot.gait_as(StepsTable)
    limits = StepLimits(step_m, table.side_step_m, table.step_turn_rad, legs.separation_m)
    start = Place(0.0, 0.0)
    plan = step_plan(
        footsteps_to(start, [Place(_STEPS * step_m, 0.0)], limits),
        standing(start, legs.separation_m),
        PhaseTimes(phase_s, phase_s, max(_SETTLE_S, 1.5 * phase_s)),
        step_height_m=table.step_height_m,
        rate_hz=_SAMPLES_PER_PHASE / phase_s,
    )
    body = solve_step_plan(legs, plan, table.body_height_m, law=law)
    return float(dynamic_margin_m(robot, body).min())


def critical_phase_s(robot: Robot, step_m: float) -> float:
    """Return the phase time, to a millisecond, at which the published walk has no margin left."""
    return float(brentq(lambda phase_s: walking_margin_m(robot, step_m, phase_s), 0.35, 1.0, xtol=5e-4))


def balance(robot: Robot) -> list[Comparison]:
    """Compare effective pendulum heights, critical phase times and speeds, and margins by speed."""
    sheet = Sheet("balance", robot.published)
    heights = []
    ratios = []
    for torso_m in (0.0, 0.15):
        legs = biped_model(variant(robot, torso_m=torso_m, half_width_m=_HALF_WIDTH_M))
        stand = golden_target({"com": [0.0, 0.0]}, legs.separation_m * 100.0)
        heights.append(effective_height_m(legs, stand) * 100.0)
    sheet.compare(
        "effective pendulum height, torso 0 and 15 cm above the hips",
        "effective_height",
        "heights",
        heights,
        kind="formula",
    )
    section = sheet.published["critical_time"]
    for half_cm in section["half_widths_cm"]:
        bodies = [variant(robot, torso_m=cm / 100.0, half_width_m=half_cm / 100.0) for cm in (0.0, 10.0, 15.0)]
        times = [critical_phase_s(body, 0.02) for body in bodies]
        if abs(half_cm / 100.0 - _HALF_WIDTH_M) < 1e-9:
            ratios = [0.5 / time for time in times]
        name = f"critical phase time, shoes {2.0 * half_cm:g} cm wide, torso 0, 10, 15 cm above the hips"
        sheet.compare(name, section, f"{half_cm:.1f}", times)
    sheet.compare(
        "critical speed over step length, torso 0, 10, 15 cm above the hips",
        "critical_speed",
        "ratios",
        ratios,
        kind="formula",
    )
    section = sheet.published["margin"]
    body = variant(robot, torso_m=0.0, half_width_m=_HALF_WIDTH_M)
    for step_cm in ("1", "2"):
        phases = [float(step_cm) / speed / 2.0 for speed in section["speeds_cm_s"]]
        margins = [walking_margin_m(body, float(step_cm) / 100.0, phase_s) * 100.0 for phase_s in phases]
        sheet.compare(f"zero-moment point margin at 1, 1.2, 1.5 cm/s, {step_cm} cm steps", section, step_cm, margins)
    return sheet.rows


def alice_errata(robot: Robot) -> list[Comparison]:
    """Return the effect of each erratum that can be computed; docs/explanations/errata.md numbers them."""
    legs = biped_model(robot)
    sheet = Sheet("errata", robot.published)
    _wrong_lengths(sheet, legs)
    _wrong_sign(sheet, legs)
    step_cm = 4.0
    lift_cm = 1.5
    printed_cm = lift_cm * (-64.0 + 192.0 - 192.0) + 64.0 * step_cm  # end of the printed swing
    sheet.correct(
        "10", "height of the foot at touch-down", printed_cm, 0.0, "cm", "printed: 64 L in eq 34", kind="formula"
    )
    _wrong_path(sheet, legs)
    return sheet.rows


def _wrong_lengths(sheet: Sheet, legs: BipedModel) -> None:
    """Add the effect of the printed left thigh and of the printed centre of mass of the thighs."""
    stand = golden_target({"com": [0.0, 0.0]}, legs.separation_m * 100.0)
    printed = replace(legs, link_m=np.where(np.arange(7) == 5, legs.link_m[3], legs.link_m))
    knees = [np.degrees(leg_angles(solve_postures(body, stand).joint_in_world)[0, [2, 9]]) for body in (printed, legs)]
    sheet.correct("4", "knee angles when standing", knees[0].tolist(), knees[1].tolist(), "deg", "printed: l6 = l4")
    on_points = legs.mass_on_points.copy()
    for row, (upper, lower) in ((2, (2, 1)), (6, (5, 6))):  # 4.63 cm over the shin's length, not over the thigh's
        share = on_points[row, lower] * legs.link_m[1] / legs.link_m[0]
        on_points[row, [upper, lower]] = 1.0 - share, share
    wrong = replace(legs, mass_on_points=on_points)
    joint = solve_postures(legs, stand).joint_in_world
    moved_cm = np.abs((wrong.com_weights - legs.com_weights) @ joint[0, :, :2]).max() * 100.0
    sheet.correct("3", "error of the centre of mass", float(moved_cm), 0.0, "cm", "printed: 4.63 over l1")


def _wrong_sign(sheet: Sheet, legs: BipedModel) -> None:
    """Add the effect of taking the sign of the ankle roll from a horizontal vector."""
    targets = _random_targets(legs, np.random.default_rng(0))
    joint = solve_postures(legs, targets).joint_in_world
    theta = leg_angles(joint)
    printed = theta.copy()
    printed[:, [0, 11]] = 0.0  # the z-part of a horizontal vector has no sign

    def error_cm(angles: Array) -> float:
        back, _, _ = chain_points(legs, angles, targets.ankle_in_world[:, 0], targets.foot_heading_rad[:, 0])
        return float(np.linalg.norm(back - joint, axis=2).max() * 100.0)

    note = "eq 27 takes the sign from n_1, which is horizontal; right is n_A1"
    sheet.correct("7", "largest position error of forward kinematics", error_cm(printed), error_cm(theta), "cm", note)


def _random_targets(legs: BipedModel, rng: np.random.Generator) -> PostureTargets:
    half = legs.separation_m / 2.0
    ankles = np.zeros((_POSTURES, 2, 3))
    ankles[:, 0, 1] = -half
    ankles[:, 1, 1] = half
    ankles[:, 1, 0] = rng.uniform(-0.04, 0.04, _POSTURES)
    ankles[:, 1, 2] = rng.uniform(0.0, 0.015, _POSTURES)
    headings = rng.uniform(-0.3, 0.3, (_POSTURES, 2))
    com = np.tile([0.0, -half], (_POSTURES, 1))
    return PostureTargets(ankles, com, headings, headings.mean(axis=1), rng.uniform(0.19, 0.22, _POSTURES))


def _wrong_path(sheet: Sheet, legs: BipedModel) -> None:
    """Add the effect of the printed route: a plain arctangent, and the pivot on the side of the goal."""
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
    note = "eqs 31 and 32 use a plain arctangent, so the robot walks away from a goal behind it"
    sheet.correct("15", "largest distance from a goal", missed_cm["printed"], missed_cm["ours"], "cm", note)
    sheet.compare(
        "share of goals for which the sign of Y selects the shorter route", "sign_rule", "share", right / _GOALS
    )


def fastest_walks(robot: Robot, ahead_m: float = 0.5, other_margins_m: Sequence[float] = (0.010,)) -> list[Comparison]:
    """Return the fastest straight walks of the published law and of ours, at the margin of the safe speed.

    The paper calls 1 cm/s safe but states neither step length nor shoe size. The walks are therefore compared at the
    margin of the published law at that speed with the steps of this robot.
    """
    sheet = Sheet("speed", robot.published)
    goal = Place(ahead_m, 0.0)
    safe_m_s = sheet.published["safe_speed"]["speed"] / 100.0
    slow = walk(robot, goal=goal, pace=safe_m_s, margin_m=0.0, law="mass", expression="published")
    assert slow.receipt is not None
    assert slow.receipt.balance_margin_mm is not None
    margin_m = slow.receipt.balance_margin_mm * 1e-3
    sheet.add("zero-moment point margin of the published law at 1 cm/s, 4 cm steps", margin_m * 1e3, "mm")
    for law, label in (("mass", "published law"), ("pressure", "planned pressure")):
        for kept_m in (margin_m, *other_margins_m):
            motion = walk(robot, goal=goal, pace="fastest", margin_m=kept_m - 1e-6, law=law, expression="published")
            speed = motion.meta["gait"]["line_speed_m_s"] * 100.0
            sheet.add(f"fastest walk at {kept_m * 1e3:.1f} mm margin, {label}", speed, "cm/s")
    return sheet.rows
