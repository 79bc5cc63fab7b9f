"""Searches part by part: retreats, proofs, paces, alternatives and words of shows, with answers of our own."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.draft import Candidate, Draft, StrongestCandidate, Violation
from strut.maths.easing import smooth_step
from strut.models.catalogue import load_robot
from strut.pipeline import relaxation
from strut.pipeline.gate import strongest, strongest_proved
from strut.pipeline.relaxation import lower_share, relax_locally
from tests.alice import ALICE

CASSIE = load_robot("cassie")
SHORT = Violation("torque", np.array([True, False]), "too much")


def attempt_of(intensity, passes, kept=1.0):
    draft = Draft(ALICE, np.array([0.0, 0.5]), np.zeros((2, 1)), np.ones((2, 2), dtype=bool), None, kept=kept)
    return Candidate(intensity, draft, () if passes else (SHORT,), neutral=intensity == 0.0)


def test_a_pose_is_shown_less_around_what_breaks_and_returns_within_a_second():
    time_s = 0.25 * np.arange(13)
    broken = np.zeros(13, dtype=bool)
    broken[6] = True
    found = lower_share(np.full(13, 0.9), broken, time_s)
    away = np.abs(time_s - time_s[6])
    assert_allclose(found, 0.9 - 0.05 * smooth_step(1.0 - away), atol=1e-12)
    assert found[6] == pytest.approx(0.85)
    assert found[2] == found[10] == pytest.approx(0.9)
    assert lower_share(np.full(13, 0.01), broken, time_s)[6] == 0.0


def test_a_motion_relaxes_from_what_was_asked_downwards_and_keeps_what_shows_more(monkeypatch):
    asked = []
    told = []

    def relaxing(trials, intensity):
        asked.append(round(intensity, 9))
        return attempt_of(intensity, intensity <= 0.85, kept=0.9), np.ones(2)

    monkeypatch.setattr(relaxation, "relax_at", relaxing)
    searching = SimpleNamespace(
        request=SimpleNamespace(asked=1.0),
        candidate=lambda intensity, detail: attempt_of(intensity, intensity <= 0.75),
        report=lambda intensity, *, passed: told.append((round(intensity, 9), passed)),
    )
    kept = relax_locally(searching, StrongestCandidate(attempt_of(0.5, True), (SHORT,)))
    assert asked == [1.0, 0.9, 0.8, 0.7]
    assert told == [(1.0, False), (0.9, False)]
    assert kept.candidate.intensity == pytest.approx(0.7)
    assert kept.binding_limits == ()
    easy = SimpleNamespace(
        request=searching.request, report=searching.report, candidate=lambda i, detail: attempt_of(i, True)
    )
    enough = StrongestCandidate(attempt_of(0.73, True), (SHORT,))
    assert relax_locally(easy, enough) is enough  # 0.8 at 0.9 of the time shows no more than that
    assert relax_locally(
        easy, StrongestCandidate(attempt_of(0.71, True), (SHORT,))
    ).candidate.intensity == pytest.approx(0.8)
    assert relax_locally(searching, StrongestCandidate(None, (SHORT,))).candidate is None
    whole = StrongestCandidate(attempt_of(1.0, True), ())
    assert relax_locally(searching, whole) is whole


def test_relaxing_deepens_until_it_passes_with_the_first_reasons():
    shares = []

    def tried(intensity, detail, *, quiet):
        shares.append(detail.share)
        return attempt_of(intensity, len(shares) > 3)

    found, share = relaxation.relax_at(SimpleNamespace(candidate=tried), 0.8)
    assert found.passes
    assert found.draft.reasons == (SHORT.reason,)
    assert len(shares) == 4
    assert shares[0] is None
    assert share is shares[-1]
    assert share[0] == pytest.approx(1.0 - 3 * 0.05)
    shares.clear()
    never, _ = relaxation.relax_at(
        SimpleNamespace(candidate=lambda *_, **__: shares.append(0) or attempt_of(0.8, False)), 0.8
    )
    assert not never.passes
    assert len(shares) == 13


def test_the_strongest_is_bracketed_downwards_and_then_closely():
    tried = []

    def attempt(intensity):
        tried.append(round(intensity, 9))
        return attempt_of(intensity, intensity <= 0.63)

    kept = strongest(1.0, attempt)
    assert tried[:5] == [1.0, 0.9, 0.8, 0.7, 0.6]
    assert 0.61 <= kept.candidate.intensity <= 0.63
    assert kept.binding_limits == (SHORT,)
    assert strongest(0.5, attempt).binding_limits == ()
    nothing = strongest(1.0, lambda intensity: attempt_of(intensity, False))
    assert nothing.candidate is None
    coarse = strongest(1.0, attempt, coarse=0.5, close=0.5)
    assert coarse.candidate.intensity == 0.5


def test_what_a_proof_refuses_is_looked_for_below_it():
    proved = []

    def prove(found):
        proved.append(round(found.intensity, 6))
        return attempt_of(found.intensity, found.intensity <= 0.5)

    kept = strongest_proved(
        1.0, lambda intensity: attempt_of(intensity, intensity <= 0.55), prove, coarse=0.1, close=0.02
    )
    assert kept.candidate.intensity <= 0.5
    assert all(one > other for one, other in pairwise(proved))
    assert kept.binding_limits == (SHORT,)
    refused = strongest_proved(
        0.2, lambda intensity: attempt_of(intensity, True), lambda found: attempt_of(found.intensity, False)
    )
    assert refused.candidate is None
    unproved = strongest_proved(1.0, lambda intensity: attempt_of(intensity, intensity <= 0.55), None)
    assert 0.53 <= unproved.candidate.intensity <= 0.55
