"""Least changes under equations and bounds, against SLSQP; the active set finds them without an interior point."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from strut.ocp import constrained_least_squares as module
from strut.ocp.constrained_least_squares import BoundedRows, constrained_least_squares


@pytest.fixture
def active_set_alone(monkeypatch):
    """Whoever asks the interior point has gone in circles, which bounds of single values never make."""

    def asked(*_):
        raise AssertionError("the active set was not found")

    monkeypatch.setattr(module, "_active_at_optimum", asked)


@pytest.mark.parametrize("seed", range(8))
def test_bounded_values_are_found_by_the_active_set_alone(active_set_alone, seed):
    rng = np.random.default_rng(seed)
    weight = rng.uniform(0.5, 2.0, 6)
    total = np.ones((1, 6))
    lower = rng.uniform(-1.0, 0.5, 6)  # some of them are missed by the change without bounds, most are not
    upper = lower + rng.uniform(0.3, 2.0, 6)
    wanted = np.array([rng.uniform(lower.sum(), upper.sum())])
    bounded = BoundedRows(csr_matrix(np.eye(6)), lower, upper)
    change, known = constrained_least_squares(weight, csr_matrix(total), wanted, bounded)
    oracle = minimize(
        lambda x: 0.5 * np.sum((weight * x) ** 2),
        0.5 * (lower + upper),
        jac=lambda x: weight**2 * x,
        bounds=list(zip(lower, upper, strict=True)),
        constraints={"type": "eq", "fun": lambda x: total @ x - wanted},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    assert known
    assert_allclose(change, oracle.x, atol=1e-5)
    assert (change > lower - 1e-6).all()
    assert (change < upper + 1e-6).all()


def test_a_distant_bound_changes_nothing(active_set_alone):
    weight = np.array([1.0, 2.0])
    rows = csr_matrix([[1.0, 1.0]])
    wide = BoundedRows(csr_matrix(np.eye(2)), np.full(2, -10.0), np.full(2, 10.0))
    change, known = constrained_least_squares(weight, rows, np.array([5.0]), wide)
    assert known
    assert_allclose(change, [4.0, 1.0], atol=1e-6)  # as 1 / weight²
