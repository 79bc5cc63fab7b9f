"""Steps of the search for weights, on walks that are linear in them: against least squares of the whole system."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.human.inverse.recorded_steps import SAMPLES, RecordedSteps
from strut.human.inverse.weight_estimation import (
    CURVE_DOF,
    MAX_SOLUTIONS,
    PRIOR_SD,
    GaussNewtonSearch,
    Residuals,
    compared_columns,
    estimate_weights,
    residuals,
)
from strut.human.inverse.weighted_gait import WeightedSolution
from strut.ocp.collocation import NotSolvedError

NAMES = ("effort", "momentum", "time")
ANGLES = ("Pelvis_TX", "Pelvis_TY", "Pelvis_TZ", "Pelvis_RY", "HipRight_RY", "HipLeft_RY", "KneeRight_RY")
FREE = [1, 2]  # the weight of effort stays


class LinearGait:
    """Angles and a step length that are linear in the parameters."""

    names = NAMES
    usual = np.zeros(3)
    is_linear = np.array([False, False, True])

    def __init__(self, size=0.05):
        rng = np.random.default_rng(3)
        self.rest = 0.2 * rng.normal(size=(SAMPLES, 7))
        self.slope = size * rng.normal(size=(SAMPLES, 7, 3))
        self.length_slope = np.array([0.0, 0.03, -0.02])

    def solve(self, parameters, _start=None):
        return WeightedSolution(parameters, None, SimpleNamespace(x=parameters))

    def step(self, x):
        return self.rest + self.slope @ x, 0.7 + float(self.length_slope @ x)

    def sensitivities(self, _solved):
        return self.slope, self.length_slope


def steps_of(gait, truth, noise_rad=0.0, count=3, observed=None):
    q, length_m = gait.step(np.array(truth))
    rng = np.random.default_rng(5)
    return RecordedSteps(
        ANGLES,
        q + noise_rad * rng.normal(size=(count, SAMPLES, 7)),
        np.full(count, 0.5),
        length_m + 0.2 * noise_rad * rng.normal(size=count),
        np.ones(7, dtype=bool) if observed is None else observed,
    )


def search_of(gait, steps):
    return GaussNewtonSearch(gait, steps, lambda _: None)


def stacked(gait, at, steps, counts):
    """Return the rows of all squares that a step minimises, by hand: angles, step length over half a metre, prior."""
    q, length_m = gait.step(at)
    off_rad = q - steps.q.mean(axis=0)
    off_m = length_m - steps.length_m.mean()
    squares = [float(np.mean(off_rad[:, k] ** 2)) for k in range(3, 7)] + [(off_m / 0.5) ** 2]
    precision = CURVE_DOF / np.mean(squares)
    rows = []
    goal = []
    for k, often in zip(range(3, 7), counts, strict=False):
        rows.append(np.sqrt(often * precision / SAMPLES) * gait.slope[:, k])
        goal.append(-np.sqrt(often * precision / SAMPLES) * off_rad[:, k])
    rows.append(np.sqrt(counts[4] * precision) * gait.length_slope[None] / 0.5)
    goal.append([-np.sqrt(counts[4] * precision) * off_m / 0.5])
    return np.vstack([*rows, np.eye(3) / PRIOR_SD]), np.concatenate([*goal, -at / PRIOR_SD])


@pytest.mark.parametrize("counts", [None, np.array([2.0, 0.0, 3.0, 1.0, 1.0])])
def test_a_step_goes_to_the_least_squares_of_angles_length_and_prior_with_effort_kept(counts):
    gait = LinearGait()
    at = np.array([0.3, -0.2, 0.5])
    steps = steps_of(gait, [0.0, 0.8, 0.6], noise_rad=0.02)
    search = search_of(gait, steps)
    found = search.residuals(gait.solve(at))
    rows, goal = stacked(gait, at, steps, np.ones(5) if counts is None else counts)
    best = np.linalg.lstsq(rows[:, FREE], goal, rcond=None)[0]
    moved = search.gauss_newton_step(at, found, gait.usual, counts)
    assert_allclose(moved - at, [0.0, *best], rtol=1e-9)
    shifted = search.gauss_newton_step(at, found, np.array([0.0, 0.4, 0.0]), counts)  # a prior elsewhere pulls there
    assert shifted[1] > moved[1]
    assert_allclose(search.normal_matrix(found, counts), rows.T @ rows, rtol=1e-9)
    assert_allclose(search.negative_gradient(found, counts), (rows.T @ goal) + at / PRIOR_SD**2, rtol=1e-9)


def test_where_a_weight_would_be_negative_the_others_go_where_it_is_none():
    gait = LinearGait()
    at = np.array([0.0, 0.1, 0.4])
    steps = steps_of(gait, [0.0, 0.8, -0.9], noise_rad=0.02)
    search = search_of(gait, steps)
    rows, goal = stacked(gait, at, steps, np.ones(5))
    alone = np.linalg.lstsq(rows[:, [1]], goal - rows[:, 2] * (0.0 - 0.4), rcond=None)[0]
    assert_allclose(
        search.gauss_newton_step(at, search.residuals(gait.solve(at)), gait.usual), [0.0, 0.1 + alone[0], 0.0]
    )
    ahead = steps_of(gait, [0.0, -0.8, 0.9])  # a logarithm may be negative
    assert (
        search_of(gait, ahead).gauss_newton_step(at, search_of(gait, ahead).residuals(gait.solve(at)), gait.usual)[1]
        < 0
    )


def test_seen_angles_are_compared_and_places_never():
    seen = np.array([True, True, True, True, False, True, True])
    assert compared_columns(steps_of(LinearGait(), [0, 0, 0], observed=seen)).tolist() == [3, 5, 6]


def test_a_step_five_centimetres_too_long_counts_as_a_joint_a_tenth_of_a_radian_off():
    gait = LinearGait()
    steps = steps_of(gait, [0.0, 0.0, 0.0])
    off = residuals(gait, gait.solve(np.zeros(3)), steps, gait.rest - 0.1, 0.65)
    squares = np.sum(off.residual**2, axis=1)
    assert_allclose(squares, [0.01] * 5)
    assert off.rms_rad == pytest.approx(0.1)
    assert (off.residual > 0.0).all()
    assert off.groups.tolist() == [0, 1, 1, 2, 3]  # both hips are one joint; the length is last
    nudge = 1e-6
    for k in range(3):
        moved = residuals(gait, gait.solve(nudge * np.eye(3)[k]), steps, gait.rest - 0.1, 0.65)
        assert_allclose((moved.residual - off.residual) / nudge, off.jacobian[:, :, k], atol=1e-8)


def test_squares_are_compared_at_one_precision_with_what_the_prior_costs():
    search = search_of(LinearGait(), steps_of(LinearGait(), [0.0, 0.0, 0.0]))
    found = Residuals(np.full((2, 3), 0.1), np.zeros((2, 3, 3)), np.array([0, 1]))
    value = search.objective(found, np.array([0.0, 1.0, 2.0]), 0.2)
    assert value == pytest.approx(5.0 / 0.04 * 0.06 + 5.0 / np.log(10.0) ** 2)
    floor = np.radians(0.05)  # no recording is nearer to a mesh
    assert search.objective(found, np.zeros(3), 1e-9) == pytest.approx(5.0 / floor**2 * 0.06)


def test_steps_are_no_longer_than_the_radius_and_shrink_to_a_third_of_what_failed():
    tried = []

    class Failing(LinearGait):
        def solve(self, parameters, start=None):
            tried.append(parameters)
            if start is not None:
                raise NotSolvedError("too far", "nothing", None)
            return super().solve(parameters)

    gait = Failing(size=0.01)
    search = search_of(gait, steps_of(gait, [0.0, 6.0, 1.0]))
    search.minimise(search.solve(gait.usual, None))
    sizes = np.abs(np.array(tried[1:])).max(axis=1)
    assert_allclose(sizes[:4], 1.5 / 3.0 ** np.arange(4), rtol=1e-9)
    assert search.solutions == len(tried) == MAX_SOLUTIONS
    assert not search.converged
    tried.clear()
    near = search_of(Failing(), steps_of(Failing(), [0.0, 0.3, 0.2]))
    usual = near.solve(gait.usual, None)
    aim = near.gauss_newton_step(gait.usual, near.residuals(usual), gait.usual)
    near.minimise(usual)
    assert_allclose(tried[1], aim)  # a step within the radius is taken whole
    assert_allclose(np.abs(tried[2]).max(), np.abs(aim).max() / 3.0)


def test_a_search_on_a_straight_slope_ends_where_no_step_is_left_and_says_how_sure_it_is():
    gait = LinearGait()
    found = estimate_weights(gait, steps_of(gait, [0.0, 0.9, 0.4]), np.random.default_rng(0), lambda _: None)
    assert_allclose(found.best.parameters, [0.0, 0.9, 0.4], atol=0.01)
    assert found.converged
    assert found.solutions < 8
    search = search_of(gait, steps_of(gait, [0.0, 0.9, 0.4]))
    normal = search.normal_matrix(search.residuals(found.best))
    assert_allclose(found.covariance[np.ix_(FREE, FREE)] @ normal[np.ix_(FREE, FREE)], np.eye(2), atol=1e-9)
    assert not found.covariance[0].any()
    assert found.bootstrap.shape == (500, 3)
    assert (found.bootstrap[:, 2] >= 0.0).all()


def test_a_search_that_starts_where_it_ends_solves_once():
    gait = LinearGait()
    search = search_of(gait, steps_of(gait, [0.0, 0.0, 0.0]))
    usual = search.solve(gait.usual, None)
    assert search.minimise(usual) is usual
    assert (search.solutions, search.converged) == (1, True)


def test_drawing_one_step_alone_gives_the_weights_of_that_step():
    gait = LinearGait()
    at = np.array([0.0, 0.5, 0.4])
    steps = steps_of(gait, [0.0, 0.5, 0.4], noise_rad=0.03)
    only = RecordedSteps(ANGLES, steps.q[:1], steps.duration_s[:1], steps.length_m[:1], steps.observed)
    drawn = np.array([0.0, 0.7, -0.8])
    asked = []

    def multinomial(count, shares):
        asked.append((count, shares.tolist()))
        return np.ones(count, dtype=int)

    def normal(middle, sd, size):
        assert (middle, sd, size) == (0.0, PRIOR_SD, 3)
        return drawn

    rng = SimpleNamespace(multinomial=multinomial, integers=lambda stop, size: np.zeros(size, dtype=int), normal=normal)
    search = search_of(gait, steps)
    alone = search_of(gait, only)
    found = search.bootstrap_sample(gait.solve(at), search.residuals(gait.solve(at)), rng)
    prior = np.array([0.0, 0.7, 0.0])  # a weight itself is not drawn below 0
    assert_allclose(found, alone.gauss_newton_step(at, alone.residuals(gait.solve(at)), prior))
    assert asked == [(3, [pytest.approx(1.0 / 3.0)] * 3)]


def test_joints_that_are_drawn_twice_count_twice_and_the_length_always_once():
    gait = LinearGait()
    at = np.array([0.0, 0.5, 0.4])
    steps = steps_of(gait, [0.0, 0.2, 0.6], noise_rad=0.03, count=1)
    rng = SimpleNamespace(
        multinomial=lambda count, shares: np.array([1, 2, 0]),
        integers=lambda stop, size: np.zeros(size, dtype=int),
        normal=lambda middle, sd, size: np.zeros(size),
    )
    search = search_of(gait, steps)
    found = search.residuals(gait.solve(at))
    drawn = search.bootstrap_sample(gait.solve(at), found, rng)
    assert_allclose(drawn, search.gauss_newton_step(at, found, gait.usual, np.array([1.0, 2.0, 2.0, 0.0, 1.0])))


@pytest.mark.parametrize(("steeper", "ends"), [(30.0, False), (3000.0, True)])
def test_a_search_goes_on_while_a_step_helps_by_more_than_a_thousandth(steeper, ends):
    """Slopes that are told too steep make steps too short: each spares two parts in so many of the squares."""

    class Timid(LinearGait):
        def sensitivities(self, _solved):
            return steeper * self.slope, steeper * self.length_slope

    gait = Timid()
    search = search_of(gait, steps_of(gait, [0.0, 200.0, 0.0] if ends else [0.0, 3.0, 0.0]))
    search.minimise(search.solve(gait.usual, None))
    assert search.converged is ends
    assert search.solutions == (2 if ends else MAX_SOLUTIONS)
