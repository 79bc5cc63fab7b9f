"""Plans of Mr. Pete along a line, and runs that follow them exactly: what an outcome is made of, written by hand."""

import numpy as np

from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.simulation.physics import Run

PETE = load_robot("mrpete")
JOINTS = len(PETE.joint_names)
STEP_S = 0.1
BEGINS_S = 4.0


def followed(place_m):
    """Return a plan whose base goes from place to place, (T, 2) of them, and a run that does so, too."""
    samples = len(place_m)
    time_s = BEGINS_S + STEP_S * np.arange(samples)
    qpos = np.tile(PETE.standing_qpos, (samples, 1))
    qpos[:, :2] = place_m
    motion = Motion("mrpete", time_s, qpos, PETE.joint_names, np.ones((samples, 4), dtype=bool), PETE.foot_names)
    run = Run(
        time_s, qpos.copy(), np.zeros((samples, JOINTS)), np.full(samples, 3.0), np.zeros((samples, 4, 3)),
        np.full((samples, 4), 20.0), np.zeros(samples),
    )  # fmt: skip
    return motion, run
