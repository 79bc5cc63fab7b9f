"""The way of a walk through the folders: few changes, and never back to a stage that stands above."""

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
MOST_SWITCHES = 20


@pytest.fixture
def ways(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("folder_switches")


@pytest.mark.parametrize("case", ["alice", "mrpete", "pepper"])
def test_a_walk_goes_through_the_folders_once_and_never_back(ways, case):
    ways.CASES[case]()  # tables and models are read once; the way of a walk is what comes after
    calls = ways.first_calls(ways.CASES[case])
    assert len(ways.way_of(calls)) - 1 <= MOST_SWITCHES
    assert not ways.backward_calls(calls)
