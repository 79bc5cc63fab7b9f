"""Atomic writes: a file is there whole or not at all, and nothing is overwritten unasked."""

from __future__ import annotations

import os
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
    """Raise FileError if a folder that is to be written is a file."""
    if path.exists() and not path.is_dir():
        raise FileError(path, "is a file; give a folder.")


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
