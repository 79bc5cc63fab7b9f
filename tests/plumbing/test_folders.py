"""Several files written into a folder: all or none, and nothing else in it is lost."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from strut.errors import FileError
from strut.plumbing.atomic_files import write_files

NEW = {"robot.toml": b"new", "meshes/leg.stl": b"leg"}
REPLACED = {"robot.toml": b"new", "meshes/leg.stl": b"leg", "notes.txt": b"mine"}
OLD = {"robot.toml": b"old", "notes.txt": b"mine"}


@pytest.fixture
def robot(tmp_path):
    """A robot's folder that also holds a note of its owner."""
    folder = tmp_path / "home" / "r2"
    folder.mkdir(parents=True)
    (folder / "robot.toml").write_text("old")
    (folder / "notes.txt").write_text("mine")
    return folder


def replace(folder):
    write_files(folder, NEW, last="robot.toml", force=True)


def contents(folder):
    """Return the contents of all files below a folder, hidden ones too, by path."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_files_are_replaced_and_others_stay(robot):
    replace(robot)
    assert contents(robot) == REPLACED
    assert [path.name for path in robot.parent.iterdir()] == ["r2"]


def test_a_folder_is_made_with_its_parents(tmp_path):
    replace(tmp_path / "home" / "r2")
    assert contents(tmp_path / "home" / "r2") == NEW


def test_nothing_is_replaced_without_force(robot):
    with pytest.raises(FileError, match="is there already"):
        write_files(robot, NEW, last="robot.toml", force=False)
    assert contents(robot) == OLD


@pytest.mark.parametrize("is_new", [False, True])
def test_a_full_disk_leaves_what_was_there(robot, monkeypatch, is_new):
    def fails(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    folder = robot / "another" if is_new else robot
    with pytest.raises(FileError, match=r"cannot be written: No space left on device\."):
        replace(folder)
    assert contents(robot) == OLD
    assert not (robot / "another").exists()
    assert not (robot / "meshes").exists()


def killed_at(folder, function, count):
    """Write the files in another process that gets a SIGKILL at one call of a function of `os` or `Path`."""
    script = (
        "import os, signal\nfrom itertools import count\nfrom pathlib import Path\n"
        "from strut.plumbing.atomic_files import write_files\n"
        f"calls, function = count(1), {function}\n"
        "def killed(*arguments):\n"
        f"    if next(calls) == {count}: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return function(*arguments)\n"
        f"{function} = killed\n"
        f"write_files(Path({str(folder)!r}), {NEW!r}, last='robot.toml', force=True)"
    )
    ended = subprocess.run([sys.executable, "-c", script], check=False)
    assert ended.returncode == -signal.SIGKILL


def test_a_kill_while_contents_are_written_leaves_the_old_files(robot):
    killed_at(robot, "os.fsync", 2)
    files = contents(robot)
    assert {name: files[name] for name in OLD} == OLD
    assert "meshes/leg.stl" not in files
    replace(robot)
    files = contents(robot)
    assert {name: files[name] for name in REPLACED} == REPLACED


def test_the_last_file_is_replaced_last(robot):
    killed_at(robot, "Path.replace", 2)
    assert (robot / "meshes" / "leg.stl").read_bytes() == b"leg"
    assert (robot / "robot.toml").read_text() == "old"


@pytest.fixture
def _ctrl_c_is_pythons():
    """Give Ctrl-C to Python, whatever an earlier test of this process has left."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_ctrl_c_is_pythons")
@pytest.mark.parametrize("is_new", [False, True])
def test_ctrl_c_while_contents_are_written_leaves_what_was_there(robot, monkeypatch, is_new):
    monkeypatch.setattr(os, "fsync", lambda _handle: signal.raise_signal(signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        replace(robot / "another" if is_new else robot)
    assert contents(robot) == OLD
    assert not (robot / "another").exists()


@pytest.mark.usefixtures("_ctrl_c_is_pythons")
def test_ctrl_c_waits_until_all_files_are_replaced(robot, monkeypatch):
    rename = Path.replace

    def pressed(path, target):
        os.kill(os.getpid(), signal.SIGINT)
        monkeypatch.undo()
        return rename(path, target)

    monkeypatch.setattr(Path, "replace", pressed)
    with pytest.raises(KeyboardInterrupt):
        replace(robot)
    assert contents(robot) == REPLACED


def test_a_link_to_a_file_becomes_a_file_and_its_target_stays(robot):
    shared = robot.parent / "shared.toml"
    shared.write_text("old")
    (robot / "robot.toml").unlink()
    (robot / "robot.toml").symlink_to("../shared.toml")
    replace(robot)
    assert contents(robot) == REPLACED
    assert not (robot / "robot.toml").is_symlink()
    assert shared.read_text() == "old"


def test_a_link_to_a_folder_is_refused_if_files_would_be_written_through_it(robot):
    (robot.parent / "shared").mkdir()
    (robot / "meshes").symlink_to("../shared")
    with pytest.raises(FileError, match="meshes: is a link to a folder; put a folder in its place"):
        replace(robot)
    assert contents(robot) == OLD
    assert contents(robot.parent / "shared") == {}


def test_other_links_stay(robot):
    (robot.parent / "papers").mkdir()
    (robot / "papers").symlink_to("../papers")
    (robot / "gone").symlink_to("../nowhere")
    replace(robot)
    assert (robot / "papers").readlink() == Path("../papers")
    assert (robot / "gone").is_symlink()


def test_the_working_directory_can_be_written(robot, monkeypatch):
    monkeypatch.chdir(robot)
    replace(Path())
    assert contents(robot) == REPLACED
    assert Path().samefile(robot)
