"""Treadmills and partial bodies: a walk on a belt has the forces of that over ground, and legs alone are enough."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from strut.formats.recording_file import read_recording
from strut.mocap.captured_walk import capture
from strut.verify.check import check

LEGS = ("LASI", "RASI", "LPSI", "RPSI", "SACR", "THI", "KNE", "TIB", "ANK", "HEE", "TOE")


@pytest.fixture(scope="module")
def recording(data):
    return replace(read_recording(data / "felis_subject3_neutral.c3d"), analog=None)


def test_a_walk_on_a_belt_has_the_forces_of_the_walk_over_ground(recording, captured_author):
    """Galilei: seen from a laboratory that moves along, the same person is pushed by the same forces."""
    speed = captured_author.fit.trial.paths.speed_m_s
    pelvis = recording.marker("LASI")
    heading = (pelvis[-1] - pelvis[0])[:2] / np.linalg.norm((pelvis[-1] - pelvis[0])[:2])
    drift = np.outer(recording.time_s, speed * np.array([*heading, 0.0]))
    on_belt = capture(replace(recording, markers_m=recording.markers_m - drift[:, None]), height_m=1.86, mass_kg=75.0)
    assert on_belt.fit.trial.belt_m_s.any()
    assert np.linalg.norm(on_belt.fit.trial.belt_m_s) == pytest.approx(speed, rel=0.05)
    assert on_belt.motion.receipt.distance_m == pytest.approx(captured_author.motion.receipt.distance_m, rel=0.05)
    inside = captured_author.forces.between_events & on_belt.forces.between_events
    off = (on_belt.forces.wrench - captured_author.forces.wrench)[inside, :3] / (75.0 * 9.81)
    assert np.sqrt(np.mean(off**2, axis=0)).max() < 0.02
    assert on_belt.motion.receipt.verdict == "ok"
    assert check(on_belt.motion).verdict == "ok"


def test_legs_alone_are_enough(recording, captured_author):
    kept = [name for name in recording.marker_names if name in LEGS or name[1:] in LEGS]
    index = [recording.marker_names.index(name) for name in kept]
    legs = replace(recording, marker_names=tuple(kept), markers_m=recording.markers_m[:, index], residual_m=None)
    found = capture(legs, height_m=1.86, mass_kg=75.0)
    assert not any(found.fit.observed[name] for name in ("ShoulderRight_RY", "ElbowLeft_RY", "Head_RY"))
    assert found.motion.receipt.verdict == "ok"
    inside = captured_author.forces.between_events
    off = (found.forces.wrench - captured_author.forces.wrench)[inside, 2] / (75.0 * 9.81)
    assert np.sqrt(np.mean(off**2)) < 0.06
