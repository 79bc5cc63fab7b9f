"""Early end: rules by which a run of a motion ends before its last sample."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from strut.audit import STANDS_STILL_M
from strut.motion import Motion
from strut.robot import Robot
from strut.simulation.outcome import Outcome
from strut.simulation.physics import ASKED_S, Run
from strut.simulation.run_outcome import is_down, largest_slip_m

EndRule = Callable[[Robot, Motion, Run], bool]  # asked every `ASKED_S` with the run so far

DOWN_S = 1.5  # a robot that is down for this long does not get up
MUCH_SLIP_MM = 10.0  # a walk whose feet slide further within a stance is not done as planned
MUCH_SHORT = 0.1  # nor is one that misses more than this share of its distance
STRAIGHT = 0.9  # a way that is shorter than this share of the path is a curve; bodies sway by a few per cent
CLEARLY = 1.25  # factor on `MUCH_SHORT`: a robot that lags so far on a straight way does not make up for it


def slides_far(outcome: Outcome) -> bool:
    """Return whether feet slid further than in a walk that is done as planned."""
    return (outcome.foot_slip_mm or 0.0) > MUCH_SLIP_MM


def was_down(outcome: Outcome) -> bool:
    """Return whether the robot fell, for good or for a while."""
    return outcome.fell or outcome.stumbles > 0


def does_as_planned(outcome: Outcome) -> bool:
    """Return whether the robot stayed upright throughout, went as far as planned, and hardly slid."""
    short_m = abs(outcome.distance_m - outcome.commanded_distance_m)
    is_precise = not slides_far(outcome) and short_m <= MUCH_SHORT * outcome.commanded_distance_m
    return is_precise and not was_down(outcome)


def stays_down(motion: Motion, run: Run) -> bool:
    """Return whether the robot was down throughout the last `DOWN_S`."""
    last = run.time_s > run.time_s[-1] - DOWN_S
    return bool(run.time_s[-1] - run.time_s[0] > DOWN_S and is_down(motion, run)[last].all())


def has_been_down(_robot: Robot, motion: Motion, run: Run) -> bool:
    """Return whether the robot was down at any time."""
    return bool(is_down(motion, run).any())


def cannot_do_as_planned(robot: Robot, motion: Motion, run: Run) -> bool:
    """Return whether the outcome will not be as planned: the robot was down, feet slid far, or it lags far behind."""
    return has_been_down(robot, motion, run) or lags_far(motion, run) or is_sliding_far(robot, motion, run)


def lags_far(motion: Motion, run: Run) -> bool:
    """Return whether the robot is too far behind the plan to go as far as planned.

    Only on straight ways: on curves, and on ways there and back, the lag says nothing about the end.
    """
    way_m = motion.qpos[-1, :2] - motion.qpos[0, :2]
    commanded_m = float(np.linalg.norm(way_m))
    path_m = float(np.linalg.norm(np.diff(motion.qpos[:, :2], axis=0), axis=1).sum())
    if commanded_m <= STANDS_STILL_M or commanded_m < STRAIGHT * path_m:
        return False
    last = len(run.time_s) - 1
    lag_m = float((motion.qpos[last, :2] - run.qpos[last, :2]) @ way_m) / commanded_m
    return lag_m > CLEARLY * MUCH_SHORT * commanded_m


def is_sliding_far(robot: Robot, motion: Motion, run: Run) -> bool:
    """Return whether a foot slid far while it carried, and ceased to carry since the run was last asked.

    False while the robot is down: whether it gets up must be seen.
    """
    samples = len(run.time_s)
    interval = round(ASKED_S / (run.time_s[1] - run.time_s[0]))
    if is_down(motion, run)[-1]:
        return False
    since_asked = range(samples - interval, samples)
    return largest_slip_m(robot, run, ends=since_asked) * 1e3 > MUCH_SLIP_MM
