"""The frontier of a grid of gaits: which points are computed next, from which initial guess, and how often."""

import numpy as np
import pytest

from strut.models.catalogue import load_robot
from strut.pilot.gait_library.gait_frontier import MAX_ATTEMPTS, GaitFrontier
from strut.pilot.gait_library.gait_library import PeriodicGait
from strut.pilot.gait_library.gait_library_build import gait_grid
from strut.pilot.gait_library.gait_store import GaitRecord

CASSIE = load_robot("cassie")
GAIT = PeriodicGait((0.0, 0.0, 0.8), 0.35, [[[0.0]]], [[[0.0]]])


def done(index, start=None, status="ok"):
    return GaitRecord(index, status, "", {}, GAIT, start=start)


@pytest.mark.parametrize("counts", [(3, 5, 2), (2, 4, 3)])
def test_one_side_of_the_mirror_is_solved_and_the_other_is_its_image(counts):
    frontier = GaitFrontier(gait_grid(CASSIE, counts))
    grid = gait_grid(CASSIE, counts)
    assert frontier.total == np.prod(counts)
    covered = set()
    for index in frontier.open:
        image = frontier.mirrored(index)
        assert frontier.mirrored(image) == index
        covered |= {index, image}
        here = frontier.parameter(index)
        there = frontier.parameter(image)
        assert there == pytest.approx((here[0], -here[1], here[2]))
        assert here[1] >= -1e-12  # to the left
        assert here[0] == grid.forward_m_s.values[index[0]]
        assert here[2] == grid.height_m.values[index[2]]
    assert len(covered) == frontier.total


def test_neighbours_are_one_step_away_on_the_solved_side_nearest_to_the_middle_first():
    frontier = GaitFrontier(gait_grid(CASSIE, (5, 5, 3)))
    around = frontier.neighbours((1, 3, 1))
    assert set(around[:2]) == {(1, 2, 1), (2, 3, 1)}
    assert set(around[2:]) == {(0, 3, 1), (1, 3, 0), (1, 3, 2), (1, 4, 1)}
    assert set(frontier.neighbours((2, 2, 1))) == {(1, 2, 1), (3, 2, 1), (2, 3, 1), (2, 2, 0), (2, 2, 2)}
    assert set(frontier.neighbours((0, 4, 0))) == {(0, 3, 0), (0, 4, 1), (1, 4, 0)}
    assert frontier.distance_from_middle((2, 2, 1)) == 0.0
    assert frontier.distance_from_middle((0, 4, 1)) == 4.0
    assert GaitFrontier(gait_grid(CASSIE, (4, 3, 1))).distance_from_middle((1, 1, 0)) == 0.5


def test_a_record_taken_twice_counts_once():
    frontier = GaitFrontier(gait_grid(CASSIE, (3, 3, 1)))
    for _ in range(2):
        frontier.take(done((1, 1, 0), [1.0]))
    assert (frontier.done, frontier.total) == (1, 9)
    assert (1, 1, 0) not in frontier.open
    frontier.take(done((1, 2, 0), None))  # a mirror image is no initial guess
    frontier.take(done((2, 1, 0), [2.0], status="failed"))
    ready = {index: start for index, start, _ in frontier.ready()}
    assert ready == {(0, 1, 0): [1.0], (2, 2, 0): None}  # no neighbour of the corner gives an initial guess
    assert frontier.done == 3


def test_a_point_that_fails_from_every_neighbour_is_tried_from_a_stand_at_last():
    frontier = GaitFrontier(gait_grid(CASSIE, (3, 1, 1)))
    frontier.take(done((1, 0, 0), [1.0]))
    assert [(index, start, number) for index, start, number in frontier.ready()] == [
        ((0, 0, 0), [1.0], 1),
        ((2, 0, 0), [1.0], 1),
    ]
    assert list(frontier.ready()) == []  # both are running
    frontier.again((0, 0, 0))
    assert list(frontier.ready()) == [((0, 0, 0), None, MAX_ATTEMPTS)]


def test_points_beyond_a_failed_one_are_tried_from_a_stand():
    frontier = GaitFrontier(gait_grid(CASSIE, (5, 1, 1)))
    frontier.take(done((0, 0, 0), [1.0]))
    frontier.take(done((1, 0, 0), status="failed"))
    assert list(frontier.ready()) == [((number, 0, 0), None, MAX_ATTEMPTS) for number in (2, 3, 4)]


def test_if_the_middle_fails_the_next_point_is_tried_from_a_stand():
    frontier = GaitFrontier(gait_grid(CASSIE, (3, 1, 1)))
    ((first, _, _),) = frontier.ready()
    frontier.take(done(first, status="failed"))
    assert [(index, number) for index, _, number in frontier.ready()] == [((0, 0, 0), MAX_ATTEMPTS)]  # the next begins
    frontier.take(done((0, 0, 0), [1.0]))
    assert list(frontier.ready()) == [((2, 0, 0), None, MAX_ATTEMPTS)]
    frontier.take(done((2, 0, 0)))
    assert list(frontier.ready()) == []


def test_the_last_attempt_is_from_a_stand_even_with_many_neighbours():
    frontier = GaitFrontier(gait_grid(CASSIE, (3, 3, 3)))
    middle = (1, 1, 1)
    starts = []
    for number, neighbour in enumerate(frontier.neighbours(middle)):
        frontier.take(done(neighbour, [float(number)]))
    for _ in range(MAX_ATTEMPTS):
        ((start, number),) = [(start, number) for index, start, number in frontier.ready() if index == middle]
        starts.append((start, number))
        frontier.again(middle)
    assert starts == [([0.0], 1), ([1.0], 2), ([2.0], 3), (None, MAX_ATTEMPTS)]
    assert MAX_ATTEMPTS == 4


def test_computation_spreads_from_the_middle_and_failed_points_wait_for_new_neighbours():
    grid = gait_grid(CASSIE, (3, 3, 1))
    frontier = GaitFrontier(grid)
    ((first, start, attempt),) = frontier.ready()
    assert (first, start) == ((1, 1, 0), None)
    assert attempt == MAX_ATTEMPTS  # from a stand: the last attempt
    frontier.take(done(first, [1.0]))
    ready = {index: (begun, number) for index, begun, number in frontier.ready()}
    assert set(ready) == {(0, 1, 0), (2, 1, 0), (1, 2, 0)}  # gaits to the right are mirror images
    assert all(begun == [1.0] and number == 1 for begun, number in ready.values())
    frontier.again((0, 1, 0))
    assert not list(frontier.ready())  # its other neighbours are not done
    for index in ((2, 1, 0), (1, 2, 0)):
        frontier.take(done(index, [2.0]))
    again = {index: begun for index, begun, _ in frontier.ready()}
    assert again == {(0, 2, 0): [2.0], (2, 2, 0): [2.0]}
    frontier.take(done((0, 2, 0), [3.0]))
    assert list(frontier.ready()) == [((0, 1, 0), [3.0], 2)]  # tried from its new neighbour
