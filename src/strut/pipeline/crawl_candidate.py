"""Crawl candidate: one crawl at one intensity, balanced and audited, ready for the gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.interpolate import CubicSpline

from strut.balance.pressure import pressure_of_wrench
from strut.balance.sway import Carried, sway_shift
from strut.emotion import Emotion
from strut.engines.inverse_dynamics import ground_reaction
from strut.expression.blend import style_for
from strut.generators.crawl import CrawlGait, CrawlPlan, crawl_gait, crawl_plan
from strut.generators.key_pose import key_pose
from strut.kinematics.crawler import Crawler, crawler
from strut.robot import Array, Robot
from strut.verify.audit import Audit, Shortfall, audit, shortfalls
from strut.verify.gate import Attempt

Balance = Literal["y", "xy"]
X_COSTS: dict[Balance, tuple[float, ...]] = {"y": (np.inf,), "xy": (1.0, np.inf)}  # tried in turn until one passes
SWAY_RATE_HZ = 50.0  # the body's sway is slow; the audit at full rate has the last word
BUFFER_BEYOND_MARGIN_M = 0.005  # the body sways for this much more margin than the gate demands


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """What a user wants of a crawl; lengths of None are the robot's own."""

    robot: Robot
    emotion: Emotion
    cycles: int
    step_length_m: float | None
    step_height_m: float | None
    margin_m: float
    balance: Balance
    rate_hz: float


@dataclass(frozen=True, slots=True, eq=False)
class CrawlCandidate:
    """A crawl that may or may not keep its limits.

    Args:
        plan: Footprints and body path.
        measured: What it needs.
        x_cost: How the body sways, see `sway_shift`.
        share: Share of the pose shown at each sample; None if it never relaxes. Shape (T,).
        relaxed_for: The limits for which it relaxes.
    """

    plan: CrawlPlan
    measured: Audit
    x_cost: float
    share: Array | None = None
    relaxed_for: tuple[Shortfall, ...] = ()

    @property
    def shown(self) -> float:
        """The share of the pose shown on average."""
        return 1.0 if self.share is None else float(self.share.mean())


def crawl_attempt(
    request: CrawlRequest,
    intensity: float,
    *,
    cycles: int,
    rate_hz: float,
    share: Array | None = None,
    x_costs: tuple[float, ...] | None = None,
) -> Attempt[CrawlCandidate]:
    """Build and audit a crawl.

    Args:
        request: What the user wants.
        intensity: Of the emotion.
        cycles: May be fewer than requested while searching.
        rate_hz: May be lower than requested while searching.
        share: Share of the pose shown from start to end, at any even spacing, where it relaxes for a while.
        x_costs: Ways to sway, tried in turn until one passes; those of the request's balance if None.
    """
    robot = request.robot
    style = style_for(robot, request.emotion, intensity)
    pose = key_pose(robot, style)

    def sampled(at_hz: float) -> Crawler:
        plan = crawl_plan(_gait(request), pose, style, cycles=cycles, rate_hz=at_hz)
        return crawler(robot, pose, plan if share is None else plan.relaxed(_resampled(share, len(plan.time_s))))

    body = sampled(rate_hz)
    slow = sampled(SWAY_RATE_HZ) if rate_hz > SWAY_RATE_HZ else body
    for x_cost in x_costs or X_COSTS[request.balance]:
        sway = _balanced(slow, request.margin_m + BUFFER_BEYOND_MARGIN_M, x_cost)
        shift = CubicSpline(slow.plan.time_s, sway)(body.plan.time_s)
        measured = audit(robot, body.plan.time_s, body.qpos(shift), body.plan.contact)
        broken = (
            *_reach_shortfall(body, shift),
            *shortfalls(robot, measured, margin_m=request.margin_m),
        )
        if not broken:
            break
    return Attempt(intensity, CrawlCandidate(body.plan, measured, x_cost, share), broken)


def _resampled(share: Array, length: int) -> Array:
    """Return evenly spaced values stretched to another number of them. Shape (T,) in, (length,) out."""
    return np.interp(np.linspace(0.0, 1.0, length), np.linspace(0.0, 1.0, len(share)), share)


def _gait(request: CrawlRequest) -> CrawlGait:
    """Return the robot's gait with the user's step."""
    gait = crawl_gait(request.robot)
    return replace(
        gait,
        step_length_m=gait.step_length_m if request.step_length_m is None else request.step_length_m,
        step_height_m=gait.step_height_m if request.step_height_m is None else request.step_height_m,
    )


def _balanced(body: Crawler, buffer_m: float, x_cost: float) -> Array:
    """Return the shift of the body that keeps the buffer. Shape (T, 2)."""

    def respond(shift: Array) -> Carried:
        reaction = ground_reaction(body.robot, body.plan.time_s, body.qpos(shift))
        return Carried(pressure_of_wrench(reaction.force_n, reaction.moment_nm), reaction.com_in_world)

    plan = body.plan
    return sway_shift(respond, plan.time_s, plan.contact, plan.foot_in_world, buffer_m=buffer_m, x_cost=x_cost)


def _reach_shortfall(body: Crawler, shift: Array) -> list[Shortfall]:
    """Return the foot that is farthest out of reach, if any is."""
    excess = body.reach_excess_m(shift)
    if excess.max() < 0.0:
        return []
    sample, leg = np.unravel_index(int(np.argmax(excess)), excess.shape)
    name, (shortest, longest) = body.legs[leg].leg.name, body.legs[leg].leg.reach_m
    distance = float(np.linalg.norm(body.ankles_in_hip(shift)[leg][sample]))
    sentence = (
        f"reach: leg {name} would have to span {distance * 1e3:.0f} mm, it spans {shortest * 1e3:.0f} to "
        f"{longest * 1e3:.0f} mm at {body.plan.time_s[sample]:.2f} s"
    )
    return [Shortfall("reach", np.asarray((excess >= 0.0).any(axis=1)), sentence)]
