"""Folders that are replaced: whole, and whatever happens on the way nothing that somebody had is lost."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from strut.errors import FileError
from strut.plumbing.atomic_files import put_back_folder, write_folder_atomically

NEW = {"robot.toml": b"new", "meshes/leg.stl": b"leg"}


@pytest.fixture
def robot(tmp_path):
    """A robot's folder with a note of somebody's, in a home of robots."""
    folder = tmp_path / "home" / "r2"
    folder.mkdir(parents=True)
    (folder / "robot.toml").write_text("old")
    (folder / "notes.txt").write_text("mine")
    return folder


def replace(folder):
    write_folder_atomically(folder, NEW, last="robot.toml", force=True)


def contents(folder):
    """Return what the files below a folder hold, those in folders that are links too."""
    files = [Path(place) / name for place, _, names in os.walk(folder, followlinks=True) for name in names]
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


REPLACED = {"robot.toml": b"new", "meshes/leg.stl": b"leg", "notes.txt": b"mine"}
OLD = {"robot.toml": b"old", "notes.txt": b"mine"}


def when_the_new_one_moves(monkeypatch, happens):
    """Let something happen in the place of the step that moves the new folder into its place."""
    rename = Path.rename

    def watched(path, target):
        return happens(path, target) if path.name.endswith(".new") else rename(path, target)

    monkeypatch.setattr(Path, "rename", watched)


def test_a_folder_is_replaced_and_nothing_is_left_beside_it(robot):
    replace(robot)
    assert contents(robot) == REPLACED
    assert [path.name for path in robot.parent.iterdir()] == ["r2"]


def test_a_folder_that_cannot_be_replaced_is_moved_back(robot, monkeypatch):
    def fails(_path, _target):
        raise OSError(28, "No space left on device")

    when_the_new_one_moves(monkeypatch, fails)
    with pytest.raises(FileError, match=r"cannot be written: No space left on device\."):
        replace(robot)
    assert contents(robot) == OLD
    assert [path.name for path in robot.parent.iterdir()] == ["r2"]


def test_a_folder_whose_place_another_program_takes_is_kept_and_named(robot, monkeypatch):
    def another_is_there(path, target):
        target.mkdir()
        (target / "other.txt").write_text("of another program")
        path.replace(target)

    when_the_new_one_moves(monkeypatch, another_is_there)
    with pytest.raises(FileError, match="what was there is kept in ") as refused:
        replace(robot)
    kept = Path(str(refused.value).partition("is kept in ")[2].removesuffix("."))
    assert contents(kept) == OLD
    assert contents(robot) == {"other.txt": b"of another program"}
    put_back_folder(robot)  # does nothing where something is
    assert contents(kept) == OLD


def test_a_folder_that_cannot_be_moved_back_is_kept_and_put_back_the_next_time(robot, monkeypatch):
    rename = Path.rename

    def moves_only_aside(path, target):
        if target.parent == robot.parent:
            raise OSError(5, "Input/output error")
        return rename(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", moves_only_aside)
        with pytest.raises(FileError, match="what was there is kept in "):
            replace(robot)
        with pytest.raises(FileError, match=r"was moved to .* and cannot be moved back: Input/output error"):
            put_back_folder(robot)
    put_back_folder(robot)
    assert contents(robot) == OLD
    assert [path.name for path in robot.parent.iterdir()] == ["r2"]


@pytest.mark.parametrize("name", ["r2", "r[2]"])
def test_a_folder_that_a_kill_left_aside_is_put_back_the_next_time(robot, name):
    """A real signal in another process, between the two moves."""
    folder = robot.rename(robot.with_name(name))
    script = (
        "import os, signal; from pathlib import Path; from strut.plumbing.atomic_files import write_folder_atomically\n"
        "rename = Path.rename\n"
        "def killed(path, target):\n"
        "    if path.name.endswith('.new'): os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return rename(path, target)\n"
        "Path.rename = killed\n"
        f"write_folder_atomically(Path({str(folder)!r}), {NEW!r}, last='robot.toml', force=True)"
    )
    ended = subprocess.run([sys.executable, "-c", script], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert not folder.exists()
    with pytest.raises(FileError, match="is there already"):
        write_folder_atomically(folder, NEW, last="robot.toml", force=False)
    assert contents(folder) == OLD
    replace(folder)
    assert contents(folder) == REPLACED
    assert [path.name for path in folder.parent.iterdir()] == [name]


def test_the_folder_of_a_longer_name_is_not_put_back_in_the_place_of_a_shorter_one(tmp_path):
    aside = tmp_path / ".r2.old.abcdefgh.part" / "r2.old"
    aside.mkdir(parents=True)
    put_back_folder(tmp_path / "r2")
    assert aside.exists()
    put_back_folder(tmp_path / "r2.old")
    assert [path.name for path in tmp_path.iterdir()] == ["r2.old"]


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("name", ["meshes", "robot.toml"])
def test_a_link_through_which_would_be_written_gives_way_to_a_copy(robot, name, absolute):
    shared = robot.parent / "shared"
    (shared / "meshes").mkdir(parents=True)
    (shared / "meshes" / "arm.stl").write_text("arm")
    (shared / "meshes" / "leg.stl").write_text("another leg")
    (shared / "robot.toml").write_text("old")
    before = contents(shared)
    (robot / name).unlink(missing_ok=True)
    (robot / name).symlink_to((shared if absolute else Path("../shared")) / name)
    replace(robot)
    assert contents(robot) == REPLACED | ({"meshes/arm.stl": b"arm"} if name == "meshes" else {})
    assert not (robot / name).is_symlink()
    assert contents(shared) == before


def test_links_through_which_nothing_is_written_stay(robot):
    (robot.parent / "papers").mkdir()
    (robot / "papers").symlink_to("../papers")
    (robot / "gone").symlink_to("../nowhere")
    replace(robot)
    assert (robot / "papers").readlink() == Path("../papers")
    assert (robot / "gone").is_symlink()


def test_a_link_to_a_folder_that_it_lies_in_is_refused(robot):
    (robot / "meshes").symlink_to("..")
    with pytest.raises(FileError, match="meshes: is a link to a folder that it lies in"):
        replace(robot)
    assert (robot / "robot.toml").read_text() == "old"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_what_cannot_be_copied_is_told_in_words(robot):
    os.mkfifo(robot / "pipe")
    with pytest.raises(FileError, match=r"cannot be written: .*r2/pipe` is a named pipe\."):
        replace(robot)
    assert (robot / "robot.toml").read_text() == "old"
    assert [path.name for path in robot.parent.iterdir()] == ["r2"]
