"""Trials: how often a pace is slowed down, and what a motion says of a draft that was recorded instead of balanced."""

from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from strut.draft import Detail, Draft, Generator, not_made
from strut.gaits.footsteps.request import Steps
from strut.gaits.footsteps.step_drafts import StepDrafts
from strut.pipeline.candidates import MAX_SLOWDOWNS, SLOWDOWN, Candidates, fastest_pace
from strut.pipeline.run import motion_of
from strut.place import Place
from strut.request import Request
from strut.style import Style
from strut.verify.measure import measure
from strut.verify.receipt_builder import planned_receipt
from tests.alice import ALICE

FASTEST = Request(robot="alice", task=Steps(goals=(Place(0.1, 0.0),), pace="fastest"), rate_hz=20.0)
FIRST = next(iter(StepDrafts(ALICE, FASTEST.task, 20.0).drafts(Style(), Detail("search")))).qpos[0]


def standing() -> Draft:
    return Draft(ALICE, np.arange(5) / 20.0, np.tile(FIRST, (5, 1)), np.ones((5, 2), dtype=bool), Style())


@dataclass(frozen=True)
class Standing(Generator):
    """Stands in the search, at any pace; the whole can only be made at `enough` times the pace found or slower."""

    enough: float
    slower: float = 1.0
    tried: list[float] = field(default_factory=list)

    def drafts(self, style, detail):
        if detail.level != "final":
            yield standing()
            return
        self.tried.append(self.slower)
        short = self.slower < self.enough * self.tried[0]
        yield not_made(ALICE, style, "reach", "too quick") if short else standing()

    def at_pace(self, slower):
        return replace(self, slower=slower)


@pytest.mark.parametrize(("enough", "tries"), [(1.0, 1), (1.05, 3), (9.0, MAX_SLOWDOWNS + 1)])
def test_a_pace_that_the_whole_cannot_keep_is_slowed_bit_by_bit_and_not_for_ever(enough, tries):
    generator = Standing(enough)
    trials = Candidates(FASTEST, ALICE, generator)
    full = trials.prove(trials.search(0.0))
    assert full.passes == (tries <= MAX_SLOWDOWNS)
    np.testing.assert_allclose(generator.tried, generator.tried[0] * SLOWDOWN ** np.arange(tries))


def test_of_all_paces_tried_only_the_last_is_reported():
    told = []
    trials = Candidates(FASTEST, ALICE, Standing(1.05), on_progress=told.append)
    searched = trials.search(0.0)
    assert [(step.intensity, step.passed) for step in told] == [(0.0, True)]
    assert trials.prove(searched).passes
    assert len(trials.generator.tried) == 3
    assert [(step.intensity, step.passed) for step in told] == [(0.0, True)] * 2


def test_a_recorded_run_or_a_walk_with_landings_claims_no_margin_of_its_own():
    draft = measure(standing())
    receipt = planned_receipt(draft, emotion=None, asked=0.0, intensity=0.0, binding_limits=())
    assert motion_of(FASTEST, draft, receipt).balance_margin_m is not None
    for limit_set in ("plant", "landing"):
        other = replace(draft, needs=replace(draft.measured, limit_set=limit_set))
        found = motion_of(FASTEST, other, receipt)
        assert (found.balance_margin_m, found.cop_in_world) == (None, None)


@pytest.mark.parametrize("quickest", [0.07, 0.3, 0.9, 1.0, 3.7])
def test_the_fastest_pace_is_found_within_two_percent(quickest):
    assert quickest <= fastest_pace(lambda factor: factor >= quickest) <= 1.021 * quickest


def test_a_pace_without_end_stops_somewhere_and_one_that_never_passes_is_none():
    assert 0.03 < fastest_pace(lambda _factor: True) < 0.05
    assert fastest_pace(lambda _factor: False) is None
