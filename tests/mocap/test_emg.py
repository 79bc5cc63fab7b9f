"""Muscles: envelopes as published, silent channels left out, means over cycles."""

from dataclasses import replace

import numpy as np
import pytest

from strut.formats.recording_file import read_recording
from strut.mocap.emg import average_cycles, find_emg_envelopes, rectify_and_smooth, resample_cycles
from strut.recording import AnalogChannels, GaitEvent, channel_sides

SIDES = {"Right": 0.0, "Left": 0.5}


def test_the_filter_halves_6_hz_and_keeps_the_mean():
    """Behaviour 24: after both passes the gain at 6 Hz is 0.5, half of the power at 3.86 Hz."""
    time_s = np.arange(20000) / 1000.0
    for frequency_hz, gain in ((6.0, 0.5), (3.862, np.sqrt(0.5))):
        wave = 2.0 + np.sin(2.0 * np.pi * frequency_hz * time_s)[:, None]  # positive, so rectifying changes nothing
        middle = rectify_and_smooth(wave, 1000.0)[5000:-5000, 0]
        assert np.ptp(middle) / 2.0 == pytest.approx(gain, rel=0.01)
        assert middle.mean() == pytest.approx(2.0, rel=0.01)


def test_the_two_silent_channels_of_the_author_are_left_out(data):
    recording = read_recording(data / "felis_subject3_neutral.c3d")
    found = find_emg_envelopes(recording.analog)
    assert found.silent == ("DELTOIDEUSSCAP", "BICEPSBRACHII")
    assert len(found.names) == 14
    assert "silent: DELTOIDEUSSCAP, BICEPSBRACHII" in found.notes[0]
    peaks = found.envelope_v.max(axis=0)
    assert 0.4e-5 < peaks.min() < peaks.max() < 3e-4
    np.testing.assert_allclose(found.normalised().max(axis=0), 1.0)


def test_channels_of_plates_are_no_muscles(data):
    found = find_emg_envelopes(read_recording(data / "qcmas_walk.c3d").analog)
    assert not [name for name in found.names if "Force" in name or "Moment" in name]
    assert found.unnamed == ("2", "5", "7", "9", "10", "14")  # sockets that nobody plugged anything into
    assert "a number for a name" in found.notes[-1]
    assert find_emg_envelopes(read_recording(data / "sydney_walk03.c3d").analog) is None


def test_cycles_are_averaged_each_over_its_own_leg():
    time_s = np.arange(4000) / 1000.0
    burst = (np.sin(2.0 * np.pi * time_s) > 0.9) * np.sin(2.0 * np.pi * 100.0 * time_s) * 1e-4
    emg = find_emg_envelopes(
        AnalogChannels(("RSOLEUS", "LSOLEUS"), ("V", "V"), 1000.0, np.column_stack([burst, burst]))
    )
    assert resample_cycles(emg, [0.0, 1.0, 2.0, 3.0]).shape == (3, 101, 2)
    strikes = [GaitEvent("heel_strike", side, start_s + k) for side, start_s in SIDES.items() for k in range(4)]
    walked = [event for event in strikes if event.time_s < 4.0]
    found = average_cycles(emg, walked)
    assert (found.names, found.leg) == (("RSOLEUS", "LSOLEUS"), "Right")
    assert found.cycle_v[:, 0].argmax() == pytest.approx(25, abs=2)  # of the cycle: where the sine is largest
    assert found.cycle_v[:, 1].argmax() == pytest.approx(75, abs=2)  # the left foot lands half a cycle later
    assert average_cycles(emg, strikes[:1]) is None
    alone = average_cycles(replace(emg, names=("L Sol", "L TA")), walked)  # nothing of the right leg was measured
    np.testing.assert_allclose(alone.cycle_v[:, 0], found.cycle_v[:, 1])
    assert channel_sides(["RF L", "RF R", "LG_left"]) == ["Left", "Right", "Left"]  # muscles that begin like sides
    assert channel_sides(["Soleus Gauche", "R.Quads", "LATGAS", "left_TA"]) == ["Left", "Right", None, "Left"]
    only_left = [event for event in walked if event.side == "Left"]
    assert average_cycles(emg, only_left).names == ("LSOLEUS",)


def test_no_muscles_no_envelopes():
    assert find_emg_envelopes(None) is None
    assert find_emg_envelopes(AnalogChannels(("Fx1",), ("N",), 1000.0, np.ones((100, 1)))) is None
