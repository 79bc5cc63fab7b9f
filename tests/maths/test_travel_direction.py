"""Travel direction: where a walk leads as the body sees it, and how fast it turns, whatever way it faces."""

import numpy as np
import pytest

from strut.maths.travel_direction import base_track, travel_direction, turn_rates

TIME_S = np.arange(0.0, 10.0, 0.01)


def circling(speed_m_s, turn_rad_s, aside_rad=0.0, start_rad=2.0):
    """Return the track of a body that walks at an angle to where it faces, and turns."""
    yaw = start_rad + turn_rad_s * TIME_S
    velocity = speed_m_s * np.stack([np.cos(yaw + aside_rad), np.sin(yaw + aside_rad)], axis=1)
    return np.column_stack([0.01 * np.cumsum(velocity, axis=0), yaw])


def test_a_straight_walk_has_no_direction_to_tell():
    assert travel_direction(circling(0.3, 0.0)) == {"walking_direction_rad": None, "turned_rad": None}


@pytest.mark.parametrize(("aside", "turn"), [(np.pi / 2.0, 0.0), (np.pi, 0.2), (-1.0, -0.3)])
def test_direction_and_turn_are_those_that_the_body_sees(aside, turn):
    found = travel_direction(circling(0.3, turn, aside))
    assert np.cos(found["walking_direction_rad"] - aside) == pytest.approx(1.0, abs=1e-4)
    assert (found["turned_rad"] or 0.0) == pytest.approx(turn * TIME_S[-1])


def test_who_turns_on_the_spot_goes_nowhere():
    assert travel_direction(circling(0.0, 0.2))["walking_direction_rad"] is None


def test_a_turn_is_reported_beside_the_requested_one_and_only_then():
    track = circling(0.3, -0.25)
    track[:, 2] += 0.05 * np.sin(2.0 * np.pi * TIME_S)  # a body sways once a stride of 1 s
    assert turn_rates(TIME_S, track, (1.0, 9.0), 1.0, 0.0) == {}
    told = turn_rates(TIME_S, track, (1.0, 9.0), 1.0, -0.3)
    assert told == {"turn_rate_rad_s": pytest.approx(-0.25, rel=1e-3), "turn_rate_asked_rad_s": -0.3}


def test_the_track_of_a_floating_base_does_not_jump_at_half_a_turn():
    yaw = np.linspace(3.0, 3.6, 50)
    qpos = np.zeros((50, 9))
    qpos[:, 3] = np.cos(yaw / 2.0)
    qpos[:, 6] = np.sin(yaw / 2.0)
    np.testing.assert_allclose(base_track(qpos)[:, 2], yaw, atol=1e-12)
