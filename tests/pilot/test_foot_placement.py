"""Foot placement: the pendulum's closed form against integration, and where steps go."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from strut.pilot.controllers.foot_placement import (
    advance_pendulum,
    capture_point,
    momentum_speed,
    pendulum_rate,
    periodic_speed,
    step_place,
    sway_speed,
)

RATE = pendulum_rate(0.8)


def test_the_pendulum_moves_as_its_equation_says():
    solved = solve_ivp(lambda _, x: (x[1], RATE**2 * x[0]), (0.0, 0.35), (-0.1, 0.5), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(advance_pendulum(-0.1, 0.5, RATE, 0.35), solved.y[:, -1], atol=1e-8)


def test_the_next_step_ends_with_the_wanted_speed():
    foot = step_place(0.02, 0.4, 0.7, RATE, left_s=0.2, step_s=0.35)
    at_step, speed = advance_pendulum(0.02, 0.4, RATE, 0.2)
    assert advance_pendulum(at_step - foot, speed, RATE, 0.35)[1] == pytest.approx(0.7)


def test_steps_at_the_periodic_speed_make_the_mean_speed():
    end = periodic_speed(0.6, RATE, 0.35)
    foot = step_place(0.6 * 0.35 / 2.0, end, end, RATE, left_s=0.0, step_s=0.35)
    assert foot == pytest.approx(0.6 * 0.35)


def test_sideways_steps_in_place_are_as_wide_as_asked():
    speed = sway_speed(0.26, RATE, 0.35)
    foot = step_place(0.13, speed, -speed, RATE, left_s=0.0, step_s=0.35)
    assert foot == pytest.approx(0.26)


def test_a_body_that_is_too_fast_steps_farther():
    places = [step_place(0.0, speed, 0.5, RATE, left_s=0.1, step_s=0.35) for speed in (0.4, 0.5, 0.6)]
    assert np.all(np.diff(places) > 0.0)


def test_a_foot_on_the_capture_point_brings_the_body_to_rest_over_it():
    foot = capture_point(0.05, 0.3, RATE)
    assert advance_pendulum(0.05 - foot, 0.3, RATE, 4.0)[0] == pytest.approx(0.0, abs=1e-6)


def test_momentum_of_a_point_mass_is_its_speed():
    mass = 33.0
    place = np.array([0.1, -0.2, 0.1])
    pivot = np.array([0.0, 0.1, -0.7])
    velocity = np.array([0.5, 0.2, 0.0])
    momentum = mass * np.concatenate([velocity, np.cross(place, velocity)])
    height = place[2] - pivot[2]
    np.testing.assert_allclose(momentum_speed(momentum, pivot, mass, height), velocity[:2], atol=1e-12)


def test_a_taller_pendulum_is_slower():
    assert pendulum_rate(0.95) < pendulum_rate(0.75)
    assert math.isclose(pendulum_rate(9.81), 1.0)
