"""Explained walks in numbers: shares, ranges and pairs of criteria, and how far a walk is from another."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.human.anatomy import ANKLE, HIP, KNEE, sided
from strut.human.inverse import inverse_optimal_control
from strut.human.inverse.inverse_optimal_control import _alike, _criteria, _fit, explain, explained_by, predict
from strut.human.inverse.weight_estimation import PRIOR_SD
from strut.models.subject import EVENED


class Gait:
    """Three criteria whose factors are powers of two of their parameters."""

    names = ("a", "b", "c")
    weight = np.array([1.0, 2.0, 4.0])
    usual = np.zeros(3)

    def factors(self, parameters):
        return 2.0 ** np.asarray(parameters)

    def costs(self, _solved):
        return np.array([1.0, 3.0, 4.0])

    def costs_per_factor(self, _solved):
        return np.array([2.0, 1.0, 0.5])


def found(covariance):
    bootstrap = np.random.default_rng(0).normal(size=(200, 3))
    best = SimpleNamespace(parameters=np.array([1.0, 0.0, -1.0]))
    return SimpleNamespace(
        gait=Gait(), best=best, covariance=covariance, bootstrap=bootstrap, usual="usual", solutions=7, converged=True
    )


def test_criteria_have_weights_shares_and_ranges_by_percentiles():
    covariance = np.diag([(0.49 * PRIOR_SD) ** 2, (0.51 * PRIOR_SD) ** 2, 0.0])
    one = found(covariance)
    criteria = _criteria(one)
    assert [criterion.name for criterion in criteria] == ["a", "b", "c"]
    assert [criterion.weight for criterion in criteria] == [2.0, 2.0, 2.0]
    assert [criterion.usual_weight for criterion in criteria] == [1.0, 2.0, 4.0]
    assert [criterion.share for criterion in criteria] == [0.125, 0.375, 0.5]
    assert [criterion.told for criterion in criteria] == [True, False, True]
    drawn = 2.0**one.bootstrap
    shares = np.array([2.0, 1.0, 0.5]) * drawn
    shares /= shares.sum(axis=1, keepdims=True)
    for k, criterion in enumerate(criteria):
        assert_allclose(criterion.weight_range, np.percentile(Gait.weight[k] * drawn[:, k], [5.0, 95.0]))
        assert_allclose(criterion.share_range, np.percentile(shares[:, k], [5.0, 95.0]))


@pytest.mark.parametrize(("correlation", "alike"), [(0.91, True), (-0.91, True), (0.89, False)])
def test_weights_that_vary_together_are_alike(correlation, alike):
    covariance = np.array([[4.0, correlation * 2.0 * 3.0, 0.1], [correlation * 2.0 * 3.0, 9.0, 0.2], [0.1, 0.2, 1.0]])
    assert _alike(found(covariance)) == ((("a", "b"),) if alike else ())


def steps_of(heiman):
    names = ("Pelvis_TX", "Pelvis_TY", "Pelvis_TZ", "Pelvis_RY", "Pelvis_RX", "Pelvis_RZ", *heiman.joint_names)
    q = np.random.default_rng(1).normal(size=(4, 5, len(names)))
    return SimpleNamespace(names=names, q=q, speed_m_s=1.2, length_m=np.array([0.6, 0.7]))


def test_a_fit_is_the_mean_distance_of_angles_in_degrees(heiman, monkeypatch):
    steps = steps_of(heiman)
    monkeypatch.setattr(inverse_optimal_control, "compared", lambda steps: np.array([3, 7]))
    walked = np.random.default_rng(2).normal(size=steps.q.shape[1:])
    gait = SimpleNamespace(step=lambda x: (walked, 0.65))
    fit = _fit(gait, SimpleNamespace(outcome=SimpleNamespace(x=None)), steps)
    off = np.degrees(np.abs(walked - steps.q.mean(axis=0)).mean(axis=0))
    for word, name in (("hip", HIP), ("knee", KNEE), ("ankle", ANKLE)):
        both = [off[steps.names.index(sided(name, side))] for side in ("Right", "Left")]
        assert fit.flexion_deg[word] == pytest.approx(np.mean(both))
    assert fit.mean_flexion_deg == pytest.approx(np.mean(list(fit.flexion_deg.values())))
    assert fit.all_angles_deg == pytest.approx((off[3] + off[7]) / 2.0)
    assert fit.step_m == 0.65


def test_what_is_explained_tells_steps_speed_and_solutions(heiman, monkeypatch):
    steps = steps_of(heiman)
    told = []
    one = found(np.eye(3))

    def searched(gait, steps, rng, heard):
        heard("found")
        told.append(rng.normal())
        return one

    monkeypatch.setattr(inverse_optimal_control, "estimated_weights", searched)
    monkeypatch.setattr(inverse_optimal_control, "_fit", lambda gait, solved, steps: solved)
    walk = explained_by("gait", steps, seed=3, on_progress=told.append)
    assert told == ["found", np.random.default_rng(3).normal()]
    assert (walk.usual, walk.explained) == ("usual", one.best)
    assert (walk.steps, walk.speed_m_s, walk.step_m, walk.solutions) == (4, 1.2, pytest.approx(0.65), 7)
    assert walk.parameters == (1.0, 0.0, -1.0)
    assert explained_by("gait", steps, seed=4).steps == 4
    assert told[1] != told[2]


def test_a_prediction_starts_from_the_usual_walk(heiman, monkeypatch):
    steps = steps_of(heiman)
    solved = []

    class Weighted:
        usual = np.zeros(3)

        def __init__(self, robot, speed_m_s, *, on_iteration):
            assert (robot, speed_m_s, on_iteration) == (heiman, 1.2, None)

        def solved(self, parameters, start=None):
            solved.append((parameters.tolist(), start))
            return len(solved)

    monkeypatch.setattr(inverse_optimal_control, "_recorded", lambda walks, robot: (heiman, steps))
    monkeypatch.setattr(inverse_optimal_control, "WeightedGait", Weighted)
    monkeypatch.setattr(inverse_optimal_control, "_fit", lambda gait, solved, steps: f"fit {solved}")
    found_ = predict(SimpleNamespace(parameters=(0.5, 0.1, 0.2)), "walks")
    assert solved == [([0.0, 0.0, 0.0], None), ([0.5, 0.1, 0.2], 1)]
    assert (found_.usual, found_.explained, found_.speed_m_s) == ("fit 1", "fit 2", 1.2)
    assert found_.step_m == pytest.approx(0.65)


def test_a_body_whose_sides_are_made_even_is_told_before_the_search(heiman, monkeypatch):
    told = []
    steps = steps_of(heiman)
    evened = SimpleNamespace(robot="even")

    def search(gait, given, *, seed, on_progress):
        on_progress("searched")
        return gait, given, seed

    monkeypatch.setattr(inverse_optimal_control, "_recorded", lambda walks, robot: (robot, steps))
    monkeypatch.setattr(inverse_optimal_control, "explained_by", search)
    for made, heard in ((evened, [EVENED, "searched"]), (SimpleNamespace(robot=heiman), ["searched"])):
        monkeypatch.setattr(inverse_optimal_control, "WeightedGait", lambda robot, speed, made=made, **_: made)
        told.clear()
        assert explain("walks", heiman, seed=5, on_progress=told.append) == (made, steps, 5)
        assert told == heard
        assert explain("walks", heiman) == (made, steps, 0)  # nobody has to listen
