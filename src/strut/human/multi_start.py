"""Several starts: the cheapest of gaits that began differently, against local minima."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from strut.engines.interior_point import OUT_OF_TIME, STOPPED, OnIteration
from strut.errors import OutOfRangeError, RefusedError
from strut.human.gait import Gait
from strut.human.gait_options import GaitOptions
from strut.human.initial_guess import GuessOptions
from strut.human.synthesize import NOISE_DURATION, NOISE_RAD, synthesize
from strut.optimal.collocation import NotSolvedError
from strut.robot import Robot

MOST_STARTS = 100


def best_of_starts(starts: int, robot: Robot, *, on_iteration: OnIteration | None = None, **options: Any) -> Gait:
    """Return the gait of least cost from several starts; its attempts tell the cost of each.

    Args:
        starts: How many; the first is that of `synthesize`, the others are drawn steps with noise.
        robot: A human model.
        on_iteration: Called with every iteration, which says of what start it is; may return True to stop.
        options: Others of `synthesize`. A solver that is stopped in a later start leaves what was found before.
    """
    if not 1 <= starts <= MOST_STARTS:
        raise OutOfRangeError(f"The number of starts is {starts}; choose 1 to {MOST_STARTS}.")
    found: list[Gait] = []
    told: list[str] = []
    for number in range(starts):
        begin = {"begin": None, "guess": _noisy(options.get("options"), number)} if number else {}
        tell = _of_start(on_iteration, f"start {number + 1} of {starts}" if starts > 1 else "")
        try:
            found.append(synthesize(robot, on_iteration=tell, **options | begin))
        except (NotSolvedError, RefusedError) as failure:
            stopped = isinstance(failure, NotSolvedError) and failure.status in {STOPPED, OUT_OF_TIME}
            if not found and (stopped or number + 1 == starts):
                raise
            told.append(f"start {number + 1} of {starts} failed: {failure}")
            if stopped:
                break
        else:
            told.append(f"start {number + 1} of {starts}: cost {found[-1].solution.cost:.4f}")
    best = min(found, key=lambda gait: gait.solution.cost)
    return replace(best, attempts=(*best.attempts, *told)) if starts > 1 else best


def _of_start(on_iteration: OnIteration | None, words: str) -> OnIteration | None:
    return None if on_iteration is None else lambda iteration: on_iteration(replace(iteration, solve=words))


def _noisy(options: GaitOptions | None, number: int) -> GuessOptions:
    return GuessOptions(NOISE_RAD, NOISE_DURATION, seed=number, style=options.style if options else None)
