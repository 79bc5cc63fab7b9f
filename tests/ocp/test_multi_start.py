"""Of several starts the solution of least cost is kept, and what the others cost is told."""

from types import SimpleNamespace

import pytest

from strut.errors import OutOfRangeError, RefusedError
from strut.ocp.collocation import NotSolvedError
from strut.ocp.interior_point import STOPPED, Iteration
from strut.ocp.multi_start import best_of_starts
from strut.receipt import Reason, ReasonKind

SLIDES = Reason(ReasonKind.LIMIT, None, "it slides")
FALLS = Reason(ReasonKind.LIMIT, None, "it falls")


def of_cost(cost):
    return SimpleNamespace(solution=SimpleNamespace(cost=cost))


def ending(*ends):
    """Return a solver whose starts end as given, one after the other: with a cost or with an error."""

    def solve(number, _tell):
        if isinstance(ends[number], Exception):
            raise ends[number]
        return of_cost(ends[number])

    return solve


@pytest.mark.parametrize("costs", [(2.0, 1.0, 3.0), (1.0, 2.0, 3.0), (3.0, 2.0, 1.0)])
def test_the_cheapest_solution_is_kept_and_all_are_reported(costs):
    best, told = best_of_starts(3, ending(*costs))
    assert best.solution.cost == 1.0
    assert told == tuple(f"start {number} of 3: cost {cost:.4f}" for number, cost in enumerate(costs, 1))
    assert best_of_starts(1, ending(2.0)) == (of_cost(2.0), ())


def test_a_start_that_fails_leaves_those_that_do_not():
    best, told = best_of_starts(2, ending(RefusedError([SLIDES], ""), 1.0))
    assert best.solution.cost == 1.0
    assert told[0].startswith("start 1 of 2 failed: ")


def test_the_last_start_that_fails_is_raised_if_nothing_was_found():
    with pytest.raises(RefusedError, match="it falls"):
        best_of_starts(2, ending(RefusedError([SLIDES], ""), RefusedError([FALLS], "")))


def test_a_stop_in_the_first_start_is_a_stop():
    with pytest.raises(NotSolvedError, match=STOPPED):
        best_of_starts(3, ending(NotSolvedError(STOPPED, "nothing", None), 1.0, 1.0))


def test_a_stop_in_a_later_start_keeps_what_was_found():
    best, told = best_of_starts(3, ending(2.0, NotSolvedError(STOPPED, "nothing", None), 1.0))
    assert best.solution.cost == 2.0
    assert [words.split(":")[0] for words in told] == ["start 1 of 3", "start 2 of 3 failed"]


def test_iterations_say_of_which_start_they_are():
    seen = []

    def solve(_number, tell):
        tell(Iteration(0, 1.0, 0.5))
        return of_cost(1.0)

    best_of_starts(2, solve, seen.append)
    assert [iteration.solve for iteration in seen] == ["start 1 of 2", "start 2 of 2"]
    best_of_starts(1, solve, seen.append)
    assert seen[-1] == Iteration(0, 1.0, 0.5)


@pytest.mark.parametrize("starts", [0, -1, 101])
def test_a_number_of_starts_without_sense_is_refused(starts):
    with pytest.raises(OutOfRangeError, match="choose 1 to 100"):
        best_of_starts(starts, ending())
