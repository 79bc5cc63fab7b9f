"""Condition report: figures of conditions beside each other: features of expression, and mean curves over the cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from strut.analysis.condition_comparison import ConditionComparison
from strut.analysis.gait_analysis import PERCENT, GaitAnalysis, normalised_cycle
from strut.robot import Array
from strut.show.condition_wording import feature_words
from strut.show.gait_plots import COLORS
from strut.show.page import Picture, plotted
from strut.show.plots import LOOK, PALE

DRAWN = ("speed_m_s", "step_length_m", "step_duration_s", "head_pitch_deg", "arm_swing_deg", "head_bounce_mm")
CURVES = (
    *("right_hip_flexion", "right_knee_flexion", "right_ankle_flexion", "trunk_bending", "head_bending"),
    *("right_shoulder_flexion", "right_elbow_flexion", "right_shoulder_abduction", "pelvis_tilt"),
)


def condition_curves(walks: GaitAnalysis, found: ConditionComparison) -> Iterator[tuple[str, list[Picture]]]:
    """Yield figures of conditions: features with deviations, and mean curves over the cycle."""
    yield "Conditions", [plotted(features_plot(found), "Every trial (pale), mean and standard deviation.")]
    curves = mean_cycles(walks, found)
    if curves:
        words = "Mean of the trials of each condition over the cycle of the right leg, with one standard deviation."
        yield "Mean angles", [plotted(curves_plot(curves), words)]


def features_plot(found: ConditionComparison) -> Figure:
    """Return step parameters and the plainest features of every condition."""
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(9.6, 5.4), layout="constrained")
        for number, feature in enumerate(DRAWN):
            axes = figure.add_subplot(2, 3, number + 1)
            for index, (condition, names) in enumerate(found.trials.items()):
                values = [getattr(found.features[name], feature) for name in names]
                own, color = found.summary[condition][feature], COLORS[index % len(COLORS)]
                axes.plot([index] * len(values), values, "o", color=color, alpha=0.35, markersize=4.0)
                if own.mean is None:
                    continue
                axes.errorbar(
                    [index], [own.mean], yerr=own.sd or 0.0, fmt="_", color=color, markersize=16.0, capsize=4.0
                )
            axes.set_title(feature_words(feature), loc="left", fontsize=9.0)
            axes.set_xticks(range(len(found.trials)), list(found.trials), rotation=35.0, ha="right")
            axes.set_xlim(-0.6, len(found.trials) - 0.4)
    return figure


def mean_cycles(walks: GaitAnalysis, found: ConditionComparison) -> dict[str, dict[str, Array]]:
    """Return mean and deviation of curves by condition and name, of trials with a whole cycle. Shape (2, 101) each."""
    curves = {}
    for condition, names in found.trials.items():
        cycles = [cycle for name in names if (cycle := normalised_cycle(*walks.walks[name])) is not None]
        if cycles:
            curves[condition] = {
                name: np.stack([np.mean(own, axis=0), np.std(own, axis=0)])
                for name in CURVES
                if (own := [cycle[f"{name}_deg"] for cycle in cycles])
            }
    return curves


def curves_plot(curves: Mapping[str, Mapping[str, Array]]) -> Figure:
    """Return mean angles of conditions over the cycle, with their deviations."""
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(9.6, 7.0), layout="constrained")
        for number, name in enumerate(CURVES):
            axes = figure.add_subplot(3, 3, number + 1)
            for index, (condition, own) in enumerate(curves.items()):
                (mean, sd), color = own[name], COLORS[index % len(COLORS)]
                axes.fill_between(PERCENT, mean - sd, mean + sd, color=color, alpha=0.15, linewidth=0.0)
                axes.plot(PERCENT, mean, color=color, linewidth=1.4, label=condition)
            axes.axhline(0.0, color=PALE, linewidth=0.6)
            axes.set_title(f"{name.replace('_', ' ')} [deg]", loc="left", fontsize=9.0)
            axes.set(xlim=(0.0, 100.0))
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside upper left", ncols=6, frameon=False)
        figure.supxlabel("% of the cycle", fontsize=9.0)
    return figure
