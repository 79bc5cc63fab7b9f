"""Motion as JSON: everything that a motion file holds, as one object."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.motion import Motion

_ARRAYS = ("time_s", "qpos", "contact", "torque_nm", "ground_force_n", "cop_in_world", "balance_margin_m")


class MotionJson:
    """Writes a motion with its receipt and description; what is not known is null."""

    ending = ".json"

    def content(self, motion: Motion) -> bytes:
        """Return the object in UTF-8."""
        values = {name: getattr(motion, name) for name in _ARRAYS}
        table = {
            "robot": motion.robot,
            "joint_names": list(motion.joint_names),
            "foot_names": list(motion.foot_names),
            **{name: None if value is None else _finite(value) for name, value in values.items()},
            "receipt": motion.receipt.as_dict() if motion.receipt else None,
            "meta": dict(motion.meta),
        }
        return json.dumps(table, allow_nan=False).encode()

    def lost(self, _motion: Motion) -> tuple[str, ...]:
        """Return nothing: JSON has a place for everything."""
        return ()


def _finite(values: Array | npt.NDArray[np.bool_]) -> Any:
    """Return an array as lists, with null where a margin is minus infinity because no foot carries."""
    known = values.astype(object)
    known[~np.isfinite(values)] = None
    return known.tolist()


WRITER = MotionJson()
