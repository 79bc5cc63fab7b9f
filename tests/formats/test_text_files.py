"""TRC, CSV, BVH and MOT: what is written is read back; damaged files end in a sentence that names the place."""

from __future__ import annotations

import random

import numpy as np
import pytest

from strut.animation.rig_bvh import RigBvhWriter
from strut.errors import BadRecordingError, RecordingFileError
from strut.formats.bvh import BvhJoint, encode_bvh, parse_bvh
from strut.formats.c3d import C3dWriter
from strut.formats.mot import MotWriter, parse_mot
from strut.formats.motion_markers import motion_markers
from strut.formats.reader import FormatError, decode
from strut.formats.recording_file import read_recording
from strut.formats.trc import TrcWriter, encode_trc
from strut.maths.rotation import qpos_from_angles
from strut.models.subject import subject
from strut.motion import Motion
from strut.recording import Recording
from tests.mocap.conftest import CMU_UNIT_M, walker_angles, walker_recording

FORCES = "\n".join(
    [
        "forces",
        "version=1",
        "inDegrees=yes",
        "endheader",
        "time ground_force_vx ground_force_vy ground_force_vz ground_force_px ground_force_py ground_force_pz "
        "ground_torque_x ground_torque_y ground_torque_z",
        *(f"{k / 1000} 10 {700 if k > 3 else 0} -5 0.2 0 0.1 0 3 0" for k in range(12)),
    ]
)


@pytest.fixture(scope="module")
def motion():
    robot = subject()
    q = walker_angles(frames=40)
    contact = np.zeros((40, len(robot.feet)), dtype=bool)
    return Motion("heiman", np.arange(40) / 100.0, qpos_from_angles(q), robot.joint_names, contact, robot.foot_names)


def marker_table(recording):
    """Return markers as a table of another program would hold them, in metres."""
    names = ",".join(f"{marker}_{axis}" for marker in recording.marker_names for axis in "xyz")
    rows = np.column_stack([recording.time_s, recording.markers_m.reshape(len(recording.markers_m), -1)])
    lines = (",".join("" if np.isnan(value) else repr(float(value)) for value in row) for row in rows)
    return "\n".join([f"time,{names}", *lines, ""]).encode()


@pytest.mark.parametrize(("encode", "ending"), [(encode_trc, ".trc"), (marker_table, ".csv")])
def test_markers_come_back_with_their_gaps(encode, ending):
    recording, _ = walker_recording(frames=30)
    markers = recording.markers_m.copy()
    markers[3:6, 2] = np.nan
    again = decode(Recording, encode(Recording("w", 100.0, recording.marker_names, markers)), f"w{ending}")
    assert again.name == "w"
    assert again.marker_names == recording.marker_names
    assert again.rate_hz == pytest.approx(100.0)
    np.testing.assert_allclose(again.markers_m, markers, atol=6e-7)


def test_a_trc_file_numbers_its_columns_as_other_programs_do():
    """The header of OpenSim's guide: names of markers above X1 Y1 Z1, X2 Y2 Z2, ..."""
    lines = encode_trc(Recording("w", 50.0, ("A", "B"), np.ones((3, 2, 3)))).decode().splitlines()
    assert lines[3].split() == ["Frame#", "Time", "A", "B"]
    assert lines[4].split() == ["X1", "Y1", "Z1", "X2", "Y2", "Z2"]
    assert lines[2].split() == ["50", "50", "3", "2", "m", "50", "1", "3"]
    assert [line.split()[:2] for line in lines[6:9]] == [["1", "0.000000"], ["2", "0.020000"], ["3", "0.040000"]]


def test_a_skeleton_comes_back_with_its_joints_and_channels():
    joints = [
        BvhJoint("hips", -1, (0.0, 1.0, 0.0), ("Xposition", "Yposition", "Zposition", "Zrotation")),
        BvhJoint("left", 0, (0.1, 0.0, 0.0), ("Xrotation",)),
        BvhJoint("foot", 1, (0.0, -0.9, 0.0), ("Xrotation", "Yrotation")),
        BvhJoint("right", 0, (-0.1, 0.0, 0.0), ("Xrotation",)),
    ]
    channels = [np.arange(3.0 * len(joint.channels)).reshape(3, -1) for joint in joints]
    content = encode_bvh(joints, channels, 0.02)
    read, values, step_s = parse_bvh(content.decode())
    assert [joint for joint in read if joint.channels] == joints
    np.testing.assert_allclose(values, np.column_stack(channels))
    assert step_s == 0.02


def test_units_in_a_table_are_read_and_a_bare_length_is_metres():
    text = "time,A_x_mm,A_y_mm,A_z_mm,B.x,B.y,B.z\n0,1000,0,500,1,0,0.5\n0.01,1001,0,500,1,0,0.5\n"
    positions = decode(Recording, text.encode(), "t.csv").markers_m
    np.testing.assert_allclose(positions[0, 0], positions[0, 1])


def test_any_motion_is_written_as_markers_and_as_angles(motion):
    markers = motion_markers(motion)
    for writer in (C3dWriter(), TrcWriter()):
        again = decode(Recording, writer.encode(motion), f"m{writer.ending}")
        np.testing.assert_allclose(again.markers_m, markers.markers_m, atol=1e-6)
    table = parse_mot(MotWriter().encode(motion).decode())
    assert table.in_degrees
    np.testing.assert_allclose(np.radians(table.column("KneeRight_RY")), walker_angles(frames=40)[:, 9], atol=1e-8)
    np.testing.assert_allclose(np.radians(table.column("base_ry")), walker_angles(frames=40)[:, 3], atol=1e-8)


def test_commas_of_spreadsheets_are_fields_with_a_note_and_decimal_commas_are_none():
    saved = decode(Recording, FORCES.replace(" ", ",").encode(), "f.mot")
    np.testing.assert_allclose(saved.plates[0].force_n[5], [10.0, 700.0, -5.0])
    assert any("Commas between fields are read as tabs" in note for note in saved.notes)
    markers, _ = walker_recording(frames=12)
    trc = decode(Recording, encode_trc(markers).replace(b"\t", b","), "w.trc")
    assert any("Commas between fields are read as tabs" in note for note in trc.notes)
    head = "version=1\nendheader\n"
    decimal = "\n".join(f"{k},0 {k},5" for k in range(3))
    with pytest.raises(FormatError, match="has 2 numbers in line 4, not 4"):
        parse_mot(f"{head}time a b c\n{decimal}")  # as many fields as columns if commas were between them
    with pytest.raises(FormatError, match="could not convert string to float: '0,0'"):
        parse_mot(f"{head}time a\n{decimal}")
    plain = decode(Recording, FORCES.replace("forces", "forces, filtered", 1).encode(), "f.mot")
    assert not any("Commas" in note for note in plain.notes)


def test_ground_forces_of_opensim_become_plates():
    plate = decode(Recording, FORCES.encode(), "f.mot").plates[0]
    np.testing.assert_allclose(plate.force_n[5], [10.0, 700.0, -5.0])
    np.testing.assert_allclose(plate.cop_m[5], [0.2, 0.0, 0.1])
    assert np.isnan(plate.cop_m[0]).all()


def test_files_that_a_spreadsheet_saved_with_commas_are_read_alike(motion):
    for ending, text in ((".mot", FORCES), (".trc", TrcWriter().encode(motion).decode())):
        spread = "\n".join(f"{line},," if "," not in line else line for line in text.replace("\t", ",").splitlines())
        one, other = (decode(Recording, words.encode(), f"s{ending}") for words in (text, spread))
        np.testing.assert_array_equal(one.markers_m, other.markers_m)
        assert [plate.name for plate in one.plates] == [plate.name for plate in other.plates]


def test_a_table_of_angles_is_no_recording(motion):
    with pytest.raises(FormatError, match="is a motion, not a recording"):
        decode(Recording, MotWriter().encode(motion), "angles.mot")


def test_every_cmu_walk_is_read_with_its_unit_and_each_person_refused_without(data):
    people = {}
    for path in sorted((data / "cmu_bvh").glob("*.bvh")):
        walk = read_recording(path, unit_m=CMU_UNIT_M)
        assert walk.rate_hz == pytest.approx(120.0, abs=0.01)
        assert 1.1 < np.ptp(walk.markers_m[0, :, 1]) < 1.9  # y is up
        assert "The first frame is a pose of its own" in walk.notes[-1]
        people.setdefault(path.stem.partition("_")[0], path)
    for path in people.values():  # whose skeletons tell whether a unit is missing
        with pytest.raises(RecordingFileError, match="BVH files name no unit: give the metres in one"):
            read_recording(path)


@pytest.mark.parametrize(
    ("ending", "text", "reason"),
    [
        (".trc", "hello", "is not a TRC file"),
        (".csv", "a,b\n1,2\n", "has no column 'time'"),
        (".csv", "time,a\n0,1\n", "has no markers: three columns"),
        (".csv", "time,A_x,A_y,A_z\n0,1,2,three\n", "has no number in line 2"),
        (".csv", "time,A_x,A_y,A_z\n0,1,2,3\n0,1,2,3\n", "times that do not increase"),
        (".bvh", "hello", "is not a BVH file"),
        (".bvh", "HIERARCHY\nROOT a\n{\nOFFSET 0 0\nMOTION\n", "line 4 needs three numbers"),
        (".mot", "hello", "is not a MOT file"),
    ],
)
def test_damaged_texts_are_refused_with_the_reason(ending, text, reason):
    with pytest.raises(FormatError, match=reason):
        decode(Recording, text.encode(), f"damaged{ending}")


@pytest.mark.parametrize("ending", [".trc", ".csv", ".bvh", ".mot"])
def test_flipped_bytes_in_texts_end_in_a_recording_or_in_a_sentence(motion, ending):
    encode = {
        ".mot": FORCES.encode,
        ".bvh": lambda: RigBvhWriter().encode(motion),
        ".trc": lambda: TrcWriter().encode(motion),
        ".csv": lambda: marker_table(motion_markers(motion)),
    }
    chance = random.Random(ending)
    content = encode[ending]()
    refused = 0
    for _ in range(150):
        damaged = bytearray(content)
        for _ in range(chance.choice([1, 5, 30])):
            damaged[chance.randrange(len(content))] = chance.randrange(256)
        damaged = damaged[: chance.choice([len(damaged), chance.randrange(len(damaged))])]
        try:
            decode(Recording, bytes(damaged), f"damaged{ending}")
        except (FormatError, BadRecordingError):
            refused += 1
    assert refused > 20
