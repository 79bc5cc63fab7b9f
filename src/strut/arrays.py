"""Arrays: the array type that signatures name; shapes stand in docstrings."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
