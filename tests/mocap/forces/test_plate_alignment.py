"""Plates whose clock or place is not that of the cameras are reported, and only those."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from strut.formats.recording_file import read_recording
from strut.mocap.forces.footprints import Footprint
from strut.mocap.forces.landing_transient import LandingShape, add_landing_transients
from strut.mocap.forces.load_sharing import FootLoads, cop_of_wrenches
from strut.mocap.forces.plate_alignment import plate_alignment
from strut.mocap.forces.plate_comparison import MIN_FRAMES, PlateForces, measured_force_share, weight_mismatch_notes
from strut.mocap.gait_trial import prepare_trial
from strut.mocap.markers.medial_ankles import medial_ankle_names
from strut.recording import Recording

RATE_HZ = 200.0
WEIGHT_N = 700.0
TIME_S = np.arange(240) / RATE_HZ
STEP = Footprint("Right", 0.3, 0.95, np.array([0.1, -0.1]), np.array([1.0, 0.0]), 0.26, np.zeros(2))


def stance(*, late_s: float = 0.0, ahead_m: float = 0.0) -> tuple[PlateForces, np.ndarray]:
    """Return what a plate measures of one step, and the same force by a clock and a place without error."""

    def up(time_s: np.ndarray) -> np.ndarray:
        share = np.clip((time_s - STEP.start_s) / (STEP.stop_s - STEP.start_s), 0.0, 1.0)
        return WEIGHT_N * (
            1.6 * np.sin(np.pi * share) - 0.55 * np.sin(np.pi * share) ** 3 + 0.4 * share * (share < 0.1)
        )

    wrench = np.zeros((len(TIME_S), 2, 6))
    wrench[:, 0, 2] = up(TIME_S - late_s)
    place = STEP.usual_cop(TIME_S - late_s) + np.array([ahead_m, 0.0])
    wrench[:, 0, 3], wrench[:, 0, 4] = place[:, 1] * wrench[:, 0, 2], -place[:, 0] * wrench[:, 0, 2]
    total = np.zeros((len(TIME_S), 3))
    total[:, 2] = up(TIME_S)
    return PlateForces(wrench, RATE_HZ), total


@pytest.mark.parametrize("late_s", [-0.02, 0.015])
def test_a_delay_of_plates_is_found_and_corrected(late_s):
    plates, total = stance(late_s=late_s)
    found = plate_alignment(plates, [STEP], total, TIME_S)
    assert found.delay_s == pytest.approx(late_s, abs=0.005)
    assert ("before" if late_s < 0.0 else "after") in found.notes[0]
    corrected = found.correct(plates).total[:, 2]
    known = np.isfinite(corrected)
    off, was = (np.sqrt(np.mean((up - total[:, 2])[known] ** 2)) for up in (corrected, plates.total[:, 2]))
    assert off < 0.5 * was


def test_another_weight_on_plates_is_reported():
    """A wrong mass, or a person on crutches: in the walk of a patient 18 % of the weight was missing."""
    plates, total = stance()
    assert not weight_mismatch_notes(measured_force_share(plates, total))
    assert not weight_mismatch_notes(None)
    (note,) = weight_mismatch_notes(measured_force_share(PlateForces(0.82 * plates.wrench, RATE_HZ), total))
    assert note.startswith(
        "Plates measured 82 % of the force that the movement requires: is the mass 0.82 times as large"
    )


def test_the_measured_share_uses_frames_in_which_plates_know_both_feet():
    plates, total = stance()
    assert measured_force_share(plates, total) == pytest.approx(1.0, abs=0.01)
    light = PlateForces(plates.wrench / 1.31, RATE_HZ)
    assert measured_force_share(light, total) == pytest.approx(1.0 / 1.31, abs=0.01)
    known = np.flatnonzero(np.isfinite(plates.total[:, 2]))
    few = plates.wrench.copy()
    few[known[MIN_FRAMES - 1] :] = np.nan
    assert measured_force_share(PlateForces(few, RATE_HZ), total) is None


def test_displaced_plates_are_found_and_corrected():
    plates, total = stance(ahead_m=0.05)
    found = plate_alignment(plates, [STEP], total, TIME_S)
    assert found.forward_offset_m == pytest.approx(0.05, abs=0.005)
    assert "50 mm ahead of the feet" in found.notes[0]
    loaded = plates.wrench[:, 0, 2] > 100.0
    back = cop_of_wrenches(found.correct(plates).wrench[loaded, 0])
    np.testing.assert_allclose(back, STEP.usual_cop(TIME_S[loaded]), atol=0.002)


def test_plates_that_agree_get_no_note():
    plates, total = stance()
    assert plate_alignment(plates, [STEP], total, TIME_S).notes == ()


def test_a_delay_of_forces_alone_is_not_reported():
    """Forces that rise later than computed ones after the same heel strike are no delay of the plates."""
    plates, _ = stance()
    _, early = stance()
    computed = np.roll(early, -4, axis=0)
    found = plate_alignment(plates, [STEP], computed, TIME_S)
    assert found.force_delay_s == pytest.approx(0.02, abs=0.003)
    assert found.delay_s == 0.0


def test_a_smoothed_step_gets_its_height_back():
    """The slope of a filtered step gives its height: the restored force rises as fast as the original."""
    shape = LandingShape(bandwidth_hz=6.0, event_sd_s=0.002, pulse=0.0)
    fine_s = np.arange(-1.0, 2.2, 0.001)
    rise = WEIGHT_N * (0.5 + 0.4 * np.clip((fine_s - STEP.start_s) / 0.015, 0.0, 1.0))
    truth, smooth = (np.interp(TIME_S, fine_s, up) for up in (rise, rise - shape.lost(rise)))
    lands = STEP.start_s < TIME_S
    force = np.zeros((len(TIME_S), 2, 3))
    force[..., 2] = np.column_stack([np.where(lands, 0.0, smooth), np.where(lands, smooth, 0.0)])
    before = FootLoads(
        force, np.zeros((len(TIME_S), 2, 2)), np.zeros((len(TIME_S), 2)), np.column_stack([~lands, lands])
    )
    after = (
        add_landing_transients(before, [replace(STEP, side="Left")], TIME_S, WEIGHT_N, shape)
        .force_n[..., 2]
        .sum(axis=1)
    )
    near = np.abs(TIME_S - STEP.start_s) < 0.1
    off, was = (np.sqrt(np.mean((up - truth)[near] ** 2)) for up in (after, smooth))
    assert off < 0.35 * was


def test_medial_ankle_markers_are_recognised_by_their_position(data):
    """One laboratory calls the medial malleolus ANK because it has LMA, too; elsewhere ANK is the lateral one."""
    inner = prepare_trial(read_recording(data / "c3d_samples" / "plate_type3.c3d"))
    assert {"RMMAL", "LMMAL"} <= set(inner.recording.marker_names)
    assert inner.labels["RMMAL"] == "RANK"
    assert any("RANK is RMMAL" in note for note in inner.recording.notes)
    usual = prepare_trial(read_recording(data / "c3d_samples" / "newwalk.c3d"))
    assert "RANK" in usual.recording.marker_names


@pytest.mark.parametrize("there", ["RMMAL", "LMMAL"])
def test_ankle_markers_are_lateral_beside_a_medial_one(there):
    standing = np.tile([[0.0, 0.1, 0.05], [0.2, 0.1, 0.05], [0.05, 0.05, 0.08]], (20, 1, 1))  # ankle 50 mm inside
    places = np.concatenate([standing, standing * [1.0, -1.0, 1.0]], axis=1)
    names = tuple(f"{letter}{part}" for letter in "LR" for part in ("HEE", "TOE", "ANK"))
    assert medial_ankle_names(Recording("stands", 100.0, names, places)) == {"RANK": "RMMAL", "LANK": "LMMAL"}
    assert medial_ankle_names(Recording("stands", 100.0, (*names, there), places[:, [*range(6), 2]])) == {}


def test_the_lost_part_of_a_landing_has_no_delay():
    for event_sd_s in (0.002, 0.006, 0.0125):
        lost = LandingShape(bandwidth_hz=6.0, event_sd_s=event_sd_s, pulse=0.0).lost(np.eye(1, 1201, 600)[0])
        np.testing.assert_allclose(lost, lost[::-1], atol=1e-9)
