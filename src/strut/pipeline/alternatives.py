"""Alternatives: what is wrong with a request that not even neutral keeps, in the user's own terms, and what works."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from strut.audit import DEFAULT_MARGIN_M
from strut.bisection import bisect
from strut.draft import Shortfall
from strut.errors import BadFootstepsError, ImpossibleStepError, OutOfRangeError, RefusedError, StrutError
from strut.kinematics.biped_model import two_legs
from strut.pipeline.trials import FINAL, SEARCH, Trials, generator_for
from strut.place import Place
from strut.request import Crawl, HandTask, HumanGait, OwnTask, Steps, Task

_NEUTRAL_CYCLES = 3  # starts, walks, stops: there is no pose to fade
_PROBE_STEPS = 4
_LENGTHS = {"step_length_m": "step length", "step_height_m": "step height", "margin_m": "balance margin"}


def why_not_even_neutral(trials: Trials, stopped_by: Sequence[Shortfall]) -> StrutError:
    """Return the error that names what the user asked for and the nearest that works instead."""
    task, reason, found = trials.request.task, stopped_by[0].sentence, None
    if isinstance(task, Steps):
        if task.footsteps and stopped_by[0].limit == "reach":
            return BadFootstepsError(f"The footsteps cannot be walked: {reason}; shorten or turn that step less.")
        found = _slower(trials, task, reason) or _other_height(trials, task, reason)
    if isinstance(task, Crawl | Steps):
        found = found or _other_length(trials, reason)
    return found or RefusedError([shortfall.sentence for shortfall in stopped_by], _advice(task, stopped_by))


def _advice(task: Task, stopped_by: Sequence[Shortfall]) -> str:
    """Return what to do where no single option is to blame."""
    if isinstance(task, HumanGait):
        return "Ask for less intensity."
    if isinstance(task, HandTask):
        return _hand_advice(task, stopped_by)
    return f"Not even {'neutral' if isinstance(task, OwnTask) else 'the neutral walk'} keeps its limits."


def _hand_advice(task: HandTask, stopped_by: Sequence[Shortfall]) -> str:
    """Return what to do if nothing can be performed at all."""
    neutral = "Not even the neutral performance keeps its limits"
    if task.target_m is not None:
        return f"{neutral}; choose a target in front of it."
    if any(shortfall.limit in ("platform", "joint speed", "torque") for shortfall in stopped_by):
        return f"{neutral}; give it more time with --duration, or move the user in front of the robot."
    return f"{neutral}."


def _with(trials: Trials, **options: Any) -> Trials:
    """Return the trials of the same request in neutral with other options of its task, or another margin."""
    margin = {name: options.pop(name) for name in ("margin_m",) if name in options}
    task = msgspec.structs.replace(trials.request.task, **options)
    request = msgspec.structs.replace(trials.request, task=task, **margin)
    return replace(trials, request=request, generator=generator_for(request, trials.robot), on_progress=None)


def _passes(trials: Trials, **options: Any) -> bool:
    """Return whether the neutral walk passes with other options, on its first cycles or steps."""
    task = trials.request.task
    if isinstance(task, Steps):
        return _with(trials, **options).attempt(0.0, SEARCH).passes
    assert isinstance(task, Crawl)
    short = _with(trials, cycles=min(task.cycles, _NEUTRAL_CYCLES), **options)
    searched = short.attempt(0.0, SEARCH)
    return searched.passes and short.attempt(0.0, replace(FINAL, variant=searched.draft.variant)).passes


def _other_length(trials: Trials, reason: str) -> StrutError | None:
    """Return that a step length, step height or margin is impossible, if one was chosen, and the nearest that works."""
    task, gait = trials.request.task, trials.robot.gait
    for name, what in _LENGTHS.items():
        asked_m = getattr(trials.request if name == "margin_m" else task, name)
        usual_m = DEFAULT_MARGIN_M if name == "margin_m" else getattr(gait, name)
        if asked_m is None or asked_m == usual_m:
            continue

        def passes(value_mm: float, name: str = name) -> bool:
            options: dict[str, Any] = {name: value_mm * 1e-3}
            if name == "step_length_m" and isinstance(
                task, Steps
            ):  # a goal may be reached in shorter steps than allowed
                options |= {"goals": (Place(_PROBE_STEPS * value_mm * 1e-3, 0.0),), "footsteps": ()}
            return _passes(trials, **options)

        works_mm = _nearest_mm(passes, usual_m, asked_m)
        return ImpossibleStepError(what, asked_m, reason, usual_m, None if works_mm is None else works_mm * 1e-3)
    return None


def _nearest_mm(passes: Callable[[float], bool], usual_m: float, asked_m: float) -> float | None:
    """Return, to a millimetre, the value nearest to the asked one that passes; None if not even the usual one does."""
    if not passes(usual_m * 1e3):
        return None
    down = asked_m < usual_m
    inner, outer = (math.ceil, math.floor) if down else (math.floor, math.ceil)
    return bisect(passes, inner(usual_m * 1e3), outer(asked_m * 1e3), close=1.0, scale="whole")[0]


def _slower(trials: Trials, task: Steps, reason: str) -> StrutError | None:
    """Return that a speed is impossible, if one was chosen, and the fastest that works, if the robot's own does."""
    if isinstance(task.pace, str):
        return None

    def passes(pace_mm_s: float) -> bool:
        return _passes(trials, pace=pace_mm_s * 1e-3)

    table = trials.robot.step_gait
    length_m = table.step_length_m if task.step_length_m is None else task.step_length_m
    own_mm_s = math.floor(length_m / (table.shift_s + table.swing_s) * 1e3)
    if own_mm_s < 1 or own_mm_s >= task.pace * 1e3 or not passes(own_mm_s):
        return None
    works_mm_s, _ = bisect(passes, own_mm_s, math.ceil(task.pace * 1e3), close=1.0, scale="whole")
    return OutOfRangeError(
        f"A speed of {task.pace * 1e3:.0f} mm/s is impossible ({reason}); "
        f"the fastest that works is {works_mm_s:.0f} mm/s."
    )


def _other_height(trials: Trials, task: Steps, reason: str) -> StrutError | None:
    """Return that a body height is impossible, if one was chosen, and the range of those that work."""
    if task.body_height_m is None:
        return None

    def passes(height_mm: float) -> bool:
        return _passes(trials, body_height_m=height_mm * 1e-3)

    usual_mm = math.floor(trials.robot.step_gait.body_height_m * 1e3)
    longest_mm = math.ceil(two_legs(trials.robot).longest_leg_m * 1e3) + 1
    if not passes(usual_mm):
        return None
    lowest, highest = (bisect(passes, usual_mm, end, close=1.0, scale="whole")[0] for end in (0, longest_mm))
    if lowest <= task.body_height_m * 1e3 <= highest:
        return None
    return OutOfRangeError(
        f"A body height of {task.body_height_m * 1e3:.0f} mm is impossible ({reason}); "
        f"with these steps {lowest:.0f} to {highest:.0f} mm work."
    )
