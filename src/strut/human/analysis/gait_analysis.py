"""Gait analysis: gait parameters, comparison and normative bands of human walks, and their curves as a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.errors import BadMotionError
from strut.human.analysis.gait_comparison import GaitComparison, gait_comparison
from strut.human.analysis.gait_cycle import GaitCycle, coordinate_names, gait_cycle, gait_strides, mirror_image
from strut.human.analysis.gait_expression import unobserved_features
from strut.human.analysis.gait_parameters import GaitParameters, gait_parameters
from strut.human.analysis.over_ground import over_ground
from strut.human.analysis.reference_bands import BandScore, band_scores
from strut.human.analysis.walk_figures import foot_force, joint_power, walk_figures
from strut.human.anatomy import ELBOW, HEAD, LUMBAR, SHOULDER
from strut.maths.rotation import angles_from_qpos
from strut.models.catalogue import robot_of
from strut.models.laboratory_names import PANELS, Panel, coordinate_label
from strut.motion import Motion
from strut.plumbing.csv_text import csv_of_rows
from strut.robot import Robot

FIGURE_JOINTS = {  # joints that markers must observe; otherwise the figure is an assumption of the model
    "elbow_mean_deg": ELBOW,
    "shoulder_range_deg": SHOULDER,
    "trunk_pitch_deg": LUMBAR,
    "head_pitch_deg": HEAD,
}

PERCENT = np.arange(101.0)
FORCE_AXES = ("forwards", "inwards", "up")


@dataclass(frozen=True, slots=True)
class GaitAnalysis:
    """Walks by name: robot and motion over ground, gait parameters, comparison, and scores against normative bands."""

    walks: Mapping[str, tuple[Robot, Motion]]
    parameters: Mapping[str, GaitParameters]
    comparison: GaitComparison
    scores: Mapping[str, Mapping[str, BandScore]]

    def as_dict(self) -> dict[str, Any]:
        """Return the analysis for JSON."""
        scores = {walk: {name: score.as_dict() for name, score in own.items()} for walk, own in self.scores.items()}
        motions = {name: each.as_dict() | {"bands": scores[name]} for name, each in self.parameters.items()}
        return {"motions": motions} | self.comparison.as_dict()

    def cycles_csv(self) -> str:
        """Return angles, torques, powers and forces at 0 to 100 % of the cycle as CSV; the first column is the walk."""
        rows: list[dict[str, str]] = []
        for name, (robot, motion) in self.walks.items():
            table = normalised_cycle(robot, motion)
            if table is None:
                raise BadMotionError(f"{name} holds no whole cycle of walking; leave it out, or leave --csv out.")
            samples = zip(*table.values(), strict=True)
            rows += [{"walk": name} | dict(zip(table, map("{:.6g}".format, sample), strict=True)) for sample in samples]
        return csv_of_rows(list(dict.fromkeys(name for row in rows for name in row)), rows)


def analyze(motions: Motion | Mapping[str, Motion]) -> GaitAnalysis:
    """Measure human walks and compare them; walks on a treadmill are measured relative to its belt.

    Args:
        motions: One motion of a human model, or several by name.

    Example:
        >>> strut.analyze(strut.load_motion("gait.npz")).parameters["heiman"].speed_m_s  # doctest: +SKIP
        1.3
    """
    named = {motions.robot: motions} if isinstance(motions, Motion) else motions
    if not named:
        raise BadMotionError("There is no motion to measure; give at least one.")
    recorded = {name: (robot_of(motion), motion) for name, motion in named.items()}
    parameters = {name: gait_parameters(robot, motion) for name, (robot, motion) in recorded.items()}
    walks = {name: (robot, over_ground(robot, motion)) for name, (robot, motion) in recorded.items()}
    scores = {name: cycle_scores(robot, motion) for name, (robot, motion) in walks.items()}
    return GaitAnalysis(walks, parameters, gait_comparison(walks), scores)


def cycle_scores(robot: Robot, motion: Motion) -> dict[str, BandScore]:
    """Return the figures of the cycle against their normative bands; empty without a cycle or at speeds without bands.

    Figures of joints that no marker observes are left out.
    """
    cycle = gait_cycle(robot, motion)
    if cycle is None:
        return {}
    unobserved = unobserved_features(motion, FIGURE_JOINTS)
    figures = {name: value for name, value in walk_figures(robot, cycle.motion).items() if name not in unobserved}
    return band_scores(robot, cycle.speed_m_s, figures)


def normalised_cycle(robot: Robot, motion: Motion) -> dict[str, Array] | None:
    """Return curves by name at 0, 1, ... 100 % of a cycle; None if the motion has none. Shape (101,) each.

    Each side runs from one strike of its own heel to the next; trunk, head and pelvis use the right side. Names end in
    the unit: degrees, N m/kg, W/kg, and `bw` for body weights. Unknown torques and forces are left out. Flexion of hip,
    knee and elbow and dorsiflexion of the ankle are positive on both sides, and torques have the signs of the angles.
    """
    right = _side(robot, motion, "right")
    left = _side(robot, mirror_image(robot, motion), "left")
    return None if right is None or left is None else {"percent": PERCENT} | right | left


def stride_curves(robot: Robot, motion: Motion) -> dict[str, Array]:
    """Return curves by name at 0, 1, ... 100 % of every stride inside the motion; see `normalised_cycle`.

    Each has shape (n, 101) for n strides of its side; curves that not all strides of a side have are left out.
    """
    curves: dict[str, Array] = {}
    for side, own in (("right", motion), ("left", mirror_image(robot, motion))):
        strides = [_cycle_curves(robot, stride, side) for stride in gait_strides(robot, own)]
        if strides:
            shared = [name for name in strides[0] if all(name in stride for stride in strides)]
            curves |= {name: np.array([stride[name] for stride in strides]) for name in shared}
    return curves


def _side(robot: Robot, motion: Motion, side: str) -> dict[str, Array] | None:
    """Return the curves of one cycle of the right side of a motion, named as those of `side`."""
    cycle = gait_cycle(robot, motion)
    return None if cycle is None else _cycle_curves(robot, cycle, side)


def _cycle_curves(robot: Robot, cycle: GaitCycle, side: str) -> dict[str, Array]:
    """Return the curves of the right side of a cycle, named as those of `side`. Shape (101,) each."""
    names = coordinate_names(robot)
    angles = np.degrees(angles_from_qpos(cycle.motion.qpos))
    force = foot_force(robot, cycle.motion)
    curves: dict[str, Array] = {}
    for panel in (panel for group in PANELS.values() for panel in group):
        if column := _column_name(panel, side):
            curves[f"{column}_deg"] = panel.sign * angles[:, names.index(panel.coordinate)]
            curves |= _torque_and_power(robot, cycle.motion, panel, column)
    if force is not None:
        curves |= {f"{side}_foot_force_{axis}_bw": force[:, index] for index, axis in enumerate(FORCE_AXES)}
    return {name: np.interp(PERCENT / 100.0, cycle.share, values) for name, values in curves.items()}


def _torque_and_power(robot: Robot, motion: Motion, panel: Panel, column: str) -> dict[str, Array]:
    """Return torque and power of the joint of a panel over the body mass; empty if they are unknown."""
    power = joint_power(motion)
    if motion.torque_nm is None or power is None or panel.coordinate not in robot.joint_names:
        return {}
    index = robot.joint_names.index(panel.coordinate)
    torque = panel.sign * motion.torque_nm[:, index]
    return {f"{column}_nm_kg": torque / robot.mass_kg, f"{column}_w_kg": power[:, index] / robot.mass_kg}


def _column_name(panel: Panel, side: str) -> str | None:
    """Return the column name of a panel on a side; None for trunk, head and pelvis on the left side."""
    label = coordinate_label(panel.coordinate)
    if label.startswith("right "):
        label = f"{side}{label.removeprefix('right')}"
    elif side != "right":
        return None
    return label.replace(" ", "_")
