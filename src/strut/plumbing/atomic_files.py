"""Atomic writes: a file or a folder is there whole or not at all, and nothing is overwritten unasked or lost."""

from __future__ import annotations

import glob
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path

from strut.errors import FileError


def check_writable(path: Path, *, force: bool, ending: str | None = None) -> None:
    """Raise FileError if `path` could not be written, so that nobody works for a file that cannot be kept.

    Args:
        path: File to write; a symbolic link stands for what it points to.
        force: Whether it may replace an existing file.
        ending: What its name must end in, for instance `.png`; None if any name will do.
    """
    if ending is not None and path.name.lower() == ending:
        raise FileError(path, f"has no name before {ending}; give it one.")
    if ending is not None and path.suffix.lower() != ending:
        raise FileError(path, f"should end in {ending}, because that is what is written; rename it.")
    try:
        if path.exists():
            _check_replaceable(path, force=force)
        folder = path.resolve().parent
    except OSError as error:  # for instance a name that is too long
        raise FileError(path, f"cannot be written: {_why(error)}.") from error
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
        raise FileError(path, f"cannot be written: {_why(error)} in {target.parent}.") from error
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
            raise FileError(path, f"cannot be written: {_why(error)}.") from error
        raise


def write_folder_atomically(folder: Path, files: Mapping[str, bytes], *, last: str, force: bool) -> None:
    """Write the files of a folder by their paths in it; what else an earlier folder of that name holds stays.

    They go to a hidden neighbour first, which takes the folder's place when it is whole. A folder that is there already
    is moved aside first, moved back if the new one cannot take its place, and deleted when it has; that is two steps.
    Who is killed between them leaves no folder of that name but the old one aside, and `put_back_folder`, which is
    called here too, brings it back. A link through which a file would be written gives way to a copy of what it
    points to.

    Where the old folder cannot be moved (somebody is in it, it is a mount or its parent is read-only) the files are
    written into it one by one, the `last` after all others, and links are followed.
    """
    put_back_folder(folder)
    check_replaceable(folder, files, force=force)
    target = folder.resolve()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if _stays(target):
            _write_files(target, files, last)
        else:
            _replace_folder(target, files, last)
    except OSError as error:
        raise FileError(folder, f"cannot be written: {_why(error)}.") from error


def check_replaceable(folder: Path, names: Iterable[str], *, force: bool) -> None:
    """Raise FileError if one of the files that are to be written into a folder is there already and must stay."""
    for path in filter(Path.exists, (folder / name for name in names)):
        _check_replaceable(path, force=force)


def put_back_folder(folder: Path) -> None:
    """Put a folder back into its place if who was replacing it was killed with the old one moved aside."""
    target = folder.resolve()
    name = glob.escape(target.name)
    aside = [] if target.exists() else [*target.parent.glob(f".{name}.*.part/{name}")]
    if not aside:
        return
    newest = max(aside, key=lambda path: path.parent.stat().st_mtime_ns)  # since when something was moved into it
    try:
        newest.rename(target)
    except OSError as error:
        raise FileError(folder, f"was moved to {newest} and cannot be moved back: {_why(error)}.") from error
    shutil.rmtree(newest.parent, ignore_errors=True)


def _stays(folder: Path) -> bool:
    """Return whether a folder must not be moved: whoever is in it would be nowhere, or it cannot be."""
    if not folder.exists():
        return False
    return Path.cwd().is_relative_to(folder) or folder.is_mount() or not os.access(folder.parent, os.W_OK)


def _replace_folder(target: Path, files: Mapping[str, bytes], last: str) -> None:
    beside = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part"))
    made = beside / f"{target.name}.new"
    before = beside / target.name  # so deep that nobody takes them for robots
    try:
        if target.exists():
            shutil.copytree(target, made, symlinks=True)
            _copy_linked(target, made, files)
        _write_files(made, files, last)
        if target.exists():
            target.rename(before)
        made.rename(target)
    except BaseException as error:
        if before.exists():
            _move_back(before, target, error)  # raises, so that nothing is deleted, if it fails
        shutil.rmtree(beside, ignore_errors=True)
        raise
    with suppress(OSError):  # the new one is in its place
        if before.exists():
            before.rename(beside / f"{target.name}.old")  # so that no half of it is ever put back
        shutil.rmtree(beside, ignore_errors=True)


def _move_back(before: Path, target: Path, reason: BaseException) -> None:
    """Move a folder back whose successor could not take its place; where that fails it stays aside and is named."""
    try:
        before.rename(target)
    except OSError as error:
        words = f"was being replaced when that was stopped ({_why(reason)}); what was there is kept in {before}."
        raise FileError(target, words) from error


def _copy_linked(folder: Path, copied: Path, names: Iterable[str]) -> None:
    """Put copies in the place of links in a copied folder through which files of these names would be written."""
    for part in dict.fromkeys(chain.from_iterable((*reversed(Path(name).parents), Path(name)) for name in names)):
        if (copied / part).is_symlink():
            if folder.is_relative_to((folder / part).resolve()):
                raise FileError(folder / part, "is a link to a folder that it lies in; put a folder in its place.")
            (copied / part).unlink()
            if (folder / part).is_dir():
                shutil.copytree(folder / part, copied / part, ignore_dangling_symlinks=True)


def _write_files(folder: Path, files: Mapping[str, bytes], last: str) -> None:
    for name in sorted(files, key=lambda one: one == last):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, files[name], force=True)


def _why(error: BaseException) -> str:
    """Return what an error says, in words: the system's, or of several files that could not be copied the first."""
    if isinstance(error, shutil.Error) and isinstance(error.args[0], list):
        return str(error.args[0][0][-1])
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
