"""C3D files of every maker are read as ezc3d reads them; damaged ones end in a sentence and in nothing else."""

from __future__ import annotations

import random

import numpy as np
import pytest

from strut.errors import BadRecordingError, RecordingFileError
from strut.formats.c3d_frames import parse_frames
from strut.formats.c3d_parameters import C3dHeader, parse_header, parse_parameters
from strut.formats.c3d_writer import encode_c3d
from strut.formats.reader import FormatError, decode
from strut.formats.recording_file import read_recording
from strut.recording import AnalogChannels, GaitEvent, Recording
from tests.mocap.conftest import walker_recording

READ_BY_BOTH = (  # ezc3d knows no MIPS files, refuses the damaged one, and misreads the one whose analog rate is 0
    *("c3d_samples/dec_int", "c3d_samples/dec_real", "c3d_samples/pc_int", "c3d_samples/pc_real", "c3d_samples/emgwl"),
    *("c3d_samples/gait-pig", "c3d_samples/gait-raw", "c3d_samples/newwalk", "c3d_samples/plate_type2"),
    *("c3d_samples/plate_type3", "c3d_samples/plate_type4", "felis_subject3_neutral", "qcmas_static", "qcmas_walk"),
    *("sydney_static", "sydney_walk03", "sydney_walk04", "sydney_walk05"),
)


@pytest.fixture(scope="module")
def written():
    """A C3D file with gaps, channels and events, made here."""
    walker, _ = walker_recording(frames=60)
    markers = walker.markers_m.copy()
    markers[10:14, 3] = np.nan
    wave = np.sin(np.arange(600)[:, None] * [0.1, 0.2])
    recording = Recording(
        "made",
        100.0,
        walker.marker_names,
        markers,
        analog=AnalogChannels(("EMG 1", "EMG 2"), ("V", "V"), 1000.0, wave),
        events=(GaitEvent("heel_strike", "Left", 0.25), GaitEvent("toe_off", "Right", 0.4)),
    )
    return recording, encode_c3d(recording)


@pytest.mark.parametrize("name", READ_BY_BOTH)
def test_points_and_channels_are_those_that_ezc3d_reads(data, name):
    ezc3d = pytest.importorskip("ezc3d", reason="the oracle is a development dependency")
    content = (data / f"{name}.c3d").read_bytes()
    header = parse_header(content)
    frames = parse_frames(content, header, parse_parameters(content, header)[0])
    theirs = ezc3d.c3d(str(data / f"{name}.c3d"))["data"]
    np.testing.assert_array_equal(frames.points, theirs["points"][:3].transpose(2, 1, 0))
    if theirs["analogs"].size:
        np.testing.assert_array_equal(frames.analog, theirs["analogs"][0].T)


def test_six_number_formats_hold_the_same_walk(data):
    names = [f"{maker}_{form}" for maker in ("pc", "dec", "sgi") for form in ("real", "int")]
    walks = [read_recording(data / "c3d_samples" / f"{name}.c3d") for name in names]
    for other in walks[1:]:
        assert other.marker_names == walks[0].marker_names
        np.testing.assert_allclose(other.markers_m, walks[0].markers_m, atol=3e-4)  # whole numbers are 0.28 mm apart
        for ours, theirs in zip(walks[0].plates, other.plates, strict=True):
            np.testing.assert_allclose(ours.force_n, theirs.force_n, atol=1.0)


def test_every_real_recording_is_read(data):
    files = sorted(data.rglob("*.c3d"))
    assert len(files) == 22
    for path in files:
        recording = read_recording(path)
        assert recording.rate_hz > 0.0
    damaged = read_recording(data / "c3d_samples" / "bad_parameter_section.c3d")
    assert damaged.notes[0] == "Its parameter section is damaged; what stands behind the damage was not read."


def test_a_written_file_is_read_back_by_us_and_by_ezc3d(written, tmp_path):
    recording, content = written
    again = decode(Recording, content, "made.c3d")
    assert again.marker_names == recording.marker_names
    np.testing.assert_allclose(again.markers_m, recording.markers_m, atol=2e-7)
    assert np.isnan(again.markers_m[10:14, 3]).all()
    np.testing.assert_allclose(again.analog.values, recording.analog.values, atol=1e-7)
    assert [(one.kind, one.side) for one in again.events] == [("heel_strike", "Left"), ("toe_off", "Right")]
    assert again.events[0].time_s == pytest.approx(0.25, abs=1e-6)
    ezc3d = pytest.importorskip("ezc3d", reason="the oracle is a development dependency")
    path = tmp_path / "made.c3d"
    path.write_bytes(content)
    theirs = ezc3d.c3d(str(path))
    np.testing.assert_allclose(theirs["data"]["points"][:3].transpose(2, 1, 0), again.markers_m * 1e3, rtol=1e-6)
    assert theirs["parameters"]["POINT"]["LABELS"]["value"] == list(recording.marker_names)


def test_more_points_than_one_parameter_names_keep_their_names():
    names = tuple(f"M{number}" for number in range(400))
    recording = Recording("many", 50.0, names, np.zeros((3, 400, 3)))
    assert decode(Recording, encode_c3d(recording), "many.c3d").marker_names == names


def test_exact_zeros_are_markers_that_were_not_seen():
    places = np.ones((5, 2, 3))
    places[2, 1] = 0.0
    again = decode(Recording, encode_c3d(Recording("zeros", 50.0, ("A", "B"), places)), "zeros.c3d")
    assert np.isnan(again.markers_m[2, 1]).all()
    assert np.isfinite(np.delete(again.markers_m.reshape(-1, 3), 5, axis=0)).all()


@pytest.mark.parametrize("word", [0.0, -1.0, -0.5, 32767.0, 40000.0, 65535.0, 1e9, np.nan, np.inf, -np.inf])
def test_points_are_seen_where_ezc3d_sees_them_whatever_the_fourth_float_is(tmp_path, word):
    """Its sign alone decides: a mask of cameras without any of them, as NaN has it, does not hide a point."""
    ezc3d = pytest.importorskip("ezc3d", reason="the oracle is a development dependency")
    markers = np.random.default_rng(0).uniform(0.1, 1.0, (5, 29, 3))
    content = encode_c3d(Recording("masks", 50.0, tuple(f"M{k}" for k in range(29)), markers))
    numbers = np.frombuffer(content, "<f4", offset=parse_header(content).data_start).reshape(5, 29, 4).copy()
    numbers[..., 3] = word
    path = tmp_path / "masks.c3d"
    path.write_bytes(content[: -numbers.nbytes] + numbers.tobytes())
    theirs = ezc3d.c3d(str(path))["data"]["points"][:3].transpose(2, 1, 0)
    ours = read_recording(path)
    np.testing.assert_allclose(ours.markers_m * 1e3, theirs, rtol=1e-6)
    assert np.isfinite(ours.residual_m).all()


def test_height_and_mass_are_read_if_files_have_them(data):
    for name, height_m, mass_kg in (("qcmas_walk", 1.86, 70.23), ("sydney_static", 1.634, 53.5)):
        recording = read_recording(data / f"{name}.c3d")
        assert (recording.height_m, recording.mass_kg) == pytest.approx((height_m, mass_kg), rel=1e-5)
    clusters = read_recording(data / "c3d_samples" / "pc_real.c3d")
    assert (clusters.height_m, clusters.mass_kg) == pytest.approx((1.78, 70.62), rel=1e-5)


def test_labels_lose_the_subjects_prefix_and_twins_get_a_number():
    recording = Recording("prefixed", 50.0, ("Ann:LASI", "Ben:LASI", "Ann:RASI"), np.zeros((3, 3, 3)))
    again = decode(Recording, encode_c3d(recording), "prefixed.c3d")
    assert again.marker_names == ("LASI", "LASI#2", "RASI")


def test_markers_of_a_second_person_keep_the_prefix_and_both_are_named_in_a_note():
    names = [f"P{index}" for index in range(9)]
    labels = (*(f"Ann:{name}" for name in names[1:]), *(f"Ben:{name}" for name in names))  # Ann lost her P0
    recording = Recording("two", 50.0, labels, np.ones((3, len(labels), 3)))
    again = decode(Recording, encode_c3d(recording), "two.c3d")
    assert again.marker_names == (*names[1:], *(f"Ben:{name}" for name in names))
    assert "The file holds markers of Ann, Ben: those of Ann are used" in " ".join(again.notes)


def test_a_cut_file_is_refused_wherever_it_is_cut(written):
    _, content = written
    for stop in (*range(0, len(content), 97), *range(508, 532)):  # also around the end of the first block
        with pytest.raises(FormatError) as refused:
            decode(Recording, content[:stop], "cut.c3d")
        assert str(refused.value).endswith(".")
    with pytest.raises(
        FormatError, match="is cut short: its header promises 60 frames and 59 are there; copy it again"
    ):
        decode(Recording, content[:-8], "cut.c3d")


def test_a_header_that_counts_channels_instead_of_samples_is_found_out(written):
    """As MotionMonitor's does: a frame of 2 channels with 10 samples each has 20 numbers, not 2."""
    recording, content = written
    assert content[4:6] == (20).to_bytes(2, "little")
    again = decode(Recording, content[:4] + (2).to_bytes(2, "little") + content[6:], "made.c3d")
    np.testing.assert_array_equal(again.markers_m, decode(Recording, content, "made.c3d").markers_m)
    np.testing.assert_allclose(again.analog.values, recording.analog.values, atol=1e-6)


def test_a_parameter_that_counts_a_frame_too_many_is_found_out(written):
    """As that of two sample files: 500 frames by the parameter, 499 by the header and by what is there."""
    _, content = written
    header = parse_header(content)
    size = 60 * (4 * header.points + header.analog_per_frame) * 4
    at = content.index(b"FRAMES") + len("FRAMES") + 4  # behind offset, type and rank
    assert content[at : at + 2] == (60).to_bytes(2, "little")
    changed = content[:at] + (61).to_bytes(2, "little") + content[at + 2 :]
    assert len(decode(Recording, changed[: header.data_start + size], "made.c3d").markers_m) == 60
    with pytest.raises(FormatError, match="cut short"):
        decode(Recording, changed[: header.data_start + size - 4], "made.c3d")


def test_an_empty_parameter_section_is_refused(written):
    _, content = written
    empty = content[:516] + bytes(len(content) - 516)
    with pytest.raises(FormatError, match="its parameter section is empty"):
        decode(Recording, empty, "empty.c3d")


def test_the_sentence_names_the_file_and_the_reason(tmp_path):
    path = tmp_path / "walk.c3d"
    path.write_bytes(b"PK\x03\x04" + bytes(600))
    with pytest.raises(
        RecordingFileError, match=r"walk\.c3d: is not a C3D file: it does not begin with a C3D header\."
    ):
        read_recording(path)
    with pytest.raises(RecordingFileError, match="is none of the kinds that are read"):
        read_recording(tmp_path / "walk.xyz")
    with pytest.raises(RecordingFileError, match="cannot be read: No such file"):
        read_recording(tmp_path / "absent.c3d")


@pytest.mark.parametrize("seed", range(3))
def test_flipped_bytes_end_in_a_recording_or_in_a_sentence(written, seed):
    chance = random.Random(seed)
    _, content = written
    outcomes = {"read": 0, "refused": 0}
    for _ in range(300):
        damaged = bytearray(content)
        for _ in range(chance.choice([1, 3, 20])):
            damaged[chance.randrange(chance.choice([512, 4096, len(content)]))] = chance.randrange(256)
        outcomes[_outcome(bytes(damaged))] += 1
    assert min(outcomes.values()) > 30  # the test sees both


@pytest.mark.parametrize("name", ["pc_real", "dec_int", "sgi_real", "newwalk", "gait-pig", "plate_type3"])
def test_flipped_bytes_in_real_files_end_in_a_recording_or_in_a_sentence(data, name):
    chance = random.Random(name)
    content = (data / "c3d_samples" / f"{name}.c3d").read_bytes()
    for _ in range(60):
        damaged = bytearray(content)
        for _ in range(chance.choice([1, 10, 100])):
            damaged[chance.randrange(512 * 12)] = chance.randrange(256)
        _outcome(bytes(damaged))


def test_absurd_counts_do_not_ask_for_absurd_memory(written):
    _, content = written
    for at in (2, 4, 6, 8, 16, 18):
        damaged = bytearray(content)
        damaged[at : at + 2] = b"\xff\xff"
        _outcome(bytes(damaged))


def _outcome(content):
    try:
        decode(Recording, content, "damaged.c3d")
    except (FormatError, BadRecordingError):
        return "refused"
    return "read"


def test_moments_of_the_laboratory_are_read_over_the_body_mass(data):
    """Plug-in Gait writes N mm and means N mm/kg; ankles push off with 1.2 to 1.7 N m/kg."""
    for name in ("sydney_walk04", "qcmas_walk", "c3d_samples/gait-pig"):
        moments = read_recording(data / f"{name}.c3d").moments_nm_kg
        assert set(moments) == {f"{side}{joint}" for side in "LR" for joint in ("Ankle", "Knee", "Hip")}
        assert 1.1 < np.nanmax(moments["LAnkle"]) < 1.8
    assert not read_recording(data / "c3d_samples" / "newwalk.c3d").moments_nm_kg


def test_moments_in_an_unknown_unit_are_left_out_with_a_note(data):
    content = (data / "sydney_walk04.c3d").read_bytes()
    changed = decode(Recording, content.replace(b"Nmm", b"Qmm"), "walk.c3d")
    assert not changed.moments_nm_kg
    assert changed.notes[-1] == "Moments are in 'qmm', which is no known unit of moments; they were left out."


@pytest.mark.parametrize(
    ("name", "title"),
    [
        (b"RAW.PIN 58      RAW.PIN 59      RAW.PIN 60", "an entry of its parameter section"),
        (b"A" * 127, f"the parameter {'A' * 127}"),  # as long as the guide allows
    ],
)
def test_a_damaged_entry_is_named_unless_its_name_is_damaged_too(name, title):
    entry = bytes([len(name), 1]) + name + bytes([9, 0, 77, 0])
    content = bytes([2, 0x50]) + bytes(510) + bytes([1, 0x50, 1, 84]) + entry + bytes(512)
    header = C3dHeader(84, 512, 1024, 4, 0, 0, 1, 2, 1.0, 100.0)
    with pytest.raises(FormatError, match=f"file: {title} has no known type"):
        parse_parameters(content, header)
