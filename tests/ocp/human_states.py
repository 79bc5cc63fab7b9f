"""States of the human in which published values are given, and how one state follows another."""

import numpy as np


def generic():
    """Return q, v and forces of the published generic state."""
    index = np.arange(1, 35)
    q = 0.1 * np.sin(index)
    v = 0.2 * np.cos(index)
    q[2] = 0.95
    return q, v, np.concatenate([np.zeros(6), 5.0 * np.sin(3.0 * np.arange(1, 29))])


def neutral():
    """Return q of Subject3 upright."""
    q = np.zeros(34)
    q[2] = 0.9938
    return q


def integrated(dynamics, q, v, step_s, count):
    """Return q and v after some steps of Runge-Kutta (fourth order) without torques."""

    def rate(q, v):
        return v, dynamics.accelerate(q, v, np.zeros(34))[0]

    for _ in range(count):
        one = rate(q, v)
        two = rate(q + step_s / 2 * one[0], v + step_s / 2 * one[1])
        three = rate(q + step_s / 2 * two[0], v + step_s / 2 * two[1])
        four = rate(q + step_s * three[0], v + step_s * three[1])
        q = q + step_s / 6 * (one[0] + 2 * two[0] + 2 * three[0] + four[0])
        v = v + step_s / 6 * (one[1] + 2 * two[1] + 2 * three[1] + four[1])
    return q, v
