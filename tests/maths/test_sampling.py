"""Samples at other instants, runs, filters and landings, counted by hand."""

import numpy as np
import pytest

from strut.maths.sampling import interpolate_columns, landing_samples, low_pass, middle_cycle, runs


def test_columns_lie_on_straight_lines_between_samples_and_end_as_they_end():
    found = interpolate_columns(
        np.array([-1.0, 0.25, 1.0, 9.0]), np.array([0.0, 1.0, 3.0]), np.array([[0.0, 8.0], [4.0, 8.0], [0.0, 2.0]])
    )
    np.testing.assert_allclose(found, [[0.0, 8.0], [1.0, 8.0], [4.0, 8.0], [0.0, 2.0]])


def test_runs_are_the_stretches_that_are_true_at_the_ends_too():
    assert list(runs(np.array([1, 1, 0, 1, 0, 0, 1], dtype=bool))) == [slice(0, 2), slice(3, 4), slice(6, 7)]
    assert list(runs(np.zeros(3, dtype=bool))) == []


@pytest.mark.parametrize("order", [1, 2])
def test_a_filter_that_runs_there_and_back_halves_its_cutoff_and_never_lags(order):
    """A Butterworth filter leaves 1 / sqrt(1 + (f / cutoff)^2n); twice, its square; phases cancel."""
    time_s = np.arange(4000) / 1000.0
    cutoff_hz = 8.0
    for share in (0.25, 1.0, 4.0):
        wave = np.sin(2.0 * np.pi * share * cutoff_hz * time_s)
        left = low_pass(np.stack([wave, 2.0 * wave], axis=1), cutoff_hz, 1000.0, order=order, padding=500)
        np.testing.assert_allclose(left[1000:3000, 0], wave[1000:3000] / (1.0 + share ** (2 * order)), atol=2e-3)
        np.testing.assert_allclose(left[:, 1], 2.0 * left[:, 0], atol=1e-12)


def test_slow_samples_are_filtered_as_high_as_they_go():
    values = np.random.default_rng(0).normal(size=50)
    np.testing.assert_array_equal(low_pass(values, 20.0, 30.0), low_pass(values, 0.95 * 15.0, 30.0))


def test_a_landing_is_the_first_sample_of_a_touch_and_not_that_of_the_motion():
    left = np.array([1, 1, 0, 0, 1, 1, 0], dtype=bool)
    right = np.array([0, 1, 1, 1, 1, 0, 1], dtype=bool)
    np.testing.assert_array_equal(landing_samples(left), [4])
    np.testing.assert_array_equal(landing_samples(np.stack([left, right], axis=1)), [1, 4, 6])


def test_the_middle_cycle_is_of_the_first_foot_that_lands_before_and_after_the_middle():
    stays = np.ones(12, bool)
    steps = np.array([1, 0, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1], bool)
    assert middle_cycle(np.stack([stays, steps], axis=1)) == (5, 9)
    assert middle_cycle(stays[:, None]) is None
    assert middle_cycle(steps[:7, None]) == (2, 5)
    assert middle_cycle(np.zeros((5, 0), bool)) is None
