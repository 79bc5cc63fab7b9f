"""A bird's leg by vectors: segments laid one after the other, the last at its angle to the first."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import OutOfReachError
from strut.kinematics.two_bar_leg import two_bar_leg

THIGH = 0.10 + 0.02j
SHIN = 0.43 - 0.05j
TARSUS = 0.40 + 0.03j
KEPT_RAD = 0.25
LEG = two_bar_leg(THIGH, SHIN, TARSUS, KEPT_RAD)


def turned(vector, angle_rad):
    c = np.cos(angle_rad)
    s = np.sin(angle_rad)
    return np.array([c * vector.real - s * vector.imag, s * vector.real + c * vector.imag])


def foot(hip, knee):
    """Return the foot below the hip, down and forward: the shin turns with the knee, the tarsus keeps to the thigh."""
    return turned(THIGH, hip) + turned(SHIN, hip + knee) + turned(TARSUS, hip + KEPT_RAD)


@pytest.mark.parametrize(("hip", "knee"), [(0.0, 0.0), (0.3, -0.7), (-0.4, -1.5), (0.1, 0.9)])
def test_length_and_pitch_are_those_of_the_segments(hip, knee):
    down, forward = foot(hip, knee)
    assert LEG.length_m(knee) == pytest.approx(np.hypot(down, forward))
    assert LEG.pitch_rad(hip, knee) == pytest.approx(np.arctan2(forward, down))


def test_the_reach_is_the_longest_and_the_shortest_leg():
    lengths = LEG.length_m(np.linspace(-np.pi, np.pi, 20001))
    assert_allclose(LEG.reach_m, [lengths.min(), lengths.max()], atol=1e-6)


def test_angles_put_the_foot_where_it_is_asked_with_the_knee_backwards():
    shortest, longest = LEG.reach_m
    length, pitch = np.meshgrid(np.linspace(shortest + 1e-3, longest - 1e-3, 9), np.linspace(-0.6, 0.6, 5))
    hip, knee = LEG.angles_rad(length, pitch)
    assert_allclose(LEG.length_m(knee), length, atol=1e-9)
    assert_allclose(LEG.pitch_rad(hip, knee), pitch, atol=1e-9)
    straight = np.angle(LEG.fixed) - np.angle(LEG.moving)
    assert (knee < straight).all()
    assert (knee > straight - np.pi).all()


@pytest.mark.parametrize("end", [0, 1])
def test_legs_that_are_too_short_or_too_long_are_refused_with_the_length(end):
    way = (-1.0, 1.0)[end]
    LEG.angles_rad(LEG.reach_m[end] - 1e-9 * way, 0.0)
    with pytest.raises(OutOfReachError) as told:
        LEG.angles_rad(np.array([0.5, LEG.reach_m[end] + 1e-3 * way]), 0.0)
    assert f"span {1e3 * LEG.reach_m[end] + way:.1f} mm" in str(told.value)
