"""Motion as JSON: everything that a motion file holds, as one object; written and read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.errors import StrutError
from strut.formats.motion_file import OPTIONAL_ARRAYS, REQUIRED_ARRAYS, motion_of_robot
from strut.formats.reader import FormatError, require
from strut.motion import Motion
from strut.receipt import Receipt
from strut.robot import Robot


class MotionJson:
    """Writes a motion with its receipt and description; null is unknown."""

    ending = ".json"

    def encode(self, motion: Motion) -> bytes:
        """Return the object in UTF-8."""
        arrays = {name: getattr(motion, name) for name in (*REQUIRED_ARRAYS, *OPTIONAL_ARRAYS)}
        table = {
            "robot": motion.robot,
            "joint_names": list(motion.joint_names),
            "foot_names": list(motion.foot_names),
            **{name: None if values is None else _to_lists(values) for name, values in arrays.items()},
            "receipt": motion.receipt.as_dict() if motion.receipt else None,
            "meta": dict(motion.meta),
        }
        return json.dumps(table, allow_nan=False).encode()

    def omitted(self, _motion: Motion) -> tuple[str, ...]:
        """Return nothing: JSON can store everything."""
        return ()


def _to_lists(values: Array | npt.NDArray[np.bool_]) -> Any:
    """Return an array as lists; a margin of minus infinity, where no foot is on the ground, becomes null."""
    known = values.astype(object)
    known[~np.isfinite(values)] = None
    return known.tolist()


def parse_json(content: bytes) -> Any:
    """Return what a JSON file holds; raises FormatError."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FormatError("is damaged, or is no JSON.") from error


class MotionJsonReader:
    """Reads such objects."""

    endings = (".json",)
    returns = Motion

    def recognizes(self, head: bytes) -> bool:
        """Return whether a file begins with the name of a robot, as our own do."""
        return head.lstrip().startswith(b'{"robot"')

    def read(self, content: bytes, _path: Path, *, robot: Robot | str | None = None) -> Motion:
        """Return the motion; with a robot, as a motion of that one, which has the same joints and feet."""
        table = parse_json(content)
        require(isinstance(table, dict), "holds no motion: it is no table of names and values.")
        missing = [name for name in ("robot", "joint_names", "foot_names", *REQUIRED_ARRAYS) if name not in table]
        require(not missing, f"lacks {', '.join(missing)}.")
        for name in ("joint_names", "foot_names"):
            is_list = isinstance(table[name], list) and all(isinstance(one, str) for one in table[name])
            require(is_list, f"has no list of names in {name}.")
        arrays: dict[str, Any] = {
            name: _from_lists(name, table[name])
            for name in (*REQUIRED_ARRAYS, *OPTIONAL_ARRAYS)
            if table.get(name) is not None
        }
        missing = [name for name in REQUIRED_ARRAYS if name not in arrays]
        require(not missing, f"has no numbers in {', '.join(missing)}.")
        meta = table.get("meta") or {}
        require(isinstance(meta, dict), "has no table in meta.")
        try:
            receipt = table.get("receipt")
            motion = Motion(
                robot=table["robot"],
                joint_names=tuple(table["joint_names"]),
                foot_names=tuple(table["foot_names"]),
                receipt=None if receipt is None else Receipt.from_dict(receipt),
                meta=meta,
                **arrays,
            )
        except (StrutError, KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise FormatError(f"is damaged: {error}") from error
        return motion if robot is None else motion_of_robot(motion, robot)


def _from_lists(name: str, lists: Any) -> Array:
    """Return lists as an array; null becomes minus infinity in a margin, and is refused elsewhere."""
    try:
        values = np.asarray(lists, dtype=np.float64)
    except (ValueError, TypeError, OverflowError) as error:
        raise FormatError(f"has no numbers in {name}.") from error
    return np.where(np.isnan(values), -np.inf, values) if name == "balance_margin_m" else values


READER = MotionJsonReader()
WRITER = MotionJson()
