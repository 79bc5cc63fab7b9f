"""Step drafts: a walk on footsteps in a style, with the postures of the legs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy.interpolate import PchipInterpolator

from strut.draft import Detail, Draft, Generator, OnProgress, Search, not_made
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import BadFootstepsError, OutOfRangeError, UnreachablePostureError
from strut.expression.expressed_share import expressed_shares, not_expressed
from strut.expression.secondary_motion import SECONDARY_PARAMETERS, Rhythm, SecondaryMotion, secondary_motion
from strut.gaits.footsteps.biped_model import BipedModel, biped_model
from strut.gaits.footsteps.body_path import SolvedStepPlan, lean_of, solve_step_plan, static_margin_m
from strut.gaits.footsteps.foot_poses import standing_place
from strut.gaits.footsteps.footsteps import StepLimits, end_of, first_steps, foot_gap_m, footsteps_to, standing
from strut.gaits.footsteps.leg_angles import MODEL_ORDER
from strut.gaits.footsteps.phases import Phase, PhaseTimes, StepPlan, step_plan
from strut.gaits.footsteps.request import Steps
from strut.gaits.footsteps.table import StepsTable
from strut.maths.easing import smooth_step
from strut.place import FOOT_NAMES, LEFT, RIGHT, Footstep, Place, wrap_angle
from strut.receipt import LimitName
from strut.request import Request
from strut.robot import Robot
from strut.style import Style

UPPER_WORDS = ("trunk_pitch_rad", "head_pitch_rad", "gaze")
# style parameters that a walk of steps expresses
READS = ("tempo", "stride", "lift", "sway", "body_height", *UPPER_WORDS, *SECONDARY_PARAMETERS)
MAX_SAMPLES = 50_000  # about a gigabyte of Jacobians
SEARCH_RATE_HZ = 50.0  # passing drafts are proved at the full rate
SEARCH_USE = 0.98  # share of speed and torque limits allowed in a search: coarse samples miss the tips of peaks
SEARCH_STEPS = 8  # starts, walks, stops: every further step of a line or turn repeats these
START = Place(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class StepGait:
    """The numbers of a walk in steps: limits of a step, heights, phase times, and the sway beyond the soles' middles.

    `upper_rad` are the angles at which joints above the hips are held.
    """

    limits: StepLimits
    step_height_m: float
    body_height_m: float
    times: PhaseTimes
    outward_m: float
    upper_rad: tuple[float, ...] = ()

    def plan(self, steps: Sequence[Footstep], feet: tuple[Place, Place], rate_hz: float) -> StepPlan:
        """Return the plan of a walk from given poses of the feet."""
        height_m = self.step_height_m
        outward_m = self.outward_m
        return step_plan(steps, feet, self.times, step_height_m=height_m, rate_hz=rate_hz, outward_m=outward_m)


@dataclass(frozen=True, eq=False)
class StepDrafts(Generator):
    """Drafts walks of steps.

    Args:
        robot: A biped.
        task: The requested walk.
        rate_hz: Samples per second.
        slower: Factor on the robot's own phase times, instead of pace and tempo; None keeps those.
    """

    search: ClassVar[Search] = Search(coarsely=True, proof_first=True, use=SEARCH_USE)

    robot: Robot
    task: Steps
    rate_hz: float
    slower: float | None = None

    @classmethod
    def of_request(cls, robot: Robot, request: Request, on_progress: OnProgress | None = None) -> Self:  # noqa: ARG003
        """Return the generator for the task of a request."""
        task = request.task
        assert isinstance(task, Steps)
        return cls(robot, task, request.rate_hz)

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:
        """Yield the walk on these steps; if the legs cannot follow it, a draft with the reason."""
        robot = self.robot
        legs = self.legs
        final = detail.level == "final"
        feet = standing(START, legs.separation_m)
        gait = self.gait(style)
        steps = self.task.footsteps or footsteps_to(START, self.task.goals, gait.limits)
        if not final and self.task.footsteps:
            steps = steps[:SEARCH_STEPS]  # a user's list needs no closing step
        elif not final:
            steps = first_steps(steps, SEARCH_STEPS, legs.separation_m)
        rate_hz = self.rate_hz if final else self.search_rate_hz
        duration_s = len(steps) * gait.times.step_s
        if duration_s * rate_hz > MAX_SAMPLES:
            raise OutOfRangeError(
                f"The walk would take {len(steps)} steps and {duration_s:.0f} s; come nearer, step longer or go faster."
            )
        plan = gait.plan(steps, feet, rate_hz)
        try:
            body = self._solve_plan(style, gait, plan)
        except UnreachablePostureError as error:
            yield not_made(robot, style, LimitName.REACH, _out_of_reach(steps, plan, error))
            return
        arrived = self._arrival(steps, gait, body) if final else {}
        replaced = {"tempo": "the fastest pace was asked for"} if self.slower is not None else {}
        shown = style if self.slower is None else replace(style, tempo=1.0 / self.slower)
        yield Draft(
            robot=robot,
            time_s=plan.time_s,
            qpos=body.qpos,
            contact=plan.contact,
            style=style,
            expressed=expressed_shares(robot, style, shown, reads=READS),
            not_expressed=not_expressed(robot, style, replaced, reads=READS),
            **arrived,
        )

    def _solve_plan(self, style: Style, gait: StepGait, plan: StepPlan) -> SolvedStepPlan:
        """Return the plan with its postures, and with the style's secondary motion; raises UnreachablePostureError."""
        height_m = gait.body_height_m
        upper = gait.upper_rad
        secondary = _secondary_motion(self.robot, style, plan, height_m)
        if secondary is None and not any(upper):
            return solve_step_plan(self.legs, plan, height_m, law=self.task.law)
        angles = np.tile(upper, (len(plan.time_s), 1))
        rise = np.zeros(len(plan.time_s))
        if secondary is not None:
            angles = angles + secondary.joint_offsets(self.robot)[:, len(MODEL_ORDER) :]
            rise = secondary.rise
        lean = lean_of(self.robot, angles)
        return solve_step_plan(self.legs, plan, height_m * (1.0 + rise), law=self.task.law, lean=lean)

    def _arrival(self, steps: Sequence[Footstep], gait: StepGait, body: SolvedStepPlan) -> dict[str, Any]:
        """Return the figures for the receipt and the `meta` for the file of a whole walk."""
        goal = self.task.goals[-1] if self.task.goals else end_of(START, steps, self.legs.separation_m)
        error_mm = standing_place(self.robot, body.qpos[-1]).distance_m(goal) * 1e3
        return {"figures": {"task_error_mm": error_mm}, "meta": self._meta(goal, steps, gait, body)}

    @cached_property
    def legs(self) -> BipedModel:
        """The lower body; raises BadFootstepsError if given footsteps overlap or are further apart than legs reach."""
        legs = biped_model(self.robot)
        if self.task.footsteps:
            _check_footsteps(self.robot, legs, self.task)
        return legs

    @property
    def usual_options(self) -> Mapping[str, float]:
        """The robot's own steps and pace."""
        own = self.robot.gait_as(StepsTable)
        return {
            "pace": own.pace,
            "body_height_m": own.body_height_m,
            "step_length_m": own.step_length_m,
            "step_height_m": own.step_height_m,
        }

    def at_pace(self, slower: float | None) -> StepDrafts:
        """Return a generator of the same steps with a factor on the robot's own phase times."""
        return replace(self, slower=slower)

    @property
    def search_rate_hz(self) -> float:
        """A rate with enough samples in the shortest phase, in whole steps of the search rate."""
        return SEARCH_RATE_HZ * max(1.0, round(0.5 / (self.slower or 1.0)))

    def gait(self, style: Style) -> StepGait:
        """Return the robot's gait in a style, with the user's lengths and pace."""
        table = self.robot.gait_as(StepsTable)
        task = self.task
        separation_m = self.legs.separation_m
        moved = self.robot.expression.moved_angles(style)
        length_m = table.step_length_m if task.step_length_m is None else task.step_length_m
        times = PhaseTimes(table.shift_s, table.swing_s, table.settle_s)
        if self.slower is not None:
            times = times.scaled(self.slower)
        else:
            wanted_s = times.step_s
            if not isinstance(task.pace, str):  # a speed in neutral, whose style may be quicker than the gait table
                wanted_s = length_m / task.pace * self.robot.expression.neutral_style().speed
            times = times.scaled(wanted_s / times.step_s / style.tempo)
        if (
            task.law == "mass"
        ):  # the centre of mass does not lead the centre of pressure: it starts and stops as slowly as it shifts
            times = replace(times, settle_s=max(times.settle_s, times.shift_s))
        height_m = table.step_height_m if task.step_height_m is None else task.step_height_m
        body_m = table.body_height_m if task.body_height_m is None else task.body_height_m
        return StepGait(
            limits=StepLimits(length_m * style.stride, table.side_step_m, table.step_turn_rad, separation_m),
            step_height_m=height_m * style.lift,
            body_height_m=body_m * style.body_height,
            times=times,
            outward_m=(style.sway - 1.0) * separation_m / 2.0,
            upper_rad=tuple(moved.get(name, 0.0) for name in self.robot.joint_names[len(MODEL_ORDER) :]),
        )

    def _meta(self, goal: Place, steps: Sequence[Footstep], gait: StepGait, body: SolvedStepPlan) -> dict[str, Any]:
        """Return the description of the walk in a motion file; a closed-loop simulation replans from it."""
        task = self.task
        times = gait.times
        lengths = {name: getattr(task, name) for name in ("step_length_m", "step_height_m", "body_height_m")}
        options = {
            "goal": _triple(goal),
            "via": [_triple(place) for place in task.goals[:-1]],
            "own_steps": bool(task.footsteps),
            **lengths,
            "pace": task.pace,
            "law": task.law,
        }
        walked = {
            **asdict(times),
            "step_length_m": gait.limits.length_m,
            "step_height_m": gait.step_height_m,
            "body_height_m": gait.body_height_m,
            "outward_m": gait.outward_m,
            "upper_rad": list(gait.upper_rad),
            "law": task.law,
            "line_speed_m_s": gait.limits.length_m / times.step_s,
            "static_margin_m": float(static_margin_m(self.robot, body).min()),
        }
        footsteps = [[step.foot, *_triple(step.place)] for step in steps]
        return {"options": options, "footsteps": footsteps, "gait": walked}


def _secondary_motion(robot: Robot, style: Style, plan: StepPlan, height_m: float) -> SecondaryMotion | None:
    """Return the hip heights by bounce, breath and anticipation, and the joints above the hips; None without them."""
    steps_s = [phase.stop_s for phase in plan.phases if phase.kind in ("swing", "foot turn")]
    starts_s = plan.phases[1].start_s
    ends_s = plan.phases[-1].start_s
    if not steps_s or robot.expression.mapping("bounce") is None:
        return None
    beat = PchipInterpolator([0.0, starts_s, *steps_s, plan.time_s[-1] + 1.0], [0, 0, *range(1, len(steps_s) + 2)])
    ramp_s = steps_s[0] - starts_s
    walking = np.minimum(smooth_step((plan.time_s - starts_s) / ramp_s), smooth_step((ends_s - plan.time_s) / ramp_s))
    shown = smooth_step(np.minimum(plan.time_s, plan.time_s[-1] - plan.time_s) / starts_s)
    unit_s = math.sqrt(height_m / GRAVITY_M_S2)
    return secondary_motion(robot, style, Rhythm(plan.time_s, np.asarray(beat(plan.time_s)), walking, shown, unit_s))


def _check_footsteps(robot: Robot, legs: BipedModel, task: Steps) -> None:
    """Raise BadFootstepsError if a step overlaps the other foot, or is further away than the legs reach."""
    height_m = task.body_height_m or robot.gait_as(StepsTable).body_height_m
    span_m = legs.separation_m + 2.0 * math.sqrt(max(0.0, legs.longest_leg_m**2 - height_m**2))
    feet = list(standing(START, legs.separation_m))
    for number, step in enumerate(task.footsteps, start=1):
        feet[step.foot] = step.place
        apart_m = feet[RIGHT].distance_m(feet[LEFT])
        if apart_m > span_m:
            raise BadFootstepsError(
                f"Step {number} ({describe_step(step)}) would put the feet {apart_m * 1e3:.0f} mm apart; at a body "
                f"height of {height_m * 1e3:.0f} mm the legs span at most {span_m * 1e3:.0f} mm."
            )
        gap_m = foot_gap_m(robot, feet[RIGHT], feet[LEFT])
        if gap_m <= 0.0:
            other = FOOT_NAMES[1 - step.foot]
            raise BadFootstepsError(
                f"Step {number} ({describe_step(step)}) would put the foot {-gap_m * 1e3:.0f} mm onto the {other} one; "
                "move it away."
            )


def _out_of_reach(steps: Sequence[Footstep], plan: StepPlan, error: UnreachablePostureError) -> str:
    """Describe an unreachable target with its step."""
    time_s = float(plan.time_s[error.sample])
    number = step_at(plan.phases, time_s)
    where = f"in step {number} ({describe_step(steps[number - 1])})" if steps else "standing"
    return f"{error} {where} at {time_s:.2f} s"


def step_at(phases: Sequence[Phase], time_s: float) -> int:
    """Return the number of the present step, from 1; the shift before a step belongs to it, the end to the last one."""
    swings = [phase for phase in phases if phase.kind in ("swing", "foot turn")]
    return 1 + min(sum(phase.stop_s < time_s for phase in swings), len(swings) - 1)


def describe_step(step: Footstep) -> str:
    """Return a step in words."""
    place = step.place
    heading = math.degrees(place.heading_rad)
    return f"{FOOT_NAMES[step.foot]} foot to {place.x_m:.3f} m, {place.y_m:.3f} m, {heading:.0f} degrees"


def _triple(place: Place) -> list[float]:
    return [place.x_m, place.y_m, wrap_angle(place.heading_rad)]
