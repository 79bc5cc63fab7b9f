"""Alice's balance: how fast the published walk, whose centre of mass follows a quintic, may go before it tips."""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from strut.balance.body_path import Law, carried
from strut.balance.point_masses import effective_height_m
from strut.balance.sole_margin import dynamic_margin_m
from strut.generators.footsteps import StepLimits, footsteps_to, standing
from strut.generators.phases import PhaseTimes, step_plan
from strut.kinematics.biped_model import two_legs
from strut.kinematics.posture import PostureTargets
from strut.place import Place
from strut.reproduction.alice_bodies import variant
from strut.reproduction.comparison import Comparison, compared
from strut.robot import Robot

HALF_WIDTH_M = 0.035
_STEPS = 3
_SAMPLES_PER_PHASE = 60.0
_SETTLE_S = 1.5  # starts and stops so gently that only walking decides


def walking_margin_m(robot: Robot, step_m: float, phase_s: float, *, law: Law = "mass") -> float:
    """Return the smallest margin of the nine masses' zero-moment point in a straight walk with equal phases."""
    legs, table = two_legs(robot), robot.table("gait")
    limits = StepLimits(step_m, table["side_step_m"], table["step_turn_rad"], legs.separation_m)
    start = Place(0.0, 0.0)
    steps = footsteps_to(start, [Place(_STEPS * step_m, 0.0)], limits)
    plan = step_plan(
        steps,
        standing(start, legs.separation_m),
        PhaseTimes(phase_s, phase_s, max(_SETTLE_S, 1.5 * phase_s)),
        step_height_m=table["step_height_m"],
        rate_hz=_SAMPLES_PER_PHASE / phase_s,
    )
    body = carried(legs, plan, table["body_height_m"], law=law)
    return float(dynamic_margin_m(robot, body).min())


def critical_phase_s(robot: Robot, step_m: float) -> float:
    """Return the phase time, to a millisecond, at which the published walk has no margin left."""
    return float(brentq(lambda phase_s: walking_margin_m(robot, step_m, phase_s), 0.35, 1.0, xtol=5e-4))


def balance_rows(robot: Robot) -> list[Comparison]:
    """Return effective heights, critical phase times and speeds, and margins by speed."""
    published = robot.table("published")
    rows = []
    heights = []
    for torso_m in (0.0, 0.15):
        legs = two_legs(variant(robot, torso_m=torso_m, half_width_m=HALF_WIDTH_M))
        half = legs.separation_m / 2.0
        ankles = np.array([[[0.0, -half, 0.0], [0.0, half, 0.0]]])
        stand = PostureTargets(ankles, np.zeros((1, 2)), np.zeros((1, 2)), np.zeros(1), np.array([0.22]))
        heights.append(effective_height_m(legs, stand) * 100.0)
    section = published["effective_height"]
    rows.append(
        compared("balance", "height of one mass that sways alike, torso 0, 15 cm up", section, "heights", heights)
    )
    section = published["critical_time"]
    ratios = []
    for half_cm in section["half_widths_cm"]:
        bodies = [variant(robot, torso_m=cm / 100.0, half_width_m=half_cm / 100.0) for cm in (0.0, 10.0, 15.0)]
        times = [critical_phase_s(body, 0.02) for body in bodies]
        if abs(half_cm / 100.0 - HALF_WIDTH_M) < 1e-9:
            ratios = [0.5 / time for time in times]
        name = f"critical phase time, shoes {2.0 * half_cm:g} cm wide, torso 0, 10, 15 cm up"
        rows.append(compared("balance", name, section, f"{half_cm:.1f}", times))
    section = published["critical_speed"]
    rows.append(
        compared("balance", "critical speed over step length, torso 0, 10, 15 cm up", section, "ratios", ratios)
    )
    return [*rows, *_margin_rows(robot)]


def _margin_rows(robot: Robot) -> list[Comparison]:
    section = robot.table("published")["margin"]
    body = variant(robot, torso_m=0.0, half_width_m=HALF_WIDTH_M)
    rows = []
    for step_cm in ("1", "2"):
        phases = [float(step_cm) / speed / 2.0 for speed in section["speeds_cm_s"]]
        margins = [walking_margin_m(body, float(step_cm) / 100.0, phase_s) * 100.0 for phase_s in phases]
        rows.append(compared("balance", f"margin at 1, 1.2, 1.5 cm/s, {step_cm} cm steps", section, step_cm, margins))
    return rows
