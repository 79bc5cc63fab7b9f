"""Step refusal: what is wrong with a wish for a walk of steps, in the user's own terms, and what works instead."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from strut.errors import BadFootstepsError, BadTableError, ImpossibleStepError, OutOfRangeError, RefusedError
from strut.generators.footsteps import shoe_gap_m, standing
from strut.kinematics.biped_model import two_legs
from strut.pipeline.pace import SEARCH_RATE_HZ, SEARCH_STEPS
from strut.pipeline.step_candidate import StepRequest, described, step_attempt
from strut.place import FOOT_NAMES, LEFT, RIGHT, Place
from strut.verify.audit import Shortfall

_PROBE_STEPS = 4


def checked_request(request: StepRequest) -> StepRequest:
    """Return the request if its numbers make sense at all; raises a StrutError otherwise."""
    robot = request.robot
    if robot.table("gait").get("kind") != "steps":
        raise BadTableError(f"{robot.name} does not walk in steps to a goal; its gait.toml says so.")
    if not request.goals and not request.steps:
        raise OutOfRangeError("There is neither a goal nor a list of steps; say where to go.")
    if not math.isfinite(request.rate_hz) or not 20.0 <= request.rate_hz <= 1000.0:
        raise OutOfRangeError(f"The rate is {request.rate_hz:g} samples per second; choose 20 to 1000.")
    if not isinstance(request.pace, str) and not (math.isfinite(request.pace) and request.pace > 0.0):
        raise OutOfRangeError(f"The speed is {request.pace:g} m/s; it must be a number above 0.")
    if not (math.isfinite(request.margin_m) and request.margin_m >= 0.0):
        raise OutOfRangeError(f"The balance margin is {request.margin_m:g} m; it must be a number of at least 0.")
    for name in ("step_length_m", "step_height_m", "body_height_m"):
        length_m = getattr(request, name)
        if length_m is not None and not (math.isfinite(length_m) and length_m > 0.0):
            words = name[:-2].replace("_", " ")
            raise OutOfRangeError(f"The {words} is {length_m:g} m; it must be a number above 0.")
    if request.step_length_m is not None and request.step_length_m < 0.002:
        raise OutOfRangeError(f"Steps of {request.step_length_m * 1e3:g} mm never arrive; choose at least 2 mm.")
    _check_shoes(request)
    return request


def _check_shoes(request: StepRequest) -> None:
    """Raise if one of the user's own steps would put a shoe onto the other, or further away than legs can span."""
    legs = two_legs(request.robot)
    height_m = request.body_height_m or request.robot.table("gait")["body_height_m"]
    span_m = legs.separation_m + 2.0 * math.sqrt(max(0.0, legs.longest_leg_m**2 - height_m**2))
    shoes = list(standing(Place(0.0, 0.0), legs.separation_m))
    for number, step in enumerate(request.steps, start=1):
        shoes[step.foot] = step.place
        apart_m = shoes[RIGHT].distance_m(shoes[LEFT])
        if apart_m > span_m:
            raise BadFootstepsError(
                f"Step {number} ({described(step)}) would put the shoes {apart_m * 1e3:.0f} mm apart; at a body height "
                f"of {height_m * 1e3:.0f} mm the legs span at most {span_m * 1e3:.0f} mm."
            )
        gap_m = shoe_gap_m(request.robot, shoes[RIGHT], shoes[LEFT])
        if gap_m <= 0.0:
            other = FOOT_NAMES[1 - step.foot]
            raise BadFootstepsError(
                f"Step {number} ({described(step)}) would put the shoe {-gap_m * 1e3:.0f} mm onto the {other} one; "
                "move it away."
            )


def why_not_even_neutral(request: StepRequest, stopped_by: Sequence[Shortfall]) -> Exception:
    """Return the error that names what the user asked for and the largest that works instead."""
    reason = stopped_by[0].sentence
    if request.steps and stopped_by[0].limit == "reach":
        return BadFootstepsError(f"The footsteps cannot be walked: {reason}; shorten or turn that step less.")
    gait = request.robot.table("gait")
    if not isinstance(request.pace, str):
        works_m_s = _fastest_that_works(request, request.pace)
        if works_m_s is not None:
            return OutOfRangeError(
                f"A speed of {request.pace * 1e3:.0f} mm/s is impossible ({reason}); "
                f"the fastest that works is {works_m_s * 1e3:.0f} mm/s."
            )
    if request.body_height_m is not None:
        height = _height_range(request, gait["body_height_m"])
        if height is not None and not height[0] <= request.body_height_m <= height[1]:
            return OutOfRangeError(
                f"A body height of {request.body_height_m * 1e3:.0f} mm is impossible ({reason}); "
                f"with these steps {height[0] * 1e3:.0f} to {height[1] * 1e3:.0f} mm work."
            )
    asked = {
        "step length": (request.step_length_m, gait["step_length_m"], "step_length_m"),
        "step height": (request.step_height_m, gait["step_height_m"], "step_height_m"),
        "balance margin": (request.margin_m, 0.010, "margin_m"),
    }
    for what, (value_m, usual_m, name) in asked.items():
        if value_m is not None and value_m > usual_m:
            works_m = _largest_that_works(request, name, usual_m, value_m)
            return ImpossibleStepError(what, value_m, reason, usual_m, works_m)
    return RefusedError([shortfall.sentence for shortfall in stopped_by], "Not even the neutral walk keeps its limits.")


def _passes(request: StepRequest) -> bool:
    return step_attempt(request, 0.0, rate_hz=SEARCH_RATE_HZ, most_steps=_PROBE_STEPS).passes


def _fastest_that_works(request: StepRequest, asked_m_s: float) -> float | None:
    """Return, to a millimetre per second, the fastest pace with which the neutral walk passes, if its own does."""

    def passes(pace_m_s: float) -> bool:
        changed = replace(request, pace=pace_m_s)
        return step_attempt(changed, 0.0, rate_hz=request.rate_hz, most_steps=SEARCH_STEPS).passes

    times = request.robot.table("gait")
    length_m = times["step_length_m"] if request.step_length_m is None else request.step_length_m
    own_mm_s = math.floor(length_m / (times["shift_s"] + times["swing_s"]) * 1e3)
    if own_mm_s < 1 or own_mm_s >= asked_m_s * 1e3 or not passes(own_mm_s * 1e-3):
        return None
    return _last_good_mm(passes, own_mm_s, math.ceil(asked_m_s * 1e3)) * 1e-3


def _largest_that_works(request: StepRequest, name: str, usual_m: float, asked_m: float) -> float | None:
    """Return, to a millimetre, the largest value of an option with which the neutral walk passes."""

    def passes(value_m: float) -> bool:
        changed = replace(request, **{name: value_m})  # type: ignore[arg-type]
        if name == "step_length_m":  # a goal may be reached in steps shorter than allowed, so probe one that is not
            changed = replace(changed, goals=(Place(_PROBE_STEPS * value_m, 0.0),), steps=())
        return _passes(changed)

    if not passes(usual_m):
        return None
    return _last_good_mm(passes, math.floor(usual_m * 1e3), math.ceil(asked_m * 1e3)) * 1e-3


def _height_range(request: StepRequest, usual_m: float) -> tuple[float, float] | None:
    """Return the lowest and the highest body height, to a millimetre, with which the neutral walk passes."""

    def passes(value_m: float) -> bool:
        return _passes(replace(request, body_height_m=value_m))

    if not passes(usual_m):
        return None
    usual_mm, longest_mm = math.floor(usual_m * 1e3), math.ceil(two_legs(request.robot).longest_leg_m * 1e3) + 1
    return _last_good_mm(passes, usual_mm, 0) * 1e-3, _last_good_mm(passes, usual_mm, longest_mm) * 1e-3


def _last_good_mm(passes: Callable[[float], bool], good_mm: int, bad_mm: int) -> int:
    """Return the last whole millimetre on the way from a good to a bad one that still passes."""
    while abs(bad_mm - good_mm) > 1:
        middle_mm = (good_mm + bad_mm) // 2
        good_mm, bad_mm = (middle_mm, bad_mm) if passes(middle_mm * 1e-3) else (good_mm, middle_mm)
    return good_mm
