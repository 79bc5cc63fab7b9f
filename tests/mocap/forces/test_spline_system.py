"""Least squares over splines: curves, derivatives, and draws that are as unsure as they should be."""

import numpy as np

from strut.mocap.forces.spline_system import SplineSystem, spline_basis


def test_a_curve_and_its_derivatives_come_back():
    time_s = np.arange(200) / 100.0
    basis = spline_basis(time_s, 0.03)
    phase = 2.0 * np.pi * time_s
    coefficients = basis.fit(np.column_stack([np.sin(phase), time_s**2]))
    np.testing.assert_allclose(basis.at_frames(coefficients)[:, 0], np.sin(phase), atol=2e-5)
    np.testing.assert_allclose(basis.at_frames(coefficients, 1)[:, 1], 2.0 * time_s, atol=1e-3)
    middle = slice(20, -20)
    np.testing.assert_allclose(
        basis.at_frames(coefficients, 2)[middle, 0], -((2 * np.pi) ** 2) * np.sin(phase)[middle], atol=0.02
    )


def test_the_banded_solution_is_that_of_the_whole_matrix():
    rng = np.random.default_rng(1)
    time_s = np.arange(30) / 100.0
    basis = spline_basis(time_s, 0.05)
    rows = rng.normal(size=(3, 30, 2, 3))
    target = rng.normal(size=(30, 2))
    values = rng.normal(size=(30, 3))
    weight = np.broadcast_to(np.diag([1.0, 2.0, 3.0]), (30, 3, 3))
    system = SplineSystem(basis, 3)
    system.add_rows(rows, target)
    system.add_precision(weight, values)
    found = system.solve().mean
    design = np.zeros((3, 30, basis.count))
    for derivative in range(3):
        for frame, first in enumerate(basis.first):
            design[derivative, frame, first : first + 5] = basis.values[derivative, frame]
    whole = np.einsum("dtb,dtrm->trbm", design, rows).reshape(60, -1)
    root = np.sqrt([1.0, 2.0, 3.0])
    near = np.einsum("tb,im->tibm", design[0], np.diag(root)).reshape(90, -1)
    right = np.concatenate([target.ravel(), (values * root).ravel()])
    expected = np.linalg.lstsq(np.vstack([whole, near]), right, rcond=None)[0]
    np.testing.assert_allclose(found.ravel(), expected, atol=1e-8)


def test_draws_are_as_unsure_as_the_data():
    """Each frame is measured with a standard deviation of 0.1, and nothing is smooth: so unsure is the curve."""
    time_s = np.arange(60) / 100.0
    basis = spline_basis(time_s, 0.01)
    system = SplineSystem(basis, 1)
    system.add_precision(np.full((60, 1, 1), 100.0), np.zeros((60, 1)))
    system.add_roughness(np.array([1e-14]))
    away = np.stack([basis.at_frames(one)[:, 0] for one in system.solve().sample(400, np.random.default_rng(2))])
    np.testing.assert_allclose(away.std(axis=0)[10:-10], 0.1, rtol=0.2)
