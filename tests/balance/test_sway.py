"""Sway piece by piece: the path of the pressure read back from the shift, by the equation that the shift solves."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from strut.balance.polygon import Polygon
from strut.balance.sway import CLOSE_M, BodyResponse, Sway, com_from_zmp, inset_support
from strut.maths.easing import smooth_step

GRAVITY_M_S2 = 9.81
HEIGHT_M = 0.4
STEP_S = 0.02
TIME_S = 3.0 + STEP_S * np.arange(12)  # a clock that does not begin at zero
TRIANGLE = np.array([[0.3, -0.1], [0.2, 0.4], [-0.4, 0.1]])  # counter-clockwise, no two sides alike


def zmp_of(shift, height_m=HEIGHT_M):
    """Return p of c - (h / g) c'' = p between the ends, where it is c."""
    pressure = shift.copy()
    pressure[1:-1] -= height_m / GRAVITY_M_S2 * np.diff(shift, n=2, axis=0) / STEP_S**2
    return pressure


def test_the_path_of_the_mass_solves_its_equation_and_is_the_pressure_at_both_ends():
    pressure = np.random.default_rng(0).normal(size=(12, 2))
    path = com_from_zmp(pressure, TIME_S, HEIGHT_M)
    assert_allclose(zmp_of(path), pressure, atol=1e-9)


def sway_of(x_cost, cop, inset):
    standing = np.column_stack([np.linspace(-0.1, 0.1, 12), np.linspace(0.3, 0.5, 12)])
    com = np.column_stack([cop, np.linspace(HEIGHT_M - 0.1, HEIGHT_M + 0.1, 12)])
    return Sway(TIME_S, BodyResponse(standing, com), inset, x_cost), BodyResponse(cop, com), standing


def rooms_of(samples):
    inset = np.full((12, 3, 2), np.nan)
    inset[samples] = TRIANGLE
    return inset


@pytest.mark.parametrize("x_cost", [1.0, 3.0])
def test_where_a_foot_is_up_the_pressure_comes_into_the_room_and_between_it_is_carried_over(x_cost):
    """Standing at the ends, in the room in samples 4 to 6 and 9, smoothly from one to the next in between."""
    sway, response, standing = sway_of(x_cost, np.full((12, 2), 0.01), rooms_of([4, 5, 6, 9]))
    path = zmp_of(sway.missing_shift(response)) + response.cop_in_world
    stretch = np.array([x_cost, 1.0])
    offset = {
        k: Polygon(TRIANGLE * stretch).nearest(standing[k] * stretch) / stretch - standing[k] for k in (4, 5, 6, 9)
    }
    assert min(np.linalg.norm(change) for change in offset.values()) > 0.01  # standing is outside the room
    for k, change in offset.items():
        assert_allclose(path[k] - standing[k], change, atol=1e-9)
    for k in (1, 2, 3):
        assert_allclose(path[k] - standing[k], smooth_step(np.array(k / 4.0)) * offset[4], atol=1e-9)
    for k in (7, 8):
        share = smooth_step(np.array((k - 6) / 3.0))
        assert_allclose(path[k] - standing[k], offset[6] + share * (offset[9] - offset[6]), atol=1e-9)
    assert_allclose(path[10] - standing[10], 0.5 * offset[9], atol=1e-9)
    assert_allclose(zmp_of(sway.missing_shift(response))[[0, -1]], 0.0, atol=1e-12)


def test_published_sway_keeps_x_where_the_pressure_is_and_starts_sideways_from_where_it_stood():
    cop = np.column_stack([np.linspace(-0.2, 0.2, 12), np.full(12, 0.02)])
    sway, response, standing = sway_of(np.inf, cop, rooms_of([5, 6]))
    shift = sway.missing_shift(response)
    assert_array_equal(shift[:, 0], np.zeros(12))
    path = zmp_of(shift) + cop
    for k in (5, 6):
        start = np.array([cop[k, 0], standing[k, 1]])
        assert_allclose(path[k], Polygon(TRIANGLE).nearest_at_same_x(start), atol=1e-9)
    assert_allclose(path[3, 1], standing[3, 1] + smooth_step(np.array(0.6)) * (path[5, 1] - standing[5, 1]), atol=1e-9)


@pytest.mark.parametrize(("miss_m", "close"), [(0.95 * CLOSE_M, True), (1.05 * CLOSE_M, False)])
@pytest.mark.parametrize("axis", [0, 1])
def test_what_is_met_to_two_millimetres_needs_no_more_shift(miss_m, close, axis):
    assert CLOSE_M == 2e-3
    standing = np.zeros((12, 2))
    cop = standing.copy()
    cop[3, axis] -= miss_m
    com = np.full((12, 3), HEIGHT_M)
    sway = Sway(TIME_S, BodyResponse(standing, com), rooms_of([6]) - TRIANGLE.mean(axis=0), 1.0)
    assert (sway.missing_shift(BodyResponse(cop, com)) is None) is close


def test_a_room_is_the_triangle_less_the_buffer_a_dot_where_nothing_is_left_and_nothing_on_four_feet():
    feet = np.array([[0.3, 0.2, 0.0], [-0.3, 0.2, 0.0], [0.3, -0.2, 0.0], [-0.3, -0.2, 0.0]])
    contact = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 0], [0, 1, 1, 1]], dtype=bool)
    in_world = np.broadcast_to(feet, (4, 4, 3))
    inset = inset_support(contact, in_world, 0.05)
    assert np.isnan(inset[[0, 2]]).all()
    assert_allclose(Polygon(feet[:3][[0, 1, 2], :2]).margin(inset[1]), 0.05, atol=1e-12)
    assert_allclose(inset[1].max(axis=0), [0.25, 0.15], atol=1e-12)
    assert_allclose(inset[3].min(axis=0), [-0.25, -0.15], atol=1e-12)
    dot = inset_support(contact, in_world, 1.0)[1]
    assert_allclose(dot.mean(axis=0), feet[:3, :2].mean(axis=0), atol=1e-12)
    assert_allclose(np.ptp(dot, axis=0), [0.6e-3, 0.4e-3], atol=1e-9)
