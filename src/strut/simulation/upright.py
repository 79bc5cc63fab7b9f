"""Upright: a draft is proved in physics, and says which control that takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strut.draft import Draft, Violation
from strut.motion import Motion
from strut.receipt import LimitName
from strut.simulation.outcome import Outcome
from strut.simulation.playback import MUCH_SHORT, MUCH_SLIP_MM, simulate_as_planned

FARTHEST_OFF_M = 0.1  # from the end of its way, on short ones


def verify_upright(draft: Draft, *, may_slide: bool) -> Draft:
    """Return a measured draft with the control that keeps it upright among its figures, or that it falls or slides.

    It is played as planned: on the robot's own friction, with its own masses. A walk that shows nothing may slide: less
    of it would be the same again.
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
    outcome = simulate_as_planned(motion, draft.robot, may_slide=may_slide).outcome
    if not outcome.fell and (may_slide or not _slides(outcome)):
        return replace(draft, figures={**draft.figures, "control": outcome.control})
    at_s = draft.time_s[0] + outcome.upright_s
    broken = Violation(LimitName.SIMULATION, np.asarray(draft.time_s >= at_s), _what_happens(outcome, at_s))
    return replace(draft, violations=(*draft.violations, broken))


def _what_happens(outcome: Outcome, at_s: float) -> str:
    """Return what becomes of a walk until an instant, in words."""
    if outcome.fell:
        return f"falls at {at_s:.2f} s"
    if _slips(outcome):
        return f"slides {outcome.foot_slip_mm:.0f} mm by {at_s:.2f} s"
    return f"walks {outcome.distance_m:.2f} m of {outcome.commanded_distance_m:.2f}"


def _slides(outcome: Outcome) -> bool:
    """Return whether feet slip much, or the robot ends elsewhere than planned."""
    off_m = abs(outcome.distance_m - outcome.commanded_distance_m)
    most_m = MUCH_SHORT * outcome.commanded_distance_m
    return _slips(outcome) or off_m > max(most_m, FARTHEST_OFF_M)


def _slips(outcome: Outcome) -> bool:
    return (outcome.foot_slip_mm or 0.0) > MUCH_SLIP_MM
