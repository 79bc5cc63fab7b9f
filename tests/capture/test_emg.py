"""Muscles: envelopes as published, silent channels left out, means over cycles."""

import numpy as np
import pytest

from strut.capture.emg import emg_envelopes, mean_cycle, over_cycles, rectified_envelope
from strut.capture.recording_file import read_recording
from strut.recording import AnalogChannels, GaitEvent

SIDES = {"Right": 0.0, "Left": 0.5}


def test_the_filter_halves_6_hz_and_keeps_the_mean():
    """Behaviour 24: after both passes the gain at 6 Hz is 0.5, half of the power at 3.86 Hz."""
    time_s = np.arange(20000) / 1000.0
    for frequency_hz, gain in ((6.0, 0.5), (3.862, np.sqrt(0.5))):
        wave = 2.0 + np.sin(2.0 * np.pi * frequency_hz * time_s)[:, None]  # positive, so rectifying changes nothing
        middle = rectified_envelope(wave, 1000.0)[5000:-5000, 0]
        assert np.ptp(middle) / 2.0 == pytest.approx(gain, rel=0.01)
        assert middle.mean() == pytest.approx(2.0, rel=0.01)


def test_the_two_silent_channels_of_the_author_are_left_out(data):
    recording = read_recording(data / "felis_subject3_neutral.c3d")
    found = emg_envelopes(recording.analog)
    assert found.silent == ("DELTOIDEUSSCAP", "BICEPSBRACHII")
    assert len(found.names) == 14
    assert "silent: DELTOIDEUSSCAP, BICEPSBRACHII" in found.notes[0]
    peaks = found.envelope_v.max(axis=0)
    assert 0.4e-5 < peaks.min() < peaks.max() < 3e-4
    np.testing.assert_allclose(found.normalised().max(axis=0), 1.0)


def test_channels_of_plates_are_no_muscles(data):
    analog = read_recording(data / "qcmas_walk.c3d").analog
    assert not [name for name in emg_envelopes(analog).names if "Force" in name or "Moment" in name]
    assert emg_envelopes(read_recording(data / "sydney_walk03.c3d").analog) is None


def test_cycles_are_averaged_each_over_its_own_leg():
    time_s = np.arange(4000) / 1000.0
    burst = (np.sin(2.0 * np.pi * time_s) > 0.9) * np.sin(2.0 * np.pi * 100.0 * time_s) * 1e-4
    emg = emg_envelopes(AnalogChannels(("RSOLEUS", "LSOLEUS"), ("V", "V"), 1000.0, np.column_stack([burst, burst])))
    assert over_cycles(emg, [0.0, 1.0, 2.0, 3.0]).shape == (3, 101, 2)
    strikes = [GaitEvent("heel_strike", side, start_s + k) for side, start_s in SIDES.items() for k in range(4)]
    leg, mean = mean_cycle(emg, [event for event in strikes if event.time_s < 4.0])
    assert leg == "Right"
    assert mean[:, 0].argmax() == pytest.approx(25, abs=2)  # of the cycle: a quarter, where the sine is largest
    assert mean[:, 1].argmax() == pytest.approx(75, abs=2)  # the left foot lands half a cycle later
    assert mean_cycle(emg, strikes[:1]) is None


def test_no_muscles_no_envelopes():
    assert emg_envelopes(None) is None
    assert emg_envelopes(AnalogChannels(("Fx1",), ("N",), 1000.0, np.ones((100, 1)))) is None
