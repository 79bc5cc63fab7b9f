"""GMR pickle: a robot's motion as General Motion Retargeting writes it.

A pickled dict of `fps`, `root_pos`, `root_rot` (xyzw), `dof_pos`, and entries that strut does not need. A pickle can
run any code, so it is read by an unpickler that makes arrays, numbers, texts and containers and refuses all else.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from strut.errors import BadMotionError
from strut.formats.npz_arrays import read_numbers
from strut.formats.reader import FormatError, require
from strut.formats.robot_track import RobotTrack, check_rate_hz, motion_of_track, omitted_beside_poses
from strut.models.catalogue import robot_of
from strut.models.joint_order import joint_order, known_order
from strut.motion import Motion
from strut.robot import FLOATING, Robot

NEEDED = ("fps", "root_pos", "root_rot", "dof_pos")
_ARRAY = "numpy.ndarray"  # stands for the class in a pickle, which only `_empty_array` may use


def _empty_array(array_class: object, shape: object, _kind: object) -> np.ndarray[Any, Any]:
    """Return an array for the pickle to fill, as NumPy's `_reconstruct` does."""
    require(array_class == _ARRAY and shape == (0,), "holds an array in a form that is not read.")
    return np.empty(0)


def _array_of_bytes(buffer: Any, kind: Any, shape: Any, order: Any) -> np.ndarray[Any, Any]:
    """Return an array from its bytes, as NumPy's `_frombuffer` does."""
    require(isinstance(kind, np.dtype) and not kind.hasobject, "holds an array of objects.")
    return np.frombuffer(buffer, dtype=kind).reshape(shape, order=order)


def _scalar(kind: Any, content: Any = b"") -> Any:
    """Return a NumPy number from its bytes."""
    require(isinstance(kind, np.dtype) and not kind.hasobject, "holds a number in a form that is not read.")
    return np.frombuffer(content, dtype=kind)[0]


def _latin_bytes(text: Any, encoding: Any = "latin1") -> bytes:
    """Return the bytes that protocol 2 stores as text."""
    require(isinstance(text, str) and encoding == "latin1", "holds bytes in a form that is not read.")
    return str(text).encode("latin1")


_ADMITTED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): _ARRAY,
    ("numpy", "dtype"): np.dtype,
    ("_codecs", "encode"): _latin_bytes,
}
for _home in ("numpy.core", "numpy._core"):  # before and since NumPy 2
    _ADMITTED[_home + ".multiarray", "_reconstruct"] = _empty_array
    _ADMITTED[_home + ".multiarray", "scalar"] = _scalar
    _ADMITTED[_home + ".numeric", "_frombuffer"] = _array_of_bytes


class _PlainUnpickler(pickle.Unpickler):
    """Makes arrays and plain types."""

    def find_class(self, module: str, name: str) -> Any:
        """Return what a pickle may call; raises FormatError for everything else."""
        if (module, name) not in _ADMITTED:
            raise FormatError(
                f"wants to call {module}.{name}; a motion needs numbers and names only, so nothing is run."
            )
        return _ADMITTED[module, name]

    def persistent_load(self, _identity: Any) -> Any:
        """Refuse objects outside of the file."""
        raise FormatError("refers to objects outside of the file.")


def unpickle_plainly(content: bytes) -> Any:
    """Return what a pickle of arrays and plain types holds; raises FormatError and runs nothing of the file."""
    try:
        return _PlainUnpickler(io.BytesIO(content)).load()
    except FormatError:
        raise
    except Exception as error:  # damaged bytes raise nearly every kind
        raise FormatError("is damaged, or is no pickle of plain arrays.") from error


class GmrReader:
    """Reads motions from such pickles."""

    endings = (".pkl", ".pickle")
    returns = Motion

    def recognizes(self, head: bytes) -> bool:
        """Return whether a file begins as a pickle does."""
        return head.startswith(b"\x80")

    def read(
        self,
        content: bytes,
        path: Path,
        *,
        robot: Robot | str,
        joints: str | None = None,
        quaternions: str | None = None,
        floor_m: float = 0.0,
    ) -> Motion:
        """Return the motion of a robot.

        Args:
            content: Of the file.
            path: Of the file.
            robot: The robot that moves.
            joints: Order of joints (`depth-first` or `breadth-first`) if it is known.
            quaternions: Order of their numbers (`xyzw` or `wxyz`) if it is known.
            floor_m: Height of the floor in the file.
        """
        table = unpickle_plainly(content)
        require(isinstance(table, Mapping), "holds no table of names and arrays.")
        missing = [name for name in NEEDED if name not in table]
        require(not missing, f"lacks {', '.join(missing)}.")
        rate_hz = check_rate_hz(_as_array(table, "fps"))
        joint_rad = read_numbers(_as_array(table, "dof_pos"), "dof_pos", 2)
        base_m = read_numbers(_as_array(table, "root_pos"), "root_pos", 2)
        base_quaternion = read_numbers(_as_array(table, "root_rot"), "root_rot", 2)
        frames = len(joint_rad)
        require(frames > 1, "has fewer than two frames.")
        require(base_m.shape == (frames, 3), f"has root_pos of shape {base_m.shape}, not ({frames}, 3).")
        require(
            base_quaternion.shape == (frames, 4), f"has root_rot of shape {base_quaternion.shape}, not ({frames}, 4)."
        )
        track = RobotTrack(
            time_s=np.arange(frames) / rate_hz,
            joint_rad=joint_rad,
            base_m=base_m,
            base_quaternion=base_quaternion,
            joint_order="depth-first",
            quaternion_order="xyzw",
            meta={"source": path.name},
        )
        return motion_of_track(track, robot, joints=joints, quaternions=quaternions, floor_m=floor_m)


def _as_array(table: Mapping[Any, Any], name: str) -> np.ndarray[Any, Any]:
    """Return an entry as an array; raises FormatError with its name if it is none, such as rows of unequal length."""
    try:
        return np.asarray(table[name])
    except (ValueError, TypeError) as error:
        raise FormatError(f"has no numbers in {name}.") from error


class GmrWriter:
    """Writes a motion as such a pickle."""

    ending = ".pkl"

    def encode(self, motion: Motion, *, order: str | None = None) -> bytes:
        """Return the pickle; `order` lists joints differently (`breadth-first`)."""
        motion.check_even()
        robot = robot_of(motion, needs_feet=False)
        if not robot.floats:
            raise BadMotionError(f"{robot.name} has no floating base, which this format needs.")
        rank = joint_order(robot, known_order(order or "depth-first"))
        table = {
            "fps": (len(motion.time_s) - 1) / motion.duration_s,
            "root_pos": motion.qpos[:, :3].copy(),
            "root_rot": motion.qpos[:, [4, 5, 6, 3]].copy(),
            "dof_pos": motion.qpos[:, FLOATING:][:, rank].copy(),
            "local_body_pos": None,
            "link_body_list": None,
            "joint_names": [motion.joint_names[index] for index in rank],
        }
        return pickle.dumps(table, protocol=4)

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format cannot store."""
        return omitted_beside_poses(motion)


READER = GmrReader()
WRITER = GmrWriter()
