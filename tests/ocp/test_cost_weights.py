"""Weights as data: the same program under other weights, and how its solution moves with them."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.ocp.collocation import DirectCollocation
from strut.ocp.cost_weights import cost_gradients, reweight, solution_sensitivities
from strut.ocp.interior_point import InteriorPoint, SolverOptions
from strut.ocp.problem import LagrangeCost, MayerCost, MeanCost, RateCost
from strut.ocp.sparse_nlp import square
from tests.ocp.test_collocation import cart_problem, still

NAMES = ("time", "effort")
SHARP = SolverOptions(tolerance=1e-9)


def hurried(*, time=1.0, effort=1.0, most_force_n=1e3):
    """A cart of 2 kg that goes 1 m from rest to rest: T + ∫u² dt = T + 48 / T³ without a bound on its force."""
    costs = (
        MayerCost("time", time, lambda ends: ends.total_s),
        LagrangeCost("effort", effort, lambda node: square(node.u)),
    )
    return DirectCollocation(cart_problem(costs=costs, duration_s=(0.1, 20.0), intervals=40, most_force_n=most_force_n))


def solved(program, factors):
    program = reweight(program, factors)
    solver = InteriorPoint(program.assembly, program.layout.lower, program.layout.upper, SHARP)
    return program, solver.solve(program.variables(still(program.problem)))


def duration_s(program, x):
    return float(x[program.layout.duration[0]])


def test_a_program_with_other_weights_is_solved_as_one_that_was_written_with_them():
    weighed, outcome = solved(hurried(), {"time": 3.0, "effort": 0.5})
    assert duration_s(weighed, outcome.x) == pytest.approx((144.0 * 0.5 / 3.0) ** 0.25, rel=2e-3)
    written = hurried(time=3.0, effort=0.5)
    found = written.solve(still(written.problem), options=SHARP)
    assert outcome.cost == pytest.approx(found.cost, rel=1e-8)
    assert weighed.costs(outcome.x) == pytest.approx(written.costs(found.variables), rel=1e-5)


def test_gradients_of_all_kinds_of_costs_are_those_of_finite_differences():
    costs = (
        *hurried().problem.costs,
        MeanCost("speed", 0.3, lambda node: square(node.v)),
        RateCost("jerk", 0.2, lambda node: node.u),
    )
    program = DirectCollocation(cart_problem(costs=costs, duration_s=(0.1, 20.0)))
    rng = np.random.default_rng(1)
    x, way = np.abs(rng.normal(size=(2, program.layout.size))) + 0.5
    names = [cost.name for cost in costs]

    def along(share):
        found = program.costs(x + share * way)
        return np.array([found[name] for name in names])

    expected = (along(1e-6) - along(-1e-6)) / 2e-6
    assert_allclose(cost_gradients(program, names, x).T @ way, expected, rtol=1e-6)


def test_a_solution_moves_with_its_weights_as_the_closed_form_says():
    program, outcome = solved(hurried(), {})
    moved = solution_sensitivities(program, outcome, cost_gradients(program, NAMES, outcome.x))
    lasts_s = duration_s(program, outcome.x)  # (144 effort / time) to the power 1/4
    assert_allclose(moved[program.layout.duration[0]] / lasts_s, [-0.25, 0.25], rtol=2e-3)


def test_what_pushes_against_a_bound_stays_there_when_weights_change():
    base = hurried(most_force_n=0.8)  # binds at both ends of the ride
    program, outcome = solved(base, {})
    moved = solution_sensitivities(program, outcome, cost_gradients(program, NAMES, outcome.x))
    apart = [solved(base, {"effort": float(np.exp(sign * 0.01))})[1].x for sign in (1.0, -1.0)]
    expected = (apart[0] - apart[1]) / 0.02
    assert_allclose(moved[:, 1], expected, atol=0.02 * np.abs(expected).max())
    forces = program.layout.u[:, 0]
    held = np.abs(np.abs(outcome.x[forces]) - 0.8) < 1e-6
    assert held.any()
    assert np.abs(moved[forces[held], 1]).max() < 1e-3
