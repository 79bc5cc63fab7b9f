"""Atomic writes: a file or a folder is there whole or not at all, and nothing is overwritten unasked."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from strut.errors import FileError


def check_writable(path: Path, *, force: bool, ending: str | None = None) -> None:
    """Raise FileError if `path` could not be written, so that nobody works for a file that cannot be kept.

    Args:
        path: File to write; a symbolic link stands for what it points to.
        force: Whether it may replace an existing file.
        ending: What its name must end in, for instance `.png`; None if any name will do.
    """
    if ending is not None and path.suffix.lower() != ending:
        raise FileError(path, f"should end in {ending}, because that is what is written; rename it.")
    try:
        if path.exists():
            _check_replaceable(path, force=force)
        folder = path.resolve().parent
    except OSError as error:  # for instance a name that is too long
        raise FileError(path, f"cannot be written: {error.strerror}.") from error
    if not folder.is_dir():
        raise FileError(path, f"cannot be written: there is no folder {_shown(path, folder)}.")
    if not os.access(folder, os.W_OK):
        raise FileError(path, f"cannot be written: the folder {_shown(path, folder)} is read-only.")


def check_all_writable(wanted: Mapping[str, Path | None], *, force: bool) -> None:
    """Raise FileError if one of the files that are wanted, by their endings, could not be written."""
    for ending, path in wanted.items():
        if path is not None:
            check_writable(path, force=force, ending=ending)


def _check_replaceable(path: Path, *, force: bool) -> None:
    """Raise FileError if what is there already must stay."""
    if path.is_dir():
        raise FileError(path, "is a folder; give a file name.")
    if not path.is_file():
        raise FileError(path, "is a device or the like; give the name of an ordinary file.")
    if not force:
        raise FileError(
            path, "is there already; choose another name, or replace it with --force (in Python: force=True)."
        )


def _shown(path: Path, folder: Path) -> Path:
    """Return a folder as the user wrote it, unless the path is a link that leads elsewhere."""
    return folder if path.is_symlink() else path.parent


def check_may_be_folder(path: Path) -> None:
    """Raise FileError if a folder that is to be written is a file, or would be in one that is read-only."""
    if path.exists() and not path.is_dir():
        raise FileError(path, "is a file; give a folder.")
    above = next(filter(Path.exists, path.resolve().parents))
    if not path.exists() and not os.access(above, os.W_OK):
        raise FileError(path, f"cannot be written: {above} is read-only or no folder.")


def check_not_input(path: Path, source: Path) -> None:
    """Raise FileError if what is to be written would replace what it is made from."""
    if path.resolve() == source.resolve():
        raise FileError(path, "is the file to read; choose another name to write to.")


def write_atomically(path: Path, content: bytes, *, force: bool) -> None:
    """Write `content` to `path`; refuse to replace an existing file unless `force`.

    The content goes to a hidden neighbour first and takes its place in one step, so an interruption leaves either
    the old file or the new one. A symbolic link stays, and what it points to is written.
    """
    check_writable(path, force=force)
    target = path.resolve()
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror} in {target.parent}.") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)  # mkstemp makes it private
        Path(temporary).replace(target)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise FileError(path, f"cannot be written: {error.strerror}.") from error
        raise


def write_folder_atomically(folder: Path, files: Mapping[str, bytes], *, last: str, force: bool) -> None:
    """Write the files of a folder by their paths in it; what else an earlier folder of that name holds stays.

    They go to a hidden neighbour first, which takes its place in one step, so an interruption leaves the old folder or
    the new one. Where the old one cannot be moved they are written into it, the `last` after all others.
    """
    target = folder.resolve()
    for path in filter(Path.exists, (folder / name for name in files)):
        _check_replaceable(path, force=force)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if _stays(target):
            _write_files(target, files, last)
            return
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.", suffix=".part") as beside:
            _replace_folder(target, files, last, Path(beside))
    except OSError as error:
        raise FileError(folder, f"cannot be written: {error.strerror}.") from error


def _stays(folder: Path) -> bool:
    """Return whether a folder must not be moved: whoever is in it would be nowhere, or it cannot be."""
    if not folder.exists():
        return False
    return Path.cwd().is_relative_to(folder) or folder.is_mount() or not os.access(folder.parent, os.W_OK)


def _replace_folder(target: Path, files: Mapping[str, bytes], last: str, beside: Path) -> None:
    made, before = beside / "made", beside / "before"  # one deeper than others, where nobody takes it for a robot
    if target.exists():
        shutil.copytree(target, made, symlinks=True)
    _write_files(made, files, last)
    try:
        if target.exists():
            target.rename(before)
        made.rename(target)
    finally:
        if before.exists() and not target.exists():  # stopped between the two
            before.rename(target)


def _write_files(folder: Path, files: Mapping[str, bytes], last: str) -> None:
    for name in sorted(files, key=lambda one: one == last):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, files[name], force=True)
