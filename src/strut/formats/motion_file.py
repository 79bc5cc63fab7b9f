"""Motion file: one motion in one `.npz`, written atomically; the same motion gives the same bytes.

docs/motion_file.md describes the format.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from strut.errors import MotionFileError, StrutError
from strut.formats.format_options import check_options
from strut.formats.npz_arrays import first_array_name
from strut.formats.reader import HEAD_BYTES, find_readers, read_file
from strut.models.catalogue import as_robot, robot_of
from strut.motion import Motion
from strut.plumbing.atomic_files import check_writable, write_atomically
from strut.receipt import Receipt
from strut.recording import Recording
from strut.registry import names
from strut.robot import Robot

FORMAT = "strut-motion"
FORMAT_VERSION = 1
ENDING = ".npz"
REQUIRED_ARRAYS = ("time_s", "qpos", "contact")
OPTIONAL_ARRAYS = ("torque_nm", "ground_force_n", "cop_in_world", "balance_margin_m")
_ARRAYS = ("meta", "joint_names", "foot_names", *REQUIRED_ARRAYS, *OPTIONAL_ARRAYS)
MAX_GIGABYTES = 2.0  # about five hours of a human walk at 100 samples a second


def save_motion(motion: Motion, path: Path | str, *, force: bool = False) -> None:
    """Write a motion; the same motion gives the same bytes.

    Example:
        >>> strut.save_motion(strut.load_motion("happy.npz"), "copy.npz", force=True)
    """
    check_writable(Path(path), force=force, ending=ENDING)
    write_atomically(Path(path), encode_motion(motion), force=force)


def encode_motion(motion: Motion) -> bytes:
    """Return the content of a motion file, without the solving time, which differs from run to run."""
    receipt = replace(motion.receipt, solve_s=None) if motion.receipt else None
    meta = {
        **motion.meta,
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "robot": motion.robot,
        "receipt": receipt.as_dict() if receipt else None,
    }
    arrays: dict[str, Any] = {
        "joint_names": np.array(motion.joint_names, dtype=np.str_),
        "foot_names": np.array(motion.foot_names, dtype=np.str_),
        "meta": np.array(json.dumps(meta, sort_keys=True, allow_nan=False)),
    }
    for name in (*REQUIRED_ARRAYS, *OPTIONAL_ARRAYS):
        if getattr(motion, name) is not None:
            arrays[name] = getattr(motion, name)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **dict(sorted(arrays.items())))
    return buffer.getvalue()


def load_motion(path: Path | str, **options: Any) -> Motion:
    """Read a motion; raises MotionFileError with the reason if the file is damaged or of another format.

    Args:
        path: A motion file, or a file of another format that a reader reads as a motion.
        **options: Of that format, such as `robot`.

    Example:
        >>> strut.load_motion("happy.npz").robot
        'mrpete'
    """
    path = Path(path)
    if not path.is_file():
        reason = "is a folder" if path.is_dir() else "is no regular file" if path.exists() else "there is no such file"
        raise MotionFileError(path, f"{reason}.")
    if any(find_readers(Motion, path.suffix, None)):
        return read_file(Motion, path, **options)
    if path.suffix.lower().lstrip(".") in names("strut.writers") and not any(find_readers(Recording, path.suffix)):
        raise MotionFileError(path, f"strut writes {path.suffix} files and does not read them; give the motion itself.")
    check_options(READER.read, options, ENDING)  # a file without a known ending is taken for one of ours
    try:
        return decode_motion(path.read_bytes(), path)
    except OSError as error:
        raise MotionFileError(path, f"cannot be read: {error.strerror}.") from error


def decode_motion(content: bytes, path: Path) -> Motion:
    """Return the motion in the content of a motion file; `path` names it in errors."""
    arrays = _read_arrays(path, content)
    meta = _read_meta(path, arrays)
    if "contact" not in arrays and "foot_names" not in arrays:  # a file of another program may know no feet
        arrays["contact"] = np.zeros((len(arrays.get("time_s", ())), 0), dtype=bool)
        arrays["foot_names"] = np.array([], "U1")
    missing = [name for name in (*REQUIRED_ARRAYS, "joint_names", "foot_names") if name not in arrays]
    if missing:
        raise MotionFileError(path, f"is damaged: {', '.join(missing)} missing; make it again.")
    for name in ("joint_names", "foot_names"):
        if arrays[name].ndim != 1 or arrays[name].dtype.kind != "U":
            raise MotionFileError(path, f"is damaged: {name} is no list of names.")
    try:
        receipt = meta.pop("receipt", None)
        return Motion(
            robot=meta.pop("robot"),
            joint_names=tuple(arrays["joint_names"].tolist()),
            foot_names=tuple(arrays["foot_names"].tolist()),
            receipt=None if receipt is None else Receipt.from_dict(receipt),
            meta={key: value for key, value in meta.items() if key not in ("format", "format_version")},
            **{name: arrays[name] for name in (*REQUIRED_ARRAYS, *OPTIONAL_ARRAYS) if name in arrays},
        )
    except (StrutError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise MotionFileError(path, f"is damaged: {error}") from error


def _read_arrays(path: Path, content: bytes) -> dict[str, Any]:
    """Return the arrays of a motion; their shapes are compared first, because reading a huge one takes a minute."""
    try:
        file = np.load(io.BytesIO(content), allow_pickle=False)
        if not isinstance(file, np.lib.npyio.NpzFile):
            raise MotionFileError(path, "is a single array, not a motion file.")
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            headers = {name: _read_header(archive, name) for name in _ARRAYS if name in file.files}
        samples = headers["time_s"].shape[:1] if "time_s" in headers else None
        for name in (*REQUIRED_ARRAYS, *OPTIONAL_ARRAYS):
            if name in headers and samples is not None and headers[name].shape[:1] != samples:
                size = " x ".join(map(str, headers[name].shape)) or "a single number"
                raise MotionFileError(path, f"is damaged: {name} is {size}; time_s has {math.prod(samples)} samples.")
        gigabytes = sum(header.bytes_inside for header in headers.values()) / 1e9
        if gigabytes > MAX_GIGABYTES:
            raise MotionFileError(
                path,
                f"holds {gigabytes:.1f} GB of numbers, and at most {MAX_GIGABYTES:g} GB are read; cut the motion into "
                "shorter ones.",
            )
        return {name: file[name] for name in headers}
    except MotionFileError:
        raise
    except OSError as error:
        raise MotionFileError(path, "cannot be read: it is not an .npz file.") from error
    except Exception as error:  # zip and numpy raise many kinds for damaged bytes
        if any(reader.recognizes(content[:HEAD_BYTES]) for reader in find_readers(Recording, path.suffix)):
            raise MotionFileError(path, "is a recording, not a motion; `strut capture` makes one of it.") from error
        raise MotionFileError(path, "is damaged or not a motion file; make it again.") from error


class _Header(NamedTuple):
    """What an array in a file says about itself."""

    shape: tuple[int, ...]
    bytes_inside: int


def _read_header(archive: zipfile.ZipFile, name: str) -> _Header:
    """Return the header of an array in an archive, and leave its numbers unread."""
    with archive.open(f"{name}.npy") as file:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, kind = read(file)
        return _Header(shape, math.prod(shape) * kind.itemsize)


def _read_meta(path: Path, arrays: dict[str, Any]) -> dict[str, Any]:
    try:
        meta = json.loads(str(arrays["meta"]))
    except RecursionError as error:
        raise MotionFileError(path, "is damaged: its description is nested too deeply.") from error
    except (KeyError, json.JSONDecodeError) as error:
        raise MotionFileError(path, "is not a motion file: it has no description in it.") from error
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise MotionFileError(path, "is not a motion file of strut.")
    if meta.get("format_version") != FORMAT_VERSION:
        raise MotionFileError(
            path, f"has format version {meta.get('format_version')}, this strut reads {FORMAT_VERSION}; update strut."
        )
    for name in ("robot", "robot_fingerprint"):
        if not isinstance(meta.get(name, ""), str):
            raise MotionFileError(path, f"is damaged: its {name} is no text.")
    return meta


class MotionFileReader:
    """Reads our own motion files, and archives that no other reader recognizes, to say what they lack."""

    endings = (ENDING,)
    returns = Motion

    def recognizes(self, head: bytes) -> bool:
        """Return whether the first array of a file is one of ours."""
        return first_array_name(head) in {*REQUIRED_ARRAYS, *OPTIONAL_ARRAYS, "joint_names", "foot_names", "meta"}

    def read(self, content: bytes, path: Path, *, robot: Robot | str | None = None) -> Motion:
        """Return the motion; with a robot, as a motion of that one, which has the same joints and feet."""
        motion = decode_motion(content, path)
        return motion if robot is None else motion_of_robot(motion, robot)


def motion_of_robot(motion: Motion, robot: Robot | str) -> Motion:
    """Return a motion as one of another robot, which has the same joints and feet; raises BadMotionError."""
    body = as_robot(robot)
    meta = {name: value for name, value in motion.meta.items() if name not in ("robot_fingerprint", "subject")}
    named = replace(motion, robot=body.name, meta=meta)
    robot_of(named, body, needs_feet=False)
    return named


READER = MotionFileReader()
