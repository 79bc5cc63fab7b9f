"""Relaxation: less of a pose around the samples that break a limit, and nowhere else."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from strut.pipeline.relaxation import LEAD_S, STEP, lower_share

TIME_S = np.arange(501) / 50.0


def broken_at(*seconds):
    broken = np.zeros(len(TIME_S), dtype=bool)
    broken[[round(50 * second) for second in seconds]] = True
    return broken


def test_a_pose_relaxes_by_one_step_where_it_breaks_a_limit_and_not_far_from_it():
    share = lower_share(np.ones(len(TIME_S)), broken_at(5.0), TIME_S)
    assert np.isclose(share[250], 1.0 - STEP)
    far = np.abs(TIME_S - 5.0) >= LEAD_S
    assert_array_equal(share[far], np.ones(far.sum()))
    assert (share[~far] <= 1.0).all()


def test_relaxing_and_returning_are_smooth_and_symmetric():
    share = lower_share(np.ones(len(TIME_S)), broken_at(5.0), TIME_S)
    assert_allclose(share, share[::-1], atol=1e-12)
    assert np.abs(np.diff(share)).max() < 2.0 * STEP / (50.0 * LEAD_S)  # at most 1.875 times the mean slope


def test_repeated_relaxing_goes_on_to_neutral_and_stops_there():
    share = np.ones(len(TIME_S))
    for _ in range(int(2.0 / STEP)):
        share = lower_share(share, broken_at(2.0, 8.0), TIME_S)
    assert (share >= 0.0).all()
    assert share[100] == 0.0
    assert share[250] == 1.0


def test_shares_are_left_as_they_were():
    before = np.ones(len(TIME_S))
    lower_share(before, broken_at(5.0), TIME_S)
    assert_array_equal(before, np.ones(len(TIME_S)))


def test_when_a_walk_begins_does_not_matter_to_how_it_relaxes():
    share = lower_share(np.ones(len(TIME_S)), broken_at(5.0), TIME_S)
    assert_allclose(lower_share(np.ones(len(TIME_S)), broken_at(5.0), TIME_S + 7.0), share, atol=1e-9)
