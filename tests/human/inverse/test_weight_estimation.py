"""The search for weights, on a walk whose angles are closed functions of its weights."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.human.inverse.recorded_steps import SHARES, RecordedSteps
from strut.human.inverse.weight_estimation import PRIOR_SD, estimate_weights
from strut.human.inverse.weighted_gait import WeightedSolution
from strut.ocp.collocation import NotSolvedError
from strut.ocp.interior_point import STOPPED

NAMES = ("effort", "momentum", "head", "time")
ANGLES = ("Pelvis_X", "Pelvis_Y", "Pelvis_Z", "HipLeft_RY", "HipRight_RY", "KneeLeft_RY", "KneeRight_RY")
WAVES = np.stack([np.sin((k + 1) * np.pi * SHARES) for k in range(len(ANGLES))], axis=1)


class ClosedGait:
    """Angles that saturate with the weights of momentum and time, as optimal ones do; the head does not matter."""

    names = NAMES
    usual = np.zeros(4)
    is_linear = np.array([False, False, False, True])

    def __init__(self, longest=np.inf):
        self.longest = longest
        self.failures = 0

    def solve(self, parameters, start=None):
        if start is not None and np.abs(parameters - start.parameters).max() > self.longest:
            self.failures += 1
            raise NotSolvedError("too far", "nothing", None)
        return WeightedSolution(parameters, None, SimpleNamespace(x=parameters))

    def step(self, x):
        q = WAVES * 0.3 / (1.0 + np.exp(-x[1] * np.linspace(0.5, 1.0, len(ANGLES)))) + 0.05 * x[3] * WAVES[:, ::-1]
        return q, 0.7 - 0.05 * float(np.tanh(x[1]))

    def sensitivities(self, solved):
        nudges = 1e-6 * np.eye(4)
        pairs = [(self.step(solved.outcome.x + way), self.step(solved.outcome.x - way)) for way in nudges]
        q = np.stack([(one[0] - other[0]) / 2e-6 for one, other in pairs], axis=2)
        return q, np.array([(one[1] - other[1]) / 2e-6 for one, other in pairs])


def steps_of(truth, count=3, noise_rad=0.0):
    """Steps of a walk with these weights."""
    q, length_m = ClosedGait().step(np.array(truth))
    noise = noise_rad * np.random.default_rng(2).normal(size=(count, 1, len(ANGLES)))
    return RecordedSteps(
        ANGLES, q + noise * WAVES, np.full(count, 0.5), np.full(count, length_m), np.ones(len(ANGLES), dtype=bool)
    )


def found(gait, steps):
    return estimate_weights(gait, steps, np.random.default_rng(0), lambda _: None)


def test_what_a_walk_does_not_tell_is_as_uncertain_as_before():
    search = found(ClosedGait(), steps_of([0.0, 1.2, 2.0, 0.4], noise_rad=0.01))
    sd = search.bootstrap.std(axis=0)
    assert sd[2] == pytest.approx(PRIOR_SD, rel=0.15)  # the head does not matter to the angles
    assert sd[1] < 0.2 * PRIOR_SD
    assert search.converged


def test_weights_that_made_a_walk_are_found_and_what_it_does_not_tell_stays_as_usual():
    best = found(ClosedGait(), steps_of([0.0, 1.2, 2.0, 0.4])).best.parameters
    assert_allclose(best, [0.0, 1.2, 0.0, 0.4], atol=0.01)


def test_a_weight_that_would_be_negative_is_none():
    assert found(ClosedGait(), steps_of([0.0, 0.5, 0.0, -0.8])).best.parameters[3] == 0.0


def test_ranges_hold_the_truth_and_grow_with_how_much_steps_differ():
    truth = [0.0, 0.8, 0.0, 0.4]
    widths = []
    for noise_rad in (0.005, 0.05):
        bootstrap = found(ClosedGait(), steps_of(truth, 6, noise_rad)).bootstrap
        low, high = np.percentile(bootstrap[:, 1], [2.5, 97.5])
        assert low < truth[1] < high
        widths.append(high - low)
    assert widths[1] > 3.0 * widths[0]


def test_steps_of_the_search_shrink_where_no_walk_is_found():
    gait = ClosedGait(longest=0.7)
    assert_allclose(found(gait, steps_of([0.0, 1.2, 0.0, 0.4])).best.parameters[1], 1.2, atol=0.02)
    assert gait.failures > 0


def test_a_search_that_is_stopped_ends():
    class Stopped(ClosedGait):
        def solve(self, parameters, start=None):
            if start is not None:
                raise NotSolvedError(STOPPED, "nothing", None)
            return super().solve(parameters)

    with pytest.raises(NotSolvedError):
        found(Stopped(), steps_of([0.0, 1.2, 0.0, 0.4]))
