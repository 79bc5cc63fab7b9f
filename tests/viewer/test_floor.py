"""The floor of pictures: spots with a white rim, whose sizes are radii over that of a dot."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.viewer.floor import SPOT_COLORS, SPOT_SIZES, WHITE, add_spots


@pytest.mark.parametrize("name", sorted(SPOT_SIZES))
def test_a_spot_is_a_coloured_disc_in_a_white_ring(name):
    dot_m = 0.02
    middle_m = np.array([0.3, -0.1])
    away_m = np.array([0.0, 0.9 * SPOT_SIZES[name], SPOT_SIZES[name] + 0.2, SPOT_SIZES[name] + 0.5]) * dot_m
    for turn in np.linspace(0.0, 6.0, 7):
        points_m = middle_m[:, None] + away_m * np.array([[np.cos(turn)], [np.sin(turn)]])
        color = np.tile([[10.0], [20.0], [30.0]], (1, 4))
        add_spots(color, points_m, np.full(4, 1e-6), {name: middle_m}, dot_m=dot_m)
        assert_allclose(color.T, [SPOT_COLORS[name], SPOT_COLORS[name], np.ones(3) * WHITE, [10.0, 20.0, 30.0]])


def test_a_spot_of_half_opacity_is_mixed_with_the_floor():
    name = min(SPOT_SIZES)
    color = np.full((3, 1), 100.0)
    add_spots(color, np.zeros((2, 1)), np.full(1, 1e-6), {name: np.zeros(2)}, dot_m=0.02, share=0.5)
    under = 100.0 + 0.5 * (np.ones(3) * WHITE - 100.0)
    assert_allclose(color[:, 0], under + 0.5 * (np.array(SPOT_COLORS[name]) - under))
