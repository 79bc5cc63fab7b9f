"""Step candidate: one walk of steps at one intensity and pace, carried by postures and audited, ready for the gate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from strut.balance.body_path import CarriedPlan, Law, carried
from strut.emotion import Emotion
from strut.errors import OutOfRangeError, UnreachablePostureError
from strut.expression.blend import style_for
from strut.generators.footsteps import StepLimits, first_steps, footsteps_to, standing
from strut.generators.phases import Phase, PhaseTimes, StepPlan, step_plan
from strut.kinematics.biped_model import two_legs
from strut.place import FOOT_NAMES, Footstep, Place
from strut.robot import Robot
from strut.style import Style
from strut.verify.audit import Audit, Shortfall, audit, shortfalls
from strut.verify.gate import Attempt

MOST_SAMPLES = 50_000  # about a gigabyte of Jacobians
Pace = Literal["own", "fastest"]


@dataclass(frozen=True, slots=True)
class StepRequest:
    """What a user wants of a walk of steps; lengths of None are the robot's own.

    Args:
        robot: Who walks.
        emotion: What it feels.
        goals: Places to pass, in world, the last one to stop at. Empty where `steps` says where the shoes go.
        steps: The user's own footsteps, in world.
        step_length_m: Longest step.
        step_height_m: How high shoes are lifted.
        body_height_m: How high the hips are carried.
        margin_m: Smallest balance margin.
        pace: Speed on a straight line in neutral [m/s], the robot's own, or the fastest that keeps the limits.
        law: What goes from shoe to shoe, see `carried`.
        rate_hz: Samples per second.
    """

    robot: Robot
    emotion: Emotion
    goals: tuple[Place, ...]
    steps: tuple[Footstep, ...]
    step_length_m: float | None
    step_height_m: float | None
    body_height_m: float | None
    margin_m: float
    pace: Pace | float
    law: Law
    rate_hz: float


@dataclass(frozen=True, slots=True)
class StepGait:
    """The numbers of a walk of steps: limits of a step, heights, phase times, how far outside the soles it sways."""

    limits: StepLimits
    step_height_m: float
    body_height_m: float
    times: PhaseTimes
    outward_m: float


@dataclass(frozen=True, slots=True, eq=False)
class StepCandidate:
    """A walk that may or may not keep its limits: steps, gait, postures and what they need."""

    steps: tuple[Footstep, ...]
    gait: StepGait
    carried: CarriedPlan
    measured: Audit


def step_gait(request: StepRequest, style: Style, slower: float | None) -> StepGait:
    """Return the gait of a request in a style.

    Args:
        request: What the user wants.
        style: What the feeling does.
        slower: Factor on the robot's own phase times that replaces pace and tempo; None where these decide.
    """
    robot, table = request.robot, request.robot.table("gait")
    separation_m = two_legs(robot).separation_m
    length_m = table["step_length_m"] if request.step_length_m is None else request.step_length_m
    times = PhaseTimes(table["shift_s"], table["swing_s"], table["settle_s"])
    if slower is not None:
        times = times.scaled(slower)
    else:
        wanted_s = times.step_s if isinstance(request.pace, str) else length_m / request.pace
        times = times.scaled(wanted_s / times.step_s / style.tempo)
    if request.law == "mass":  # a body that does not lead its pressure must start and stop as gently as it shifts
        times = replace(times, settle_s=max(times.settle_s, times.shift_s))
    height_m = table["step_height_m"] if request.step_height_m is None else request.step_height_m
    body_m = table["body_height_m"] if request.body_height_m is None else request.body_height_m
    return StepGait(
        limits=StepLimits(length_m * style.stride, table["side_step_m"], table["step_turn_rad"], separation_m),
        step_height_m=height_m * style.lift,
        body_height_m=body_m * style.body_height,
        times=times,
        outward_m=(style.sway - 1.0) * separation_m / 2.0,
    )


def step_attempt(
    request: StepRequest,
    intensity: float,
    *,
    rate_hz: float,
    slower: float | None = None,
    most_steps: int | None = None,
    largest_use: float = 1.0,
) -> Attempt[StepCandidate | None]:
    """Build and audit a walk; one that the legs cannot follow has no candidate and says why.

    Args:
        request: What the user wants.
        intensity: Of the emotion.
        rate_hz: May be lower than requested while searching.
        slower: See `step_gait`.
        most_steps: Only so many steps, while searching.
        largest_use: Share of speed and torque limits that may be used.
    """
    robot = request.robot
    gait = step_gait(request, style_for(robot, request.emotion, intensity), slower)
    start = Place(0.0, 0.0)
    steps = request.steps or footsteps_to(start, request.goals, gait.limits)
    if most_steps is not None:  # a user's own steps need not close, so that theirs are only cut
        steps = steps[:most_steps] if request.steps else first_steps(steps, most_steps, gait.limits.separation_m)
    shoes = standing(start, gait.limits.separation_m)
    _check_length(len(steps), gait.times, rate_hz)
    plan = step_plan(
        steps, shoes, gait.times, step_height_m=gait.step_height_m, rate_hz=rate_hz, outward_m=gait.outward_m
    )
    try:
        body = carried(two_legs(robot), plan, gait.body_height_m, law=request.law)
    except UnreachablePostureError as error:
        return Attempt(intensity, None, (_reach_shortfall(steps, plan, error),))
    measured = audit(robot, plan.time_s, body.qpos, plan.contact)
    spared = replace(
        robot,
        joint_speed_limit_rad_s=largest_use * robot.joint_speed_limit_rad_s,
        torque_limit_nm=largest_use * robot.torque_limit_nm,
    )
    broken = shortfalls(spared, measured, margin_m=request.margin_m)
    return Attempt(intensity, StepCandidate(steps, gait, body, measured), tuple(broken))


def _check_length(steps: int, times: PhaseTimes, rate_hz: float) -> None:
    duration_s = steps * times.step_s
    if duration_s * rate_hz > MOST_SAMPLES:
        raise OutOfRangeError(
            f"The walk would take {steps} steps and {duration_s:.0f} s; come nearer, step longer or go faster."
        )


def _reach_shortfall(steps: Sequence[Footstep], plan: StepPlan, error: UnreachablePostureError) -> Shortfall:
    """Return a target that the legs cannot meet as a broken limit, with the step it belongs to."""
    time_s = float(plan.time_s[error.sample])
    number = step_at(plan.phases, time_s)
    broken = np.zeros(len(plan.time_s), dtype=bool)
    broken[error.sample] = True
    where = f"in step {number} ({described(steps[number - 1])})" if steps else "standing"
    return Shortfall("reach", broken, f"reach: {error} {where} at {time_s:.2f} s")


def step_at(phases: Sequence[Phase], time_s: float) -> int:
    """Return the number of the step under way, from 1; the shift before a step belongs to it, the end to the last."""
    swings = [phase for phase in phases if phase.kind in ("swing", "shoe turn")]
    return 1 + min(sum(phase.stop_s < time_s for phase in swings), len(swings) - 1)


def described(step: Footstep) -> str:
    """Return a step in words."""
    place = step.place
    heading = math.degrees(place.heading_rad)
    return f"{FOOT_NAMES[step.foot]} shoe to {place.x_m:.3f} m, {place.y_m:.3f} m, {heading:.0f} degrees"
