"""The floor of pictures: spots with a white rim, whose sizes are radii over that of a dot."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.viewer.floor import SPOT_COLORS, SPOT_SIZES, add_spots, spot_table


@pytest.mark.parametrize("name", sorted(SPOT_SIZES))
def test_a_spot_is_a_coloured_disc_in_a_white_ring(name):
    dot_m = 0.02
    middle_m = np.array([0.3, -0.1])
    under = (0.1, 0.2, 0.3, 1.0)
    wanted = [(*SPOT_COLORS[name], 1.0), (*SPOT_COLORS[name], 1.0), (1.0, 1.0, 1.0, 1.0), under]
    away_m = np.array([0.0, 0.9 * SPOT_SIZES[name], SPOT_SIZES[name] + 0.2, SPOT_SIZES[name] + 0.5]) * dot_m
    spots = spot_table({name: middle_m}, dot_m)
    for turn in np.linspace(0.0, 6.0, 7):
        x, y = middle_m[:, None] + away_m * np.array([[np.cos(turn)], [np.sin(turn)]])
        color = [add_spots(under, *point, 1e-6, spots, dot_m, 1.0) for point in zip(x, y, strict=True)]
        assert_allclose(color, wanted)


def test_a_spot_of_half_opacity_is_mixed_with_the_floor_and_covers_what_is_transparent():
    name = min(SPOT_SIZES)
    spots = spot_table({name: np.zeros(2)}, 0.02)
    over = add_spots((0.4, 0.4, 0.4, 1.0), 0.0, 0.0, 1e-6, spots, 0.02, 0.5)
    ring = 0.5 * 0.4 + 0.5
    assert_allclose(over, [*(0.5 * ring + 0.5 * np.array(SPOT_COLORS[name])), 1.0])
    alone = add_spots((0.0, 0.0, 0.0, 0.0), 0.0, 0.0, 1e-6, spots, 0.02, 1.0)
    assert_allclose(alone, [*SPOT_COLORS[name], 1.0])
