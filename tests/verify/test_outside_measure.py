"""Receipts are what other code measures with Pinocchio; benchmarks/bench_remeasure.py does so with sixty motions."""

import importlib
from dataclasses import replace
from pathlib import Path

import pytest

from strut import Place, load_robot, perform, walk


@pytest.fixture(scope="module")
def bench():
    """Return the benchmark, whose modules import each other by name."""
    pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheel for this system")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parents[2] / "benchmarks"))
        yield importlib.import_module("bench_remeasure")


def beyond(bench, motion, quantities=15):
    robot = load_robot(motion.robot)
    found = bench.differences(bench.RandomMotion("one", "by a test", motion, robot))
    assert len(found) >= quantities
    return bench.beyond(found, robot)


def test_the_receipt_of_a_walk_in_steps_is_what_is_measured_outside(bench):
    assert beyond(bench, walk("alice", "sad", goal=Place(0.1, 0.02, -0.2))) == []


def test_the_receipt_of_a_crawl_is_what_is_measured_outside(bench, neutral_walk):
    assert beyond(bench, neutral_walk) == []


def test_the_receipt_of_a_hand_task_is_what_is_measured_outside(bench):
    motion = perform("pepper", "wave", "happy", duration_s=3.0)
    assert beyond(bench, motion, quantities=8) == []


@pytest.mark.parametrize(
    ("figure", "more", "quantity"),
    [
        ("torque_use", -0.1, "torque"),
        ("torque_use", 0.03, "torque_in_file"),
        ("joint_speed_use", 0.04, "joint_speed"),
        ("balance_margin_mm", 6.0, "margin_mm"),
        ("self_collision_mm", 1.5, "apart_mm"),
        ("cost_of_transport", 0.1, "transport"),
    ],
)
def test_a_receipt_that_is_wrong_is_seen_from_outside(bench, monkeypatch, figure, more, quantity):
    motion = walk("alice", "neutral", goal=Place(0.1, 0.0, 0.0))
    wrong = replace(motion.receipt, **{figure: getattr(motion.receipt, figure) + more})
    monkeypatch.setattr(bench.strut, "check", lambda *_: wrong)
    assert quantity in beyond(bench, motion)
