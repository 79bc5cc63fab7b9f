"""Motion file: one motion in one `.npz`, written atomically, the same bytes for the same motion.

docs/motion_file.md describes the format.
"""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from strut.errors import MotionFileError, StrutError
from strut.motion import Motion
from strut.plumbing.atomic_files import check_writable, write_atomically
from strut.receipt import Receipt

FORMAT = "strut-motion"
FORMAT_VERSION = 1
RECORDINGS = (".c3d", ".trc")
_REQUIRED = ("time_s", "qpos", "contact")
_OPTIONAL = ("torque_nm", "ground_force_n", "cop_in_world", "balance_margin_m")


def save_motion(motion: Motion, path: Path | str, *, force: bool = False) -> None:
    """Write a motion; the same motion gives the same bytes.

    Example:
        >>> strut.save_motion(strut.load_motion("happy.npz"), "copy.npz", force=True)
    """
    check_writable(Path(path), force=force, ending=".npz")
    write_atomically(Path(path), motion_bytes(motion), force=force)


def motion_bytes(motion: Motion) -> bytes:
    """Return the content of a motion's file; how long it took to solve is left out, or no two would be the same."""
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
    for name in (*_REQUIRED, *_OPTIONAL):
        if getattr(motion, name) is not None:
            arrays[name] = getattr(motion, name)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **dict(sorted(arrays.items())))
    return buffer.getvalue()


def load_motion(path: Path | str) -> Motion:
    """Read a motion; a damaged or foreign file raises MotionFileError with the reason.

    Example:
        >>> strut.load_motion("happy.npz").robot
        'mrpete'
    """
    path = Path(path)
    if not path.is_file():
        kind = "is a folder" if path.is_dir() else "is no regular file" if path.exists() else "there is no such file"
        raise MotionFileError(path, f"{kind}.")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MotionFileError(path, f"cannot be read: {error.strerror}.") from error
    return motion_from_bytes(content, path)


def motion_from_bytes(content: bytes, path: Path) -> Motion:
    """Return the motion of a file's content; `path` names it in errors."""
    arrays = _read_arrays(path, content)
    meta = _read_meta(path, arrays)
    _check_complete(path, arrays)
    try:
        told = meta.pop("receipt", None)
        receipt = None if told is None else Receipt.from_dict(told)
        return Motion(
            robot=meta.pop("robot"),
            joint_names=tuple(arrays["joint_names"].tolist()),
            foot_names=tuple(arrays["foot_names"].tolist()),
            receipt=receipt,
            meta={key: value for key, value in meta.items() if key not in ("format", "format_version", "receipt")},
            **{name: arrays[name] for name in (*_REQUIRED, *_OPTIONAL) if name in arrays},
        )
    except (StrutError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise MotionFileError(path, f"is damaged: {error}") from error


def _check_complete(path: Path, arrays: dict[str, Any]) -> None:
    """Raise MotionFileError if an array is missing or names are no names; a file may say nothing of feet at all."""
    if "contact" not in arrays and "foot_names" not in arrays:
        arrays["contact"] = np.zeros((len(arrays.get("time_s", ())), 0), dtype=bool)
        arrays["foot_names"] = np.array([], "U1")
    missing = [name for name in (*_REQUIRED, "joint_names", "foot_names") if name not in arrays]
    if missing:
        raise MotionFileError(path, f"is damaged: {', '.join(missing)} missing; make it again.")
    for name in ("joint_names", "foot_names"):
        if arrays[name].ndim != 1 or arrays[name].dtype.kind != "U":
            raise MotionFileError(path, f"is damaged: {name} is no list of names.")


def _read_arrays(path: Path, content: bytes) -> dict[str, Any]:
    """Return all arrays of a file; anyone may have written it, so whatever reading it raises means it is damaged."""
    try:
        file = np.load(io.BytesIO(content), allow_pickle=False)
        if not isinstance(file, np.lib.npyio.NpzFile):
            raise MotionFileError(path, "is a single array, not a motion file.")
        return {name: file[name] for name in file.files}
    except MotionFileError:
        raise
    except OSError as error:
        raise MotionFileError(path, "cannot be read: it is not an .npz file.") from error
    except Exception as error:
        if path.suffix.lower() in RECORDINGS:
            raise MotionFileError(path, "is a recording, not a motion; `strut capture` makes one of it.") from error
        raise MotionFileError(path, "is damaged or not a motion file; make it again.") from error


def _read_meta(path: Path, arrays: dict[str, Any]) -> dict[str, Any]:
    try:
        meta = json.loads(str(arrays["meta"]))
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
