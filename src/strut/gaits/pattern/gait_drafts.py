"""Gait drafts: robots on two or four legs walk in a style, by a gait pattern and whole-body inverse kinematics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Self

import numpy as np
from msgspec import to_builtins

from strut.draft import Detail, Draft, Generator, OnProgress, Search, StyleOverTime, Violation, not_made
from strut.expression.expressed_share import expressed_shares, not_expressed
from strut.expression.secondary_motion import SECONDARY_PARAMETERS
from strut.gaits.pattern.gait_fallbacks import (
    BODY_HEIGHTS,
    FALLBACKS,
    HEIGHT_STEP,
    SEARCH,
    CoarseCheck,
    first_feasible,
    resume_from,
    speed_use,
)
from strut.gaits.pattern.gait_figures import gait_figures
from strut.gaits.pattern.gait_plan import GaitPlan
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.scored_gait import ScoredGait
from strut.gaits.pattern.single_support import hardest_on_one_leg
from strut.gaits.pattern.styled_gait import CHECK_CYCLES, SOLVED_RATE_HZ, StyledGait
from strut.gaits.pattern.table import PatternTable
from strut.kinematics.whole_body import WholeBodySolution
from strut.receipt import LimitName, Reason, ReasonKind
from strut.request import Request
from strut.robot import Robot
from strut.style import Style

READS = (  # style parameters that a gait expresses
    *("tempo", "direction", "stride", "lift", "stance_width", "body_height", "body_pitch_rad"),
    *("trunk_pitch_rad", "head_pitch_rad", "shoulder_rad", "elbow_rad", "arm_swing", "jerkiness"),
    *SECONDARY_PARAMETERS,
)
SEARCH_USE = 0.97  # of the speed and torque limits while searching: a few cycles miss the hardest instant
TWO_POINTS = "it stands on two balls, and two points cannot hold a body that does not keep stepping"


@dataclass(frozen=True, slots=True, eq=False)
class GaitDrafts(Generator):
    """Drafts gaits of robots with two or four feet; with feet out of reach, the body sinks and steps get shorter.

    Args:
        robot: A robot on two or four legs.
        task: The requested walk.
        rate_hz: Samples per second.
        checks: Coarse checks so far, by style and fallback.
    """

    search: ClassVar[Search] = Search(coarsely=True, use=SEARCH_USE, rungs=8, by_parameters=True)

    robot: Robot
    task: PatternGait
    rate_hz: float
    checks: dict[tuple[Style, int], CoarseCheck] = field(default_factory=dict)

    @classmethod
    def of_request(cls, robot: Robot, request: Request, on_progress: OnProgress | None = None) -> Self:  # noqa: ARG003
        """Return the generator for the task of a request."""
        task = request.task
        assert isinstance(task, PatternGait)
        return cls(robot, task, request.rate_hz)

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:
        """Yield gaits in order of preference: upright, then with a lower body, then with shorter steps.

        Only neutral gaits up to the usual speed shorten their steps; the caller weakens or slows down all others. The
        level `whole` asks for one fallback, which is drafted as it is.
        """
        gait = StyledGait.upright(self.robot, self.task, style)
        if detail.level == "whole":
            yield self._draft(gait, detail, detail.fallback)
            return
        if stands_on_two_points(self.robot):
            yield not_made(self.robot, style, LimitName.BALANCE_MARGIN, TWO_POINTS)
            return
        is_neutral = style == self.robot.expression.neutral_style()
        is_faster_than_usual = abs(self.task.speed_m_s or 0.0) > self.usual_options["speed_m_s"]
        may_shorten_steps = is_neutral and not is_faster_than_usual
        start = detail.fallback
        if detail.level == "search":
            start = resume_from(start, detail.neutral_fallback)
        if not is_neutral:  # its height is a factor on that of neutral
            start = max(start, start - start % len(BODY_HEIGHTS) + BODY_HEIGHTS.index(self._neutral_height))
        while start < len(FALLBACKS):
            first = first_feasible(partial(self._check, gait), start)
            shorter_steps = first - first % len(BODY_HEIGHTS) + len(BODY_HEIGHTS)
            yield from self._lower_drafts(gait, detail, first, shorter_steps)
            if not may_shorten_steps:
                return
            start = shorter_steps

    def drafts_over_time(self, styles: StyleOverTime, detail: Detail) -> Iterator[Draft]:
        """Yield the one walk through the styles, each at the fallback of its own steady walk."""
        rate_hz = self.rate_hz if detail.level == "final" else SOLVED_RATE_HZ
        gait = ScoredGait.of_styles(self.robot, styles)
        plan, solution = gait.solve(rate_hz)
        yield Draft(
            robot=self.robot,
            time_s=plan.time_s,
            qpos=solution.qpos,
            contact=plan.schedule.contact,
            style=None,
            share_over_time=plan.expressed_share * styles.share_at(plan.time_s),
            violations=_reach_violations(gait.gaits[0], plan, solution),
            meta={"options": to_builtins(self.task)},
        )

    def _lower_drafts(self, gait: StyledGait, detail: Detail, first: int, end: int) -> Iterator[Draft]:
        """Yield the gait at fallback `first`, then lower bodies while each one slows the fastest joint."""
        check = self._check(gait, first)
        if detail.verdict_only and check.speed > SEARCH.ruled_out_speed:
            yield not_made(self.robot, gait.style, LimitName.JOINT_SPEED, check.fastest_joint)
            return
        fallback = first
        previous_speed = np.inf
        while True:
            draft = self._draft(gait, detail, fallback)
            yield draft
            speed = speed_use(self.robot, draft.time_s, draft.qpos)
            has_improved = speed < SEARCH.useful_slowdown * previous_speed
            lower = fallback + HEIGHT_STEP
            if not 1.0 < speed < SEARCH.jolt_speed or not has_improved or lower >= end:
                break
            here = self._check(gait, fallback)
            below = self._check(gait, lower)
            if below.miss > SEARCH.max_miss or below.speed > here.speed > SEARCH.comparable_speed:
                break
            fallback = lower
            previous_speed = speed
        if detail.level == "final" and first + 1 < end:
            yield self._draft(gait, detail, first + 1)  # slightly lower, before the caller weakens the style

    @property
    def _neutral_height(self) -> float:
        """The body height at which the neutral gait is first feasible, as a share of the usual one."""
        neutral = StyledGait.upright(self.robot, self.task, self.robot.expression.neutral_style())
        return FALLBACKS[first_feasible(partial(self._check, neutral), 0)][0]

    def _check(self, gait: StyledGait, fallback: int) -> CoarseCheck:
        """Return the coarse check of a fallback, computed once per style."""
        key = (gait.style, fallback)
        if key not in self.checks:
            self.checks[key] = gait.at_fallback(fallback).check()
        return self.checks[key]

    def _draft(self, upright: StyledGait, detail: Detail, fallback: int) -> Draft:
        gait = upright.at_fallback(fallback)
        if detail.level == "search":
            guess = self._check(upright, fallback).gait
            plan, solution = gait.solve(SOLVED_RATE_HZ, cycles=CHECK_CYCLES, guess=guess)
        elif detail.level == "whole":
            plan, solution = gait.solve(SOLVED_RATE_HZ, cycles=None)
        else:
            plan, solution = gait.solve(self.rate_hz, cycles=None)
        height = FALLBACKS[fallback][0] * gait.style.body_height / self._neutral_height
        return Draft(
            robot=self.robot,
            time_s=plan.time_s,
            qpos=solution.qpos,
            contact=plan.schedule.contact,
            style=gait.style,
            share_over_time=plan.expressed_share,
            expressed=expressed_shares(self.robot, gait.style, replace(gait.style, body_height=height), reads=READS),
            not_expressed=not_expressed(self.robot, gait.style, reads=READS),
            violations=_reach_violations(gait, plan, solution),
            fallback=fallback,
            figures=gait_figures(self.robot, self.task, plan, solution.qpos),
            meta={"options": to_builtins(self.task)},
        )

    @property
    def usual_options(self) -> Mapping[str, float]:
        """The speed of the robot's own pattern, straight ahead."""
        gait = StyledGait.upright(self.robot, self.task, Style())
        return {"speed_m_s": gait.stride_m / gait.period_s, "turn_rad_s": 0.0, "sideways_m_s": 0.0}

    @property
    def slow_because(self) -> str:
        """Which limit the pattern's own speed would break, if gait.toml says so and no speed was chosen."""
        return self.robot.gait_as(PatternTable).slow_because if self.task.speed_m_s is None else ""

    def explain_failure(self, broken: Sequence[str]) -> tuple[Reason, ...]:
        """Return that the motors are too weak for the robot to stand on one leg, if they are."""
        text = hardest_on_one_leg(self.robot).sentence if LimitName.TORQUE in broken else ""
        return (Reason(ReasonKind.LIMIT, LimitName.TORQUE, text),) if text else ()


def stands_on_two_points(robot: Robot) -> bool:
    """Return whether a robot has two spherical feet and no others."""
    return len(robot.feet) == 2 and all(len(foot.points) == 1 for foot in robot.feet)


def _reach_violations(gait: StyledGait, plan: GaitPlan, solution: WholeBodySolution) -> tuple[Violation, ...]:
    """Return the foot that is farthest out of reach, if any is."""
    misses = gait.foot_misses(plan, solution)
    is_out_of_reach = misses > 1.0
    if not is_out_of_reach.any():
        return ()
    sample, foot = np.unravel_index(int(np.argmax(misses)), misses.shape)
    error_mm = solution.foot_error_m[sample, foot] * 1e3
    text = f"{gait.robot.feet[foot].name} is {error_mm:.0f} mm from its place at {plan.time_s[sample]:.2f} s"
    return (Violation(LimitName.REACH, np.asarray(is_out_of_reach.any(axis=1)), text),)
