"""Recorded steps: steps of a walk, from left toe-off to right toe-off or in the mirror, at shares of their time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline

from strut.engines.kinematic_tree import read_tree
from strut.errors import BadMotionError
from strut.human.anatomy import LEFT, RIGHT, TOES, sided, walking_cycle
from strut.human.walking_direction import direction_of_cycles, direction_of_travel
from strut.mirror import mirror_of
from strut.motion import Motion
from strut.optimal.contact_detection import check_samples, detected_phases, has_contacts
from strut.robot import Array, Robot
from strut.rotation import angles_from_qpos

SAMPLES = 51  # of a step, both ends in
SHARES = np.linspace(0.0, 1.0, SAMPLES)
STEP_S = (0.25, 1.5)  # what lasts shorter or longer is no step of a walk


@dataclass(frozen=True, slots=True, eq=False)
class RecordedSteps:
    """Steps of one person, all with the right foot standing; those of the left foot are mirrored.

    Args:
        names: Coordinates of the model.
        q: Their values at shares of each step. Shape (steps, SAMPLES, nq).
        duration_s: Shape (steps,).
        length_m: Way of the pelvis. Shape (steps,).
        observed: Which coordinates were seen, on either side. Shape (nq,).
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
        """Return these steps and others of the same person."""
        return RecordedSteps(
            self.names,
            np.concatenate([self.q, other.q]),
            np.concatenate([self.duration_s, other.duration_s]),
            np.concatenate([self.length_m, other.length_m]),
            self.observed & other.observed,
        )


def recorded_steps(robot: Robot, motion: Motion) -> RecordedSteps:
    """Return the steps of a human model's motion, wherever it walks; raises BadMotionError if it has none."""
    check_samples(motion)
    names = read_tree(robot.model, angle_base=True).velocity_names
    mirror = mirror_of(robot, names)
    direction = direction_of_cycles(motion) or direction_of_travel(motion)
    angles = angles_from_qpos(direction.aligned_with_x(motion).qpos)
    curve, found = CubicSpline(motion.time_s, angles, axis=0), _step_times(robot, motion)
    steps = [(side, curve(start_s + SHARES * (stop_s - start_s)), stop_s - start_s) for side, start_s, stop_s in found]
    if not steps:
        raise BadMotionError("The walk holds no step from one foot's toe-off to the other's; give a longer recording.")
    q = np.stack([values if side == LEFT else mirror.image(values) for side, values, _ in steps])
    seen = [bool(motion.meta.get("observed", {}).get(name, True)) for name in names]
    return RecordedSteps(
        names=names,
        q=q,
        duration_s=np.array([lasts_s for _, _, lasts_s in steps]),
        length_m=q[:, -1, 0] - q[:, 0, 0],
        observed=np.array(seen) & np.array(seen)[list(mirror.partner)],
    )


def _step_times(robot: Robot, motion: Motion) -> list[tuple[str, float, float]]:
    """Return side of the toes that leave first, start and end of every step."""
    offs = sorted((time_s, side) for side in (LEFT, RIGHT) for time_s in _toe_offs(robot, motion, side))
    return [
        (side, start_s, stop_s)
        for (start_s, side), (stop_s, other) in pairwise(offs)
        if side != other and STEP_S[0] <= stop_s - start_s <= STEP_S[1]
    ]


def _toe_offs(robot: Robot, motion: Motion, side: str) -> Sequence[float]:
    """Return when the toes of a side leave the ground, by contact columns or else by phases that feet show."""
    if has_contacts(motion):
        touches = motion.contact[:, motion.foot_names.index(sided(TOES, side))]
        return [float(motion.time_s[k : k + 2].mean()) for k in np.flatnonzero(touches[:-1] & ~touches[1:])]
    opening = walking_cycle(robot).order[0 if side == LEFT else len(walking_cycle(robot).order) // 2]
    phases = detected_phases(robot, motion, walking_cycle(robot))
    return [phase.start_s for phase in phases[1:] if phase.contact == opening]
