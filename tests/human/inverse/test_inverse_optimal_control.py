"""Explained walks in numbers: shares, ranges and pairs of criteria, and the fit, of a gait that is linear in them."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.human.anatomy import ANKLE, HIP, KNEE, sided
from strut.human.inverse import inverse_optimal_control
from strut.human.inverse.inverse_optimal_control import explain, explain_steps, predict
from strut.human.inverse.recorded_steps import SAMPLES, RecordedSteps, recorded_steps
from strut.human.inverse.weight_estimation import PRIOR_SD, estimate_weights
from strut.human.inverse.weighted_gait import WeightedSolution
from strut.models.subject import EVEN_SIDES_NOTE, subject
from tests.walker import walked

TRUTH = np.array([0.0, 0.5, -0.4])


class LinearGait:
    """Three criteria whose factors are powers of two of their parameters; angles are linear in the parameters."""

    names = ("effort", "b", "c")
    weight = np.array([1.0, 2.0, 4.0])
    usual = np.zeros(3)
    is_linear = np.zeros(3, dtype=bool)
    speed_m_s = 1.2

    def __init__(self, robot, slopes=(0.0, 0.05, 0.05), *, same_effect=False):
        self.robot = robot
        self.coordinates = ("Pelvis_TX", "Pelvis_TY", "Pelvis_TZ", "Pelvis_RY", "Pelvis_RX", "Pelvis_RZ")
        self.coordinates += robot.joint_names
        rng = np.random.default_rng(3)
        self.rest = 0.2 * rng.normal(size=(SAMPLES, len(self.coordinates)))
        self.slope = np.array(slopes) * rng.normal(size=(SAMPLES, len(self.coordinates), 3))
        if same_effect:
            self.slope[..., 2] = self.slope[..., 1]

    def solve(self, parameters, _start=None):
        return WeightedSolution(np.asarray(parameters), None, SimpleNamespace(x=np.asarray(parameters)))

    def step(self, x):
        return self.rest + self.slope @ x, 0.65

    def sensitivities(self, _solved):
        return self.slope, np.zeros(3)

    def factors(self, parameters):
        return 2.0 ** np.asarray(parameters)

    def costs(self, solved):
        return self.costs_per_factor(solved) * self.factors(solved.parameters)

    def costs_per_factor(self, _solved):
        return np.array([2.0, 1.0, 0.5])

    def steps(self, *, noise_rad=0.01, observed=None):
        """Two steps of the gait with the true parameters."""
        q = self.step(TRUTH)[0] + noise_rad * np.random.default_rng(5).normal(size=(2, *self.rest.shape))
        seen = np.ones(len(self.coordinates), dtype=bool) if observed is None else observed
        return RecordedSteps(self.coordinates, q, np.array([0.5, 0.5]), np.array([0.6, 0.7]), seen)


def test_criteria_have_weights_shares_and_ranges_by_percentiles(heiman):
    gait = LinearGait(heiman, (0.0, 0.05, 0.0))  # the third criterion does not change the walk
    steps = gait.steps()
    walk = explain_steps(gait, steps, seed=3)
    estimate = estimate_weights(gait, steps, np.random.default_rng(3), lambda _: None)
    best = 2.0 ** np.array(walk.parameters)
    assert_allclose(walk.parameters, [0.0, 0.5, 0.0], atol=0.02)
    assert [criterion.name for criterion in walk.criteria] == ["effort", "b", "c"]
    assert_allclose([criterion.weight for criterion in walk.criteria], gait.weight * best)
    assert [criterion.usual_weight for criterion in walk.criteria] == [1.0, 2.0, 4.0]
    shares = np.array([2.0, 1.0, 0.5]) * best
    assert_allclose([criterion.share for criterion in walk.criteria], shares / shares.sum())
    assert [criterion.identified for criterion in walk.criteria] == [True, True, False]
    factors = 2.0**estimate.bootstrap
    drawn = np.array([2.0, 1.0, 0.5]) * factors
    drawn /= drawn.sum(axis=1, keepdims=True)
    for k, criterion in enumerate(walk.criteria):
        assert_allclose(criterion.weight_range, np.percentile(gait.weight[k] * factors[:, k], [5.0, 95.0]))
        assert_allclose(criterion.share_range, np.percentile(drawn[:, k], [5.0, 95.0]))
    assert explain_steps(gait, steps, seed=4).criteria != walk.criteria  # the bootstrap has a seed


def test_a_weight_with_half_the_uncertainty_of_the_prior_is_identified(heiman):
    """The slope of an angle that changes too little to be seen, and one that is just seen."""
    uncertainty = []
    for slope, identified in ((2e-5, False), (0.02, True)):
        gait = LinearGait(heiman, (0.0, slope, 0.05))
        walk = explain_steps(gait, gait.steps())
        estimate = estimate_weights(gait, gait.steps(), np.random.default_rng(0), lambda _: None)
        uncertainty.append(np.sqrt(estimate.covariance[1, 1]) / PRIOR_SD)
        assert walk.criteria[1].identified is identified
    assert uncertainty[0] > 0.5 > uncertainty[1]


@pytest.mark.parametrize("same_effect", [True, False])
def test_criteria_that_change_the_walk_in_the_same_way_are_confounded(heiman, same_effect):
    gait = LinearGait(heiman, same_effect=same_effect)
    assert explain_steps(gait, gait.steps()).confounded == ((("b", "c"),) if same_effect else ())


def test_a_fit_is_the_mean_difference_of_angles_in_degrees(heiman):
    gait = LinearGait(heiman)
    observed = np.zeros(len(gait.coordinates), dtype=bool)
    observed[[2, 3, 7]] = True  # a position is never compared
    steps = gait.steps(observed=observed)
    fit = explain_steps(gait, steps).usual
    difference_deg = np.degrees(np.abs(gait.rest - steps.q.mean(axis=0)).mean(axis=0))
    for joint, name in (("hip", HIP), ("knee", KNEE), ("ankle", ANKLE)):
        both = [difference_deg[steps.names.index(sided(name, side))] for side in ("Right", "Left")]
        assert fit.flexion_deg[joint] == pytest.approx(np.mean(both))
    assert fit.mean_flexion_deg == pytest.approx(np.mean(list(fit.flexion_deg.values())))
    assert fit.all_angles_deg == pytest.approx((difference_deg[3] + difference_deg[7]) / 2.0)
    assert fit.step_m == 0.65


def test_an_explained_walk_reports_steps_speed_solutions_and_its_progress(heiman):
    gait = LinearGait(heiman)
    sentences = []
    walk = explain_steps(gait, gait.steps(), on_progress=sentences.append)
    assert (walk.steps, walk.speed_m_s, walk.step_m) == (2, pytest.approx(1.3), pytest.approx(0.65))
    assert walk.converged
    assert 2 <= walk.solutions < 8
    assert sentences[0].startswith("solution 1: ")
    assert walk.explained.mean_flexion_deg < walk.usual.mean_flexion_deg


def test_a_prediction_compares_usual_and_explained_weights_with_the_other_walk(heiman, monkeypatch):
    solves = []

    class RecordingGait(LinearGait):
        def __init__(self, robot, speed_m_s, *, on_iteration):
            super().__init__(robot)
            solves.append((speed_m_s, on_iteration))

        def solve(self, parameters, start=None):
            solves.append((list(parameters), start and start.parameters.tolist()))
            return super().solve(parameters)

    monkeypatch.setattr(inverse_optimal_control, "WeightedGait", RecordingGait)
    motion = walked(heiman, 4)
    steps = recorded_steps(heiman, motion)
    prediction = predict(SimpleNamespace(parameters=(0.0, 0.1, 0.2)), motion)
    assert solves == [(steps.speed_m_s, None), ([0.0, 0.0, 0.0], None), ([0.0, 0.1, 0.2], [0.0, 0.0, 0.0])]
    assert (prediction.speed_m_s, prediction.step_m) == (steps.speed_m_s, pytest.approx(steps.length_m.mean()))
    assert prediction.usual != prediction.explained


@pytest.mark.parametrize("is_even", [True, False])
def test_a_body_whose_sides_were_made_even_is_reported_first(heiman, monkeypatch, is_even):
    other = subject(1.8, 75.0)

    def weighted_gait(robot, _speed_m_s, *, on_iteration):
        return LinearGait(robot if is_even else other)

    monkeypatch.setattr(inverse_optimal_control, "WeightedGait", weighted_gait)
    sentences = []
    explain(walked(heiman, 4), heiman, on_progress=sentences.append)
    assert (sentences[0] == EVEN_SIDES_NOTE) is not is_even
    assert explain(walked(heiman, 4), heiman).steps > 0  # without a callback
