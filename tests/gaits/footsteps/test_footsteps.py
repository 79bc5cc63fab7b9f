"""The gap between two feet against distances that are found by other means."""

import numpy as np
import pytest

from strut.gaits.footsteps.footsteps import foot_gap_m
from strut.place import LEFT, RIGHT, Place
from tests.alice import ALICE


def outline(foot, place, per_edge=400):
    """Return points along the edges of a foot on the ground. Shape (n, 2)."""
    corners = np.array(
        [(corner.x_m, corner.y_m) for corner in (place.compose(Place(*xy)) for xy in ALICE.feet[foot].outline_m)]
    )
    share = np.linspace(0.0, 1.0, per_edge)[:, None]
    return np.concatenate([a + share * (b - a) for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)])


def test_feet_side_by_side_are_apart_by_their_separation_less_their_width():
    right = Place(0.0, -0.06)
    left = Place(0.0, 0.06)
    widths = [outline(foot, Place(0.0, 0.0))[:, 1] for foot in (RIGHT, LEFT)]
    assert foot_gap_m(ALICE, right, left) == pytest.approx(0.12 - widths[0].max() + widths[1].min())
    assert foot_gap_m(ALICE, right, Place(0.0, -0.06)) < 0.0


@pytest.mark.parametrize("turn_deg", [-60.0, -25.0, 10.0, 40.0, 75.0])
@pytest.mark.parametrize("ahead_m", [-0.03, 0.0, 0.02])
def test_the_gap_of_turned_feet_is_their_distance_where_a_corner_faces_an_edge(turn_deg, ahead_m):
    right = Place(0.0, -0.10)
    left = Place(ahead_m, 0.10, np.radians(turn_deg))
    one = outline(RIGHT, right)
    other = outline(LEFT, left)
    distance = np.linalg.norm(one[:, None] - other[None], axis=-1).min()
    assert foot_gap_m(ALICE, right, left) == pytest.approx(distance, abs=1e-3)


def test_feet_that_overlap_have_a_negative_gap_as_deep_as_the_smallest_push_apart():
    deep_m = foot_gap_m(ALICE, Place(0.0, 0.0), Place(0.0, 0.03))
    assert deep_m < 0.0
    assert foot_gap_m(ALICE, Place(0.0, 0.0), Place(0.0, 0.03 - deep_m)) == pytest.approx(0.0, abs=1e-9)
