"""A look at somebody: x points there, y stays level, z upwards."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.errors import OutOfRangeError
from strut.gaits.hand_task.gaze import looking_at

EYES = np.array([0.3, -0.2, 1.1])


@pytest.mark.parametrize("way", [(1.0, 2.0, 0.5), (-1.0, 0.4, -2.0), (-0.3, -1.0, 0.0), (2.0, -0.1, 3.0)])
def test_the_head_points_at_the_target_and_is_upright(way):
    turn = Rotation.from_quat(looking_at(EYES, EYES + way), scalar_first=True).as_matrix()
    assert_allclose(turn[:, 0], np.array(way) / np.linalg.norm(way), atol=1e-12)
    assert turn[2, 1] == pytest.approx(0.0, abs=1e-12)
    assert turn[2, 2] > 0.0
    assert np.linalg.norm(looking_at(EYES, EYES + way)) == pytest.approx(1.0)


@pytest.mark.parametrize(("aside_m", "refused"), [(0.5e-9, True), (1e-8, False)])
def test_who_is_straight_above_cannot_be_looked_at(aside_m, refused):
    target = np.array([aside_m, 0.0, 1.0])
    if refused:
        with pytest.raises(OutOfRangeError, match="straight above"):
            looking_at(np.zeros(3), target)
    else:
        assert_allclose(looking_at(np.zeros(3), target), [np.sqrt(0.5), 0.0, -np.sqrt(0.5), 0.0], atol=1e-7)
