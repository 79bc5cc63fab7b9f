"""Motion as JSON: everything that a motion file holds, as one object."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.formats.motion_file import OPTIONAL_ARRAYS, REQUIRED_ARRAYS
from strut.motion import Motion


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


WRITER = MotionJson()
