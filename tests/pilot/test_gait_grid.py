"""A grid of gaits without any worker: which point is tried from where, what is mirrored, and how a store is told."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from strut.models.catalogue import load_robot
from strut.pilot.gait_library import gait_library_build
from strut.pilot.gait_library.gait_library import PeriodicGait
from strut.pilot.gait_library.gait_library_build import (
    FIGURES,
    MAX_ATTEMPTS,
    _Frontier,
    _spread,
    find_gait,
    gait_grid,
    gait_summary,
    judge_gait,
    mirror_record,
)
from strut.pilot.gait_library.gait_library_file import load_gait_library
from strut.pilot.gait_library.gait_store import GaitRecord

CASSIE = load_robot("cassie")
GAIT = PeriodicGait((0.0, 0.0, 0.8), 0.35, [[[0.0]]], [[[0.0]]])


def done(index, start=None, status="ok"):
    return GaitRecord(index, status, "", {}, GAIT, start=start)


def test_a_grid_has_three_axes():
    with pytest.raises(ValueError, match="zip"):
        gait_grid(CASSIE, (2, 3, 4, 5))


def test_another_grid_has_its_numbers_of_values_over_the_same_ranges():
    published = gait_grid(CASSIE)
    other = gait_grid(CASSIE, (2, 3, 4))
    assert other.shape == (2, 3, 4)
    for name in ("forward_m_s", "left_m_s", "height_m"):
        axis = getattr(other, name)
        own = getattr(published, name)
        assert (axis.least, axis.most) == (own.least, own.most)
        assert (axis.values[0], axis.values[-1]) == (own.least, own.most)


@pytest.mark.parametrize("counts", [(3, 5, 2), (2, 4, 3)])
def test_one_side_of_the_mirror_is_solved_and_the_other_is_its_image(counts):
    frontier = _Frontier(gait_grid(CASSIE, counts))
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


def test_neighbours_are_a_step_away_on_the_solved_side_and_those_near_the_middle_come_first():
    frontier = _Frontier(gait_grid(CASSIE, (5, 5, 3)))
    around = frontier._neighbours((1, 3, 1))
    assert set(around[:2]) == {(1, 2, 1), (2, 3, 1)}
    assert set(around[2:]) == {(0, 3, 1), (1, 3, 0), (1, 3, 2), (1, 4, 1)}
    assert set(frontier._neighbours((2, 2, 1))) == {(1, 2, 1), (3, 2, 1), (2, 3, 1), (2, 2, 0), (2, 2, 2)}
    assert set(frontier._neighbours((0, 4, 0))) == {(0, 3, 0), (0, 4, 1), (1, 4, 0)}
    assert frontier._from_middle((2, 2, 1)) == 0.0
    assert frontier._from_middle((0, 4, 1)) == 4.0
    assert _Frontier(gait_grid(CASSIE, (4, 3, 1)))._from_middle((1, 1, 0)) == 0.5


def test_a_record_counts_once_however_often_it_is_taken():
    frontier = _Frontier(gait_grid(CASSIE, (3, 3, 1)))
    for _ in range(2):
        frontier.take(done((1, 1, 0), [1.0]))
    assert (frontier.done, frontier.total) == (1, 9)
    assert (1, 1, 0) not in frontier.open
    frontier.take(done((1, 2, 0), None))  # a mirror image starts nobody
    frontier.take(done((2, 1, 0), [2.0], status="failed"))
    ready = {index: start for index, start, _ in frontier.ready()}
    assert ready == {(0, 1, 0): [1.0], (2, 2, 0): None}  # a corner whose neighbours start nobody is tried from a stand
    assert frontier.done == 3


def test_what_fails_from_every_neighbour_is_tried_from_a_stand_and_no_more():
    frontier = _Frontier(gait_grid(CASSIE, (3, 1, 1)))
    frontier.take(done((1, 0, 0), [1.0]))
    assert [(index, start, number) for index, start, number in frontier.ready()] == [
        ((0, 0, 0), [1.0], 1),
        ((2, 0, 0), [1.0], 1),
    ]
    assert list(frontier.ready()) == []  # both are being tried
    frontier.again((0, 0, 0))
    assert list(frontier.ready()) == [((0, 0, 0), None, MAX_ATTEMPTS)]


def test_points_behind_one_that_failed_wait_for_each_other_until_all_are_tried_from_a_stand():
    frontier = _Frontier(gait_grid(CASSIE, (5, 1, 1)))
    frontier.take(done((0, 0, 0), [1.0]))
    frontier.take(done((1, 0, 0), status="failed"))
    assert list(frontier.ready()) == [((number, 0, 0), None, MAX_ATTEMPTS) for number in (2, 3, 4)]


def test_where_the_middle_fails_the_next_begins_from_a_stand():
    frontier = _Frontier(gait_grid(CASSIE, (3, 1, 1)))
    ((first, _, _),) = frontier.ready()
    frontier.take(done(first, status="failed"))
    assert [(index, number) for index, _, number in frontier.ready()] == [((0, 0, 0), MAX_ATTEMPTS)]  # the next begins
    frontier.take(done((0, 0, 0), [1.0]))
    assert list(frontier.ready()) == [((2, 0, 0), None, MAX_ATTEMPTS)]
    frontier.take(done((2, 0, 0)))
    assert list(frontier.ready()) == []


def test_no_more_neighbours_are_tried_than_leave_a_start_from_a_stand():
    frontier = _Frontier(gait_grid(CASSIE, (3, 3, 3)))
    middle = (1, 1, 1)
    starts = []
    for number, near in enumerate(frontier._neighbours(middle)):
        frontier.take(done(near, [float(number)]))
    for _ in range(MAX_ATTEMPTS):
        ((start, number),) = [(start, number) for index, start, number in frontier.ready() if index == middle]
        starts.append((start, number))
        frontier.again(middle)
    assert starts == [([0.0], 1), ([1.0], 2), ([2.0], 3), (None, MAX_ATTEMPTS)]
    assert MAX_ATTEMPTS == 4


class Farm:
    """Does every task at once, by a function of its own."""

    def __init__(self, work):
        self.work = work
        self.waiting = []
        self.asked = []
        self.ready = None

    def prepare(self, task, robot):
        self.ready = (task, robot)

    def submit(self, key, task, *arguments):
        assert task is find_gait
        self.asked.append((key, arguments))
        self.waiting.append((key, self.work(key, *arguments)))

    def results(self):
        while self.waiting:
            yield self.waiting.pop(0)


class Store:
    """Keeps what is put, pair by pair."""

    def __init__(self):
        self.pairs = []

    def put(self, *records):
        self.pairs.append(records)


def test_a_build_spreads_from_the_middle_and_keeps_gaits_with_their_mirror_images():
    told = []
    store = Store()
    frontier = _Frontier(gait_grid(CASSIE, (1, 3, 1)))

    def work(key, name, fingerprint, parameter, start, mirror):
        assert (name, fingerprint) == ("cassie", CASSIE.fingerprint)
        assert parameter == frontier.parameter(key[0])
        record = GaitRecord((0, 0, 0), "ok", "", {}, GAIT, start=np.array([float(key[0][1])]))
        return (record, replace(record, start=None)) if mirror else (record,)

    farm = Farm(work)
    _spread(farm, frontier, CASSIE, store, lambda record, now, total: told.append((record.index, now, total)))
    assert farm.ready == (gait_library_build.prepare_worker, "cassie")
    assert [(key, arguments[-1]) for key, arguments in farm.asked] == [
        (((0, 1, 0), MAX_ATTEMPTS), False),  # on the middle line a gait is its own image
        (((0, 2, 0), 1), True),
    ]
    assert farm.asked[1][1][-2] == [1.0]
    assert [[record.index for record in pair] for pair in store.pairs] == [[(0, 1, 0)], [(0, 2, 0), (0, 0, 0)]]
    assert told == [((0, 1, 0), 1, 3), ((0, 2, 0), 2, 3), ((0, 0, 0), 3, 3)]


def test_a_gait_that_fails_is_kept_as_failed_after_its_last_start_alone():
    store = Store()
    frontier = _Frontier(gait_grid(CASSIE, (2, 1, 1)))
    tried = []

    def work(key, _name, _fingerprint, _parameter, start, _mirror):
        tried.append((key, start is None))
        works = key[0] == (0, 0, 0)
        return (GaitRecord((0, 0, 0), "ok" if works else "failed", "", {}, GAIT, start=np.ones(1) if works else None),)

    _spread(Farm(work), frontier, CASSIE, store, None)
    assert tried == [(((0, 0, 0), 4), True), (((1, 0, 0), 1), False), (((1, 0, 0), 4), True)]
    assert [(pair[0].index, pair[0].status) for pair in store.pairs] == [((0, 0, 0), "ok"), ((1, 0, 0), "failed")]


def test_the_mirror_image_of_a_gait_that_was_not_found_is_none_either():
    failed = GaitRecord((0, 0, 0), "failed", "stuck.", {"iterations": 3}, None, start=np.ones(2))
    image = mirror_record(failed, CASSIE)
    assert (image.status, image.reason, image.figures, image.start) == ("failed", "stuck.", {"iterations": 3}, None)


def test_records_say_no_place_of_their_own_and_gaits_are_judged_as_the_robots(monkeypatch):
    gait = load_gait_library(CASSIE).lookup(0.4, 0.1, 0.86)
    outcome = SimpleNamespace(iterations=7, status="found", gait=gait, variables=np.arange(3.0))
    program = SimpleNamespace(robot=CASSIE, initial_guess=lambda parameter: None, solve=lambda *_, **__: outcome)
    monkeypatch.setattr(gait_library_build, "_program", lambda _robot: program)
    record, image = find_gait("cassie", CASSIE.fingerprint, (0.4, 0.1, 0.86), None, True)
    assert (record.status, record.index, image.index) == ("ok", (0, 0, 0), (0, 0, 0))
    assert record.gait is gait
    assert image.gait.parameter == pytest.approx((0.4, -0.1, 0.86))
    assert image.start is None
    assert 0.0 <= record.figures["solve_s"] < 0.2
    assert judge_gait(CASSIE, gait, {}).index == (0, 0, 0)
    outcome.gait = None
    (failed,) = find_gait("cassie", CASSIE.fingerprint, (0.4, 0.1, 0.86), None, False)
    assert (failed.index, failed.reason, failed.status) == ((0, 0, 0), "found.", "failed")


def test_a_summary_counts_points_and_tells_medians_worst_figures_and_reasons():
    def record(index, value, status="ok"):
        return GaitRecord(index, status, "too slow." if status != "ok" else "", dict.fromkeys(FIGURES, value), None)

    records = [
        record((0, 0, 0), 1.0),
        record((0, 0, 1), 2.0),
        record((1, 2, 4), 9.0),
        record((1, 0, 0), 99.0, "failed"),
    ]
    store = SimpleNamespace(
        grid=SimpleNamespace(shape=(2, 3, 5)),
        records=lambda: records,
        parameter=lambda index: tuple(0.5 * number for number in index),
    )
    summary = gait_summary(store)
    assert (summary.total, summary.done, summary.found) == (30, 4, 3)
    assert summary.figures["slip_mm"] == (2.0, 9.0)
    assert summary.figures["clearance_mm"] == (2.0, 1.0)  # of which the least is the worst
    assert summary.reasons == ("(0.5, 0, 0): too slow.",)
    assert summary.as_dict()["total"] == 30
    store.records = lambda: records[3:]
    assert gait_summary(store).figures == {}
