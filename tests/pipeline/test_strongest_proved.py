"""The gate's two stages: a quick search finds, a full proof confirms, and what the proof refuses is searched below."""

import numpy as np

from strut.draft import Candidate, Violation
from strut.pipeline.gate import strongest_proved

TOO_MUCH = Violation("limit", np.array([True]), "too much")


def judged(intensity, most):
    return Candidate(intensity, None, () if intensity <= most else (TOO_MUCH,), neutral=intensity == 0.0)


def test_proof_weaker_than_the_search_decides():
    kept = strongest_proved(1.0, lambda i: judged(i, 0.8), lambda found: judged(found.intensity, 0.7))
    assert 0.66 <= kept.candidate.intensity <= 0.7
    assert kept.binding_limits == (TOO_MUCH,)


def test_what_passes_as_asked_is_notweakened_reason():
    kept = strongest_proved(0.9, lambda i: judged(i, 2.0), lambda found: judged(found.intensity, 2.0))
    assert kept.candidate.intensity == 0.9
    assert kept.binding_limits == ()


def test_nothing_is_kept_if_not_even_neutral_is_proved():
    kept = strongest_proved(0.1, lambda i: judged(i, 1.0), lambda found: judged(found.intensity, -1.0))
    assert kept.candidate is None
    assert kept.binding_limits == (TOO_MUCH,)
