"""Gait analysis: everything measured of human walks, one by one and beside each other, and their curves as a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.errors import BadMotionError
from strut.human.analysis.gait_comparison import GaitComparison, gait_comparison
from strut.human.analysis.gait_cycle import coordinate_names, gait_cycle, mirror_image
from strut.human.analysis.gait_expression import untold
from strut.human.analysis.gait_parameters import GaitParameters, gait_parameters
from strut.human.analysis.reference_bands import BandScore, band_scores
from strut.human.analysis.walk_figures import foot_force, joint_power, walk_figures
from strut.human.anatomy import ELBOW, HEAD, LUMBAR, SHOULDER
from strut.maths.rotation import angles_from_qpos
from strut.models.catalogue import robot_of
from strut.models.laboratory_names import PANELS, Panel, joint_words
from strut.motion import Motion
from strut.robot import Robot

FIGURES_TOLD_BY = {  # joints that markers must tell for a figure to be somebody's
    "elbow_mean_deg": ELBOW,
    "shoulder_range_deg": SHOULDER,
    "trunk_pitch_deg": LUMBAR,
    "head_pitch_deg": HEAD,
}

PERCENT = np.arange(101.0)
FORCE_AXES = ("forwards", "inwards", "up")


@dataclass(frozen=True, slots=True)
class GaitAnalysis:
    """Walks by name: robot and motion, gait parameters, the walks beside each other, and beside people's bands."""

    walks: Mapping[str, tuple[Robot, Motion]]
    parameters: Mapping[str, GaitParameters]
    comparison: GaitComparison
    scores: Mapping[str, Mapping[str, BandScore]]

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as JSON would hold them."""
        scores = {name: {word: one.as_dict() for word, one in own.items()} for name, own in self.scores.items()}
        motions = {name: each.as_dict() | {"bands": scores[name]} for name, each in self.parameters.items()}
        return {"motions": motions} | self.comparison.as_dict()

    def cycles_csv(self) -> str:
        """Return angles, torques, powers and forces at 0 to 100 % of the cycle as a table, the walk's name first."""
        rows: list[dict[str, str]] = []
        for name, (robot, motion) in self.walks.items():
            table = normalised_cycle(robot, motion)
            if table is None:
                raise BadMotionError(f"{name} holds no whole cycle of walking; leave it out, or leave --csv out.")
            samples = zip(*table.values(), strict=True)
            rows += [{"walk": name} | dict(zip(table, map("{:.6g}".format, sample), strict=True)) for sample in samples]
        text = io.StringIO()
        writer = csv.DictWriter(text, list(dict.fromkeys(word for row in rows for word in row)), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return text.getvalue()


def analyze(motions: Motion | Mapping[str, Motion]) -> GaitAnalysis:
    """Measure human walks and compare them.

    Args:
        motions: One motion of a human model, or several by name.

    Example:
        >>> strut.analyze(strut.load_motion("gait.npz")).parameters["heiman"].speed_m_s  # doctest: +SKIP
        1.3
    """
    named = {motions.robot: motions} if isinstance(motions, Motion) else motions
    if not named:
        raise BadMotionError("There is no motion to measure; give at least one.")
    walks = {name: (robot_of(motion), motion) for name, motion in named.items()}
    parameters = {name: gait_parameters(robot, motion) for name, (robot, motion) in walks.items()}
    scores = {name: cycle_scores(robot, motion) for name, (robot, motion) in walks.items()}
    return GaitAnalysis(walks, parameters, gait_comparison(walks), scores)


def cycle_scores(robot: Robot, motion: Motion) -> dict[str, BandScore]:
    """Return the figures of a walk's cycle beside people's; empty without a cycle, or at speeds without bands.

    What no marker of a recording tells is left out: the model only supposes it.
    """
    cycle = gait_cycle(robot, motion)
    if cycle is None:
        return {}
    figures = walk_figures(robot, cycle.motion)
    supposed = untold(motion, FIGURES_TOLD_BY)
    told = {name: value for name, value in figures.items() if name not in supposed}
    return band_scores(robot, cycle.speed_m_s, told)


def normalised_cycle(robot: Robot, motion: Motion) -> dict[str, Array] | None:
    """Return curves by name at 0, 1, ... 100 % of a cycle; None if the motion holds none. Shape (101,) each.

    Each side runs from a landing of its own heel to the next; trunk, head and pelvis go with the right side. Names end
    in the unit: degrees, N m/kg, W/kg, and `bw` for body weights. What the motion does not know is left out.
    """
    right = _side(robot, motion, "right")
    left = _side(robot, mirror_image(robot, motion), "left")
    return None if right is None or left is None else {"percent": PERCENT} | right | left


def _side(robot: Robot, motion: Motion, side: str) -> dict[str, Array] | None:
    """Return the curves of the right side under the name of a side."""
    cycle = gait_cycle(robot, motion)
    if cycle is None:
        return None
    seen = cycle.motion
    names = coordinate_names(robot)
    angles = np.degrees(angles_from_qpos(seen.qpos))
    force = foot_force(robot, seen)
    curves: dict[str, Array] = {}
    for panel in (panel for group in PANELS.values() for panel in group):
        if word := _word(panel, side):
            curves[f"{word}_deg"] = panel.sign * angles[:, names.index(panel.coordinate)]
            curves |= _driven(robot, seen, panel, word)
    if force is not None:
        curves |= {f"{side}_foot_force_{axis}_bw": force[:, index] for index, axis in enumerate(FORCE_AXES)}
    return {name: np.interp(PERCENT / 100.0, cycle.share, values) for name, values in curves.items()}


def _driven(robot: Robot, motion: Motion, panel: Panel, word: str) -> dict[str, Array]:
    """Return torque and power of a panel's joint over the body mass; nothing where they are unknown."""
    power = joint_power(motion)
    if motion.torque_nm is None or power is None or panel.coordinate not in robot.joint_names:
        return {}
    column = robot.joint_names.index(panel.coordinate)
    torque = panel.sign * motion.torque_nm[:, column]
    return {f"{word}_nm_kg": torque / robot.mass_kg, f"{word}_w_kg": power[:, column] / robot.mass_kg}


def _word(panel: Panel, side: str) -> str | None:
    """Return a panel's coordinate as the name of a column; None for the body's middle on the left side."""
    words = joint_words(panel.coordinate)
    if words.startswith("right "):
        words = f"{side}{words.removeprefix('right')}"
    elif side != "right":
        return None
    return words.replace(" ", "_")
