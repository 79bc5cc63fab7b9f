"""Trials: how often a pace is slowed down, and what a motion says of a draft that was recorded instead of balanced."""

from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import numpy as np
import pytest
from msgspec.structs import replace as replaced

from strut.draft import Detail, Draft, not_made
from strut.gaits.footsteps.request import Steps
from strut.gaits.footsteps.step_drafts import StepDrafts
from strut.gaits.pattern.request import PatternGait
from strut.pipeline import alternatives
from strut.pipeline.run import motion_of
from strut.pipeline.trials import _MOST_SLOWER, _SLOWER, Trials, fastest
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
class Standing:
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


@pytest.mark.parametrize(("enough", "tries"), [(1.0, 1), (1.05, 3), (9.0, _MOST_SLOWER + 1)])
def test_a_pace_that_the_whole_cannot_keep_is_slowed_bit_by_bit_and_not_for_ever(enough, tries):
    generator = Standing(enough)
    trials = Trials(FASTEST, ALICE, generator)
    full = trials.prove(trials.search(0.0))
    assert full.passes == (tries <= _MOST_SLOWER)
    np.testing.assert_allclose(generator.tried, generator.tried[0] * _SLOWER ** np.arange(tries))


def test_of_all_paces_that_are_tried_whoever_watches_is_told_the_last_alone():
    told = []
    trials = Trials(FASTEST, ALICE, Standing(1.05), on_progress=told.append)
    searched = trials.search(0.0)
    assert [(step.intensity, step.passed) for step in told] == [(0.0, True)]
    assert trials.prove(searched).passes
    assert len(trials.generator.tried) == 3
    assert [(step.intensity, step.passed) for step in told] == [(0.0, True)] * 2


def test_a_recorded_run_or_a_walk_with_landings_claims_no_margin_of_its_own():
    draft = measure(standing())
    receipt = planned_receipt(draft, emotion=None, asked=0.0, intensity=0.0, binding_limits=())
    assert motion_of(FASTEST, draft, receipt).balance_margin_m is not None
    for what in ("plant", "landings"):
        other = replace(draft, needs=replace(draft.measured, **{what: object()}))
        found = motion_of(FASTEST, other, receipt)
        assert (found.balance_margin_m, found.cop_in_world) == (None, None)


@pytest.mark.parametrize("quickest", [0.07, 0.3, 0.9, 1.0, 3.7])
def test_the_fastest_pace_is_found_within_two_percent(quickest):
    assert quickest <= fastest(lambda factor: factor >= quickest) <= 1.021 * quickest


def test_a_pace_without_end_stops_somewhere_and_one_that_never_passes_is_none():
    assert 0.03 < fastest(lambda _factor: True) < 0.05
    assert fastest(lambda _factor: False) is None


@pytest.mark.parametrize(
    ("most_mm_s", "share"), [(350.0, 0.85), (320.0, 0.75), (250.0, 0.5), (150.0, 0.35), (100.0, 0.25), (90.0, None)]
)
def test_who_is_too_weak_for_its_usual_speed_walks_at_the_largest_share_that_passes(monkeypatch, most_mm_s, share):
    monkeypatch.setattr(alternatives, "_passes", lambda _trials, _option, thousandths: thousandths <= most_mm_s)
    request = Request(robot="alice", task=PatternGait(), rate_hz=20.0)
    trials = Trials(request, ALICE, SimpleNamespace(usual={"speed_m_s": 0.4}), searched={Style(): "too fast"})
    found = next(alternatives.slower(trials), None)
    assert (None if found is None else found.request.task.speed_m_s) == (None if share is None else share * 0.4)
    assert found is None or (found.generator.task, found.searched) == (found.request.task, {})


def test_a_probe_knows_nothing_of_what_was_tried_for_the_request():
    trials = Trials(FASTEST, ALICE, Standing(1.0), searched={Style(): "asked"}, proved={Style(): "asked"})
    probe = alternatives._probe(trials, "margin_m", 5.0)
    assert (probe.searched, probe.proved, probe.request.margin_m) == ({}, {}, 0.005)


@pytest.mark.parametrize(("rate_hz", "proofs"), [(20.0, 0), (100.0, 1)])
def test_what_works_is_proved_on_final_samples_unless_the_search_had_as_many(monkeypatch, rate_hz, proofs):
    generator = Standing(1.0)
    monkeypatch.setattr(alternatives, "generator_for", lambda *_arguments: generator)
    assert alternatives._passes(Trials(replaced(FASTEST, rate_hz=rate_hz), ALICE, generator), "margin_m", 5.0)
    assert len(generator.tried) == proofs
