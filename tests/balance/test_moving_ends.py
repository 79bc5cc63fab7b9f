"""Ends of motions: a clip that is cut out of a movement moves at its ends, and is not jolted there."""

from dataclasses import replace

import numpy as np
import pytest

import strut
from strut.balance.moving_ends import find_moving_ends
from strut.engines.inverse_dynamics import velocities

ALICE = strut.load_robot("alice")


def swaying(duration_s, phase_rad=0.0, rate_hz=100.0):
    """Return samples in which the body sways sideways and the first joint turns, with known derivatives."""
    time_s = np.arange(int(duration_s * rate_hz) + 1) / rate_hz
    qpos = np.tile(ALICE.standing_qpos, (len(time_s), 1))
    qpos[:, 1] += 0.05 * np.sin(4.0 * time_s + phase_rad)
    qpos[:, 7] += 0.2 * np.sin(4.0 * time_s + phase_rad)
    return time_s, qpos


def test_a_clip_that_is_cut_out_of_a_movement_moves_at_its_ends():
    assert find_moving_ends(ALICE, *swaying(np.pi / 2.0)) == (True, True)
    assert find_moving_ends(ALICE, *swaying(1.2, phase_rad=-np.pi / 2.0))[0] is False  # from its turning point


@pytest.mark.parametrize("power", [2, 3, 5])
def test_a_start_from_rest_is_at_rest_however_sudden(power):
    time_s, qpos = swaying(1.0)
    qpos[:] = ALICE.standing_qpos
    qpos[:, 7] += 3.0 * time_s**power
    assert find_moving_ends(ALICE, time_s, qpos) == (False, True)


def test_derivatives_at_a_moving_end_are_those_of_the_movement():
    time_s, qpos = swaying(1.0)
    qvel, qacc = velocities(ALICE, time_s, qpos, (True, True))
    np.testing.assert_allclose(qvel[:, 6], 0.8 * np.cos(4.0 * time_s), atol=5e-3)
    np.testing.assert_allclose(qacc[:, 6], -3.2 * np.sin(4.0 * time_s), atol=0.15)
    at_rest = velocities(ALICE, time_s, qpos)[1]
    assert abs(at_rest[0, 6]) > 50.0  # as if it were pushed from rest within a sample


def test_check_judges_a_cut_out_clip_by_its_samples_and_says_so(made_once):
    whole = made_once("walk_with_ends", lambda: strut.walk("mrpete", cycles=2))
    assert strut.check(whole).moving_ends is None
    speed = np.abs(np.gradient(whole.qpos[:, 7:], axis=0)).max(axis=1)
    middle = len(speed) // 2
    cut = whole.samples(slice(middle - 20, middle + 20 + int(np.argmax(speed[middle + 20 :]))))
    receipt = strut.check(replace(cut, receipt=None, meta={}))
    assert receipt.moving_ends in ("start", "end", "start and end")
    inside = strut.check(whole).joint_speed_use
    assert receipt.joint_speed_use <= 1.05 * inside
    assert receipt.torque_use <= 1.5 * strut.check(whole).torque_use


def test_a_jump_at_the_first_sample_is_no_movement_that_is_forgiven(made_once):
    whole = made_once("walk_with_ends", lambda: strut.walk("mrpete", cycles=2))
    jumping = whole.qpos.copy()
    jumping[0, 0] -= 0.1
    assert strut.check(replace(whole, qpos=jumping, receipt=None)).verdict == "refused"
