"""A recording is made ready: its axes are found, short gaps are filled, and faults of markers are named."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.errors import BadRecordingError, MarkerSetError
from strut.formats.recording_file import read_recording
from strut.mocap.gait_trial import prepare_trial
from strut.mocap.markers.gaps import fill_gaps
from strut.mocap.markers.marker_checks import check_markers
from strut.recording import Recording
from tests.mocap.conftest import stepper_recording, walker_recording

TURNS = {
    "y is up": Rotation.from_euler("x", -90, degrees=True),
    "walks along -x": Rotation.from_euler("z", 180, degrees=True),
    "walks along +y": Rotation.from_euler("z", 90, degrees=True),
    "walks askew": Rotation.from_euler("z", 33, degrees=True),
    "x is up": Rotation.from_euler("y", 90, degrees=True),
}


def rigid_spread(recording, segments):
    """Return how much the distance of any two markers on one segment changes (standard deviation) [m]."""
    found = {}
    for one, other in combinations(segments, 2):
        apart = np.linalg.norm(recording.marker(one) - recording.marker(other), axis=1)
        if segments[one] == segments[other] and np.isfinite(apart).any():
            found[one, other] = float(np.nanstd(apart))
    return found


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS.keys())
def test_a_walk_in_any_axes_is_turned_onto_x_with_z_up(turn):
    straight, _ = walker_recording()
    other = replace(straight, markers_m=straight.markers_m @ turn.as_matrix().T)
    ours = prepare_trial(straight).recording
    theirs = prepare_trial(other).recording
    np.testing.assert_allclose(theirs.markers_m, ours.markers_m, atol=1e-9)
    way = np.diff(ours.marker("LASI")[[0, -1]], axis=0)[0]
    assert way[0] > 3.0
    assert abs(way[1]) < 0.1


def test_a_backward_walk_faces_forward():
    straight, _ = walker_recording()
    backwards = prepare_trial(replace(straight, markers_m=straight.markers_m[::-1]))
    assert "The person walks backwards; forward is where the body faces." in backwards.recording.notes
    assert backwards.recording.marker("LASI")[0, 0] > backwards.recording.marker("LPSI")[0, 0]


def test_every_real_walk_goes_along_x_and_stands_upright(data):
    for name, way_m in (
        ("felis_subject3_neutral", 2.3),
        ("qcmas_walk", 2.7),
        ("sydney_walk03", 2.7),
        ("sydney_walk05", 2.3),
    ):
        trial = prepare_trial(read_recording(data / f"{name}.c3d"))
        pelvis = trial.recording.markers(["LASI", "RASI", "LPSI", "RPSI"]).mean(axis=1)
        moved = pelvis[-1] - pelvis[0]
        assert moved[0] == pytest.approx(way_m, abs=0.1)
        assert abs(moved[1]) < 0.02
        assert 0.7 < pelvis[:, 2].mean() < 1.15
        assert trial.faults == ()


def test_short_gaps_are_filled_to_a_millimetre_and_long_ones_stay():
    whole, _ = walker_recording()
    holed = whole.markers_m.copy()
    short = whole.marker_names.index("LKNE")
    long = whole.marker_names.index("RTOE")
    holed[100:108, short] = holed[50:80, long] = holed[:4, short] = np.nan
    filled, gaps = fill_gaps(replace(whole, markers_m=holed))
    np.testing.assert_allclose(filled.markers_m[100:108, short], whole.markers_m[100:108, short], atol=1e-3)
    assert np.isnan(filled.markers_m[50:80, long]).all()
    assert np.isnan(filled.markers_m[:4, short]).all()  # nothing is known before it
    assert [(gap.marker, gap.first, gap.filled) for gap in gaps] == [
        *([("RTOE", 50, False), ("LKNE", 0, False), ("LKNE", 100, True)] if long < short else []),
        *([("LKNE", 0, False), ("LKNE", 100, True), ("RTOE", 50, False)] if short < long else []),
    ]
    assert "Gaps of at most 0.1 s that were filled: 1 (8 frames)." in filled.notes
    assert "Gaps that are too long to fill remain in LKNE, RTOE." in filled.notes


def test_two_markers_that_swap_their_names_are_noticed():
    whole, _ = walker_recording()
    swapped = whole.markers_m.copy()
    one = whole.marker_names.index("LASI")
    other = whole.marker_names.index("RASI")
    swapped[150:, [one, other]] = swapped[150:, [other, one]]
    assert check_markers(whole, whole.marker_names) == ()
    faults = check_markers(replace(whole, markers_m=swapped), whole.marker_names)
    assert [(fault.kind, set(fault.markers), fault.frame) for fault in faults] == [("swap", {"LASI", "RASI"}, 150)]
    assert "change places at 1.50 s; exchange their names from there on" in faults[0].sentence


def test_a_marker_that_jumps_and_one_the_cameras_disagree_on_are_noticed():
    whole, _ = walker_recording()
    jumping = whole.markers_m.copy()
    jumping[120, whole.marker_names.index("C7")] += 0.5
    residual = np.zeros(jumping.shape[:2])
    residual[:, whole.marker_names.index("T10")] = 0.02
    faults = check_markers(replace(whole, markers_m=jumping, residual_m=residual), whole.marker_names)
    assert {(fault.kind, fault.markers[0]) for fault in faults} == {("jump", "C7"), ("residual", "T10")}


def test_markers_of_one_segment_keep_their_distance(data):
    walker, _ = walker_recording()
    trial = prepare_trial(walker)
    segments = {name: landmark.segment for name, landmark in trial.landmarks.items()}
    assert max(rigid_spread(trial.recording, segments).values()) < 1e-9
    real = prepare_trial(read_recording(data / "felis_subject3_neutral.c3d"))
    segments = {name: landmark.segment for name, landmark in real.landmarks.items()}
    spread = rigid_spread(real.recording, segments)
    assert spread["LFHD", "RBHD"] < 0.002 < max(spread.values()) < 0.03


def test_recordings_that_cannot_be_used_are_refused_with_the_reason(data):
    walker, _ = walker_recording()
    with pytest.raises(BadRecordingError, match="walker has 5 frames; a fit needs at least 10"):
        prepare_trial(replace(walker, markers_m=walker.markers_m[:5]))
    unseen = Recording("blind", 100.0, walker.marker_names, np.full_like(walker.markers_m, np.nan))
    with pytest.raises(BadRecordingError, match="blind has no markers that are seen"):
        prepare_trial(unseen)
    with pytest.raises(MarkerSetError, match="unknown: a fit by the markers of Plug-in Gait"):
        prepare_trial(replace(walker, name="unknown", marker_names=tuple(f"P{k}" for k in range(32))))
    with pytest.raises(BadRecordingError, match="not above one another"):
        prepare_trial(
            replace(walker, markers_m=walker.markers_m @ Rotation.from_euler("x", 45, degrees=True).as_matrix())
        )
    with pytest.raises(MarkerSetError, match="still needs LASI, RASI"):
        prepare_trial(read_recording(data / "c3d_samples" / "bad_parameter_section.c3d"))
    with pytest.raises(BadRecordingError, match="emgwl has no markers that are seen"):
        prepare_trial(read_recording(data / "c3d_samples" / "emgwl.c3d"))


def test_a_treadmill_is_recognised_and_a_floor_is_none(data):
    belt, floor = (prepare_trial(stepper_recording(belt=moves)[0]) for moves in (True, False))
    assert belt.belt_m_s.any()
    assert not floor.belt_m_s.any()
    np.testing.assert_allclose(belt.paths.belt_m_s, [-1.2, 0.0, 0.0], atol=0.02)
    assert belt.paths.speed_m_s == pytest.approx(floor.paths.speed_m_s, abs=0.02)
    assert not prepare_trial(read_recording(data / "qcmas_walk.c3d")).belt_m_s.any()
    assert not prepare_trial(read_recording(data / "qcmas_static.c3d")).belt_m_s.any()
