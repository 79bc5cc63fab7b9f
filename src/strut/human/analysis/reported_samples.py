"""Reported samples: those of a recorded walk whose forces and torques are not disturbed by the ends of the recording.

`strut capture` writes in `meta["reported_s"]` between which times they are; all samples of other motions are reported.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from strut.motion import Motion


def are_reported(motion: Motion) -> npt.NDArray[np.bool_]:
    """Return which samples have forces and torques that may be reported. Shape (T,)."""
    bounds = motion.meta.get("reported_s")
    if not isinstance(bounds, list) or [type(bound) for bound in bounds] != [float, float]:
        return np.ones(len(motion.time_s), dtype=bool)
    return np.asarray((motion.time_s >= bounds[0]) & (motion.time_s <= bounds[1]))
