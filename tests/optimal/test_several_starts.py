"""Of several starts the cheapest gait is kept, and what the others cost is told."""

import pytest

from strut.engines.nonlinear_program import STOPPED
from strut.errors import OutOfRangeError
from strut.optimal.several_starts import cheapest
from strut.optimal.solve import NotSolvedError
from strut.robots.catalogue import load_robot


def test_a_stop_in_the_first_start_is_a_stop():
    seen = []

    def watch(iteration):
        seen.append(iteration)
        return True

    with pytest.raises(NotSolvedError) as error:
        cheapest(3, load_robot("heiman"), speed_m_s=1.3, on_iteration=watch)
    assert (error.value.status, len(seen)) == (STOPPED, 1)


@pytest.mark.parametrize("starts", [0, -1, 101])
def test_a_number_of_starts_without_sense_is_refused(starts):
    with pytest.raises(OutOfRangeError, match="choose 1 to 100"):
        cheapest(starts, load_robot("heiman"))


def test_a_stop_in_a_later_start_keeps_what_was_found():
    numbers = []

    def watch(iteration):
        numbers.append(iteration.number)
        return numbers.count(0) == 2  # the second start

    gait = cheapest(2, load_robot("heiman"), speed_m_s=1.3, on_iteration=watch)
    assert gait.receipt().verdict == "ok"
    assert [words.split(":")[0] for words in gait.attempts[-2:]] == ["start 1 of 2", "start 2 of 2 failed"]
