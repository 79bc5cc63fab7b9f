"""Alternatives: what is wrong with a request that not even neutral keeps, in the user's own terms, and what works."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import msgspec

from strut.draft import Attempt, Violation
from strut.errors import BadFootstepsError, ImpossibleStepError, RefusedError, StrutError
from strut.gaits.pattern.single_support import hardest_on_one_leg
from strut.maths.bisection import exponential_search
from strut.pipeline.trials import FINAL, SEARCH, Trials, generator_for
from strut.plumbing.number_text import format_amount
from strut.receipt import LimitName, Reason, ReasonKind
from strut.request import Request

# options of a task or request that may be out of a body's reach: name, unit in thousandths, how finely it is told
OPTIONS = {
    "speed_m_s": ("speed", "mm/s", 20.0),  # of a gait pattern, which is proved in physics at every speed tried
    "turn_rad_s": ("turn", "°/s", 40.0),  # likewise
    "sideways_m_s": ("sideways speed", "mm/s", 20.0),
    "pace": ("speed", "mm/s", 1.0),
    "body_height_m": ("body height", "mm", 1.0),
    "step_length_m": ("step length", "mm", 1.0),
    "step_height_m": ("step height", "mm", 1.0),
    "margin_m": ("balance margin", "mm", 1.0),
}

Passes = Callable[[float], bool]
MOST_TRIES = 6  # of values that work for a while, one below the other, before those that work throughout are searched
SLOWER = (0.85, 0.75, 0.5, 0.35, 0.25)  # shares of its usual speed at which a robot with weak motors is tried


def why_not_even_neutral(trials: Trials, binding_limits: Sequence[Violation]) -> StrutError:
    """Return the error that names what the user asked for and the nearest that works instead."""
    task = trials.request.task
    reason = str(binding_limits[0].reason)
    if getattr(task, "footsteps", ()) and binding_limits[0].limit == LimitName.REACH:
        return BadFootstepsError(f"The footsteps cannot be walked: {reason}; shorten or turn that step less.")
    unsolved = None
    for option, asked, usual in _chosen(trials):
        name, unit, close = OPTIONS[option]
        works = _what_works(trials, option, usual, asked, close)
        blame = ImpossibleStepError(name, asked, reason, usual, works, unit)
        if works is not None:
            return blame
        unsolved = unsolved or blame
    worst_first = sorted(binding_limits, key=lambda violation: -float(violation.broken.mean()))
    broken = [violation.limit for violation in binding_limits]
    still = _not_even_on_one_leg(trials) if LimitName.TORQUE in broken else []
    return unsolved or RefusedError([*still, *(violation.reason for violation in worst_first)], task.advice(broken))


def _not_even_on_one_leg(trials: Trials) -> list[Reason]:
    """Return that a robot's motors do not even let it stand on one leg, if they do not."""
    still = hardest_on_one_leg(trials.robot).sentence if trials.request.task.__struct_config__.tag == "pattern" else ""
    return [Reason(ReasonKind.LIMIT, LimitName.TORQUE, still)] if still else []


def _what_works(trials: Trials, option: str, usual: float, asked: float, close: float) -> float | None:
    """Return the value nearest to the asked one that passes; a robot too weak for its usual speed is tried slower."""
    shares = SLOWER if option == "speed_m_s" and asked > usual else ()
    simulated = trials.request.task.simulated and option != "margin_m"  # others are as hard for a while as throughout
    passes = partial(_passes, trials, option)
    throughout = partial(_passes_throughout, trials, option) if simulated else lambda _thousandths: True
    found = (_nearest(passes, throughout, share * usual, asked, close) for share in (1.0, *shares))
    return next((works for works in found if works is not None), None)


def slower(trials: Trials) -> Iterator[Trials]:
    """Yield the same request at shares of the robot's usual speed that neutral seems to keep, the largest first.

    Nothing where a speed was asked for, where the generator has no usual one, or where none is slow enough.
    """
    usual = getattr(trials.generator, "usual", {}).get("speed_m_s")
    request = trials.request
    if usual is None or getattr(request.task, "speed_m_s", None) is not None:
        return
    for share in SLOWER:
        if _passes(trials, "speed_m_s", share * usual * 1e3):
            task = msgspec.structs.replace(request.task, speed_m_s=share * usual)
            chosen = msgspec.structs.replace(request, task=task)
            yield trials.instead(chosen, generator_for(chosen, trials.robot, trials.on_progress))


def _chosen(trials: Trials) -> Iterator[tuple[str, float, float]]:
    """Yield the options that a user has chosen other than usual: name, what was asked, what is usual [m or m/s].

    None where drafts cost too much to look for what would work.
    """
    for option in OPTIONS if trials.how.coarsely else ():
        asked = _asked(trials, option)
        usual = _usual(trials, option)
        if isinstance(asked, int | float) and usual is not None and asked != usual:
            yield option, asked, usual


def _asked(trials: Trials, option: str) -> object:
    """Return what was asked of an option; nothing of the speed of who shall walk sideways or turn on the spot alone."""
    request = trials.request
    asked = request.margin_m if option == "margin_m" else getattr(request.task, option, None)
    return None if option == "speed_m_s" and asked == 0.0 else asked


def _usual(trials: Trials, option: str) -> float | None:
    """Return what is usual of an option: by the task, the robot's gait table, or the generator."""
    if option == "margin_m":
        return trials.request.task.usual_margin_m
    usual: float | None = getattr(trials.robot.tables.gait, option, None)
    return getattr(trials.generator, "usual", {}).get(option) if usual is None else usual


def _nearest(passes: Passes, throughout: Passes, usual: float, asked: float, close: float) -> float | None:
    """Return, to so many thousandths, the value nearest to the asked one that passes; None if not even usual does.

    It is looked for from the usual one on, at values that what was asked does not change: where some pass beyond others
    that do not, a bisection between usual and asked would find another value for every wish. The last that `passes`,
    for a while, or one of the next below mostly does `throughout`; where none does, what works is searched below these,
    and a larger wish, which begins higher, may find less.
    """
    if not passes(usual * 1e3):
        return None
    inner, step = (math.ceil, -close) if asked < usual else (math.floor, close)
    good = inner(usual * 1e3)
    before = math.ceil(round((asked * 1e3 - good) / step, 6)) - 1  # the last before what was asked

    def nth(judge: Passes, steps: int) -> bool:
        return judge(good + step * steps)

    near = exponential_search(partial(nth, passes), before)
    below = max(near - MOST_TRIES, 0)
    found = next(filter(partial(nth, throughout), range(near, below, -1)), None)
    if found is None and nth(throughout, 0):
        found = exponential_search(partial(nth, throughout), below)
    return None if found is None else (good + step * found) * 1e-3


def _probe(trials: Trials, option: str, thousandths: float) -> Trials:
    """Return trials of the neutral motion with another value of an option, on a task that is as short as tells."""
    options = {option: thousandths * 1e-3}
    margin_m = options.pop("margin_m", trials.request.margin_m)
    request = msgspec.structs.replace(trials.request, task=trials.request.task.probe(**options), margin_m=margin_m)
    return _quietly(trials, request)


def _quietly(trials: Trials, request: Request) -> Trials:
    """Return trials of another request, which tell nothing of their own progress."""
    return replace(trials.instead(request, generator_for(request, trials.robot)), on_progress=None)


def _passes_throughout(trials: Trials, option: str, thousandths: float) -> bool:
    """Return whether the whole neutral motion passes with another value of an option."""
    task = msgspec.structs.replace(trials.request.task, **{option: thousandths * 1e-3})
    whole = _quietly(trials, msgspec.structs.replace(trials.request, task=task))
    return _told(trials, option, thousandths, whole.attempt(0.0, FINAL)).passes


def _passes(trials: Trials, option: str, thousandths: float) -> bool:
    """Return whether the neutral motion passes with another value of an option, for a while."""
    neutral = _probe(trials, option, thousandths)
    searched = neutral.attempt(0.0, SEARCH)
    time_s = searched.draft.time_s
    if searched.passes and time_s[1] - time_s[0] >= 1.5 / neutral.request.rate_hz:  # coarse samples prove nothing
        searched = neutral.attempt(0.0, replace(FINAL, variant=searched.draft.variant))
    return _told(trials, option, thousandths, searched).passes


def _told(trials: Trials, option: str, thousandths: float, found: Attempt) -> Attempt:
    """Return an attempt of which whoever watches was told."""
    name, unit, _ = OPTIONS[option]
    trials.tell(0.0, passed=found.passes, instead=f"a {name} of {format_amount(thousandths * 1e-3, unit)}")
    return found
