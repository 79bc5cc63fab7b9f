"""Readers: each reads files of one format as a recording or a motion, and is found by the ending of the file.

A reader is registered in the group `strut.readers`. CONTRIBUTING.md shows how to add one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Protocol, TypeVar

import numpy as np

from strut.errors import BadMotionError, BadRecordingError, FileError, MotionFileError, RecordingFileError
from strut.formats.format_options import accepts, format_options
from strut.motion import Motion
from strut.plumbing.regular_file import check_regular
from strut.recording import Recording
from strut.registry import find, names

HEAD_BYTES = 2000  # of a file, from which a reader recognizes its format
MAX_BYTES = 2_000_000_000  # of a file: several copies of it fit into the memory of a laboratory's computer

Content = Recording | Motion
ContentT = TypeVar("ContentT", bound=Content)


class FormatError(ValueError):
    """A file is damaged or of another format; the message goes on after the name of the file."""


class Reader(Protocol):
    """Reads files of one format.

    What a file leaves open and a reader has to find out (unit, axes, order of quaternions) is reported in one sentence
    each: in `notes` of a recording, in `meta["notes"]` of a motion.
    """

    @property
    def endings(self) -> tuple[str, ...]:
        """Endings of such files, in lower case and with the dot."""
        ...

    @property
    def returns(self) -> type[Content]:
        """Whether such files hold recordings or motions."""
        ...

    def recognizes(self, head: bytes) -> bool:
        """Return whether a file with one of the endings is of this format, by its first HEAD_BYTES."""
        ...

    @property
    def read(self) -> Callable[..., Content]:
        """Function of a file's bytes and its path, which names it; keyword-only parameters are options of the format.

        An option without a default must be given, or the reader is not used. Raises FormatError.
        """
        ...


def require(condition: bool, reason: str) -> None:
    """Raise FormatError with a reason unless a condition holds."""
    if not condition:
        raise FormatError(reason)


def find_readers(
    kind: type[object], ending: str | None = None, options: Collection[str] | None = ()
) -> Iterator[Reader]:
    """Yield the readers of recordings or of motions.

    Args:
        kind: Recording or Motion.
        ending: Of the file, with its dot; any if None.
        options: Names of the options that are given; the reader has all of them and needs no other. Any if None.
    """
    for name in names("strut.readers"):
        reader: Reader = find("strut.readers", name)
        has_ending = ending is None or ending.lower() in reader.endings
        if reader.returns is kind and has_ending and (options is None or accepts(reader.read, options)):
            yield reader


def endings_read(kind: type[object], options: Collection[str] = ()) -> tuple[str, ...]:
    """Return the endings of all files from which recordings or motions are read; arguments as in `find_readers`."""
    return tuple(dict.fromkeys(ending for reader in find_readers(kind, None, options) for ending in reader.endings))


def read_file(kind: type[ContentT], path: Path, **options: object) -> ContentT:
    """Return the recording or the motion in a file.

    Args:
        kind: Recording or Motion.
        path: A file with one of `endings_read`.
        options: Of the format.

    Raises:
        RecordingFileError: With the reason, if a recording cannot be read; of a motion, MotionFileError.
    """
    error_type: type[FileError] = RecordingFileError if issubclass(kind, Recording) else MotionFileError
    if not any(find_readers(kind, path.suffix, None)):
        raise error_type(path, f"is none of the kinds that are read ({', '.join(endings_read(kind, options))}).")
    try:
        check_regular(path)
        if path.stat().st_size > MAX_BYTES:
            raise error_type(path, f"is larger than {MAX_BYTES / 1e9:g} GB.")
        content = path.read_bytes()
    except OSError as error:
        raise error_type(path, f"cannot be read: {error.strerror}.") from error
    try:
        return decode(kind, content, path, **options)
    except FormatError as error:
        raise error_type(path, str(error)) from error
    except (BadRecordingError, BadMotionError) as error:
        raise error_type(path, f"holds no {kind.__name__.lower()}: {error}") from error


def _options_wanted(reader: Reader, given: Collection[str]) -> str:
    """Return what is missing or too much, as the end of a sentence about a file."""
    options = format_options(reader.read)
    missing = [name for name, is_needed in options.items() if is_needed and name not in given]
    if missing:
        wanted = " and ".join(f"--{name.replace('_', '-')}" for name in missing)
        return f"does not say everything that is needed to read it: add {wanted}."
    unknown = ", ".join(name for name in given if name not in options)
    return f"is read without {unknown}; its options are: {', '.join(options) or 'none'}."


def decode(kind: type[ContentT], content: bytes, path: Path | str, **options: object) -> ContentT:
    """Return the recording or the motion in the bytes of a file; `path` says its ending and names it.

    Raises:
        FormatError: If the bytes are damaged or of another format.
        BadRecordingError: If they make no recording; of a motion, BadMotionError.
    """
    file = Path(path)
    readers = [*find_readers(kind, file.suffix, None)]
    head = content[:HEAD_BYTES]
    recognized = [reader for reader in readers if reader.recognizes(head)]
    if not recognized:
        other: type[Content] = Motion if issubclass(kind, Recording) else Recording
        is_other = any(one.recognizes(head) for one in find_readers(other, file.suffix, None))
        require(not is_other, f"is a {other.__name__.lower()}, not a {kind.__name__.lower()}.")
    usable = [reader for reader in recognized or readers if accepts(reader.read, options)]
    if not usable:
        raise FormatError(_options_wanted((recognized or readers)[0], options))
    reader = usable[0]  # if none recognizes the file, the error of this one names what is wrong
    with np.errstate(all="ignore"):  # damaged files hold any number
        decoded = reader.read(content, file, **options)
    assert isinstance(decoded, kind), "a reader returns what it says"
    return decoded
