"""Contact forces: inside the cone, adding up to what is asked, and never pulling."""

import numpy as np
import pytest
from scipy.optimize import nnls

from strut.simulation.contact_forces import ForceDistribution, pyramid_edges

CORNERS = np.array([(0.1, 0.13, -0.8), (-0.06, 0.13, -0.8), (0.1, -0.13, -0.8), (-0.06, -0.13, -0.8)])


def distribution(least_n=0.0, friction=0.5):
    return ForceDistribution(4, friction=friction, moment_weight=4.0, regularisation=0.02, min_force_n=least_n)


def test_edges_of_the_pyramid_lie_on_the_friction_cone():
    edges = pyramid_edges(0.6)
    np.testing.assert_allclose(np.hypot(edges[:, 0], edges[:, 1]), 0.6)


def test_forces_add_up_to_a_wrench_that_the_feet_can_give():
    force = np.array([10.0, -5.0, 320.0])
    moment = np.array([4.0, -8.0, 1.0])
    shared = distribution().share(CORNERS, force, moment)
    np.testing.assert_allclose(shared.sum(axis=0), force, atol=0.05)
    np.testing.assert_allclose(np.cross(CORNERS, shared).sum(axis=0), moment, atol=0.05)


@pytest.mark.parametrize("seed", range(8))
def test_forces_are_the_non_negative_least_squares_solution_whether_or_not_an_edge_is_idle(seed):
    rng = np.random.default_rng(seed)
    force = rng.normal((0.0, 0.0, 320.0), 60.0)
    moment = rng.normal(0.0, 20.0, 3)
    edges = np.tile(pyramid_edges(0.5).T, 4)
    rows = np.concatenate([edges, 4.0 * np.cross(np.repeat(CORNERS, 4, axis=0), edges.T).T, 0.02 * np.eye(16)])
    amounts, _ = nnls(rows, [*force, *(4.0 * moment), *np.zeros(16)])
    wanted = np.array([edges[:, 4 * k : 4 * k + 4] @ amounts[4 * k : 4 * k + 4] for k in range(4)])
    np.testing.assert_allclose(distribution().share(CORNERS, force, moment), wanted, atol=1e-6)


def test_no_point_pulls_or_leaves_its_cone_however_hard_it_is_asked():
    shared = distribution(friction=0.4).share(CORNERS, np.array([300.0, 0.0, 320.0]), np.array([0.0, 200.0, 0.0]))
    assert (shared[:, 2] >= 0.0).all()
    assert (np.hypot(shared[:, 0], shared[:, 1]) <= 0.4 * shared[:, 2] + 1e-9).all()


def test_every_point_keeps_the_least_force():
    shared = distribution(least_n=10.0).share(CORNERS, np.array([0.0, 0.0, 320.0]), np.array([60.0, 0.0, 0.0]))
    assert shared[:, 2].min() >= 10.0 - 1e-9
