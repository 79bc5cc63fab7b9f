"""Multi-start: solve from several initial guesses and keep the solution with the lowest cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import Protocol, TypeVar

from strut.errors import OutOfRangeError, RefusedError
from strut.ocp.collocation import NotSolvedError, Solution
from strut.ocp.interior_point import OnIteration

MAX_STARTS = 100


class HasSolution(Protocol):
    """Anything that holds a solution."""

    @property
    def solution(self) -> Solution:
        """The solution."""


Found = TypeVar("Found", bound=HasSolution)


def best_of_starts(
    starts: int, solve: Callable[[int, OnIteration | None], Found], on_iteration: OnIteration | None = None
) -> tuple[Found, tuple[str, ...]]:
    """Return the result with the lowest cost of several starts, and one sentence on each start.

    `solve` takes the number of a start, counted from 0, and a callback for its iterations; `on_iteration` is called at
    each of them with the number of the start. If a later start is stopped, the results before it count.
    """
    if not 1 <= starts <= MAX_STARTS:
        raise OutOfRangeError(f"The number of starts is {starts}; choose 1 to {MAX_STARTS}.")
    results = list[Found]()
    sentences = list[str]()
    for number in range(starts):
        label = f"start {number + 1} of {starts}"
        try:
            results.append(solve(number, label_iterations(on_iteration, label if starts > 1 else "")))
        except (NotSolvedError, RefusedError) as failure:
            last = number + 1 == starts or (isinstance(failure, NotSolvedError) and failure.stopped)
            if last and not results:
                raise
            sentences.append(f"{label} failed: {failure}")
            if last:
                break
        else:
            sentences.append(f"{label}: cost {results[-1].solution.cost:.4f}")
    return min(results, key=attrgetter("solution.cost")), tuple(sentences) if starts > 1 else ()


def label_iterations(on_iteration: OnIteration | None, label: str) -> OnIteration | None:
    """Return a callback that adds the label of a solve to its iterations."""
    return None if on_iteration is None else lambda iteration: on_iteration(replace(iteration, solve=label))
