"""A motion at another rate: positions stay on their path, quaternions stay of length 1, slow rates falsify."""

from dataclasses import asdict, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.emotion import named_emotion
from strut.errors import OutOfRangeError
from strut.expression.blend import style_for
from strut.expression.body_swing import side_bands_hz
from strut.formats.resample import aliases, resampled
from strut.models.catalogue import load_robot


def test_positions_are_between_their_samples_and_contacts_those_of_the_nearest_one(happy_walk):
    slow = resampled(happy_walk, 20.0)
    assert_allclose(np.diff(slow.time_s), 0.05)
    assert slow.time_s[0] == happy_walk.time_s[0]
    assert happy_walk.time_s[-1] - slow.time_s[-1] < 0.05
    assert_allclose(slow.qpos[:, 0], np.interp(slow.time_s, happy_walk.time_s, happy_walk.qpos[:, 0]), atol=1e-5)
    assert_allclose(np.linalg.norm(slow.qpos[:, 3:7], axis=1), 1.0, atol=1e-12)
    nearest = np.abs(happy_walk.time_s[:, None] - slow.time_s).argmin(axis=0)
    even = np.abs(np.mod(slow.time_s * 50.0, 1.0) - 0.5) > 1e-6  # half way between two samples either is near
    np.testing.assert_array_equal(slow.contact[even], happy_walk.contact[nearest][even])
    assert slow.torque_nm.shape == (len(slow.time_s), happy_walk.torque_nm.shape[1])
    assert (slow.ground_force_n, slow.cop_in_world, slow.balance_margin_m, slow.receipt) == (None,) * 4


def test_a_motion_that_lasts_whole_steps_keeps_its_last_sample(happy_walk):
    half = replace(happy_walk.samples(slice(0, 51)), receipt=None)
    assert len(resampled(half, 10.0).time_s) == 11
    assert resampled(half, 10.0).time_s[-1] == pytest.approx(half.time_s[-1])


@pytest.mark.parametrize("rate_hz", [0.0, -1.0, 10_001.0, float("nan")])
def test_rates_that_no_servo_accepts_are_refused(happy_walk, rate_hz):
    with pytest.raises(OutOfRangeError, match="choose more than 0 and at most 10000"):
        resampled(happy_walk, rate_hz)


def test_a_rate_with_one_sample_is_refused(happy_walk):
    with pytest.raises(OutOfRangeError, match="have no two samples"):
        resampled(happy_walk, 0.5 / happy_walk.duration_s)
    assert len(resampled(happy_walk, 1.01 / happy_walk.duration_s).time_s) == 2


def test_a_frequency_above_half_the_rate_appears_as_the_one_that_its_samples_show(happy_walk):
    pepper = load_robot("pepper")
    style = style_for(pepper, named_emotion("happy"))
    bands_hz = side_bands_hz(pepper, style)
    motion = replace(happy_walk, meta={"style": asdict(style)})  # as in the meta of a task of Pepper's hand
    highest_hz = max(bands_hz)
    assert aliases(pepper, motion, 2.0 * highest_hz + 0.1) == ()
    rate_hz = 1.4 * highest_hz
    found = {alias.frequency_hz: alias.alias_hz for alias in aliases(pepper, motion, rate_hz)}
    assert set(found) == {band_hz for band_hz in bands_hz if band_hz > rate_hz / 2.0}
    samples_s = np.arange(4000) / rate_hz
    for band_hz, alias_hz in found.items():
        spectrum = np.abs(np.fft.rfft(np.sin(2.0 * np.pi * band_hz * samples_s) * np.hanning(4000)))
        assert np.argmax(spectrum) * rate_hz / 4000 == pytest.approx(alias_hz, abs=rate_hz / 2000)


def test_a_motion_without_style_has_no_aliases(happy_walk, mrpete):
    assert aliases(mrpete, replace(happy_walk, meta={}), 0.1) == ()
