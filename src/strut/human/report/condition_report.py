"""Condition report: figures that compare conditions by features of expression and by mean curves over the cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from strut.arrays import Array
from strut.human.analysis.condition_comparison import ConditionComparison
from strut.human.analysis.gait_analysis import PERCENT, GaitAnalysis, normalised_cycle
from strut.human.report.condition_text import feature_label, peak_words
from strut.human.report.gait_plots import COLORS
from strut.viewer.plots import LOOK, PALE

FEATURES = ("speed_m_s", "step_length_m", "step_duration_s", "head_pitch_deg", "arm_swing_deg", "head_bounce_mm")
CURVES = (
    *("right_hip_flexion", "right_knee_flexion", "right_ankle_flexion", "trunk_bending", "head_bending"),
    *("right_shoulder_flexion", "right_elbow_flexion", "right_shoulder_abduction", "pelvis_tilt"),
)
TORQUES = (
    *("right_hip_flexion", "right_knee_flexion", "right_ankle_flexion"),
    *("right_hip_abduction", "trunk_bending", "head_bending"),
)


def condition_curves(
    walks: GaitAnalysis, comparison: ConditionComparison
) -> Iterator[tuple[str, list[tuple[Figure, str]]]]:
    """Yield figures of conditions: features with deviations, and mean curves over the cycle."""
    if features := known_features(comparison):
        yield (
            "Conditions",
            [(features_plot(comparison, features), "Every trial (pale), mean and standard deviation.")],
        )
    curves = mean_cycles(walks, comparison, CURVES, "deg")
    if curves:
        words = "Mean of the trials of each condition over the cycle of the right leg, with one standard deviation."
        yield "Mean angles", [(curves_plot(comparison, curves, CURVES, "deg"), words)]
    pictures = []
    if torques := mean_cycles(walks, comparison, TORQUES, "nm_kg"):
        figure = curves_plot(comparison, torques, TORQUES, "N m/kg")
        pictures.append((figure, "Joint torques per body mass."))
    if comparison.muscles:
        words = f"EMG: rectified, low-passed at 6 Hz, as a share of {peak_words(comparison)}."
        pictures.append((muscles_plot(comparison), words))
    if pictures:
        yield "Torques and muscles", pictures


def known_features(comparison: ConditionComparison) -> list[str]:
    """Return the names of the plotted features that at least one condition has."""
    return [name for name in FEATURES if any(own[name].mean is not None for own in comparison.summary.values())]


def features_plot(comparison: ConditionComparison, features: Sequence[str]) -> Figure:
    """Return some features of every condition, three in a row."""
    rows = -(-len(features) // 3)
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(9.6, 2.7 * rows), layout="constrained")
        for number, feature in enumerate(features):
            axes = figure.add_subplot(rows, 3, number + 1)
            for index, (condition, names) in enumerate(comparison.trials.items()):
                values = [getattr(comparison.features[name], feature) for name in names]
                own = comparison.summary[condition][feature]
                color = COLORS[index % len(COLORS)]
                axes.plot([index] * len(values), values, "o", color=color, alpha=0.35, markersize=4.0)
                if own.mean is None:
                    continue
                axes.errorbar(
                    [index], [own.mean], yerr=own.sd or 0.0, fmt="_", color=color, markersize=16.0, capsize=4.0
                )
            axes.set_title(feature_label(feature), loc="left", fontsize=9.0)
            axes.set_xticks(range(len(comparison.trials)), list(comparison.trials), rotation=35.0, ha="right")
            axes.set_xlim(-0.6, len(comparison.trials) - 0.4)
    return figure


def mean_cycles(
    walks: GaitAnalysis, comparison: ConditionComparison, names: Sequence[str], unit: str
) -> dict[str, dict[str, Array]]:
    """Return mean and deviation of curves by condition and name, over trials that have them. Shape (2, 101) each."""
    columns = [f"{name}_{unit}" for name in names]
    curves = {}
    for condition, trials in comparison.trials.items():
        known = [cycle for trial in trials if (cycle := _known_cycle(walks, trial, columns))]
        if known:
            curves[condition] = {
                name: np.stack([np.mean(own, axis=0), np.std(own, axis=0)])
                for name, own in zip(names, np.swapaxes(known, 0, 1), strict=True)
            }
    return curves


def _known_cycle(walks: GaitAnalysis, trial: str, columns: Sequence[str]) -> list[Array]:
    """Return some curves of a trial over its cycle; empty unless it has all of them. Shape (101,) each."""
    cycle = normalised_cycle(*walks.walks[trial]) or {}
    return [cycle[name] for name in columns] if set(columns) <= set(cycle) else []


def curves_plot(
    comparison: ConditionComparison, curves: Mapping[str, Mapping[str, Array]], names: Sequence[str], unit: str
) -> Figure:
    """Return mean curves of conditions over the cycle, with their deviations, three in a row."""
    titles = [f"{name.replace('_', ' ')} [{unit}]" for name in names]
    values = {condition: [tuple(own[name]) for name in names] for condition, own in curves.items()}
    return cycle_panels(titles, values, _colors(comparison))


def muscles_plot(comparison: ConditionComparison) -> Figure:
    """Return the mean activity of muscles of conditions over the cycle, with deviations over trials."""
    names = next(iter(comparison.muscles.values())).names
    values = {condition: list(zip(own.mean.T, own.sd.T, strict=True)) for condition, own in comparison.muscles.items()}
    return cycle_panels(list(names), values, _colors(comparison))


def cycle_panels(
    titles: Sequence[str], values: Mapping[str, Sequence[tuple[Array, Array]]], colors: Mapping[str, str]
) -> Figure:
    """Return one panel per title, with mean and deviation (101,) of each of the `values` in its colour."""
    rows = -(-len(titles) // 3)
    height_in = 1.0 + 2.0 * rows
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(9.6, height_in))
        edges = {"bottom": 0.5 / height_in, "top": 1.0 - 0.6 / height_in, "left": 0.05, "right": 0.985}
        figure.subplots_adjust(**edges, wspace=0.2, hspace=0.4)
        for number, title in enumerate(titles):
            axes = figure.add_subplot(rows, 3, number + 1)
            for name, own in values.items():
                mean, sd = own[number]
                axes.fill_between(PERCENT, mean - sd, mean + sd, color=colors[name], alpha=0.15, linewidth=0.0)
                axes.plot(PERCENT, mean, color=colors[name], linewidth=1.4, label=name)
            axes.axhline(0.0, color=PALE, linewidth=0.6)
            axes.set_title(title, loc="left", fontsize=9.0)
            axes.set(xlim=(0.0, 100.0))
        names = figure.axes[0].get_legend_handles_labels()
        figure.legend(*names, loc="upper left", bbox_to_anchor=(0.04, 1.0), ncols=6, frameon=False)
        figure.supxlabel("% of the cycle", fontsize=9.0)
    return figure


def _colors(comparison: ConditionComparison) -> dict[str, str]:
    return {name: COLORS[index % len(COLORS)] for index, name in enumerate(comparison.trials)}
