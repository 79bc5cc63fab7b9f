"""The inverted pendulum."""

import numpy as np

from strut.balance.pendulum import pendulum_com

GRAVITY_M_S2 = 9.81


def test_the_pendulum_stands_still_over_a_pressure_that_stands_still():
    pressure = np.tile([0.1, -0.2], (200, 1))
    com = pendulum_com(pressure, np.full(len(pressure), 0.8), step_s=0.01, gravity_m_s2=GRAVITY_M_S2)
    np.testing.assert_allclose(com, pressure, atol=1e-12)


def test_its_zero_moment_point_is_the_given_one():
    time_s = np.arange(0.0, 4.0, 0.005)
    pressure = np.column_stack([0.3 * (time_s > 1.5), 0.1 * np.sin(3.0 * time_s) * (time_s < 3.0)])
    com = pendulum_com(pressure, np.full(len(pressure), 0.9), step_s=0.005, gravity_m_s2=GRAVITY_M_S2)
    acceleration = np.diff(com, n=2, axis=0) / 0.005**2
    zero_moment_point = com[1:-1] - 0.9 / GRAVITY_M_S2 * acceleration
    np.testing.assert_allclose(zero_moment_point, pressure[1:-1], atol=1e-9)


def test_the_body_moves_before_its_pressure_does():
    time_s = np.arange(0.0, 6.0, 0.01)
    pressure = np.column_stack([0.2 * (time_s >= 3.0), np.zeros_like(time_s)])
    com = pendulum_com(pressure, np.full(len(pressure), 0.8), step_s=0.01, gravity_m_s2=GRAVITY_M_S2)
    ahead = np.interp(3.0, time_s, com[:, 0])
    assert 0.095 < ahead < 0.105  # a step of the pressure is met half-way, by symmetry
    natural_s = np.sqrt(0.8 / GRAVITY_M_S2)  # and the approach is the unstable mode, e-fold in sqrt(h / g)
    before = np.interp(3.0 - natural_s, time_s, com[:, 0])
    np.testing.assert_allclose(before / ahead, np.exp(-1.0), rtol=0.03)


def accelerations(path, step_s):
    """Return those of a path that stands still before its start and after its end. Shape (T, n) in and out."""
    return np.diff(np.pad(path, ((1, 1), (0, 0)), mode="edge"), n=2, axis=0) / step_s**2


def test_a_body_that_rises_and_sinks_keeps_its_zero_moment_point():
    time_s = np.linspace(0.0, 4.0, 2001)
    height = 0.9 + 0.02 * np.cos(4.0 * np.pi * time_s)  # 3.2 m/s2 up and down, at rest at both ends
    pressure = np.column_stack([0.1 * np.sin(4.0 * time_s), 0.3 * (time_s > 2.0)])
    com = pendulum_com(pressure, height, step_s=0.002, gravity_m_s2=GRAVITY_M_S2)
    forwards, upwards = (accelerations(path, 0.002) for path in (com, height[:, None]))
    zero_moment_point = com - height[:, None] / (GRAVITY_M_S2 + upwards) * forwards
    np.testing.assert_allclose(zero_moment_point, pressure, atol=1e-9)


def test_who_falls_almost_freely_is_carried_as_if_a_fifth_of_gravity_were_felt():
    time_s = np.linspace(0.0, 3.0, 1501)
    height = 0.9 + 0.05 * np.cos(5.0 * np.pi * time_s)  # 12 m/s2 up and down, more than gravity
    pressure = np.column_stack([0.1 * np.sin(4.0 * time_s), np.zeros_like(time_s)])
    com = pendulum_com(pressure, height, step_s=0.002, gravity_m_s2=GRAVITY_M_S2)
    forwards, upwards = (accelerations(path, 0.002) for path in (com, height[:, None]))
    felt = GRAVITY_M_S2 + upwards
    falls = felt[:, 0] < 0.2 * GRAVITY_M_S2
    assert 0.1 < falls.mean() < 0.5
    taken = np.where(falls[:, None], 0.2 * GRAVITY_M_S2, felt)
    np.testing.assert_allclose(com - height[:, None] / taken * forwards, pressure, atol=1e-9)
    missed_m = np.abs(com - height[:, None] / felt * forwards - pressure).max(axis=1)
    assert missed_m[falls].max() > 0.05  # which is not hidden: who measures it finds another zero-moment point
