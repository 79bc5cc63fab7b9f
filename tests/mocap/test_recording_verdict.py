"""Verdicts on recordings with injected jitter: worse with more of it, with the uncertainty in the sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from strut.formats.recording_file import read_recording
from strut.mocap.captured_walk import capture
from strut.mocap.gait_trial import prepare_trial
from strut.mocap.markers.marker_checks import marker_noise_m
from strut.mocap.recording_verdict import (
    MAX_NOISE_SHARE,
    NOTED_NOISE_M,
    force_noise_share,
    near_limit_notes,
    noise_notes,
)
from strut.recording import Recording
from tests.mocap.conftest import walker_recording

WEIGHT_M_S2 = 9.81


def jittery(recording, sd_m, seed=0):
    noise = np.random.default_rng(seed).normal(size=recording.markers_m.shape)
    return replace(recording, markers_m=recording.markers_m + sd_m * noise, residual_m=None)


@pytest.fixture(scope="module")
def sydney(data):
    return read_recording(data / "sydney_walk03.c3d")


@pytest.mark.parametrize("sd_m", [0.001, 0.003, 0.01])
def test_jitter_is_measured_beside_any_movement(sydney, sd_m):
    for recording in (sydney, walker_recording(frames=200)[0]):
        trial = prepare_trial(recording).recording
        assert marker_noise_m(trial) < 0.1 * NOTED_NOISE_M
        assert marker_noise_m(jittery(trial, sd_m)) == pytest.approx(sd_m, rel=0.05)


def test_the_force_of_jitter_is_that_of_noise_on_a_body_at_rest():
    """Twenty markers of a resting body jitter: the acceleration of their mean below 7 Hz, by a Fourier transform."""
    rng = np.random.default_rng(0)
    rate_hz = 100.0
    sd_m = 0.005
    markers = rng.normal(scale=sd_m, size=(20000, 20, 3))
    spectrum = np.fft.rfft(markers[..., 2].mean(axis=1))
    frequency_hz = np.fft.rfftfreq(20000, 1.0 / rate_hz)
    acceleration = np.fft.irfft(spectrum * (2.0 * np.pi * frequency_hz) ** 2 * (frequency_hz < 7.0))
    made = Recording("rests", rate_hz, tuple(f"M{index}" for index in range(20)), markers)
    assert force_noise_share(made, sd_m) == pytest.approx(acceleration.std() / WEIGHT_M_S2, rel=0.05)


def test_verdicts_get_worse_with_jitter_and_never_better(sydney):
    """One draw of noise, scaled: what is refused at one level is refused at every higher one."""
    levels_m = (0.0, 0.002, 0.005, 0.02)
    walks = [capture(jittery(sydney, level_m, seed=1)) for level_m in levels_m]
    verdicts = [walk.motion.receipt.verdict for walk in walks]
    assert verdicts == ["ok", "ok", "ok", "refused"]
    assert any("markers jitter by 20" in reason.text for reason in walks[-1].motion.receipt.reasons)
    shares = [force_noise_share(walk.fit.trial.recording, marker_noise_m(walk.fit.trial.recording)) for walk in walks]
    assert shares == sorted(shares)
    assert shares[2] < MAX_NOISE_SHARE < shares[-1]
    assert not any("jitter" in note for note in walks[0].notes)
    assert any("Markers jitter by 5.0 mm" in note for note in walks[2].notes)


def test_the_note_about_jitter_grows_with_it(sydney):
    trial = prepare_trial(sydney).recording
    assert noise_notes(trial) == ()
    (some,), (more,) = (noise_notes(jittery(trial, sd_m)) for sd_m in (0.002, 0.006))
    assert "2.0 mm" in some
    assert "6.0 mm" in more


def test_a_figure_near_its_limit_is_reported_with_its_uncertainty_on_both_sides(captured_qcmas):
    """At 57 and at 62 mm of 60 the same sentence says how sure that is; far from the limit none does."""
    receipt = captured_qcmas.motion.receipt
    assert not any(note.startswith("Near a limit") for note in captured_qcmas.notes)

    def notes(slip_mm):
        around = [replace(receipt, foot_slip_mm=slip_mm + offset_mm) for offset_mm in (-5.0, 5.0, -3.0, 3.0)]
        return near_limit_notes(replace(receipt, foot_slip_mm=slip_mm), around)

    assert notes(20.0) == ()
    assert notes(57.0) == ("Near a limit: a foot that stands slides 57.0 mm (± 4.1), at most 60.0 mm.",)
    assert notes(62.0) == ("Near a limit: a foot that stands slides 62.0 mm (± 4.1), at most 60.0 mm.",)
