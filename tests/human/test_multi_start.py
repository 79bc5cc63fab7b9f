"""Of several starts the cheapest gait is kept, and what the others cost is told."""

from dataclasses import replace

import pytest

from strut.engines.interior_point import STOPPED, Iteration
from strut.errors import OutOfRangeError, RefusedError
from strut.human import multi_start
from strut.human.multi_start import best_of_starts
from strut.human.synthesize import synthesize
from strut.optimal.collocation import NotSolvedError


def starts_that_end(monkeypatch, *ends):
    """Let starts end as given, one after the other, and return the options of each: gaits or errors."""
    asked, left = [], list(ends)

    def start(_robot, **options):
        asked.append(options)
        end = left.pop(0)
        if isinstance(end, Exception):
            raise end
        return end(**options) if callable(end) else end

    monkeypatch.setattr(multi_start, "synthesize", start)
    return asked


def of_cost(gait, cost):
    return replace(gait, solution=replace(gait.solution, cost=cost), attempts=(f"found at {cost:g}",))


@pytest.mark.parametrize("costs", [(2.0, 1.0, 3.0), (1.0, 2.0, 3.0), (3.0, 2.0, 1.0)])
def test_the_cheapest_is_kept_and_all_are_told(gait, heiman, monkeypatch, costs):
    asked = starts_that_end(monkeypatch, *(of_cost(gait, cost) for cost in costs))
    best = best_of_starts(3, heiman, speed_m_s=1.3)
    assert best.solution.cost == 1.0
    told = [f"start {number} of 3: cost {cost:.4f}" for number, cost in enumerate(costs, 1)]
    assert best.attempts == ("found at 1", *told)
    assert [options.get("guess") and options["guess"].seed for options in asked] == [None, 1, 2]


def test_a_start_that_fails_leaves_those_that_do_not(gait, heiman, monkeypatch):
    starts_that_end(monkeypatch, RefusedError(["it slides"], ""), of_cost(gait, 1.0))
    assert best_of_starts(2, heiman).attempts[1].startswith("start 1 of 2 failed: ")


def test_a_stop_in_the_first_start_is_a_stop(heiman):
    seen = []

    def watch(iteration):
        seen.append(iteration)
        return True

    with pytest.raises(NotSolvedError) as error:
        best_of_starts(3, heiman, speed_m_s=1.3, on_iteration=watch)
    assert (error.value.status, len(seen)) == (STOPPED, 1)


def test_iterations_say_of_which_start_they_are(gait, heiman, monkeypatch):
    seen = []

    def iterates(on_iteration, **_options):
        on_iteration(Iteration(0, 1.0, 0.5))
        return gait

    starts_that_end(monkeypatch, iterates, iterates)
    best_of_starts(2, heiman, on_iteration=seen.append)
    assert [iteration.solve for iteration in seen] == ["start 1 of 2", "start 2 of 2"]
    starts_that_end(monkeypatch, iterates)
    best_of_starts(1, heiman, on_iteration=seen.append)
    assert seen[-1] == Iteration(0, 1.0, 0.5)


@pytest.mark.parametrize("starts", [0, -1, 101])
def test_a_number_of_starts_without_sense_is_refused(heiman, starts):
    with pytest.raises(OutOfRangeError, match="choose 1 to 100"):
        best_of_starts(starts, heiman)


def test_a_stop_in_a_later_start_keeps_what_was_found(gait, heiman, monkeypatch):
    starts_that_end(monkeypatch, gait, lambda **options: synthesize(heiman, **options))
    found = best_of_starts(3, heiman, speed_m_s=1.3, on_iteration=lambda _iteration: True)
    assert found.receipt().verdict == "ok"
    assert [words.split(":")[0] for words in found.attempts[-2:]] == ["start 1 of 3", "start 2 of 3 failed"]
