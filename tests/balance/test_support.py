"""Supports: which polygon serves when."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.balance.support import stands_on_lines, support_margin, supports
from tests.alice import ALICE

SQUARE = np.array([[0.2, 0.2, 0.0], [-0.2, 0.2, 0.0], [0.2, -0.2, 0.0], [-0.2, -0.2, 0.0]])


def stances(*patterns):
    contact = np.array(patterns, dtype=bool)
    return contact, np.broadcast_to(SQUARE, (len(contact), 4, 3))


def test_supports_cover_every_sample_once_and_in_order():
    contact, feet = stances([1, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 0], [1, 1, 1, 1], [0, 1, 1, 1])
    found = list(supports(contact, feet))
    assert [(s.first, s.stop) for s in found] == [(0, 2), (2, 4), (4, 5), (5, 6)]
    assert [s.feet for s in found] == [(0, 1, 2, 3), (0, 1, 2), (0, 1, 2, 3), (1, 2, 3)]
    assert found[1].rows == slice(2, 4)
    assert len(found[0].polygon.corners) == 4


def test_margin_is_the_distance_to_the_edge_of_the_feet_that_are_down():
    contact, feet = stances([1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 0], [0, 1, 1, 1])
    cop = np.array([[0.0, 0.05], [0.0, 0.0], [-0.1, -0.1], [0.0, 0.0]])
    expected = [0.15, 0.0, -0.2 / np.sqrt(2), 0.0]
    assert_allclose(support_margin(contact, feet, cop), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("pattern", "margin_m"),
    [([1, 1, 0, 0], -0.2), ([1, 0, 0, 1], 0.0), ([1, 0, 0, 0], -0.2 * np.sqrt(2)), ([0, 0, 0, 0], -np.inf)],
    ids=["two on a side", "two on a diagonal", "one", "none"],
)
def test_fewer_than_three_ball_feet_span_no_polygon(pattern, margin_m):
    """What lies off the line between two feet, or off the one foot, is outside by that distance."""
    contact, feet = stances([1, 1, 1, 1], pattern)
    assert_allclose(support_margin(contact, feet, np.zeros((2, 2))), [0.2, margin_m], atol=1e-12)


def test_two_feet_end_where_they_stand():
    contact, feet = stances([1, 1, 0, 0], [1, 1, 0, 0])
    cop = np.array([[0.5, 0.2], [-0.6, -0.1]])
    assert_allclose(support_margin(contact, feet, cop), [-0.3, -0.5], atol=1e-12)


def test_a_moved_foot_counts_where_it_landed():
    contact, feet = stances([1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1])
    feet = feet.copy()
    feet[2, 3] = [-0.4, -0.4, 0.0]
    cop = np.full((3, 2), -0.15)
    margin = support_margin(contact, feet, cop)
    assert margin[0] == pytest.approx(0.05)
    assert margin[2] > margin[0]


def test_on_a_slanting_line_the_margin_is_the_distance_from_the_nearest_point_between_the_feet():
    feet = np.broadcast_to([[0.1, 0.2, 0.0], [0.4, 0.6, 0.0], [0.2, 1.0 / 3.0, 0.0]], (4, 3, 3))
    cop = np.array([[0.1 + 0.15 - 0.08, 0.2 + 0.2 + 0.06], [0.1 - 0.3, 0.2 - 0.4], [0.7, 1.0], [0.25, 0.4]])
    margin = support_margin(np.ones((4, 3), dtype=bool), feet, cop)
    assert_allclose(margin, [-0.1, -0.5, -0.5, 0.0], atol=1e-12)


def test_a_robot_that_is_ever_on_two_points_stands_on_a_line(mrpete):
    three = np.array([[1, 1, 1, 0], [1, 1, 1, 1]], dtype=bool)
    two = np.array([[1, 1, 1, 1], [1, 0, 0, 1]], dtype=bool)
    assert not stands_on_lines(mrpete, three)
    assert stands_on_lines(mrpete, two)
    assert not stands_on_lines(replace(mrpete, feet=()), np.ones((2, 0), dtype=bool))
    assert not stands_on_lines(ALICE, np.array([[1, 0], [0, 1]], dtype=bool))  # a sole has corners
    assert stands_on_lines(ALICE, np.array([[1, 0], [0, 0]], dtype=bool))
