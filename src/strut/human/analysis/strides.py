"""Strides: all strides of a walk, left and right, with mean and standard deviation of their figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.human.analysis.gait_analysis import stride_curves
from strut.human.analysis.gait_cycle import gait_strides, mirror_image
from strut.human.anatomy import RIGHT, points_of_side
from strut.motion import Motion
from strut.robot import Robot

# Figures that are read off a curve of a stride. Shape (n, 101) in, (n,) out.
_OF_CURVE: Mapping[str, tuple[str, Callable[[Array], Array]]] = {
    "hip flexion, range [deg]": ("hip_flexion_deg", lambda curves: np.ptp(curves, axis=1)),
    "knee flexion, largest [deg]": ("knee_flexion_deg", lambda curves: curves.max(axis=1)),
    "dorsiflexion, largest [deg]": ("ankle_flexion_deg", lambda curves: curves.max(axis=1)),
    "plantarflexion, largest [deg]": ("ankle_flexion_deg", lambda curves: -curves.min(axis=1)),
    "vertical force, largest [body weights]": ("foot_force_up_bw", lambda curves: curves.max(axis=1)),
}


@dataclass(frozen=True, slots=True, eq=False)
class Strides:
    """All strides of a walk.

    Args:
        figures: One value per stride of each figure, by side (left, right) and name with unit.
        curves: Curves over each stride by name, such as `left_knee_flexion_deg`. Shape (n, 101) each.
    """

    figures: Mapping[str, Mapping[str, Array]]
    curves: Mapping[str, Array]

    @property
    def repeats(self) -> bool:
        """Whether both legs have two strides or more, so that there is a deviation."""
        return all(len(next(iter(own.values()), ())) > 1 for own in self.figures.values())


def measure_strides(robot: Robot, motion: Motion) -> Strides:
    """Return all strides inside a walk over ground."""
    curves = stride_curves(robot, motion)
    sides = {"left": mirror_image(robot, motion), "right": motion}
    return Strides({side: _figures(robot, own, side, curves) for side, own in sides.items()}, curves)


def _figures(robot: Robot, motion: Motion, side: str, curves: Mapping[str, Array]) -> dict[str, Array]:
    """Return the figures of the strides of one leg; `motion` walks with it as its right one."""
    strides = [stride.motion for stride in gait_strides(robot, motion)]
    if not strides:
        return {}
    duration_s = np.array([stride.duration_s for stride in strides])
    length_m = np.array([float(stride.qpos[-1, 0] - stride.qpos[0, 0]) for stride in strides])
    foot = points_of_side(motion.foot_names, RIGHT)
    stance = np.array([stride.contact[:-1, foot].any(axis=1).mean() for stride in strides])
    read = {
        words: measure(curves[f"{side}_{name}"])
        for words, (name, measure) in _OF_CURVE.items()
        if f"{side}_{name}" in curves
    }
    return {
        "stride time [s]": duration_s,
        "stride length [m]": length_m,
        "speed [m/s]": length_m / duration_s,
        "cadence [steps/min]": 120.0 / duration_s,
        "stance [% of the cycle]": 100.0 * stance,
        "swing [% of the cycle]": 100.0 * (1.0 - stance),
        **read,
    }
