"""Samples at other instants and landings, counted by hand."""

import numpy as np

from strut.sampling import columns_at, landing_samples


def test_columns_lie_on_straight_lines_between_samples_and_end_as_they_end():
    found = columns_at(
        np.array([-1.0, 0.25, 1.0, 9.0]), np.array([0.0, 1.0, 3.0]), np.array([[0.0, 8.0], [4.0, 8.0], [0.0, 2.0]])
    )
    np.testing.assert_allclose(found, [[0.0, 8.0], [1.0, 8.0], [4.0, 8.0], [0.0, 2.0]])


def test_a_landing_is_the_first_sample_of_a_touch_and_who_begins_on_the_ground_has_not_landed():
    left, right = np.array([1, 1, 0, 0, 1, 1, 0], dtype=bool), np.array([0, 1, 1, 1, 1, 0, 1], dtype=bool)
    np.testing.assert_array_equal(landing_samples(left), [4])
    np.testing.assert_array_equal(landing_samples(np.stack([left, right], axis=1)), [1, 4, 6])
