"""Landing pieces: a motion is cut at its landings, and each piece has the derivatives of its own samples."""

import numpy as np
from numpy.testing import assert_allclose

from strut.maths.rotation import qpos_from_angles
from strut.verify.landing_pieces import DEGREE, FEWEST, landing_pieces

JOINTS = 28


def test_a_piece_needs_enough_samples_and_short_pieces_have_a_lower_degree():
    samples = 2 * FEWEST + 2 * DEGREE
    cuts = (FEWEST, 2 * FEWEST - 1, 2 * FEWEST - 1 + DEGREE)  # pieces of FEWEST, FEWEST - 1, DEGREE and DEGREE + 1
    contact = np.arange(samples)[:, None] >= np.array(cuts)
    qpos = np.zeros((samples, 7 + JOINTS))
    qpos[:, 3] = 1.0
    pieces = landing_pieces(0.01 * np.arange(samples), qpos, contact)
    assert [(piece.first, piece.stop) for piece in pieces] == [(0, cuts[0]), (cuts[1], cuts[2]), (cuts[2], samples)]
    assert [piece.curve.k for piece in pieces] == [3, 3, DEGREE]


def test_velocities_and_accelerations_are_those_of_the_sampled_movement():
    time_s = 0.01 * np.arange(30)
    q = np.zeros((30, 6 + JOINTS))
    q[:, 0] = 1.5 * time_s
    q[:, 2] = 1.0 - 0.5 * 9.81 * time_s**2
    q[:, 5] = 3.0 + 0.8 * time_s  # the heading passes π
    q[:, 9] = 2.0 * time_s**2
    (piece,) = landing_pieces(time_s, qpos_from_angles(q), np.ones((30, 1), dtype=bool))
    assert piece.rows == slice(0, 30)
    speed = piece.velocity(time_s)
    rate = piece.acceleration(time_s[1:-1])
    assert_allclose(
        speed[:, [0, 2, 5]], np.column_stack([0 * time_s + 1.5, -9.81 * time_s, 0 * time_s + 0.8]), atol=1e-6
    )
    assert_allclose(speed[:, 9], 4.0 * time_s, atol=1e-6)
    assert_allclose(rate[:, [0, 2, 5, 9]], np.tile([0.0, -9.81, 0.0, 4.0], (28, 1)), atol=1e-3)


def test_no_derivative_spans_a_landing():
    time_s = np.arange(41) / 100.0
    qpos = np.zeros((41, 7 + JOINTS))
    qpos[:, 3] = 1.0
    qpos[:, 7] = np.abs(time_s - 0.203)  # the speed of this joint jumps from -1 to 1
    contact = np.zeros((41, 6), dtype=bool)
    contact[21:, 0] = True
    before, after = landing_pieces(time_s, qpos, contact)
    assert_allclose(before.velocity(time_s[before.rows])[:, 6], -1.0, atol=1e-6)
    assert_allclose(after.velocity(time_s[after.rows])[:, 6], 1.0, atol=1e-6)
    assert_allclose(after.acceleration(time_s[after.rows])[:, 6], 0.0, atol=1e-3)
