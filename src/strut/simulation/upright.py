"""Upright: a draft is proved in physics, and says which control that takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strut.draft import Draft, Shortfall
from strut.motion import Motion
from strut.simulation.playback import simulate


def proved_upright(draft: Draft) -> Draft:
    """Return a measured draft with the control that keeps it upright among its figures, or that it falls.

    It is played as planned: on the robot's own friction, with its own masses.
    """
    motion = Motion(
        robot=draft.robot.name,
        time_s=draft.time_s,
        qpos=draft.qpos,
        joint_names=draft.robot.joint_names,
        contact=draft.contact,
        foot_names=draft.robot.foot_names,
        torque_nm=draft.measured.torque_nm,
    )
    outcome = simulate(motion, draft.robot).outcome
    if not outcome.fell:
        return replace(draft, figures={**draft.figures, "control": outcome.control})
    at_s = draft.time_s[0] + outcome.upright_s
    fall = Shortfall("simulation", np.asarray(draft.time_s >= at_s), f"simulation: falls at {at_s:.2f} s")
    return replace(draft, shortfalls=(*draft.shortfalls, fall))
