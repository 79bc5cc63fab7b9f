"""Scored crawl: a crawl whose style changes on the way, blended from the crawls of its keyframes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from strut.arrays import Array
from strut.draft import StyleOverTime
from strut.gaits.crawl.crawl_plan import (
    CrawlCourse,
    CrawlGait,
    CrawlPlan,
    fade,
    middles_of_stances,
    plan_crawl,
    pose_weight,
    tilt_shares,
)
from strut.gaits.crawl.key_pose import PoseBlend, key_pose
from strut.maths.phase_clock import PhaseClock, clock_integral, clock_times
from strut.robot import Robot

FEWEST_CYCLES = 2  # one to fade a pose in, one to fade it out


@dataclass(frozen=True, eq=False)
class ScoredCrawl:
    """The crawl of a robot whose style changes on the way.

    Args:
        gait: The robot's crawl.
        blend: Key poses of the styles.
        styles: The styles and when each has which weight.
    """

    gait: CrawlGait
    blend: PoseBlend
    styles: StyleOverTime

    @classmethod
    def of_styles(cls, robot: Robot, gait: CrawlGait, styles: StyleOverTime) -> ScoredCrawl:
        """Return the crawl that goes through given styles."""
        return cls(gait, PoseBlend(tuple(key_pose(robot, key.style) for key in styles.styles)), styles)

    @cached_property
    def clock(self) -> PhaseClock:
        """The clock of the walk."""
        settle_s = self.gait.settle_s
        rates = np.array([key.style.tempo for key in self.styles.styles]) / self.gait.cycle_s
        walking_s = max(self.styles.score.duration_s, 2.0 * settle_s) + FEWEST_CYCLES / float(rates.min())
        time_s = clock_times(walking_s + settle_s)
        return PhaseClock.of_rate(time_s, self.styles.style_at(time_s) @ rates, settle_s)

    def plan(self, rate_hz: float) -> CrawlPlan:
        """Return the plan of the walk."""
        gait = self.gait
        clock = self.clock
        styles = [key.style for key in self.styles.styles]
        cycles = clock.whole_cycles(self.styles.score.duration_s - gait.settle_s, FEWEST_CYCLES)
        duration_s = float(clock.time_at(np.array(float(cycles)))) + gait.settle_s
        time_s = np.arange(round(duration_s * rate_hz) + 1) / rate_hz
        phase = np.clip(clock.phase_at(time_s), 0.0, float(cycles))
        middle = middles_of_stances(gait, cycles)
        in_stance = self._weights_at_phase(middle)  # (cycles + 1, n, k)
        start = np.array(gait.swing_start)
        in_swing = self._weights_at_phase(np.arange(cycles)[:, None] + start + np.mean(gait.swing_window))
        lifts = np.stack(
            [
                gait.step_height_m * style.lift + pose.lift_change_m
                for style, pose in zip(styles, self.blend.poses, strict=True)
            ]
        )
        travel = gait.step_length_m / gait.duty_factor * np.array([style.direction * style.stride for style in styles])
        speed = clock.rate * fade(clock.phase, cycles, 1.0) * (self.styles.style_at(clock.time_s) @ travel)
        travelled_m = clock_integral(speed)
        course = CrawlCourse(
            time_s=time_s,
            phase=phase,
            cycles=cycles,
            travelled_m=lambda at: np.interp(at, clock.phase, travelled_m),
            lift_m=np.einsum("cnk,kn->cn", in_swing, lifts),
            weight=pose_weight(gait, time_s, phase, cycles)[:, None] * self.styles.style_at(time_s),
            stance_weight=fade(middle, cycles, gait.fade_cycles)[..., None] * in_stance,
            tilt_weight=tilt_shares(gait, cycles)[:, None, None] * in_stance,
        )
        return plan_crawl(gait, self.blend, course)

    def _weights_at_phase(self, phase: Array) -> Array:
        """Return the weight of each style at phases. Shapes (...) in, (..., k) out."""
        time_s = self.clock.time_at(phase)
        return self.styles.style_at(time_s.ravel()).reshape(*np.shape(phase), -1)
