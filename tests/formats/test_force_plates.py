"""Plates of all types give the same force and centre of pressure, and feet stand where plates are loaded."""

from __future__ import annotations

import numpy as np
import pytest

from strut.formats.c3d_frames import C3dFrames
from strut.formats.c3d_plates import MIN_AREA_M2, read_plates
from strut.formats.force_plates import PlateChannels, plate_axes, plate_in_world
from strut.formats.recording_file import read_recording
from strut.mocap.gait_trial import prepare_trial

CORNERS = np.array([[0.4, 0.6, 0.0], [0.4, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.6, 0.0]])  # plate z points down
SENSOR = np.array([0.001, -0.002, 0.04])  # below the surface, whatever its sign
PLACE = np.array([0.25, 0.2, 0.0])
LOADED = slice(50, 150)


def force_of_ground(samples=200):
    force = np.zeros((samples, 3))
    force[LOADED] = [30.0, -20.0, 700.0]
    return force


def channels(kind, *, offset=0.0, sign=1.0, free_nm=5.0):
    """Return what a plate of a type records while the ground pushes at PLACE with a free moment."""
    to_world = plate_axes(CORNERS)
    force = force_of_ground() @ to_world
    arm = (PLACE - CORNERS.mean(axis=0)) @ to_world
    moment = np.cross(arm, force)
    moment[LOADED, 2] += free_nm
    if kind == 1:
        place = np.zeros((200, 2))
        place[LOADED] = arm[:2]
        values = np.column_stack([force, place, np.where(np.abs(force[:, 2]) > 0.0, free_nm, 0.0)])
        return values * [sign, sign, sign, 1.0, 1.0, sign]
    if kind == 3:
        a = 0.12
        b = 0.2
        sensor_moment = moment + np.cross([0.0, 0.0, -0.04], force)
        fz = force[:, 2]
        mx = sensor_moment[:, 0]
        my = sensor_moment[:, 1]
        mz = sensor_moment[:, 2]
        z = [(fz + s * mx / b + t * my / a) / 4.0 for s, t in ((1, -1), (1, 1), (-1, 1), (-1, -1))]
        x = [force[:, 0] / 2.0 - mz / (2.0 * b), force[:, 0] / 2.0 + mz / (2.0 * b)]
        return sign * np.column_stack([*x, force[:, 1] / 2.0, force[:, 1] / 2.0, *z]) + offset
    values = np.column_stack([force, moment + np.cross(-SENSOR, force)])
    return sign * values + offset * np.array([0, 0, 1, 0, 0, 0])


def plate(kind, values, origin=SENSOR, calibration=None):
    origin = np.array([0.12, 0.2, -0.04]) if kind == 3 else origin
    return plate_in_world(PlateChannels(1, kind, values, 1000.0, CORNERS, origin, calibration))


@pytest.mark.parametrize("kind", [1, 2, 3])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_every_plate_type_gives_the_ground_force_and_its_centre_of_pressure(kind, sign):
    found, notes = plate(kind, channels(kind, sign=sign))
    np.testing.assert_allclose(found.force_n, force_of_ground(), atol=1e-9)
    np.testing.assert_allclose(found.cop_m[LOADED], np.broadcast_to(PLACE, (100, 3)), atol=1e-9)
    assert np.isnan(found.cop_m[:50]).all()
    assert np.isnan(found.cop_m[150:]).all()
    assert any("signs were turned" in note for note in notes) == (sign < 0.0)


def test_a_plate_with_a_calibration_matrix_is_calibrated_first():
    matrix = np.diag([2.0, 3.0, 4.0, 5.0, 6.0, 7.0]) + 0.01
    found, _ = plate(4, channels(2) @ np.linalg.inv(matrix).T, calibration=matrix)
    np.testing.assert_allclose(found.cop_m[LOADED], np.broadcast_to(PLACE, (100, 3)), atol=1e-9)


def test_the_sign_of_the_sensors_depth_does_not_matter():
    above = plate(2, channels(2))[0]
    below = plate(2, channels(2), origin=-SENSOR)[0]
    np.testing.assert_allclose(above.cop_m, below.cop_m, atol=1e-12)


@pytest.mark.parametrize("offset", [35.0, -180.0])
def test_an_offset_is_removed_and_reported(offset):
    found, notes = plate(2, channels(2, offset=offset))
    np.testing.assert_allclose(found.force_n, force_of_ground(), atol=1e-9)
    assert notes[0] == f"plate 1: an offset of {abs(offset):.0f} N was taken off."


def test_a_person_who_stands_on_a_plate_throughout_is_not_an_offset():
    values = np.repeat(channels(2)[100:101], 200, axis=0)
    found, _ = plate(2, values)
    assert found.force_n[:, 2].min() == pytest.approx(700.0)


def test_moments_in_the_wrong_unit_are_noticed():
    found, notes = plate(2, channels(2) * [1.0, 1.0, 1.0, 1e3, 1e3, 1e3])
    np.testing.assert_allclose(found.cop_m[LOADED], np.broadcast_to(PLACE, (100, 3)), atol=1e-9)
    assert "plate 1: its moments are in N mm although the file says N m." in notes


@pytest.mark.parametrize(
    ("name", "plates"),
    [
        *(("qcmas_walk", 4), ("sydney_walk03", 3), ("sydney_walk04", 3), ("sydney_walk05", 3)),
        *(("c3d_samples/gait-pig", 2), ("c3d_samples/newwalk", 2), ("c3d_samples/plate_type1", 1)),
        ("c3d_samples/plate_type3", 4),
    ],
)
def test_feet_stand_where_real_plates_feel_them(data, name, plates):
    """Types 1 (plate_type1), 2, 3 (plate_type3) and 4 (newwalk); walks along every axis, y up and z up."""
    trial = prepare_trial(read_recording(data / f"{name}.c3d"))
    assert len(trial.recording.plates) == plates
    feet = trial.recording.markers(
        [one for one in trial.recording.marker_names if one[1:] in ("HEE", "TOE", "ANK", "MT5")]
    )
    for one in trial.recording.plates:
        frames = np.arange(len(feet))
        samples = (frames * one.rate_hz / trial.recording.rate_hz).astype(int)
        frames = frames[samples < len(one.cop_m)]
        cop = one.cop_m[samples[: len(frames)]]
        stands = one.force_n[samples[: len(frames)], 2] > 100.0
        away = np.nanmin(np.linalg.norm((feet[frames] - cop[:, None])[..., :2], axis=2)[stands], axis=1)
        assert np.nanmedian(away) < 0.10
        assert one.force_n[:, 2].max() > 200.0


def test_plates_measure_the_heel_strikes_that_the_laboratory_reported(data):
    """Events of the Sydney files that are told to the millisecond come from their plates."""
    told = {"sydney_walk03": (0.291, 0.812), "sydney_walk04": (0.218, 0.752, 1.299), "sydney_walk05": (0.788, 1.325)}
    for name, times in told.items():
        trial = prepare_trial(read_recording(data / f"{name}.c3d"))
        felt = [event.time_s for event in trial.plate_events if event.kind == "heel_strike"]
        for time_s in times:
            assert min(abs(time_s - one) for one in felt) < 0.002


@pytest.mark.parametrize("name", ["plate_type2", "plate_type3", "plate_type4"])
def test_another_library_finds_the_same_forces_once_they_are_tared(data, name):
    ezc3d = pytest.importorskip("ezc3d", reason="the oracle is a development dependency")
    path = data / "c3d_samples" / f"{name}.c3d"
    theirs = ezc3d.c3d(str(path), extract_forceplat_data=True)["data"]["platform"]
    for plate, other in zip(read_recording(path).plates, theirs, strict=True):
        force = other["force"].T[: len(plate.force_n)]
        free = np.abs(plate.force_n[:, 2]) < 15.0
        tared = force - (np.median(force[free], axis=0) if free.any() else 0.0)
        loaded = np.abs(plate.force_n[:, 2]) > 100.0
        apart = np.linalg.norm(tared[loaded], axis=1) - np.linalg.norm(plate.force_n[loaded], axis=1)
        assert np.median(np.abs(apart)) < 1.0  # newtons


def plate_group(corners_mm, kind=2):
    """Return the parameters of a C3D file with one plate, as arrays with the plate last."""
    plate = {
        "USED": np.array([1]),
        "TYPE": np.array([kind]),
        "CORNERS": np.array(corners_mm).T[:, :, None],
        "ORIGIN": np.array([[0.0], [0.0], [-40.0]]),
        "CHANNEL": np.arange(1, 7)[:, None],
    }
    units = ("N", "N", "N", "Nmm", "Nmm", "Nmm")
    return {"FORCE_PLATFORM": plate, "ANALOG": {"UNITS": units}}


@pytest.mark.parametrize(("share", "reads"), [(1.02, True), (0.98, False)])
def test_corners_that_hardly_enclose_an_area_are_no_plate(share, reads):
    """A rectangle of 5 mm by a length that makes it a little larger or smaller than the least area."""
    long_mm = share * MIN_AREA_M2 * 1e6 / 5.0
    corners = [[0.0, 0.0, 0.0], [long_mm, 0.0, 0.0], [long_mm, 5.0, 0.0], [0.0, 5.0, 0.0]]
    frames = C3dFrames(np.zeros((4, 0, 3)), np.zeros((4, 0)), np.zeros((40, 6)), 100.0, 1000.0, 1)
    plates, notes = read_plates(plate_group(corners), frames, 1e-3)
    assert len(plates) == reads
    assert ("plate 1: its corners are no rectangle." in notes) is not reads
