"""Arrays: the array types that signatures name, and read-only copies. Docstrings say the shapes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Index = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]
Pixels = npt.NDArray[np.uint8]  # colours from 0 to 255, shape (height, width, 3)


def frozen_array(values: npt.ArrayLike) -> Array:
    """Return a read-only copy as floats; raises TypeError for values that are no real numbers."""
    if np.asarray(values).dtype.kind not in "fiub":
        raise TypeError(f"an array of {np.asarray(values).dtype} holds no real numbers")
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


def frozen_mask(values: npt.ArrayLike) -> Mask:
    """Return a read-only copy as booleans."""
    array = np.array(values, dtype=np.bool_)
    array.flags.writeable = False
    return array
