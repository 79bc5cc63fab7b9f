"""Crawl drafts: a crawl in a style, with the body sway that keeps it balanced."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Self

import numpy as np
from msgspec import to_builtins
from scipy.interpolate import CubicSpline

from strut.arrays import Array
from strut.balance.centre_of_pressure import cop_of_wrench
from strut.balance.sway import BodyResponse, Sway, inset_support
from strut.draft import Detail, Draft, Generator, OnProgress, Search, StyleOverTime, Violation
from strut.engines.inverse_dynamics import ground_reaction
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.expression.expressed_share import expressed_shares, not_expressed
from strut.expression.secondary_motion import (
    SECONDARY_PARAMETERS,
    Rhythm,
    SecondaryMotion,
    blend_secondary_motions,
    secondary_motion,
)
from strut.gaits.crawl.crawl_plan import CrawlGait, CrawlPlan, crawl_gait, crawl_plan, fade
from strut.gaits.crawl.crawler import Crawler, CrawlPosture, crawler
from strut.gaits.crawl.key_pose import KeyPose, key_pose
from strut.gaits.crawl.request import Balance, Crawl
from strut.gaits.crawl.scored_crawl import ScoredCrawl
from strut.gaits.crawl.table import CrawlTable
from strut.maths.easing import smooth_step
from strut.receipt import LimitName
from strut.request import Request
from strut.robot import Robot
from strut.style import Style

READS = (  # style parameters that a crawl expresses
    *("tempo", "direction", "stride", "lift", "stance_width", "body_height", "body_pitch_rad", "postures"),
    *SECONDARY_PARAMETERS,
)
REST = 6.0  # added standing time of the animated layer at both ends, in sqrt(h / g): half a breath
X_COSTS: dict[Balance, tuple[float, ...]] = {
    "y": (np.inf,),
    "xy": (1.0, np.inf),
}  # of sway along x, see `Sway`; inf: none
SWAY_RATE_HZ = 50.0  # enough for a slow sway; the audit measures at the full rate
BUFFER_BEYOND_MARGIN_M = 0.005  # sway for more margin than the limit, because the response is only linearised
SEARCH_RATE_HZ = 25.0  # half the sway rate; passing drafts are proved at the full rate
EASE_IN = 3.0  # time in which the animated layer fades in, in sqrt(h / g)
MAX_ROUNDS = 6  # of the sway; a feasible one converges in two or three
SEARCH_CYCLES = 5  # fade in, one steady cycle, fade out: every further cycle repeats the steady one


@dataclass(frozen=True, slots=True, eq=False)
class CrawlDrafts(Generator):
    """Drafts crawls; the body sways the shortest way first, then sideways only.

    Args:
        robot: A quadruped.
        task: The requested crawl.
        margin_m: Smallest allowed balance margin.
        rate_hz: Samples per second.
    """

    search: ClassVar[Search] = Search(coarsely=True)

    robot: Robot
    task: Crawl
    margin_m: float
    rate_hz: float

    @classmethod
    def of_request(cls, robot: Robot, request: Request, on_progress: OnProgress | None = None) -> Self:  # noqa: ARG003
        """Return the generator for the task of a request."""
        task = request.task
        assert isinstance(task, Crawl)
        return cls(robot, task, request.min_margin_m, request.rate_hz)

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:
        """Yield a crawl that sways the shortest way, then one that sways sideways only."""
        robot = self.robot
        gait = self.gait(style)
        pose = key_pose(robot, style)
        cycles = min(self.task.cycles, SEARCH_CYCLES) if detail.level == "search" else self.task.cycles
        rate_hz = self.rate_hz if detail.level == "final" else SEARCH_RATE_HZ

        def sampled(at_hz: float) -> Crawler:
            plan = crawl_plan(gait, pose, style, cycles=cycles, rate_hz=at_hz)
            share = detail.share
            plan = plan if share is None else plan.relaxed(_resampled(share, len(plan.time_s)))
            return crawler(robot, pose, plan, _secondary_motion(robot, pose, plan, style))

        for fallback, body, posture in self._swayed(sampled, rate_hz, detail):
            yield Draft(
                robot=robot,
                time_s=body.plan.time_s,
                qpos=posture.qpos,
                contact=body.plan.contact,
                style=style,
                share_over_time=body.plan.weight,
                expressed=expressed_shares(robot, style, style, reads=READS),
                not_expressed=not_expressed(robot, style, reads=READS),
                kept=1.0 if detail.share is None else float(detail.share.mean()),
                violations=(_reach_violation(body, posture),) if posture.excess_m.max() >= 0.0 else (),
                fallback=fallback,
                meta={"options": to_builtins(self.task)},
            )

    def drafts_over_time(self, styles: StyleOverTime, detail: Detail) -> Iterator[Draft]:
        """Yield a crawl through the styles that sways the shortest way, then one that sways sideways only."""
        gait = self.gait(styles.keys[0].style)
        scored = ScoredCrawl.of_styles(self.robot, gait, styles)

        def sampled(at_hz: float) -> Crawler:
            plan = scored.plan(at_hz)
            secondaries = [
                _secondary_motion(self.robot, pose, plan, key.style)
                for pose, key in zip(scored.blend.poses, styles.styles, strict=True)
            ]
            secondary = blend_secondary_motions(secondaries, styles.style_at(plan.time_s))
            return crawler(self.robot, scored.blend, plan, secondary)

        rate_hz = self.rate_hz if detail.level == "final" else SEARCH_RATE_HZ
        for fallback, body, posture in self._swayed(sampled, rate_hz, detail):
            plan = body.plan
            shown = plan.weight[:, : len(styles.keys)].sum(axis=1)
            yield Draft(
                robot=self.robot,
                time_s=plan.time_s,
                qpos=posture.qpos,
                contact=plan.contact,
                style=None,
                share_over_time=shown,
                violations=(_reach_violation(body, posture),) if posture.excess_m.max() >= 0.0 else (),
                fallback=fallback,
                meta={"options": to_builtins(self.task)},
            )

    def _swayed(
        self, sampled: Callable[[float], Crawler], rate_hz: float, detail: Detail
    ) -> Iterator[tuple[int, Crawler, CrawlPosture]]:
        """Yield each fallback with the crawl at a rate and its balanced postures.

        Args:
            sampled: Returns the crawl at a rate.
            rate_hz: Samples per second.
            detail: Which fallback comes first.
        """
        body = sampled(rate_hz)
        slow = sampled(SWAY_RATE_HZ) if rate_hz > SWAY_RATE_HZ else body
        costs = X_COSTS[self.task.balance]
        for fallback in sorted(range(len(costs)), key=lambda number: number != detail.fallback):
            buffer_m = self.margin_m + BUFFER_BEYOND_MARGIN_M
            sway = sway_shift(partial(_response, slow), slow.plan, buffer_m=buffer_m, x_cost=costs[fallback])
            shift = CubicSpline(slow.plan.time_s, sway, bc_type="clamped")(body.plan.time_s)  # starts and ends at rest
            yield fallback, body, body.posture(shift)

    @property
    def usual_ease_s(self) -> float:
        """As long as poses fade in and out: a foot on the ground keeps its tilt until its next swing."""
        gait = crawl_gait(self.robot)
        return max(gait.fade_cycles, gait.tilt_cycles) * gait.cycle_s / self.task.tempo

    @property
    def usual_options(self) -> Mapping[str, float]:
        """The robot's own steps."""
        own = self.robot.gait_as(CrawlTable)
        return {"step_length_m": own.step_length_m, "step_height_m": own.step_height_m}

    def gait(self, style: Style) -> CrawlGait:
        """Return the robot's gait with the user's steps and pace; the animated layer stands longer at both ends."""
        gait = crawl_gait(self.robot)
        length_m = self.task.step_length_m
        height_m = self.task.step_height_m
        return replace(
            gait,
            step_length_m=gait.step_length_m if length_m is None else length_m,
            step_height_m=gait.step_height_m if height_m is None else height_m,
            cycle_s=gait.cycle_s / self.task.tempo,
            settle_s=gait.settle_s + (REST * _time_unit_s(key_pose(self.robot, style)) if self._animated else 0.0),
            pose_first=self._animated,
        )

    @property
    def _animated(self) -> bool:
        return self.robot.expression.mapping("breath") is not None


def _time_unit_s(pose: KeyPose) -> float:
    """Return sqrt(h / g) of a body that stands in a pose in neutral."""
    return math.sqrt(float(-pose.foot_in_body[:, 2].mean()) / GRAVITY_M_S2)


def _secondary_motion(robot: Robot, pose: KeyPose, plan: CrawlPlan, style: Style) -> SecondaryMotion:
    """Return the secondary motion of a style: one beat per step, at rest at both ends."""
    unit_s = _time_unit_s(pose)
    cycles = round(float(plan.phase.max()))
    ends_s = np.minimum(plan.time_s, plan.time_s[-1] - plan.time_s)
    shown = smooth_step(ends_s / (EASE_IN * unit_s))
    beat = len(pose.foot_in_body) * plan.phase
    return secondary_motion(robot, style, Rhythm(plan.time_s, beat, fade(plan.phase, cycles, 1.0), shown, unit_s))


def _resampled(share: Array, length: int) -> Array:
    """Return evenly spaced values interpolated at another number of samples. Shape (T,) in, (length,) out."""
    return np.interp(np.linspace(0.0, 1.0, length), np.linspace(0.0, 1.0, len(share)), share)


def sway_shift(respond: Callable[[Array], BodyResponse], plan: CrawlPlan, *, buffer_m: float, x_cost: float) -> Array:
    """Return the shift of the body that keeps the centre of pressure `buffer_m` inside the support polygon.

    Args:
        respond: Returns the whole-body dynamics for a shift of the body in world. Shape (T, 2).
        plan: Footprints and contacts.
        buffer_m: Distance from the edges of the support polygon.
        x_cost: See `Sway`.

    Returns:
        Shift in world [m]. Shape (T, 2).
    """
    shift = np.zeros((len(plan.time_s), 2))
    response = respond(shift)
    sway = Sway(plan.time_s, response, inset_support(plan.contact, plan.foot_in_world, buffer_m), x_cost)
    follow = 0.75  # initial guess of the share of the body's shift in that of the centre of mass; the feet stay
    for round_number in range(MAX_ROUNDS):
        missing = sway.missing_shift(response)
        if missing is None:
            break
        step = missing / follow
        before = response
        shift = shift + step
        response = respond(shift)
        if round_number == 0:
            moved = response.com_in_world[:, :2] - before.com_in_world[:, :2]
            follow = float(np.sum(moved * step) / np.sum(step**2))
    return shift


def _response(body: Crawler, shift: Array) -> BodyResponse:
    """Return centre of pressure and centre of mass of a shifted body. Shape (T, 2)."""
    reaction = ground_reaction(body.robot, body.plan.time_s, body.posture(shift).qpos)
    return BodyResponse(cop_of_wrench(reaction.force_n, reaction.moment_nm), reaction.com_in_world)


def _reach_violation(body: Crawler, posture: CrawlPosture) -> Violation:
    """Return the violation of the foot that is farthest out of reach."""
    excess = posture.excess_m
    sample, leg = np.unravel_index(int(np.argmax(excess)), excess.shape)
    name = body.legs[leg].name
    shortest, longest = body.legs[leg].reach_m
    text = (
        f"leg {name} would have to span {posture.span_m[sample, leg] * 1e3:.0f} mm, it spans "
        f"{shortest * 1e3:.0f} to {longest * 1e3:.0f} mm at {body.plan.time_s[sample]:.2f} s"
    )
    return Violation(LimitName.REACH, np.asarray((excess >= 0.0).any(axis=1)), text)
