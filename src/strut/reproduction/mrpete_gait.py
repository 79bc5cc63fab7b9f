"""Mr. Pete's crawl: travel, speeds, static balance, swing orders and knee rotation of a steady cycle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq

from strut.arrays import Array
from strut.balance.polygon import Polygon
from strut.balance.support import support_margin, supports
from strut.emotion import named_emotion
from strut.expression.blend import style_for
from strut.gaits.crawl.crawl_plan import CrawlGait, CrawlPlan, crawl_gait, crawl_plan
from strut.gaits.crawl.crawler import crawler
from strut.gaits.crawl.key_pose import key_pose
from strut.gaits.crawl.table import CrawlTable
from strut.kinematics.leg7r import KneeReference, knee_position, knee_reference_direction
from strut.kinematics.mounted_leg import mounted_legs
from strut.maths.rotation import turn_angle
from strut.reproduction.comparison import Comparison, Sheet
from strut.robot import Robot
from strut.style import Style

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
SAMPLES_PER_CYCLE = 4000  # so many because the margin is smallest in the first or last instant of a swing
_CYCLES = 8  # enough for one whole steady cycle in the middle
_COARSE = "agrees if sampled 200 times a cycle, which misses the last instant of a swing"
_NOTES = dict.fromkeys(("angry", "fearful"), _COARSE)  # of emotions whose margin is smallest at touch-down


@dataclass(frozen=True, slots=True, eq=False)
class SteadyCycle:
    """A crawl, and `rows` (T,), which marks the samples of one cycle in its steady middle."""

    plan: CrawlPlan
    rows: npt.NDArray[np.bool_]

    def static_cop(self, ahead_m: float = 0.0) -> Array:
        """Return the projection of a mass ahead of the middle of the body, without sway. Shape (T, 2)."""
        return np.stack([self.plan.body_x_m + ahead_m, np.zeros_like(self.plan.body_x_m)], axis=1)

    def static_margin_m(self, ahead_m: float = 0.0) -> Array:
        """Return the static stability margin of that point while one foot swings. Shape (samples on three feet,)."""
        margin = support_margin(self.plan.contact, self.plan.foot_in_world, self.static_cop(ahead_m))
        return margin[self.rows & ~self.plan.contact.all(axis=1)]

    def lateral_shift_m(self, margin_m: float) -> float:
        """Return the largest lateral shift of the body that keeps a margin."""
        cop = self.static_cop()
        return max(
            float(np.abs(polygon.nearest_at_same_x(cop[rows]) - cop[rows])[:, 1].max())
            for rows, polygon in self._inset_polygons(margin_m)
        )

    def _inset_polygons(self, margin_m: float) -> Iterator[tuple[npt.NDArray[np.int_], Polygon]]:
        """Yield the samples on three feet and the support polygon reduced by a margin."""
        for support in supports(self.plan.contact, self.plan.foot_in_world):
            rows = np.flatnonzero(self.rows[support.rows]) + support.first
            polygon = support.polygon.inset(margin_m) if support.polygon else None
            if len(rows) and polygon is not None and len(support.feet) == 3:
                yield rows, polygon


def published_crawl(robot: Robot) -> CrawlGait:
    """Return the published crawl: constant swing timing, and a foot lifts at the instant another one lands."""
    return replace(crawl_gait(robot), handover=0.0, timing="published")


def steady_cycle(robot: Robot, gait: CrawlGait, emotion: str, *, samples: int = SAMPLES_PER_CYCLE) -> SteadyCycle:
    """Return a walk in an emotion at intensity 1, and its middle cycle."""
    style = style_for(robot, named_emotion(emotion), 1.0)
    rate_hz = samples * style.tempo / gait.cycle_s
    plan = crawl_plan(gait, key_pose(robot, style), style, cycles=_CYCLES, rate_hz=rate_hz)
    phase = (plan.time_s - gait.settle_s) * style.tempo / gait.cycle_s
    middle = (_CYCLES - 1) / 2.0
    return SteadyCycle(plan, (phase >= middle) & (phase < middle + 1.0))


def gait(robot: Robot) -> list[Comparison]:
    """Compare the kinematics and statics of the crawl."""
    return [*_steps(robot), *_static_balance(robot), *_swing_orders(robot), *_knee_turns(robot)]


def stance_over_swing_speed(robot: Robot, gait: CrawlGait) -> float:
    """Return a foot's mean speed along the ground in stance over that in swing, both relative to the body."""
    cycle = steady_cycle(robot, gait, "neutral")
    plan = cycle.plan
    relative_x = plan.foot_in_world[:, 0, 0] - plan.body_x_m
    speed = np.diff(relative_x)[cycle.rows[1:]]
    down = (plan.contact[1:, 0] & plan.contact[:-1, 0])[cycle.rows[1:]]
    return float(-speed[down].mean() / speed[~down].mean())


def knee_turn_in_a_cycle(robot: Robot, emotion: str, *, reference: KneeReference) -> tuple[float, float]:
    """Return the rotation of the left front and hind knee about the hip-ankle line, relative to the body [rad]."""
    cycle = steady_cycle(robot, published_crawl(robot), emotion, samples=400)
    pose = key_pose(robot, style_for(robot, named_emotion(emotion), 1.0))
    body = crawler(robot, pose, cycle.plan)
    feet = body.feet_in_body(np.zeros((len(cycle.plan.time_s), 2)))
    legs = mounted_legs(robot)
    angles = body.knee_rad if reference == "body" else pose.knees(cycle.plan.weight)
    turns = []
    for leg in (0, 1):
        geometry = legs[leg].leg
        ankle = legs[leg].ankle_in_hip(feet[cycle.rows, leg], body.foot_to_body[cycle.rows, leg])
        knee = knee_position(geometry, ankle, angles[cycle.rows, leg], reference=reference)
        line = ankle / np.linalg.norm(ankle, axis=-1, keepdims=True)
        forward = knee_reference_direction(geometry, ankle, reference="body")
        turns.append(float(np.ptp(np.unwrap(turn_angle(forward, knee, line)))))
    return turns[0], turns[1]


def _steps(robot: Robot) -> list[Comparison]:
    sheet = Sheet("gait", robot.published)
    own = crawl_gait(robot)
    cycle = steady_cycle(robot, own, "neutral")
    travel_mm = float(np.ptp(cycle.plan.body_x_m[cycle.rows])) * SAMPLES_PER_CYCLE / (SAMPLES_PER_CYCLE - 1) * 1e3
    apex_mm = float(cycle.plan.foot_in_world[cycle.rows][..., 2].max()) * 1e3
    even = stance_over_swing_speed(robot, published_crawl(robot))
    ours = stance_over_swing_speed(robot, own)
    note = "the swing is shorter, so that the load can shift to the foot that has landed"
    sheet.compare("travel per cycle", "step", "travel", travel_mm)
    sheet.compare("largest height of a swing foot", "step", "height", apex_mm)
    sheet.compare("foot speed in stance over swing, published timing", "speed_ratio", "neutral", even)
    sheet.add("foot speed in stance over swing, timing with handover", ours, "", note)
    fear = named_emotion("fearful")
    reversal = brentq(lambda intensity: style_for(robot, fear, intensity).direction, 0.0, 1.0, xtol=1e-9)
    sheet.compare("intensity at which fearful reverses the walking direction", "reversal", "fearful", reversal)
    return sheet.rows


def _static_balance(robot: Robot) -> list[Comparison]:
    """Compare the smallest margins without sway, and the lateral shift that keeps a margin."""
    sheet = Sheet("static balance", robot.published)
    gait = published_crawl(robot)
    # backward steps in the same order are forward steps in the opposite order, reversed in time
    negated = replace(gait, swing_start=tuple((gait.duty_factor - start) % 1.0 for start in gait.swing_start))
    cycles = {emotion: steady_cycle(robot, gait, emotion) for emotion in EMOTIONS}
    for name, cycle in {**cycles, "stride_negated": steady_cycle(robot, negated, "fearful")}.items():
        quantity = (
            f"smallest static margin without sway, {name.replace('stride_negated', 'fearful with stride negated')}"
        )
        ours_mm = float(cycle.static_margin_m().min()) * 1e3
        sheet.compare(quantity, "static_margin", name, ours_mm, note=_NOTES.get(name, ""))
    for emotion, cycle in cycles.items():
        shifts_mm = [cycle.lateral_shift_m(margin_m) * 1e3 for margin_m in (0.0, 0.015)]
        quantity = f"lateral shift for margins of 0 and 15 mm, {emotion}"
        note = _NOTES.get(emotion, "")
        sheet.compare(quantity, "lateral_shift", emotion, shifts_mm, note=note)
    return sheet.rows


def _swing_orders(robot: Robot) -> list[Comparison]:
    """Compare the smallest and mean margin of the six swing orders of four feet."""
    sheet = Sheet("swing order", robot.published)
    gait = published_crawl(robot)
    first, *others = printed = tuple(robot.gait_as(CrawlTable).swing_order)
    feet_x = key_pose(robot, Style()).foot_in_body[:2, 0]
    margins = {}
    for rest in permutations(others):
        order = (first, *rest)
        starts = tuple(order.index(foot) / len(order) for foot in robot.foot_names)
        margin = steady_cycle(robot, replace(gait, swing_start=starts), "neutral").static_margin_m(sum(feet_x) / 2.0)
        margins[order] = (float(margin.min()) * 1e3, float(margin.mean()) * 1e3)
    for order, margin_mm in margins.items():
        quantity = f"smallest and mean static margin, order {' '.join(order)}"
        if order == printed:
            sheet.compare(quantity, "static_margin", "printed_order", margin_mm)
        else:
            sheet.add(quantity, margin_mm, "mm")
    better = sum(any(np.subtract(margin_mm, margins[printed]) > 0.0) for margin_mm in margins.values())
    sheet.add("swing orders with a larger smallest or mean margin", better, "")
    return sheet.rows


def _knee_turns(robot: Robot) -> list[Comparison]:
    sheet = Sheet("knee", robot.published)
    for emotion in EMOTIONS:
        ours = np.degrees(knee_turn_in_a_cycle(robot, emotion, reference="published")).tolist()
        sheet.compare(f"knee rotation per cycle with the printed reference, {emotion}", "knee_turn", emotion, ours)
    return sheet.rows
