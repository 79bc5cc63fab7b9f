"""Recorded steps: the steps of a walk from one toe off to the other, resampled at shares of their duration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline

from strut.arrays import Array
from strut.errors import BadMotionError
from strut.human.anatomy import LEFT, RIGHT, TOES, sided, walking_cycle
from strut.human.walking_direction import direction_of_cycles, direction_of_travel
from strut.kinematics.mirror import mirror_of
from strut.maths.rotation import angles_from_qpos
from strut.motion import Motion
from strut.ocp.contact_detection import check_samples, detect_phases, has_contacts
from strut.ocp.kinematic_tree import read_tree
from strut.robot import Robot

SAMPLES = 51  # of a step, with both ends
SHARES = np.linspace(0.0, 1.0, SAMPLES)
STEP_S = (0.25, 1.5)  # shortest and longest step of a walk
NEIGHBOURS = 2  # steps before and after one that give its direction
STRAIGHT = 0.98  # smallest ratio of displacement to path length of a straight walk
STEADY = 0.2  # a step whose length differs from the median by a larger share belongs to a start, a stop or a turn


@dataclass(frozen=True, slots=True, eq=False)
class RecordedSteps:
    """Steps of one subject, all with the right foot in stance; those of the left foot are mirrored.

    Args:
        names: Coordinates of the model.
        q: Their values at shares of each step. Shape (steps, SAMPLES, nq).
        duration_s: Shape (steps,).
        length_m: Travel of the pelvis. Shape (steps,).
        observed: Which coordinates were observed on both sides. Shape (nq,).
    """

    names: tuple[str, ...]
    q: Array
    duration_s: Array
    length_m: Array
    observed: npt.NDArray[np.bool_]

    @property
    def speed_m_s(self) -> float:
        """Average speed over all steps."""
        return float(self.length_m.sum() / self.duration_s.sum())

    def with_steps(self, other: RecordedSteps) -> RecordedSteps:
        """Return these steps and others of the same subject."""
        return RecordedSteps(
            self.names,
            np.concatenate([self.q, other.q]),
            np.concatenate([self.duration_s, other.duration_s]),
            np.concatenate([self.length_m, other.length_m]),
            self.observed & other.observed,
        )


def recorded_steps(robot: Robot, motion: Motion) -> RecordedSteps:
    """Return the straight, steady steps of a human motion; raises BadMotionError if it has none.

    Each step is turned onto the x axis by the steps around it, so that a walk may go back and forth. Turns, starts and
    stops are left out.
    """
    check_samples(motion)
    names = read_tree(robot.model, angle_base=True).velocity_names
    mirror = mirror_of(robot, names)
    is_observed = motion.meta.get("observed", {})
    steps = straight_steps(motion, step_times(robot, motion))
    images = [_coordinates(step) if step.side == LEFT else mirror.image(_coordinates(step)) for step in steps]
    q = np.array(images).reshape(-1, SAMPLES, len(names))
    length_m = q[:, -1, 0] - q[:, 0, 0]
    observed = np.array([bool(is_observed.get(name, True)) for name in names])
    steady = np.array([abs(own_m / np.median(length_m) - 1.0) <= STEADY for own_m in length_m], dtype=bool)
    if not steady.any():
        raise BadMotionError(
            "The walk holds no step from one foot's toe-off to the other's that goes straight on; "
            "give a longer recording."
        )
    return RecordedSteps(
        names=names,
        q=q[steady],
        duration_s=np.array([step.stop_s - step.start_s for step in steps])[steady],
        length_m=length_m[steady],
        observed=observed & observed[list(mirror.partner)],
    )


@dataclass(frozen=True, slots=True, eq=False)
class StepInterval:
    """One step of a motion.

    Args:
        side: Side of the toe off that begins the step.
        start_s: Time of that toe off.
        stop_s: Time of the other toe off.
        around: The motion with the neighbouring steps.
    """

    side: str
    start_s: float
    stop_s: float
    around: Motion


def straight_steps(motion: Motion, times: Sequence[tuple[str, float, float]]) -> list[StepInterval]:
    """Return the steps at `times` (side, start and end) that do not turn, with their neighbours."""
    position = CubicSpline(motion.time_s, motion.qpos[:, :2], axis=0)
    steps = []
    for number, (side, start_s, stop_s) in enumerate(times):
        near = times[max(number - NEIGHBOURS, 0) : number + NEIGHBOURS + 1]
        displacements = np.diff(position(np.array([near[0][1], *(stop for _, _, stop in near)])), axis=0)
        if np.hypot(*displacements.sum(axis=0)) < STRAIGHT * np.hypot(*displacements.T).sum():
            continue
        first_s = near[0][1] if number > NEIGHBOURS else -np.inf
        last_s = near[-1][2] if number + NEIGHBOURS + 1 < len(times) else np.inf
        around = motion.samples((motion.time_s >= first_s) & (motion.time_s <= last_s))
        steps.append(StepInterval(side, start_s, stop_s, around))
    return steps


def _coordinates(step: StepInterval) -> Array:
    """Return the coordinates of a step along the x axis. Shape (SAMPLES, nq)."""
    direction = direction_of_cycles(step.around) or direction_of_travel(step.around)
    curve = CubicSpline(step.around.time_s, angles_from_qpos(direction.aligned_with_x(step.around).qpos), axis=0)
    return np.asarray(curve(step.start_s + SHARES * (step.stop_s - step.start_s)))


def step_times(robot: Robot, motion: Motion) -> list[tuple[str, float, float]]:
    """Return side of the first toe off, start and end of every step."""
    events = sorted((time_s, side) for side in (LEFT, RIGHT) for time_s in toe_offs(robot, motion, side))
    return [
        (side, start_s, stop_s)
        for (start_s, side), (stop_s, other) in pairwise(events)
        if side != other and STEP_S[0] <= stop_s - start_s <= STEP_S[1]
    ]


def toe_offs(robot: Robot, motion: Motion, side: str) -> Sequence[float]:
    """Return the times of toe off of a side, by the contacts of the motion or by detected contact phases."""
    if has_contacts(motion):
        touches = motion.contact[:, motion.foot_names.index(sided(TOES, side))]
        return [float(motion.time_s[k : k + 2].mean()) for k in np.flatnonzero(touches[:-1] & ~touches[1:])]
    opening = walking_cycle(robot).order[0 if side == LEFT else len(walking_cycle(robot).order) // 2]
    phases = detect_phases(robot, motion, walking_cycle(robot))
    return [phase.start_s for phase in phases[1:] if phase.contact == opening]
