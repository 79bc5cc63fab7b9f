"""Scored gait: a gait whose style changes on the way, blended from the gaits of its keyframes.

What a step needs (its length, height, width and timing) is blended once per step. The pace of the clock, the speed of
the body and how the body is carried are blended at every instant, so that they have no jumps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from strut.arrays import Array
from strut.draft import StyleOverTime
from strut.gaits.pattern.gait_pattern import StepTiming, mid_stance_phases
from strut.gaits.pattern.gait_plan import SETTLE, Course, GaitPlan, fade_in_and_out, plan_course
from strut.gaits.pattern.gait_solver import BodyPosture, resample_gait, solve_gait
from strut.gaits.pattern.gait_track import TrackPiece, envelope
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.styled_gait import REST, SOLVED_RATE_HZ, Carriage, StyledGait
from strut.kinematics.whole_body import WholeBodySolution
from strut.maths.phase_clock import PhaseClock, clock_integral, clock_times
from strut.robot import Robot

FEWEST_CYCLES = 2  # one to start, one to stop


@dataclass(frozen=True, eq=False)
class ScoredGait:
    """The gait of a robot whose style changes on the way.

    Args:
        gaits: Of each of the styles, with the same pattern.
        styles: The styles and when each has which weight.
    """

    gaits: tuple[StyledGait, ...]
    styles: StyleOverTime

    @classmethod
    def of_styles(cls, robot: Robot, styles: StyleOverTime) -> ScoredGait:
        """Return the gait that goes through given styles."""
        gaits = list[StyledGait]()
        for key in styles.styles:
            assert isinstance(key.task, PatternGait)
            gaits.append(StyledGait.upright(robot, key.task, key.style).at_fallback(key.fallback))
        return cls(tuple(gaits), styles)

    @property
    def settle_s(self) -> float:
        """Duration of standing before and after."""
        rest = REST if any(gait.breathes for gait in self.gaits) else 0.0
        return (SETTLE + rest) * self.gaits[0].time_unit_s

    @cached_property
    def clock(self) -> PhaseClock:
        """The clock of the walk."""
        period_s = np.array([gait.period_s for gait in self.gaits])
        walking_s = max(self.styles.score.duration_s, 2.0 * self.settle_s) + FEWEST_CYCLES * float(period_s.max())
        time_s = clock_times(walking_s + self.settle_s)
        return PhaseClock.of_rate(time_s, self.styles.style_at(time_s) @ (1.0 / period_s), self.settle_s)

    def plan(self, rate_hz: float) -> GaitPlan:
        """Return the plan of the walk."""
        first = self.gaits[0]
        pattern = first.pattern
        places = first.stance.places
        clock = self.clock
        cycles = clock.whole_cycles(self.styles.score.duration_s - self.settle_s, FEWEST_CYCLES)
        swing_start = np.array([pattern.swing_start[place] for place in places])
        middle = np.arange(cycles)[:, None] + swing_start + (1.0 - pattern.duty_factor) / 2.0  # phase in mid-swing
        in_swing = self._weights_at_phase(middle)  # (cycles, n, k)
        duty_factor = in_swing @ np.array([gait.pattern.duty_factor for gait in self.gaits])
        handover = in_swing @ np.array([gait.pattern.handover for gait in self.gaits])
        columns = zip(places, duty_factor.T, strict=True)
        mid_stance = np.stack([mid_stance_phases(pattern, place, cycles, column) for place, column in columns], axis=1)
        in_stance = self._weights_at_phase(mid_stance)  # (cycles + 1, n, k)
        uneven = np.array([gait.uneven for gait in self.gaits])
        course = Course(
            cycles=cycles,
            duration_s=float(clock.time_at(np.array(float(cycles)))) + self.settle_s,
            settle_s=self.settle_s,
            phase_at=clock.phase_at,
            pose_at=self._path(cycles),
            timing=StepTiming(duty_factor, handover),
            foot_m=np.einsum("cnk,kni->cni", in_stance, np.stack([gait.foot_m for gait in self.gaits])),
            lift_m=in_swing @ np.array([gait.lift_m for gait in self.gaits]),
            uneven_at=lambda time_s: self.styles.style_at(time_s) @ uneven,
        )
        plan = plan_course(pattern, first.stance, course, rate_hz)
        return replace(plan, expressed_share=fade_in_and_out(plan.time_s, SETTLE * first.time_unit_s))

    def body_posture(self, plan: GaitPlan) -> BodyPosture:
        """Return height, attitude and preferred joint angles of the body along a plan."""
        weights = self.styles.style_at(plan.time_s)
        carriages = [gait.carriage(plan) for gait in self.gaits]
        return Carriage(
            height_m=np.einsum("tk,kt->t", weights, np.stack([carriage.height_m for carriage in carriages])),
            pitch_roll_rad=np.einsum("tk,kti->ti", weights, np.stack([part.pitch_roll_rad for part in carriages])),
            joint_rad=np.einsum("tk,kti->ti", weights, np.stack([carriage.joint_rad for carriage in carriages])),
        ).posture(plan)

    def solve(self, rate_hz: float) -> tuple[GaitPlan, WholeBodySolution]:
        """Return a plan and its solution."""
        first = self.gaits[0]
        length_m = first.stance.height_m
        coarse_plan = self.plan(min(rate_hz, SOLVED_RATE_HZ))
        posture = self.body_posture(coarse_plan)
        guess_qpos = first.initial_guess(coarse_plan, posture)
        gait = solve_gait(first.robot, coarse_plan, posture, guess_qpos, length_m=length_m)
        if rate_hz <= SOLVED_RATE_HZ:
            return coarse_plan, gait.solution
        plan = self.plan(rate_hz)
        return plan, resample_gait(first.robot, gait, plan, self.body_posture(plan), length_m=length_m)

    def _weights_at_phase(self, phase: Array) -> Array:
        """Return the weight of each style at phases. Shapes (...) in, (..., k) out."""
        time_s = self.clock.time_at(phase)
        return self.styles.style_at(time_s.ravel()).reshape(*np.shape(phase), -1)

    def _path(self, cycles: int) -> GaitPath:
        """Return the path of the body: its twist changes with the style, from rest to rest."""
        clock = self.clock
        per_cycle = np.array([gait.pieces()[0].per_cycle for gait in self.gaits])
        moving = envelope(clock.phase, (TrackPiece((0.0, 0.0, 0.0), cycles),))
        velocity = (moving * clock.rate)[:, None] * (
            self.styles.style_at(clock.time_s) @ per_cycle
        )  # in the body, per second
        yaw = clock_integral(velocity[:, 2])
        ahead = velocity[:, 0] * np.cos(yaw) - velocity[:, 1] * np.sin(yaw)
        left = velocity[:, 0] * np.sin(yaw) + velocity[:, 1] * np.cos(yaw)
        return GaitPath(clock.phase, np.stack([clock_integral(ahead), clock_integral(left), yaw], axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class GaitPath:
    """Poses of the body on the ground by phase.

    Args:
        phase: Increasing. Shape (m,).
        pose: x, y [m] and yaw [rad]. Shape (m, 3).
    """

    phase: Array
    pose: Array

    def __call__(self, phase: Array) -> Array:
        """Return the pose at phases. Shapes (...) in, (..., 3) out."""
        return np.stack([np.interp(phase, self.phase, column) for column in self.pose.T], axis=-1)
