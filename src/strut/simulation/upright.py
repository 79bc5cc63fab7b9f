"""Upright: a draft proved in simulation to be done as planned and to stay upright with a margin, and how."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strut.draft import Draft, Violation
from strut.motion import Motion
from strut.receipt import LimitName, Reason, ReasonKind
from strut.simulation.controller_choice import choose_controller, robustness_entry
from strut.simulation.early_end import MUCH_SHORT, slides_far, was_down
from strut.simulation.outcome import Outcome

MAX_MISS_M = 0.1  # distance from the planned end that a short walk may miss; a longer one `MUCH_SHORT` of its way


def verify_upright(draft: Draft, *, may_slide: bool) -> Draft:
    """Return a measured draft with its controller among its figures, or with what goes wrong as a violation.

    A neutral walk of the robot's own speed may slide, because less of it would be the same motion. For the same reason
    it passes without a margin, and a reason says in which conditions it falls. A chosen turn or speed can be less.
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
    trial = choose_controller(draft.robot, motion, may_slide=may_slide)
    outcome = trial.planned
    if was_down(outcome) or not (may_slide or _arrives(outcome)):
        return _with_violation(draft, outcome.upright_s, _describe(outcome, draft.time_s[0] + outcome.upright_s))
    assert trial.falls is not None, "a walk that is done as planned is played in all conditions"
    falls = trial.falls
    text = f"falls at {' or '.join(map(str, falls))}"
    if falls and not may_slide:
        return _with_violation(draft, min(falls.values()), text)
    reasons = (Reason(ReasonKind.NO_MARGIN, LimitName.SIMULATION, text),) if falls else ()
    figures = {
        **draft.figures,
        "controller": trial.controller,
        "robustness": robustness_entry("simulation", falls=len(falls)),
    }
    return replace(draft, figures=figures, reasons=(*draft.reasons, *reasons))


def _with_violation(draft: Draft, upright_s: float, text: str) -> Draft:
    broken = np.asarray(draft.time_s >= draft.time_s[0] + upright_s)
    return replace(draft, violations=(*draft.violations, Violation(LimitName.SIMULATION, broken, text)))


def _describe(outcome: Outcome, at_s: float) -> str:
    """Return what goes wrong in the conditions of the plan."""
    if was_down(outcome):
        return f"falls at {at_s:.2f} s"
    if slides_far(outcome):
        return f"slides {outcome.foot_slip_mm:.0f} mm by {at_s:.2f} s"
    return f"walks {outcome.distance_m:.2f} m of {outcome.commanded_distance_m:.2f}"


def _arrives(outcome: Outcome) -> bool:
    """Return whether feet slid little and the robot ended about where planned."""
    miss_m = abs(outcome.distance_m - outcome.commanded_distance_m)
    return not slides_far(outcome) and miss_m <= max(MUCH_SHORT * outcome.commanded_distance_m, MAX_MISS_M)
