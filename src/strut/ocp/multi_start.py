"""Multi-start: the solution of least cost from several initial guesses, against local minima."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Protocol, TypeVar

from strut.errors import OutOfRangeError, RefusedError
from strut.ocp.collocation import NotSolvedError, Solution
from strut.ocp.interior_point import OnIteration

MOST_STARTS = 100


class Solved(Protocol):
    """Anything that holds a solution."""

    @property
    def solution(self) -> Solution:
        """What the solver found."""


Found = TypeVar("Found", bound=Solved)


def best_of_starts(
    starts: int, solve: Callable[[int, OnIteration | None], Found], on_iteration: OnIteration | None = None
) -> tuple[Found, tuple[str, ...]]:
    """Return what has the least cost of several starts, and in words what each start came to.

    `solve` solves from the start of a number, counted from 0, and tells its iterations; `on_iteration` hears of every
    one, and of which start it is. A solver that is stopped in a later start leaves what was found before.
    """
    if not 1 <= starts <= MOST_STARTS:
        raise OutOfRangeError(f"The number of starts is {starts}; choose 1 to {MOST_STARTS}.")
    found = list[Found]()
    told = list[str]()
    for number in range(starts):
        word = f"start {number + 1} of {starts}"
        try:
            found.append(solve(number, label_iterations(on_iteration, word if starts > 1 else "")))
        except (NotSolvedError, RefusedError) as failure:
            last = number + 1 == starts or (isinstance(failure, NotSolvedError) and failure.stopped)
            if last and not found:
                raise
            told.append(f"{word} failed: {failure}")
            if last:
                break
        else:
            told.append(f"{word}: cost {found[-1].solution.cost:.4f}")
    return min(found, key=attrgetter("solution.cost")), tuple(told) if starts > 1 else ()


def label_iterations(on_iteration: OnIteration | None, words: str) -> OnIteration | None:
    """Return what tells iterations together with which solve they are of."""
    return None if on_iteration is None else lambda iteration: on_iteration(replace(iteration, solve=words))
