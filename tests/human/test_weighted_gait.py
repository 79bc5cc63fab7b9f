"""The gait problem under other weights: starts from solved gaits, and its sensitivities foretell other weights."""

import numpy as np
import pytest

from strut.human.weighted_gait import WeightedGait

COARSE = (4, 4, 2, 2)
CHANGE = 0.05  # of the logarithm of a weight


@pytest.fixture(scope="module")
def gait(heiman):
    return WeightedGait(heiman, 1.3, intervals=COARSE)


@pytest.fixture(scope="module")
def usual(gait):
    return gait.solved(gait.usual)


def test_usual_weights_start_from_solved_gaits(usual):
    assert usual.outcome.iterations < 25  # 60 from a guessed step


def test_shares_of_criteria_add_up_to_the_cost_of_the_gait(gait, usual):
    assert gait.costs(usual).sum() == pytest.approx(usual.outcome.cost, rel=1e-9)
    assert gait.costs(usual)[gait.idle] == pytest.approx(0.0)


def test_sensitivities_foretell_the_gait_of_other_weights(gait, usual):
    weight = gait.names.index("momentum")
    other = gait.solved(gait.usual + CHANGE * np.eye(len(gait.names))[weight], usual)
    (q, length_m), (moved, moved_m) = gait.step(usual.outcome.x), gait.step(other.outcome.x)
    q_slope, length_slope = gait.sensitivities(usual)
    missed = moved - q - CHANGE * q_slope[:, :, weight]
    assert np.abs(moved - q).max() > 1e-3
    assert np.abs(missed).max() < 0.2 * np.abs(moved - q).max()
    assert moved_m - length_m == pytest.approx(CHANGE * length_slope[weight], abs=2e-4)
