"""Gait trials: which gaits are tried, and how what came of a walk is told, without walking."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from strut.pilot.gait_library import gait_evaluation, gait_library_build
from strut.pilot.gait_library.gait_evaluation import evaluate_gait, evaluate_gaits
from strut.pilot.gait_library.gait_store import GaitRecord


class Farm:
    """Answers every task with its own number."""

    def __init__(self, **options):
        self.options = options
        self.tasks = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def submit(self, key, work, *arguments):
        self.tasks.append((key, work, arguments))

    def results(self):
        return iter([(key, {"held": True}) for key, *_ in self.tasks])


class Store:
    """Four gaits: two to try, one tried, one failed."""

    def __init__(self):
        self.put_records = []
        self.stored = [
            GaitRecord((0, 0, 0), "ok", "", {}, None),
            GaitRecord((0, 0, 1), "ok", "", {"walked_by_pendulum": {}}, None),
            GaitRecord((0, 1, 0), "failed", "", {}, None),
            GaitRecord((0, 1, 1), "ok", "", {"iterations": 3}, None),
        ]

    def records(self):
        return self.stored

    def library(self):
        return "library"

    def parameter(self, index):
        return (*index[:2], 0.8)

    def put(self, record):
        self.put_records.append(record)


@pytest.mark.parametrize(("walker", "library", "indices"), [
    ("pendulum", None, [(0, 0, 0), (0, 1, 1)]),
    ("library", "library", [(0, 0, 0), (0, 0, 1), (0, 1, 1)]),
])  # fmt: skip
def test_feasible_gaits_without_a_result_are_walked_and_stored(monkeypatch, walker, library, indices):
    store = Store()
    told = []
    farms = []
    monkeypatch.setattr(gait_evaluation, "TaskFarm", lambda **options: farms.append(Farm(**options)) or farms[-1])
    heard = lambda record, count, total: told.append((record.index, count, total))  # noqa: E731
    evaluate_gaits(store, SimpleNamespace(name="cassie"), walker=walker, workers=3, on_gait=heard)
    (farm,) = farms
    assert farm.options == {"workers": 3, "scheduler": None}
    assert [key for key, *_ in farm.tasks] == indices
    assert farm.tasks[0][1:] == (evaluate_gait, ("cassie", (0, 0, 0.8), library))
    first = 3 - len(indices) + 1
    assert told == [(index, first + k, 3) for k, index in enumerate(indices)]
    assert all(record.figures[f"walked_by_{walker}"] == {"held": True} for record in store.put_records)
    assert store.put_records[-1].figures.get("iterations") == 3


def test_without_open_gaits_no_farm_is_started(monkeypatch):
    store = Store()
    store.stored = store.stored[1:3]
    monkeypatch.setattr(gait_evaluation, "TaskFarm", None)
    evaluate_gaits(store, SimpleNamespace(name="cassie"))
    assert store.put_records == []


def run_of(*, fell=False, finished=True, lasts_s=14.0, speed=(0.5, -0.1)):
    time_s = np.arange(0.0, lasts_s, 0.01)
    qpos = np.outer(time_s, [*speed, 0.0])
    begun = [SimpleNamespace(phase="stand", at_s=0.0), SimpleNamespace(phase="walk", at_s=1.5)]
    outcome = SimpleNamespace(fell=fell, finished=finished, upright_s=12.3456)
    return SimpleNamespace(begun=begun, motion=SimpleNamespace(time_s=time_s, qpos=qpos), outcome=outcome)


@pytest.mark.parametrize(("run", "off"), [
    (run_of(), 0.2236), (run_of(fell=True), None), (run_of(lasts_s=9.5), None), (run_of(lasts_s=9.6), 0.2236),
])  # fmt: skip
def test_a_piloted_walk_reports_a_fall_and_its_speed_error(monkeypatch, run, off):
    asked = []
    monkeypatch.setattr(
        gait_evaluation,
        "simulate_requests",
        lambda requests, robot, **options: asked.append((requests, robot, options)) or run,
    )
    came = evaluate_gait("cassie", (0.3, 0.0, 0.8), None)
    assert came["speed_off_m_s"] == off
    assert (came["held"], came["stopped"], came["upright_s"]) == (not run.outcome.fell, True, 12.35)
    (walk, stand), robot, options = asked[0]
    assert (walk.forward_m_s, walk.left_m_s, walk.turn_rad_s, walk.height_m, walk.duration_s) == (
        0.3,
        0.0,
        0.0,
        0.8,
        8.0,
    )
    assert stand.hold_s == 0.2
    assert options["clock"].longest_s == 20.0
    command = robot.tables.control.command
    assert tuple(command.forward_m_s) == tuple(command.walking_height_m) == (-10.0, 10.0)


@pytest.mark.parametrize("start", [None, np.ones(2)])
def test_a_worker_finds_a_gait_cold_or_from_a_start_and_mirrors_it(monkeypatch, start):
    solved = []
    outcome = SimpleNamespace(iterations=7, status="stuck", gait=None, variables=None)
    program = SimpleNamespace(
        robot=SimpleNamespace(fingerprint="f"),
        initial_guess=lambda parameter: "cold",
        solve=lambda parameter, begin, warm: solved.append((parameter, begin, warm)) or outcome,
    )
    monkeypatch.setattr(gait_library_build, "_program", lambda robot: program)
    monkeypatch.setattr(gait_library_build, "mirror_record", lambda record, robot: "mirror")
    (record,) = gait_library_build.find_gait("cassie", "f", (0.1, 0.2, 0.8), start, False)
    assert solved[0][1] is start or (start is None and solved[0][1] == "cold")
    assert solved[0][2] == (start is not None)
    assert (record.status, record.reason, record.start) == ("failed", "stuck.", None)
    assert (record.figures["iterations"], record.figures["warm"]) == (7, start is not None)
    assert gait_library_build.find_gait("cassie", "f", (0.1, 0.2, 0.8), start, True)[1] == "mirror"
    outcome.gait = "gait"
    outcome.variables = np.arange(3.0)
    monkeypatch.setattr(
        gait_library_build, "judge_gait", lambda robot, gait, figures: replace(record, status="ok", figures=figures)
    )
    (better,) = gait_library_build.find_gait("cassie", "f", (0.1, 0.2, 0.8), start, False)
    assert better.status == "ok"
    np.testing.assert_array_equal(better.start, np.arange(3.0))
    with pytest.raises(gait_library_build.LibraryError, match="another version"):
        gait_library_build.find_gait("cassie", "other", (0.1, 0.2, 0.8), start, False)
