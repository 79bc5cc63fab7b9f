"""Exchange: a motion in a file that other programs read; a writer owns one format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

from strut.formats.resample import Alias, aliases, resampled
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.plumbing.atomic_files import check_writable, write_atomically
from strut.registry import find


class Writer(Protocol):
    """Writes motions in one file format; a user's own is given to `export` as `to`."""

    ending: str

    def content(self, motion: Motion) -> bytes:
        """Return the file's content; its names say units, joint order and quaternion order."""
        ...

    def lost(self, motion: Motion) -> Sequence[str]:
        """Return what the motion has and the format has no place for."""
        ...


@runtime_checkable
class SidecarWriter(Protocol):
    """Writes more files beside the first one."""

    def beside(self, motion: Motion) -> dict[str, bytes]:
        """Return their contents by what their names end in, after the name of the first."""
        ...


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export wrote: file, number of samples, what has no place, what a slow rate falsifies, files beside it."""

    path: Path
    samples: int
    lost: tuple[str, ...]
    aliases: tuple[Alias, ...]
    beside: tuple[Path, ...] = ()


def writer_named(name: str) -> Writer:
    """Return the writer of a format; raises UnknownNameError with the formats that there are."""
    writer: Writer = find("strut.writers", name)
    return writer


def export(
    motion: Motion,
    path: Path | str,
    *,
    to: Writer | str | None = None,
    rate_hz: float | None = None,
    force: bool = False,
) -> Exported:
    """Write a motion for another program.

    Args:
        motion: What to write.
        path: File to write; must end as the format does.
        to: Format (csv, json, bvh, glb, c3d, trc, mot) or a writer of your own; what the path ends in if left out.
        rate_hz: Samples per second; the motion's own if left out.
        force: Whether an existing file may be replaced.

    Example:
        >>> strut.export(strut.load_motion("happy.npz"), "happy.csv", rate_hz=50.0, force=True).samples > 0
        True
    """
    path = Path(path)
    to = to or path.suffix.lower().lstrip(".")
    writer = writer_named(to) if isinstance(to, str) else to
    check_writable(path, force=force, ending=writer.ending)
    falsified: tuple[Alias, ...] = ()
    if rate_hz is not None:
        slow = resampled(motion, rate_hz)
        falsified = aliases(robot_of(motion), motion, rate_hz)
        motion = slow
    more = writer.beside(motion) if isinstance(writer, SidecarWriter) else {}
    files = {path: writer.content(motion)} | {path.with_name(path.stem + end): more[end] for end in more}
    for one in files:
        check_writable(one, force=force, ending=writer.ending)
    for one, content in files.items():
        write_atomically(one, content, force=force)
    return Exported(path, len(motion.time_s), tuple(writer.lost(motion)), falsified, tuple(files)[1:])
