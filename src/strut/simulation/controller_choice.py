"""Controller choice: the cheapest controller with which a motion is done as planned and stays upright with a margin.

The margin is four conditions that the plan and the controller do not know: friction 0.6 and 0.9, each with 0.9 and 1.1
times the mass. The robot must not fall in any of them. Each is simulated over the whole motion;
benchmarks/sweep_adopted.py plays the chosen controller in other conditions between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import product

import numpy as np

from strut.motion import Motion
from strut.robot import Robot
from strut.simulation.early_end import cannot_do_as_planned, does_as_planned, has_been_down, slides_far, was_down
from strut.simulation.outcome import Outcome
from strut.simulation.playback import CONTROLLERS, Conditions, play_with_controller, run_motion
from strut.simulation.run_outcome import is_down

FRICTIONS = (0.6, 0.9)
MASS_SCALES = (0.9, 1.1)
MARGIN = tuple(Conditions(*pair) for pair in product(FRICTIONS, MASS_SCALES))
THREADS = 2  # MuJoCo steps without Python's lock: servos play twice as fast, and controllers in Python no slower


@dataclass(frozen=True, slots=True, eq=False)
class ControllerTrial:
    """A motion played with one controller.

    Args:
        controller: Name of the controller.
        planned: Outcome in the conditions of the plan.
        falls: Conditions of `MARGIN` in which the robot falls, with the time until then [s]; None if not played.
    """

    controller: str
    planned: Outcome
    falls: Mapping[Conditions, float] | None = None

    @property
    def has_margin(self) -> bool:
        """Whether the robot stays upright in all conditions of `MARGIN`."""
        return self.falls is not None and not self.falls


def choose_controller(robot: Robot, motion: Motion, *, may_slide: bool) -> ControllerTrial:
    """Return the trial of the controller to use for a motion.

    That is the cheapest with which the motion is done as planned in its own conditions and the robot stays upright in
    all of `MARGIN`. Failing that, the cheapest with which it stays upright in all of them, although it lags, or slides
    if `may_slide`. Failing that, the one that falls in the fewest, or the last one if all fall as planned.
    """
    upright = list[ControllerTrial]()
    imprecise = list[str]()
    for name in controllers_of(robot):
        trial = _play_as_planned(robot, motion, name)
        if does_as_planned(trial.planned):
            upright.append(_with_margin(robot, motion, trial))
            if upright[-1].has_margin:
                return upright[-1]
        elif not was_down(trial.planned) and (may_slide or not slides_far(trial.planned)):
            imprecise.append(name)
    for name in imprecise:
        whole = play_with_controller(robot, motion, Conditions(robot.friction), name, end_rule=has_been_down).outcome
        trial = ControllerTrial(name, whole)
        if not was_down(whole) and (may_slide or not slides_far(whole)):
            upright.append(_with_margin(robot, motion, trial))
            if upright[-1].has_margin:
                return upright[-1]
    return min(upright, key=lambda one: len(one.falls or ()), default=trial)


def robustness_entry(judged_by: str, *, falls: int) -> dict[str, float | str]:
    """Return the receipt's entry of the conditions in which a walk was judged, the planned ones included."""
    return {
        "judged_by": judged_by,
        "conditions": 1 + len(MARGIN),
        "falls": falls,
        "min_friction": min(FRICTIONS),
        "max_friction": max(FRICTIONS),
        "min_mass_scale": min(MASS_SCALES),
        "max_mass_scale": max(MASS_SCALES),
    }


def controllers_of(robot: Robot) -> tuple[str, ...]:
    """Return the controllers that may keep a robot's walk upright, in order of cost."""
    needs_balance = robot.tables.gait is not None and robot.tables.gait.needs_balance
    return tuple(CONTROLLERS) if needs_balance else ("servos",)


def _play_as_planned(robot: Robot, motion: Motion, controller: str) -> ControllerTrial:
    """Return a trial in the conditions of the plan; it ends as soon as the motion cannot be done as planned."""
    played = play_with_controller(robot, motion, Conditions(robot.friction), controller, end_rule=cannot_do_as_planned)
    return ControllerTrial(controller, played.outcome)


def _with_margin(robot: Robot, motion: Motion, trial: ControllerTrial) -> ControllerTrial:
    """Return a trial with the falls in the conditions of `MARGIN`."""
    with ThreadPoolExecutor(THREADS) as pool:
        times_s = pool.map(partial(_time_of_fall_s, robot, motion, trial.controller), MARGIN)
        falls = {conditions: time_s for conditions, time_s in zip(MARGIN, times_s, strict=True) if time_s is not None}
    return replace(trial, falls=falls)


def _time_of_fall_s(robot: Robot, motion: Motion, controller: str, conditions: Conditions) -> float | None:
    """Return the time until the robot is down for the first time; None if it stays upright."""
    run = run_motion(robot, motion, conditions, controller, end_rule=has_been_down)
    down = is_down(motion, run)
    return float(run.time_s[np.argmax(down)] - run.time_s[0]) if down.any() else None
