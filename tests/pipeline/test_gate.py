"""The gate on feasible sets that are known: monotone, with gaps, empty."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strut.draft import Candidate, Violation
from strut.pipeline.gate import strongest

CLOSE = 0.02
COARSE = 0.1  # what the documentation promises
TOO_MUCH = Violation("torque", np.array([True]), "too much")


def gate(asked, allowed):
    """Return what the gate keeps where `allowed` says which intensities pass, and the intensities it tried."""
    tried = []

    def attempt(intensity):
        tried.append(intensity)
        return Candidate(
            intensity, f"candidate {intensity}", () if allowed(intensity) else (TOO_MUCH,), intensity == 0.0
        )

    return strongest(asked, attempt), tried


def test_what_passes_is_kept_as_asked_in_one_attempt():
    kept, tried = gate(1.3, lambda _intensity: True)
    assert (kept.candidate.intensity, kept.binding_limits, tried) == (1.3, (), [1.3])
    assert kept.candidate.draft == "candidate 1.3"


@given(limit=st.floats(0.0, 1.49), asked=st.sampled_from([0.75, 1.0, 1.5]))
def test_a_limit_is_found_from_below_and_closely(limit, asked):
    kept, tried = gate(asked, lambda intensity: intensity <= limit)
    if limit >= asked:
        assert kept.candidate.intensity == asked
    else:
        assert limit - CLOSE <= kept.candidate.intensity <= limit
        assert kept.binding_limits == (TOO_MUCH,)
    assert len(tried) < 25
    assert kept.candidate.intensity in tried


def test_the_upper_of_two_islands_is_kept():
    """Feasible below 0.3 and again from 0.7 to 0.95: coming from above, the upper island is found at its top."""
    kept, _ = gate(1.5, lambda intensity: intensity <= 0.3 or 0.7 <= intensity <= 0.95)
    assert 0.95 - CLOSE <= kept.candidate.intensity <= 0.95


def test_an_island_just_as_wide_as_the_coarse_step_is_never_missed():
    for low in np.linspace(0.05, 1.2, 24):
        kept, _ = gate(1.5, lambda intensity, low=low: intensity == 0.0 or low <= intensity <= low + COARSE + 1e-9)
        assert kept.candidate.intensity >= low


def test_nothing_is_kept_if_not_even_neutral_passes():
    kept, tried = gate(1.0, lambda _intensity: False)
    assert kept.candidate is None
    assert kept.binding_limits == (TOO_MUCH,)
    assert tried[-1] == 0.0


def test_a_weaker_neutral_is_not_tried_again():
    tried = []

    def attempt(intensity):
        tried.append(intensity)
        return Candidate(intensity, None, (TOO_MUCH,), neutral=True)

    assert strongest(1.0, attempt).candidate is None
    assert tried == [1.0]


def test_neutral_alone_may_pass():
    kept, tried = gate(1.0, lambda intensity: intensity == 0.0)
    assert kept.candidate.intensity == 0.0
    assert min(tried) == 0.0


def test_asking_for_nothing_tries_once():
    assert gate(0.0, lambda _intensity: True)[1] == [0.0]
    kept, tried = gate(0.0, lambda _intensity: False)
    assert (kept.candidate, tried) == (None, [0.0])


@pytest.mark.parametrize("asked", [0.05, 0.1, 0.33, 1.5])
def test_no_intensity_above_what_was_asked_is_tried(asked):
    _, tried = gate(asked, lambda intensity: intensity < 0.01)
    assert max(tried) == asked
    assert min(tried) >= 0.0


def test_an_attempt_passes_when_it_breaks_nothing():
    assert Candidate(1.0, None, (), neutral=False).passes
    assert not Candidate(1.0, None, (TOO_MUCH,), neutral=False).passes
