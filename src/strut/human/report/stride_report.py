"""Stride report: mean and standard deviation over the strides of a walk, left and right beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from matplotlib.figure import Figure

from strut.arrays import Array
from strut.human.analysis.gait_analysis import GaitAnalysis
from strut.human.analysis.strides import Strides, measure_strides
from strut.human.report.condition_report import cycle_panels
from strut.viewer.report_table import ReportTable

SIDE_COLORS = {"left": "#b3261e", "right": "#3568b8"}  # as many laboratories print them
SHEETS = {
    "angles": ("deg", ("hip_flexion", "hip_abduction", "hip_rotation", "knee_flexion", "ankle_flexion")),
    "torques": ("nm_kg", ("hip_flexion", "hip_abduction", "knee_flexion", "ankle_flexion")),
    "powers": ("w_kg", ("hip_flexion", "knee_flexion", "ankle_flexion")),
}
UNITS = {"deg": "deg", "nm_kg": "N m/kg", "w_kg": "W/kg"}
TITLES = {"ankle_flexion": "ankle dorsiflexion", "hip_rotation": "hip external rotation"}
WORDS = (
    "Mean ± standard deviation over all strides inside the walk, each leg from one strike of its own heel to the next."
)


def repeated_strides(found: GaitAnalysis) -> dict[str, Strides]:
    """Return the strides of every walk with two or more on either leg."""
    measured = {name: measure_strides(robot, motion) for name, (robot, motion) in found.walks.items()}
    return {name: strides for name, strides in measured.items() if strides.repeats}


def stride_tables(strides: dict[str, Strides]) -> Iterator[ReportTable]:
    """Yield a table of each walk: a row for each figure, a left and a right column."""
    for name, own in strides.items():
        left = own.figures["left"]
        right = own.figures["right"]
        rows = [["strides", *(str(len(next(iter(side.values())))) for side in (left, right))]]
        rows += [[words, _format(left[words]), _format(right[words])] for words in left if words in right]
        yield ReportTable(f"strides of {name}", f"Strides of {name}", WORDS, name, ["", "left", "right"], rows)


def stride_plots(strides: dict[str, Strides]) -> Iterator[tuple[Figure, str]]:
    """Yield sheets of curves of each walk, with their captions."""
    for name, own in strides.items():
        for sheet, (unit, curves) in SHEETS.items():
            known = [curve for curve in curves if f"right_{curve}_{unit}" in own.curves]
            if known:
                caption = f"{name}: {sheet}, mean and one standard deviation over strides; left red, right blue."
                yield stride_sheet(own, known, unit), caption


def stride_sheet(strides: Strides, names: Sequence[str], unit: str) -> Figure:
    """Return panels, three in a row, with mean and standard deviation of left and right strides."""
    titles = [f"{TITLES.get(name, name.replace('_', ' '))} [{UNITS[unit]}]" for name in names]
    values = {
        side: [
            (curves.mean(axis=0), curves.std(axis=0, ddof=1))
            for curves in (strides.curves[f"{side}_{name}_{unit}"] for name in names)
        ]
        for side in SIDE_COLORS
    }
    return cycle_panels(titles, values, SIDE_COLORS)


def _format(values: Array) -> str:
    """Return mean ± standard deviation with three digits of the mean."""
    mean = float(np.mean(values))
    digits = 3 if abs(mean) < 1.0 else 2 if abs(mean) < 10.0 else 1
    return f"{mean:.{digits}f} ± {np.std(values, ddof=1):.{digits}f}"
