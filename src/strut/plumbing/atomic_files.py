"""Atomic files: each file is written whole or not at all; nothing is overwritten without `force`."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from strut.errors import FileError
from strut.plumbing.cancellation import stop_on_interrupt


def check_writable(path: Path, *, force: bool, ending: str | None = None) -> None:
    """Raise FileError if `path` could not be written, before any work is done for it.

    Args:
        path: File to write; a symbolic link stands for its target.
        force: Whether it may replace an existing file.
        ending: Ending that its name must have, for instance `.png`; any if None.
    """
    if ending is not None and path.name.lower() == ending:
        raise FileError(path, f"has no name before {ending}; give it one.")
    if ending is not None and path.suffix.lower() != ending:
        raise FileError(path, f"should end in {ending}, because that is what is written; rename it.")
    _check_replaceable(path, force=force)
    folder = path.resolve().parent
    typed_folder = folder if path.is_symlink() else path.parent  # as the user wrote it
    if not folder.is_dir():
        raise FileError(path, f"cannot be written: there is no folder {typed_folder}.")
    if not os.access(folder, os.W_OK):
        raise FileError(path, f"cannot be written: the folder {typed_folder} is read-only.")


def check_all_writable(paths: Mapping[str, Path | None], *, force: bool) -> None:
    """Raise FileError if one of the files, given by their endings, could not be written; None is not written."""
    for ending, path in paths.items():
        if path is not None:
            check_writable(path, force=force, ending=ending)


def check_may_be_folder(path: Path) -> None:
    """Raise FileError if a folder to write is a file, or if it cannot be made because its parent is read-only."""
    is_there = _is_there(path)
    if is_there and not path.is_dir():
        raise FileError(path, "is a file; give a folder.")
    if not is_there and path.is_symlink():
        raise FileError(path, f"is a link to {path.readlink()}, which does not exist; remove it or give a folder.")
    parent = next(filter(Path.exists, path.resolve().parents))
    if not is_there and not os.access(parent, os.W_OK):
        raise FileError(path, f"cannot be written: {parent} is read-only or no folder.")


def check_replaceable(folder: Path, names: Iterable[str], *, force: bool) -> None:
    """Raise FileError if one of the files to write into a folder exists and must not be replaced."""
    for name in names:
        _check_replaceable(folder / name, force=force)


def _check_replaceable(path: Path, *, force: bool) -> None:
    if not _is_there(path):
        if path.is_symlink() and not force:
            raise FileError(
                path,
                f"is a link to {path.readlink()}, which does not exist; choose another name, or write what it points "
                "to with --force (in Python: force=True).",
            )
        return
    if path.is_dir():
        raise FileError(path, "is a folder; give a file name.")
    if not path.is_file():
        raise FileError(path, "is a device or the like; give the name of an ordinary file.")
    if not force:
        raise FileError(
            path, "is there already; choose another name, or replace it with --force (in Python: force=True)."
        )


def _is_there(path: Path) -> bool:
    """Return whether a path leads to something; raises FileError for circles of links, names too long and the like."""
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        why = "its links lead in a circle" if error.errno == errno.ELOOP else error.strerror or error
        raise FileError(path, f"cannot be written: {why}.") from error
    return True


def check_not_input(path: Path, source: Path) -> None:
    """Raise FileError if a file to write is the file that it is made from."""
    if _is_there(path) and _is_there(source) and path.samefile(source):
        raise FileError(path, "is the file to read; choose another name to write to.")


def write_atomically(path: Path, content: bytes, *, force: bool) -> None:
    """Write a file; an interruption leaves either the old file or the new one.

    A symbolic link stays, and its target is written.
    """
    check_writable(path, force=force)
    try:
        target = path.resolve()
        temporary = _stage(target, content)
        try:
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}.") from error


def write_files(folder: Path, files: Mapping[str, bytes], *, last: str, force: bool) -> None:
    """Write files into a folder: all of them, or none if one cannot be written. Other files in it stay.

    The contents are written to hidden neighbours first; only then each file is replaced, which takes no time, and
    Ctrl-C waits for it.

    Args:
        folder: Made if it does not exist.
        files: Contents by path in the folder.
        last: The file that is replaced last: where it exists, the others do.
        force: Whether existing files may be replaced. A link to a file becomes a file; one to a folder is refused.
    """
    check_replaceable(folder, files, force=force)
    for part in sorted({parent for name in files for parent in Path(name).parents}):
        if part.name and (folder / part).is_symlink():
            raise FileError(folder / part, "is a link to a folder; put a folder in its place.")
    made: list[Path] = []
    staged: dict[Path, Path] = {}  # by target
    try:
        for name in sorted(files, key=lambda name: name == last):
            target = folder.resolve() / name
            missing = [parent for parent in target.parents if not parent.exists()]
            for parent in reversed(missing):
                parent.mkdir()
                made.append(parent)
            staged[target] = _stage(target, files[name])
        with stop_on_interrupt() as interrupted:
            for target, temporary in staged.items():
                temporary.replace(target)
    except BaseException as error:
        for temporary in staged.values():
            temporary.unlink(missing_ok=True)
        for parent in reversed(made):
            with suppress(OSError):  # it holds files by now
                parent.rmdir()
        if isinstance(error, OSError):
            raise FileError(folder, f"cannot be written: {error.strerror or error}.") from error
        raise
    if interrupted.is_set():
        raise KeyboardInterrupt


def _stage(target: Path, content: bytes) -> Path:
    """Write a content to a hidden neighbour of its file, with the permissions of a new file, and return its path."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # mkstemp makes it private
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary
