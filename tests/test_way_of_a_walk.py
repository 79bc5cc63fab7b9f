"""The way of a walk through the folders: few switches, and no call to a stage above the caller."""

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
STAGE_SWITCHES = 25  # from stage to stage, there and back where a plan uses kinematics, balance and engines in turn,
# and there and back where the gate measures speeds that were asked for and proves a controller
FEATURE_SWITCHES = 8  # where the core calls a feature through the registry, and the feature returns:
# 2 to make the generator of a request, 3 for the audits of two features, 2 for the limits and 1 for the receipt of one
MAX_SWITCHES = STAGE_SWITCHES + FEATURE_SWITCHES


@pytest.fixture
def ways(monkeypatch):
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module("folder_switches")


@pytest.mark.parametrize("case", ["alice", "mrpete", "pepper"])
def test_a_walk_goes_through_the_folders_once_and_never_back(ways, case):
    ways.CASES[case]()  # tables and models are read once; the way of a walk is what comes after
    calls = ways.first_calls(ways.CASES[case])
    assert len(ways.way_of(calls)) - 1 <= MAX_SWITCHES
    assert not ways.backward_calls(calls)
