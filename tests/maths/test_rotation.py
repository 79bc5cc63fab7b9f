"""Rotations against scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.maths.rotation import (
    continuous_quaternions,
    elementary_rotation,
    orientation_error,
    quaternion_from_rotation,
    rotation_about,
    rotation_from_quaternion,
    rotation_from_vector,
    rotation_from_zyz,
    rotation_vector,
    rotation_y,
    slerp,
    turn_angle,
)


@given(angle=st.floats(-10.0, 10.0))
def test_rotations_about_x_y_and_z_are_those_of_scipy(angle):
    for axis, name in enumerate("xyz"):
        exact = Rotation.from_euler(name, angle).as_matrix()
        assert_allclose(elementary_rotation(axis, angle), exact, atol=1e-14)
        assert_allclose(rotation_about(np.eye(3)[axis], np.array(angle)), exact, atol=1e-14)
    assert_allclose(rotation_y(angle), Rotation.from_euler("y", angle).as_matrix(), atol=1e-14)


def test_rotations_about_an_axis_take_any_shape():
    axis = np.array([0.6, 0.0, -0.8])
    angle = np.linspace(-3.0, 3.0, 10).reshape(2, 5)
    assert rotation_y(np.zeros((2, 5))).shape == (2, 5, 3, 3)
    exact = Rotation.from_rotvec(axis * angle.reshape(-1, 1)).as_matrix()
    assert_allclose(rotation_about(axis, angle), exact.reshape(2, 5, 3, 3), atol=1e-14)
    for number, letter in enumerate("xyz"):
        exact = Rotation.from_euler(letter, angle.reshape(-1, 1)).as_matrix().reshape(2, 5, 3, 3)
        assert_allclose(elementary_rotation(number, angle), exact, atol=1e-14)


def test_quaternions_are_continuous_and_on_the_side_of_the_first():
    angle = np.linspace(0.0, 4.0 * np.pi, 41)
    turn = Rotation.from_rotvec(np.outer(angle, [0.0, 0.0, 1.0])).as_matrix()
    for sign in (1.0, -1.0):
        near = np.zeros((41, 4))
        near[0, 0] = sign
        found = continuous_quaternions(turn, near)
        assert_allclose(found[:, 0], sign * np.cos(angle / 2.0), atol=1e-9)
        assert_allclose(found[:, 3], sign * np.sin(angle / 2.0), atol=1e-9)


def test_zyz_angles_are_three_turns_one_after_the_other():
    a = 0.3
    b = -1.1
    c = 2.4
    turns = [Rotation.from_rotvec(v).as_matrix() for v in ([0, 0, a], [0, b, 0], [0, 0, c])]
    assert_allclose(rotation_from_zyz([a, b, c]), turns[0] @ turns[1] @ turns[2], atol=1e-14)


def test_vectors_and_matrices_are_each_others_inverse():
    vector = np.random.default_rng(1).normal(size=(3, 4, 3))
    matrix = rotation_from_vector(vector)
    assert matrix.shape == (3, 4, 3, 3)
    assert_allclose(matrix, np.reshape(Rotation.from_rotvec(vector.reshape(-1, 3)).as_matrix(), (3, 4, 3, 3)), atol=0)
    for index in np.ndindex(3, 4):
        assert_allclose(rotation_from_vector(rotation_vector(matrix[index])), matrix[index], atol=1e-12)


def test_turn_angle_is_the_angle_by_which_scipy_turned():
    rng = np.random.default_rng(2)
    axis = rng.normal(size=(1000, 3))
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    angle = rng.uniform(-np.pi, np.pi, 1000)
    before = rng.normal(size=(1000, 3))
    after = Rotation.from_rotvec(axis * angle[:, None]).apply(before)
    assert_allclose(turn_angle(before, after, axis), angle, atol=1e-7)
    assert np.median(np.abs(turn_angle(before, after, axis) - angle)) < 1e-14


@pytest.mark.parametrize("angle", [0.0, np.pi / 2, -np.pi / 2, 3.0])
def test_turn_angle_does_not_care_how_long_the_vectors_are(angle):
    before = np.array([3.0, 1.0, 0.5])
    axis = np.array([0.0, 0.0, 1.0])
    after = Rotation.from_rotvec(axis * angle).apply(before)
    for length in (1e-6, 1.0, 1e6):
        assert turn_angle(length * before, length * after, axis) == pytest.approx(angle, abs=1e-12)


def test_a_vector_along_the_axis_has_turned_by_nothing():
    axis = np.array([0.0, 0.6, 0.8])
    assert turn_angle(2.0 * axis, 2.0 * axis, axis) == pytest.approx(0.0, abs=1e-15)


@given(st.integers(0, 10_000), st.floats(0.0, 1.0))
def test_slerp_turns_in_proportion_on_the_shortest_way(seed, share):
    start, stop = Rotation.random(2, rng=np.random.default_rng(seed))
    q0, q1 = (tuple(turn.as_quat(scalar_first=True).tolist()) for turn in (start, stop))
    here = Rotation.from_quat(slerp(q0, q1, share), scalar_first=True)
    whole = (start.inv() * stop).magnitude()
    assert (here.inv() * stop).magnitude() == pytest.approx((1.0 - share) * whole, abs=1e-7)
    assert (start.inv() * here).magnitude() == pytest.approx(share * whole, abs=1e-7)


@given(st.integers(0, 10_000), st.sampled_from([0.0, 1e-9, 0.3, 1.6, 3.0, np.pi - 1e-6, np.pi]))
def test_the_error_of_an_orientation_is_right_up_to_half_a_turn(seed, angle):
    rng = np.random.default_rng(seed)
    current = Rotation.random(rng=rng)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    wanted = Rotation.from_rotvec(angle * axis) * current
    turn = orientation_error(current.as_matrix().ravel(), tuple(wanted.as_quat(scalar_first=True).tolist()))
    assert np.linalg.norm(turn) == pytest.approx(angle, abs=1e-7)
    np.testing.assert_allclose(
        (Rotation.from_rotvec(turn) * current).as_matrix(), wanted.as_matrix(), atol=1e-7
    )  # at half a turn the axis may point either way


@given(st.integers(0, 10_000))
def test_quaternions_of_rotations_are_those_of_scipy(seed):
    turn = Rotation.random(rng=np.random.default_rng(seed))
    ours = np.array(quaternion_from_rotation(turn.as_matrix().ravel()))
    theirs = turn.as_quat(scalar_first=True)
    assert abs(ours @ theirs) == pytest.approx(1.0, abs=1e-12)
    assert_allclose(rotation_from_quaternion(tuple(ours)), turn.as_matrix().ravel(), atol=1e-12)
