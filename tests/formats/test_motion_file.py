"""Motion files: there and back, the same bytes, whole or not at all, and every damage in words."""

import io
import json
import os
import stat
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from strut.errors import BadMotionError, FileError, MotionFileError, OutOfRangeError
from strut.formats.motion_file import load_motion, save_motion
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.receipt import Receipt

ARRAYS = ("time_s", "qpos", "contact", "torque_nm", "ground_force_n", "cop_in_world", "balance_margin_m")


@pytest.fixture
def small():
    rng = np.random.default_rng(1)
    return Motion(
        robot="mrpete",
        time_s=np.arange(6) / 10.0,
        qpos=rng.normal(size=(6, 9)),
        joint_names=("knee", "hip"),
        contact=rng.random((6, 4)) > 0.5,
        foot_names=("LF", "LH", "RF", "RH"),
        meta={"emotion": "happy", "options": {"cycles": 3}},
    )


@pytest.fixture
def saved(small, tmp_path):
    path = tmp_path / "small.npz"
    save_motion(small, path)
    return path


def reason(path):
    """Return what the reader says about a file it refuses."""
    with pytest.raises(MotionFileError) as caught:
        load_motion(path)
    assert str(caught.value) == f"{path}: {caught.value.reason}"
    return caught.value.reason


def rewritten(saved, **changes):
    """Write a saved file again with arrays or entries of its description changed; None takes one away."""
    with np.load(saved) as file:
        arrays = {name: file[name] for name in file.files}
    meta = json.loads(str(arrays["meta"]))
    for name, value in changes.items():
        table = arrays if name in arrays else meta
        if value is None:
            table.pop(name)
        else:
            table[name] = value
    if "meta" not in changes:
        arrays["meta"] = np.array(json.dumps(meta))
    np.savez(saved, **arrays)
    return saved


def test_a_walk_comes_back_as_it_was(happy_walk, tmp_path):
    path = tmp_path / "walk.npz"
    save_motion(happy_walk, path)
    back = load_motion(path)
    for name in ARRAYS:
        assert_array_equal(getattr(back, name), getattr(happy_walk, name))
    assert (back.robot, back.joint_names, back.foot_names) == ("mrpete", happy_walk.joint_names, happy_walk.foot_names)
    assert back.meta == happy_walk.meta
    assert back.receipt.as_dict() | {"solve_s": happy_walk.receipt.solve_s} == happy_walk.receipt.as_dict()


def test_a_motion_without_forces_or_receipt_comes_back_without(small, saved):
    back = load_motion(saved)
    assert_array_equal(back.qpos, small.qpos)
    assert (back.torque_nm, back.ground_force_n, back.receipt) == (None, None, None)
    assert back.meta == small.meta


def test_files_can_be_read_by_numpy_alone(happy_walk, tmp_path):
    save_motion(happy_walk, tmp_path / "walk.npz")
    with np.load(tmp_path / "walk.npz", allow_pickle=False) as file:
        assert set(ARRAYS) | {"joint_names", "foot_names", "meta"} == set(file.files)
        meta = json.loads(str(file["meta"]))
    assert (meta["format"], meta["format_version"], meta["robot"]) == ("strut-motion", 1, "mrpete")
    assert meta["receipt"]["verdict"] == happy_walk.receipt.verdict


def test_the_same_motion_gives_the_same_bytes(happy_walk, tmp_path):
    for name in ("one.npz", "two.npz"):
        save_motion(happy_walk, tmp_path / name)
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_the_time_it_took_to_solve_is_not_in_the_file(happy_walk, tmp_path):
    assert happy_walk.receipt.solve_s > 0.0
    save_motion(happy_walk, tmp_path / "one.npz")
    slower = replace(happy_walk, receipt=replace(happy_walk.receipt, solve_s=99.0))
    save_motion(slower, tmp_path / "two.npz")
    assert load_motion(tmp_path / "one.npz").receipt.solve_s is None
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_a_file_read_and_saved_again_has_the_same_bytes(saved, tmp_path):
    save_motion(load_motion(saved), tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == saved.read_bytes()


def test_no_file_is_overwritten_unless_forced(small, saved):
    before = saved.read_bytes()
    with pytest.raises(FileError) as caught:
        save_motion(small, saved)
    assert (
        str(caught.value)
        == f"{saved}: is there already; choose another name, or replace it with --force (in Python: force=True)."
    )
    save_motion(small, saved, force=True)
    assert saved.read_bytes() == before


@pytest.mark.parametrize("force", [True, False])
def test_a_folder_is_no_file_name(small, tmp_path, force):
    folder = tmp_path / "walk.npz"
    folder.mkdir()
    with pytest.raises(FileError) as caught:
        save_motion(small, folder, force=force)
    assert str(caught.value) == f"{folder}: is a folder; give a file name."


def test_a_folder_that_is_not_there_is_named(small, tmp_path):
    path = tmp_path / "nowhere" / "walk.npz"
    with pytest.raises(FileError) as caught:
        save_motion(small, path)
    assert str(caught.value) == f"{path}: cannot be written: there is no folder {path.parent}."


def test_a_folder_that_cannot_be_written_is_named(small, tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    if os.access(folder, os.W_OK):
        pytest.skip("this user may write everywhere, so no folder can be locked")
    with pytest.raises(FileError, match="cannot be written"):
        save_motion(small, folder / "walk.npz")


def test_a_read_only_folder_is_refused_before_any_computation(small, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere, so the system cannot be asked
    with pytest.raises(FileError) as caught:
        save_motion(small, tmp_path / "walk.npz")
    assert str(caught.value) == f"{tmp_path / 'walk.npz'}: cannot be written: the folder {tmp_path} is read-only."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("there_before", [True, False])
@pytest.mark.parametrize("interruption", [KeyboardInterrupt, MemoryError])
def test_an_interrupted_write_leaves_what_was_there(small, tmp_path, monkeypatch, interruption, there_before):
    path = tmp_path / "walk.npz"
    if there_before:
        path.write_bytes(b"old")

    def interrupt(_handle):
        raise interruption

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(interruption):
        save_motion(small, path, force=True)
    assert [entry.name for entry in tmp_path.iterdir()] == (["walk.npz"] if there_before else [])
    assert not there_before or path.read_bytes() == b"old"


def test_a_full_disk_is_an_error_and_leaves_no_file(small, tmp_path, monkeypatch):
    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileError, match=r"cannot be written: No space left on device\."):
        save_motion(small, tmp_path / "walk.npz")
    assert list(tmp_path.iterdir()) == []


def test_a_written_file_can_be_read_by_others(saved):
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(saved.stat().st_mode) == 0o666 & ~mask


# what is refused


def test_a_file_that_is_not_there(tmp_path):
    assert reason(tmp_path / "no.npz") == "there is no such file."


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 rubbish", b"\x93NUMPY rubbish", bytes(1000)])
def test_a_file_of_something_else(tmp_path, content):
    path = tmp_path / "other.npz"
    path.write_bytes(content)
    assert reason(path)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_file_cut_short(saved, share):
    content = saved.read_bytes()
    saved.write_bytes(content[: int(share * len(content))])
    assert reason(saved) == "is damaged or not a motion file; make it again."


def test_any_single_damaged_byte_is_refused_or_does_no_harm(small, saved):
    """No byte of a file, however wrong, makes the reader raise anything but its own error."""
    content = saved.read_bytes()
    for position in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[position] ^= 0xFF
        saved.write_bytes(bytes(damaged))
        try:
            back = load_motion(saved)
        except MotionFileError:
            continue
        assert_array_equal(back.qpos, small.qpos)
        assert_array_equal(back.time_s, small.time_s)


def test_a_single_array(tmp_path):
    np.save(tmp_path / "array.npy", np.zeros(3))
    assert reason(tmp_path / "array.npy") == "is a single array, not a motion file."


def test_an_npz_of_another_program(tmp_path):
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    assert reason(tmp_path / "other.npz") == "is not a motion file: it has no description in it."
    np.savez(tmp_path / "other.npz", meta=np.array(json.dumps({"format": "bvh"})))
    assert reason(tmp_path / "other.npz") == "is not a motion file of strut."
    np.savez(tmp_path / "other.npz", meta=np.array("[1, 2]"))
    assert reason(tmp_path / "other.npz") == "is not a motion file of strut."


def test_an_npz_with_python_objects_in_it_is_not_unpickled(tmp_path):
    np.savez(tmp_path / "evil.npz", meta=np.array([{"a": 1}], dtype=object))
    assert reason(tmp_path / "evil.npz") == "is damaged or not a motion file; make it again."


def test_a_zip_with_something_else_in_it(tmp_path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr("readme.txt", "hello")
    (tmp_path / "z.npz").write_bytes(buffer.getvalue())
    assert reason(tmp_path / "z.npz")


def test_a_file_of_another_version(saved):
    assert reason(rewritten(saved, format_version=2)) == "has format version 2, this strut reads 1; update strut."


@pytest.mark.parametrize("name", ["time_s", "qpos", "contact", "joint_names", "foot_names"])
def test_a_file_that_lacks_an_array(saved, name):
    assert reason(rewritten(saved, **{name: None})) == f"is damaged: {name} missing; make it again."


def test_a_description_that_lacks_an_entry(saved):
    with np.load(saved) as file:
        meta = json.loads(str(file["meta"]))
    meta.pop("receipt")  # whoever records has none
    assert load_motion(rewritten(saved, meta=np.array(json.dumps(meta)))).receipt is None
    meta.pop("robot")
    assert reason(rewritten(saved, meta=np.array(json.dumps(meta)))) == "is damaged: 'robot'"


def test_samples_that_are_not_finite(saved):
    assert reason(rewritten(saved, qpos=np.full((6, 9), np.nan))) == "is damaged: qpos is not finite at sample 0."


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("qpos", np.zeros((3, 9))),
        ("qpos", np.zeros(6)),
        ("time_s", np.array(1.0)),
        ("time_s", np.array(["a"] * 6)),
        ("contact", np.ones((6, 9))),
        ("joint_names", np.array("knee")),
        ("qpos", np.full((6, 9), "x")),
    ],
)
def test_arrays_that_do_not_fit(saved, name, value):
    assert reason(rewritten(saved, **{name: value})).startswith("is damaged: ")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"robot": ' + "[" * 100_000 + "]" * 100_000 + "}"])
def test_a_description_that_is_nested_too_deeply(saved, text):
    assert reason(rewritten(saved, meta=np.array(text))) == "is damaged: its description is nested too deeply."


def write_claim(path, **shapes):
    """Write a file whose arrays have headers of these shapes and no numbers."""
    with zipfile.ZipFile(path, "a") as archive:
        for name, shape in shapes.items():
            with archive.open(f"{name}.npy", "w") as member:
                header = {"descr": "<f8", "fortran_order": False, "shape": shape}
                np.lib.format.write_array_header_1_0(member, header)


def test_an_array_of_another_length_is_refused_by_its_header(saved):
    huge = rewritten(saved, qpos=None)
    write_claim(huge, qpos=(10**12, 9))
    assert reason(huge) == "is damaged: qpos is 1000000000000 x 9; time_s has 6 samples."


def test_other_arrays_in_a_file_are_not_read(small, saved):
    write_claim(saved, notes=(10**12,))  # which could not be read
    assert_array_equal(load_motion(saved).qpos, small.qpos)


def test_a_motion_that_needs_gigabytes_is_refused_before_it_is_read(saved):
    long = rewritten(saved, time_s=None)
    write_claim(long, time_s=(400_000_000,))
    assert reason(long) == "is damaged: qpos is 6 x 9; time_s has 400000000 samples."
    long.unlink()
    write_claim(long, time_s=(400_000_000,), qpos=(400_000_000, 9))
    assert reason(long).startswith("holds 32.0 GB of numbers, and at most 2 GB are read")


def test_a_receipt_with_other_keys(saved):
    assert reason(rewritten(saved, receipt={"verdict": "ok"})).startswith("is damaged: ")


def test_a_file_that_says_nothing_of_contacts_has_none(small, tmp_path):
    path = tmp_path / "full.npz"
    save_motion(small, path)
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files if name not in ("contact", "foot_names")}
    np.savez(tmp_path / "bare.npz", **arrays)
    bare = load_motion(tmp_path / "bare.npz")
    assert bare.foot_names == ()
    assert bare.contact.shape == (len(small.time_s), 0)
    with pytest.raises(BadMotionError, match="no contact columns"):
        robot_of(bare)


def test_a_recording_is_sent_to_capture(tmp_path):
    recording = tmp_path / "walk.c3d"
    recording.write_bytes(b"\x02\x50" + bytes(600))
    assert reason(recording) == "is a recording, not a motion; `strut capture` makes one of it."


@pytest.mark.parametrize("value", [5, [1], "x", True, -1e300], ids=str)
def test_a_receipt_that_is_no_table_is_refused_in_plain_words(saved, value):
    said = reason(rewritten(saved, receipt=value))
    assert said == f"is damaged: The receipt is {value!r}; it must be a table of names and values."


@pytest.mark.parametrize("value", [5, [1], {"a": 1}], ids=str)
def test_a_fingerprint_that_is_no_text_is_refused(saved, value):
    assert reason(rewritten(saved, robot_fingerprint=value)) == "is damaged: its robot_fingerprint is no text."


def test_any_value_in_a_receipt_is_read_or_refused_in_plain_words(happy_walk):
    """Every key with every kind of thing: read as it is, or a sentence that names the key."""
    table = happy_walk.receipt.as_dict()
    told = []
    for name in table:
        for value in (5, [], [1], None, "x", {}, {"a": 1}):
            try:
                Receipt.from_dict(table | {name: value})
            except OutOfRangeError as error:
                told.append((name, str(error)))
    assert len(told) > 3 * len(table)
    assert [pair for pair in told if pair[0].removesuffix("s") not in pair[1]] == []


def test_a_device_is_no_motion_file():
    assert reason(Path("/dev/null")) == "is no regular file."


def test_a_folder_is_no_motion_file(tmp_path):
    assert reason(tmp_path) == "is a folder."
