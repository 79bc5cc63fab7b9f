"""What makers of C3D files do differently: counts, units, events, persons, plates; and the lines of damaged texts."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.formats.c3d_frames import C3dFrames
from strut.formats.c3d_parameters import numbers_of, parse_header, parse_parameters, texts_of
from strut.formats.c3d_plates import read_plates
from strut.formats.c3d_writer import encode_c3d
from strut.formats.reader import FormatError, decode
from strut.formats.trc import encode_trc
from strut.recording import AnalogChannels, GaitEvent, Recording

FRAMES = 30
MARKERS_M = np.random.default_rng(0).uniform(0.1, 1.5, (FRAMES, 2, 3))


def recording(samples=1, events=()):
    wave = np.arange(FRAMES * samples * 2.0).reshape(-1, 2)
    analog = AnalogChannels(("Fz", "EMG"), ("N", "V"), 50.0 * samples, wave)
    return Recording("made", 50.0, ("A", "B"), MARKERS_M, analog=analog, events=events)


def section(parameters):
    """Return a file of two markers whose parameter section holds more entries: (group, name, value)."""
    content = encode_c3d(recording())
    groups = {name: number for number, name in enumerate(dict.fromkeys(group for group, *_ in parameters), start=10)}
    own = b"".join(
        struct.pack("<bb", len(name), -n) + name.encode() + struct.pack("<hB", 3, 0) for name, n in groups.items()
    )
    for group, name, value in parameters:
        if isinstance(value, list) and isinstance(value[0], str):
            longest = max(map(len, value))
            body = struct.pack("<bBBB", -1, 2, longest, len(value)) + "".join(t.ljust(longest) for t in value).encode()
        else:
            array = np.atleast_1d(np.asarray(value, dtype="<f4"))
            body = struct.pack("<bB", 4, array.ndim) + bytes(array.shape) + array.tobytes(order="F")
        head = struct.pack("<bb", -len(name), groups[group])  # a negative length: the entry is locked
        own += head + name.encode() + struct.pack("<H", len(body) + 3) + body + b"\0"
    header = parse_header(content)
    start = header.parameter_start + 4
    grown = own + content[start : header.data_start]
    blocks = -(-(len(grown) + 4) // 512)
    head = bytearray(content[:512])
    head[16:18] = struct.pack("<H", 2 + blocks)
    data = (content[512:514] + bytes([blocks]) + content[515:516] + grown).ljust(512 * blocks, b"\0")
    at = data.find(b"DATA_START") + len(b"DATA_START") + 4
    data = data[:at] + struct.pack("<h", 2 + blocks) + data[at + 2 :]
    return bytes(head) + data + content[header.data_start :]


def read(content):
    return decode(Recording, content, "made.c3d")


def test_the_parameters_of_a_written_file_are_those_that_ezc3d_expects(tmp_path):
    ezc3d = pytest.importorskip("ezc3d", reason="the oracle is a development dependency")
    path = tmp_path / "made.c3d"
    path.write_bytes(
        encode_c3d(recording(4, (GaitEvent("foot_flat", "Left", 0.1), GaitEvent("heel_off", "Right", 0.3))))
    )
    theirs = ezc3d.c3d(str(path))
    values = {
        (group, name): np.asarray(entry["value"]).ravel().tolist()
        for group, entries in theirs["parameters"].items()
        for name, entry in entries.items()
        if name != "__METADATA__"
    }
    assert values["POINT", "USED"] == [2]
    assert values["POINT", "FRAMES"] == [FRAMES]
    assert values["POINT", "RATE"] == [50.0]
    assert values["POINT", "SCALE"][0] < 0.0  # numbers are floats
    assert values["POINT", "UNITS"] == ["mm"]
    assert values["ANALOG", "USED"] == [2]
    assert values["ANALOG", "RATE"] == [200.0]
    assert values["ANALOG", "LABELS"] == ["Fz", "EMG"]
    assert values["ANALOG", "UNITS"] == ["N", "V"]
    assert values["ANALOG", "SCALE"] == [1.0, 1.0]
    assert values["ANALOG", "OFFSET"] == [0, 0]
    assert values["ANALOG", "GEN_SCALE"] == [1.0]
    assert values["FORCE_PLATFORM", "USED"] == [0]
    assert values["EVENT", "USED"] == [2]
    assert values["EVENT", "LABELS"] == ["Foot Flat", "Heel Off"]
    assert values["EVENT", "CONTEXTS"] == ["Left", "Right"]
    assert_allclose(values["EVENT", "TIMES"], [0.0, 0.0, 0.1, 0.3], atol=1e-6)  # minutes, then seconds
    header = theirs["header"]
    assert (header["points"]["first_frame"], header["points"]["last_frame"]) == (0, FRAMES - 1)
    assert header["analogs"]["frame_rate"] == 200.0
    assert_allclose(theirs["data"]["analogs"][0].T, recording(4).analog.values)
    assert_allclose(theirs["data"]["points"][:3].transpose(2, 1, 0), 1e3 * MARKERS_M, rtol=1e-6)


def test_a_header_with_too_many_samples_per_frame_is_believed_about_the_numbers_of_a_frame():
    """Its numbers per frame equal the channels, as where channels are counted, but the file is too short for that."""
    content = bytearray(encode_c3d(recording()))
    assert content[18:20] == struct.pack("<H", 1)
    content[18:20] = struct.pack("<H", 2)
    assert_allclose(read(bytes(content)).markers_m, MARKERS_M, atol=1e-6)


def test_entries_that_are_locked_have_names_like_others():
    content = section([("PROCESSING", "HEIGHT", 1720.0), ("PROCESSING", "BODYMASS", 61.5)])
    parameters, notes = parse_parameters(content, parse_header(content))
    assert numbers_of(parameters, "PROCESSING", "HEIGHT").tolist() == [1720.0]
    assert texts_of(parameters, "POINT", "UNITS") == ("mm",)
    assert notes == ()
    assert (read(content).height_m, read(content).mass_kg) == (pytest.approx(1.72), pytest.approx(61.5))


@pytest.mark.parametrize(
    ("group", "height", "mass", "height_m", "mass_kg"),
    [
        ("SUBJECT", ("HEIGHT", 1.8), ("MASS", 80.0), 1.8, 80.0),
        ("SUBJECTS", ("HEIGHT", 165.0), ("WEIGHT", 55.0), 1.65, 55.0),
        ("PROCESSING", ("HEIGHT", 0.4), ("MASS", 4.0), None, None),
        ("PROCESSING", ("HEIGHT", 2.7), ("MASS", 301.0), None, None),
        ("PROCESSING", ("HEIGHT", 2590.0), ("MASS", 299.0), 2.59, 299.0),
        ("PROCESSING", ("HEIGHT", 51.0), ("MASS", 6.0), 0.51, 6.0),
    ],
)
def test_a_person_may_be_given_in_any_unit_and_must_be_one(group, height, mass, height_m, mass_kg):
    found = read(section([(group, *height), (group, *mass)]))
    assert found.height_m == (None if height_m is None else pytest.approx(height_m))
    assert found.mass_kg == (None if mass_kg is None else pytest.approx(mass_kg))


def test_events_of_every_maker_have_a_kind_a_side_and_a_time_from_the_first_frame():
    labels = ["RHS", "LTO", "Foot Strike", "Left Foot Down", "Heel Off", "General", "Foot Off"]
    contexts = ["", "", "Left", "", "Right", "General", "General"]
    times = np.array([[0.0, 1.0], [0.0, 0.5], [1.0, 2.0], [0.0, 0.25], [0.0, 3.0], [0.0, 4.0], [0.0, 5.0]]).T
    content = encode_c3d(recording())  # which has an empty group of events
    found = read(section([("EVENT", "LABELS", labels), ("EVENT", "CONTEXTS", contexts), ("EVENT", "TIMES", times)]))
    assert [(event.kind, event.side, event.time_s) for event in found.events] == [
        ("heel_strike", "Left", pytest.approx(0.25)),
        ("toe_off", "Left", pytest.approx(0.5)),
        ("heel_strike", "Right", pytest.approx(1.0)),
        ("heel_off", "Right", pytest.approx(3.0)),
        ("heel_strike", "Left", pytest.approx(62.0)),
    ]
    late = bytearray(content)
    late[6:10] = struct.pack("<HH", 101, 100 + FRAMES)  # the recording begins with frame 101, after 2 s
    whole = encode_c3d(recording(events=(GaitEvent("toe_off", "Left", 2.5),)))
    late = whole[:6] + bytes(late[6:10]) + whole[10:]
    assert read(late).events[0].time_s == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(("unit", "metres"), [("m", 1.0), ("cm", 0.01), ("mm", 0.001)])
def test_lengths_are_in_the_unit_of_the_file(unit, metres):
    content = encode_c3d(Recording("made", 50.0, ("A", "B"), MARKERS_M * 0.001 / metres))  # as if they were in mm
    at = content.index(b"UNITS") + len(b"UNITS") + 2 + 2 + 2  # behind the pointer, the type, the rank, two dimensions
    changed = content[:at] + unit.ljust(2).encode() + content[at + 2 :]
    assert_allclose(read(changed).markers_m, MARKERS_M, rtol=1e-6)
    assert f"Lengths are in {unit}." in read(changed).notes


CORNERS_MM = np.array([[400.0, 600.0, 0.0], [0.0, 600.0, 0.0], [0.0, 0.0, 0.0], [400.0, 0.0, 0.0]])


def plate(kind=2, units=("N",) * 3 + ("Nmm",) * 3, cop_m=(0.05, -0.1), calibration=None):
    """Return a plate in millimetres that a force of 500 N presses at a place from its middle, and notes."""
    load = np.where(np.arange(200) < 50, 0.0, 500.0)
    x, y = cop_m
    moment_nm = np.column_stack([y * load, -x * load, 0.0 * load])
    scale = 1.0 if units[3] == "Nm" else 1e3
    analog = np.column_stack([np.zeros((200, 2)), load, scale * moment_nm])
    if kind == 1:
        analog = np.column_stack([np.zeros((200, 2)), load, 1e3 * np.tile(cop_m, (200, 1)), np.zeros(200)])
    group = {
        "TYPE": np.array([kind]),
        "USED": np.array([1]),
        "CORNERS": CORNERS_MM.T[:, :, None],
        "ORIGIN": np.zeros((3, 1)),
        "CHANNEL": np.arange(1, 7)[:, None],
    }
    if calibration is not None:
        group["CAL_MATRIX"] = calibration[:, :, None]
    parameters = {"FORCE_PLATFORM": group, "ANALOG": {"UNITS": units}}
    frames = C3dFrames(np.zeros((100, 0, 3)), np.zeros((100, 0)), analog, 100.0, 200.0, 1)
    plates, notes = read_plates(parameters, frames, 1e-3)
    return plates[0] if plates else None, notes


@pytest.mark.parametrize("units", [("N",) * 3 + ("Nmm",) * 3, ("N",) * 3 + ("Nm",) * 3])
@pytest.mark.parametrize("kind", [1, 2, 4])
def test_a_plate_is_pressed_where_its_moments_say_in_either_unit(kind, units):
    if kind == 1 and units[3] == "Nm":
        units = (*units[:3], "mm", "mm", "Nm")
    calibration = np.eye(6) if kind == 4 else None
    if kind == 4 and units[3] == "Nm":
        calibration = np.diag([1.0, 1.0, 1.0, 1e3, 1e3, 1e3])  # a matrix gives N mm, the unit of the points
    found, _ = plate(kind, units, calibration=calibration)
    assert_allclose(found.force_n[100], [0.0, 0.0, 500.0], atol=1e-9)
    assert_allclose(found.cop_m[100], [0.2 + 0.05, 0.3 - 0.1, 0.0], atol=1e-9)
    assert np.isnan(found.cop_m[10]).all()
    assert found.rate_hz == 200.0
    assert_allclose(found.corners_m, CORNERS_MM / 1e3)


def test_an_error_in_a_table_names_its_line():
    with pytest.raises(FormatError, match="in line 3"):
        decode(Recording, b"time,A_x,A_y,A_z\n0,1,2,3\n0.01,1,2,x\n", "t.csv")


@pytest.mark.parametrize("frame", [1, 4])
def test_an_error_in_a_trc_file_names_its_line(frame):
    lines = encode_trc(Recording("w", 50.0, ("A",), np.ones((5, 1, 3)))).decode().splitlines()
    (number,) = [index for index, text in enumerate(lines) if text.startswith(f"{frame}\t")]
    lines[number] = lines[number].replace("1.000000", "one", 1)
    with pytest.raises(FormatError, match=f"in line {number + 1}\\b"):
        decode(Recording, "\n".join(lines).encode(), "t.trc")
