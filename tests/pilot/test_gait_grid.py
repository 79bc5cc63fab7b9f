"""The build of a gait library over a stand-in for its workers: mirror images, failures, audits and summaries."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from strut.models.catalogue import load_robot
from strut.pilot.gait_library import gait_library_build
from strut.pilot.gait_library.gait_frontier import MAX_ATTEMPTS
from strut.pilot.gait_library.gait_library import PeriodicGait
from strut.pilot.gait_library.gait_library_build import (
    FIGURES,
    build_gait_library,
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


def test_a_grid_has_three_axes():
    with pytest.raises(ValueError, match="zip"):
        gait_grid(CASSIE, (2, 3, 4, 5))


def test_a_grid_with_other_counts_has_the_same_ranges():
    published = gait_grid(CASSIE)
    other = gait_grid(CASSIE, (2, 3, 4))
    assert other.shape == (2, 3, 4)
    for name in ("forward_m_s", "left_m_s", "height_m"):
        axis = getattr(other, name)
        own = getattr(published, name)
        assert (axis.min, axis.max) == (own.min, own.max)
        assert (axis.values[0], axis.values[-1]) == (own.min, own.max)


class Farm:
    """A task farm that computes every task at once, by a function of the test."""

    def __init__(self, work):
        self.work = work
        self.results_ready = []
        self.submitted = []
        self.prepared = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def prepare(self, task, robot):
        self.prepared = (task, robot)

    def submit(self, key, task, *arguments):
        assert task is find_gait
        self.submitted.append((key, arguments))
        self.results_ready.append((key, self.work(key, *arguments)))

    def results(self):
        while self.results_ready:
            yield self.results_ready.pop(0)


@pytest.fixture
def build(monkeypatch, tmp_path):
    """Return a function that builds a library of Cassie in a farm and returns the farm and the store."""

    def built(work, counts, on_gait=None):
        farm = Farm(work)
        monkeypatch.setattr(gait_library_build, "TaskFarm", lambda **_: farm)
        return farm, build_gait_library(CASSIE, tmp_path / "gaits.db", counts=counts, on_gait=on_gait)

    return built


def test_a_build_starts_in_the_middle_and_stores_gaits_with_their_mirror_images(build):
    reports = []
    grid = gait_grid(CASSIE, (1, 3, 1))

    def work(key, name, fingerprint, parameter, start, mirror):
        assert (name, fingerprint) == ("cassie", CASSIE.fingerprint)
        assert parameter == (grid.forward_m_s.values[0], grid.left_m_s.values[key[0][1]], grid.height_m.values[0])
        record = GaitRecord((0, 0, 0), "ok", "", {}, GAIT, start=np.array([float(key[0][1])]))
        return (record, replace(record, start=None)) if mirror else (record,)

    farm, store = build(work, (1, 3, 1), lambda record, count, total: reports.append((record.index, count, total)))
    assert farm.prepared == (gait_library_build.prepare_worker, "cassie")
    assert [(key, arguments[-1]) for key, arguments in farm.submitted] == [
        (((0, 1, 0), MAX_ATTEMPTS), False),  # a gait on the middle line is its own mirror image
        (((0, 2, 0), 1), True),
    ]
    assert farm.submitted[1][1][-2] == [1.0]
    assert sorted(record.index for record in store.records()) == [(0, 0, 0), (0, 1, 0), (0, 2, 0)]
    assert reports == [((0, 1, 0), 1, 3), ((0, 2, 0), 2, 3), ((0, 0, 0), 3, 3)]


def test_a_gait_is_stored_as_failed_only_after_its_last_attempt(build):
    attempts = []

    def work(key, _name, _fingerprint, _parameter, start, _mirror):
        attempts.append((key, start is None))
        works = key[0] == (0, 0, 0)
        return (GaitRecord((0, 0, 0), "ok" if works else "failed", "", {}, GAIT, start=np.ones(1) if works else None),)

    _, store = build(work, (2, 1, 1))
    assert attempts == [(((0, 0, 0), 4), True), (((1, 0, 0), 1), False), (((1, 0, 0), 4), True)]
    assert sorted((record.index, record.status) for record in store.records()) == [
        ((0, 0, 0), "ok"),
        ((1, 0, 0), "failed"),
    ]


def test_the_mirror_image_of_a_failed_gait_has_failed():
    failed = GaitRecord((0, 0, 0), "failed", "stuck.", {"iterations": 3}, None, start=np.ones(2))
    image = mirror_record(failed, CASSIE)
    assert (image.status, image.reason, image.figures, image.start) == ("failed", "stuck.", {"iterations": 3}, None)


def test_a_computed_gait_is_audited_and_its_index_left_to_the_caller(monkeypatch):
    gait = load_gait_library(CASSIE).lookup(0.4, 0.1, 0.86)
    outcome = SimpleNamespace(iterations=7, status="found", gait=gait, variables=np.arange(3.0))
    program = SimpleNamespace(robot=CASSIE, initial_guess=lambda parameter: None, solve=lambda *_, **__: outcome)
    monkeypatch.setattr(gait_library_build, "load_robot", lambda _name: CASSIE)
    monkeypatch.setattr(gait_library_build, "GaitProgram", lambda _robot: program)
    record, image = find_gait("robot of this test", CASSIE.fingerprint, (0.4, 0.1, 0.86), None, True)
    assert (record.status, record.index, image.index) == ("ok", (0, 0, 0), (0, 0, 0))
    assert record.gait is gait
    assert image.gait.parameter == pytest.approx((0.4, -0.1, 0.86))
    assert image.start is None
    assert 0.0 <= record.figures["solve_s"] < 0.2
    assert judge_gait(CASSIE, gait, {}).index == (0, 0, 0)
    outcome.gait = None
    (failed,) = find_gait("robot of this test", CASSIE.fingerprint, (0.4, 0.1, 0.86), None, False)
    assert (failed.index, failed.reason, failed.status) == ((0, 0, 0), "found.", "failed")


def test_a_summary_has_counts_medians_worst_figures_and_reasons():
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
    assert summary.figures["clearance_mm"] == (2.0, 1.0)  # the smallest is the worst
    assert summary.reasons == ("(0.5, 0, 0): too slow.",)
    assert summary.as_dict()["total"] == 30
    store.records = lambda: records[3:]
    assert gait_summary(store).figures == {}
