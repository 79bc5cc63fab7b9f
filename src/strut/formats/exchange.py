"""Exchange: motions in files of other programs. A writer owns one format.

A writer is registered in the group `strut.writers`. CONTRIBUTING.md shows how to add one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from strut.errors import OutOfRangeError
from strut.formats.format_options import check_options
from strut.formats.resample import Alias, aliases, resampled
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.plumbing.atomic_files import (
    check_may_be_folder,
    check_replaceable,
    check_writable,
    write_atomically,
    write_files,
)
from strut.registry import find


class Writer(Protocol):
    """Writes motions in one file format.

    Keyword-only parameters of `encode` are options of the format; `export` passes its `options` to them.
    """

    @property
    def ending(self) -> str:
        """Ending of such files, in lower case and with the dot."""
        ...

    @property
    def encode(self) -> Callable[..., bytes]:
        """Function of a motion that returns the content of its file; names in it say units and the order of joints."""
        ...

    def omitted(self, motion: Motion) -> Sequence[str]:
        """Return what the motion has and the format cannot store."""
        ...


@runtime_checkable
class SidecarWriter(Protocol):
    """A writer that writes more files beside the first one."""

    def encode_beside(self, motion: Motion) -> dict[str, bytes]:
        """Return the contents of these files by the ends of their names, which follow the stem of the first."""
        ...


@runtime_checkable
class FolderWriter(Protocol):
    """A writer of a format that is a folder of files and holds one motion or several.

    Keyword-only parameters of `encode_folder` are options of the format.
    """

    @property
    def last_file(self) -> str:
        """Path of the file that is written last: where it is, the folder is whole."""
        ...

    @property
    def encode_folder(self) -> Callable[..., dict[str, bytes]]:
        """Function of a sequence of motions that returns the contents of files by their paths in the folder."""
        ...

    def omitted(self, motion: Motion) -> Sequence[str]:
        """Return what a motion has and the format cannot store."""
        ...


@runtime_checkable
class FixedRateWriter(Protocol):
    """A writer of a format in which every file has the same number of samples per second."""

    @property
    def rate_hz(self) -> float:
        """Samples per second of such files; `export` resamples the motion to it."""
        ...


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote.

    Args:
        path: The file, or the folder of a format that is one.
        samples: Number of samples in it.
        omitted: What the motion has and the format cannot store.
        aliases: Frequencies of the style that the rate of the samples falsifies.
        beside: Files written beside it.
    """

    path: Path
    samples: int
    omitted: tuple[str, ...]
    aliases: tuple[Alias, ...]
    beside: tuple[Path, ...] = ()


def find_writer(name: str) -> Writer | FolderWriter:
    """Return the writer of a format; raises UnknownNameError with the names of all formats."""
    writer: Writer | FolderWriter = find("strut.writers", name)
    return writer


def export(
    motion: Motion | Sequence[Motion],
    path: Path | str,
    *,
    to: Writer | FolderWriter | str | None = None,
    rate_hz: float | None = None,
    options: Mapping[str, Any] | None = None,
    force: bool = False,
) -> Exported:
    """Write a motion for another program.

    Args:
        motion: The motion; several for a format that is a folder.
        path: File to write; its ending must be that of the format. A folder for a format that is one.
        to: Name of a format (`strut export --help` lists them) or a writer of your own; the ending of the path if None.
        rate_hz: Samples per second; those of the motion if None.
        options: Options of the format.
        force: Whether an existing file may be replaced.

    Example:
        >>> strut.export(strut.load_motion("happy.npz"), "happy.csv", rate_hz=50.0, force=True).samples > 0
        True
    """
    path = Path(path)
    options = options or {}
    to = to or path.suffix.lower().lstrip(".")
    writer = find_writer(to) if isinstance(to, str) else to
    motions = [motion] if isinstance(motion, Motion) else list(motion)
    if isinstance(writer, FolderWriter):
        return _export_folder(motions, path, writer, rate_hz, options, force=force)
    if len(motions) != 1:
        raise OutOfRangeError(f"{writer.ending} files hold one motion, and {len(motions)} were given.")
    (motion,) = motions
    check_options(writer.encode, options, writer.ending)
    check_writable(path, force=force, ending=writer.ending)
    if isinstance(writer, FixedRateWriter):
        if rate_hz not in (None, writer.rate_hz):
            fixed = f"{writer.ending} files have {writer.rate_hz:g} samples per second"
            raise OutOfRangeError(f"The rate is {rate_hz:g} samples per second, but {fixed}; leave it out.")
        rate_hz = writer.rate_hz
    falsified: tuple[Alias, ...] = ()
    if rate_hz is not None:
        resampled_motion = resampled(motion, rate_hz)
        falsified = aliases(robot_of(motion), motion, rate_hz)
        motion = resampled_motion
    beside = writer.encode_beside(motion) if isinstance(writer, SidecarWriter) else {}
    contents = {path: writer.encode(motion, **options)}
    contents |= {path.with_name(path.stem + end): content for end, content in beside.items()}
    for file in contents:
        check_writable(file, force=force, ending=writer.ending)
    for file, content in contents.items():
        write_atomically(file, content, force=force)
    return Exported(path, len(motion.time_s), tuple(writer.omitted(motion)), falsified, tuple(contents)[1:])


def _export_folder(
    motions: Sequence[Motion],
    folder: Path,
    writer: FolderWriter,
    rate_hz: float | None,
    options: Mapping[str, Any],
    *,
    force: bool,
) -> Exported:
    """Write motions as a folder: all of its files, or none."""
    if not motions:
        raise OutOfRangeError("There is no motion to write; give at least one.")
    check_options(writer.encode_folder, options, "dataset")
    check_may_be_folder(folder)
    check_replaceable(folder, [writer.last_file], force=force)
    falsified: dict[Alias, None] = {}
    if rate_hz is not None:
        for motion in motions:
            falsified |= dict.fromkeys(aliases(robot_of(motion), motion, rate_hz))
        motions = [resampled(motion, rate_hz) for motion in motions]
    files = writer.encode_folder(motions, **options)
    write_files(folder, files, last=writer.last_file, force=force)
    omitted = dict.fromkeys(name for motion in motions for name in writer.omitted(motion))
    samples = sum(len(motion.time_s) for motion in motions)
    beside = tuple(folder / name for name in sorted(files))
    return Exported(folder, samples, tuple(omitted), tuple(falsified), beside)
