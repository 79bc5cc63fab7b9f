"""Pepper's ratings: the statistics of Tables 2 and 3 that follow from their own numbers, as printed and corrected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import stats

from strut.reproduction.comparison import Comparison, compared, corrected
from strut.robot import Robot

_EMOTIONS = ("calm", "fear", "happiness", "sadness")
_ANSWERS, _CHANCE, _RATERS = 15, 0.2, 30
_Z = float(stats.norm.ppf(0.975))


def recognition_rows(robot: Robot) -> list[Comparison]:
    """Return Table 2a: p-values and intervals of the answers, and what they should have been."""
    published, rows = robot.table("published"), []
    for emotion in _EMOTIONS:
        counts = np.array(published["recognised"][emotion])
        above = stats.binom.sf(counts, _ANSWERS, _CHANCE).tolist()
        rows.append(compared("Table 2a", f"{emotion}: P(more answers)", published["recognised_p"], emotion, above))
        share = counts / _ANSWERS
        half = _Z * np.sqrt(share * (1.0 - share) / _ANSWERS)
        wald = 100.0 * np.clip(np.stack([share - half, share + half], axis=1), 0.0, 1.0)
        section = published["recognised_interval"]
        rows.append(compared("Table 2a", f"{emotion}: intervals", section, emotion, wald.ravel().tolist()))
        hit = int(counts[_EMOTIONS.index(emotion)])
        printed = published["recognised_p"][emotion][_EMOTIONS.index(emotion)]
        at_least = float(stats.binomtest(hit, _ANSWERS, _CHANCE, alternative="greater").pvalue)
        rows.append(corrected("P20", f"{emotion}: p of its hits", printed, at_least, "", "P(at least as many)"))
        bounds = stats.binomtest(hit, _ANSWERS, _CHANCE).proportion_ci(method="wilson")
        printed_ci = section[emotion][2 * _EMOTIONS.index(emotion) :][:2]
        wilson = [100.0 * bounds.low, 100.0 * bounds.high]
        rows.append(
            corrected("P21", f"{emotion}: interval of its hits", printed_ci, wilson, "%", "Wilson instead of Wald")
        )
    return rows


def rating_rows(robot: Robot) -> list[Comparison]:
    """Return Table 2b: p-values and effect sizes that follow from its means and intervals."""
    published, rows = robot.table("published"), []
    wide = float(stats.t.ppf(0.975, _RATERS - 1))
    for corner, means in published["rating_mean"].items():
        if corner in ("where", "unit", "tolerance"):
            continue
        mean, interval = np.array(means), np.array(published["rating_interval"][corner]).reshape(3, 2)
        error = np.ptp(interval, axis=1) / (2.0 * wide)
        p_values = (2.0 * stats.t.sf(np.abs(mean) / error, _RATERS - 1)).tolist()
        effect = (mean / (error * np.sqrt(_RATERS))).tolist()
        rows.append(compared("Table 2b", f"{corner}: effect sizes", published["rating_effect"], corner, effect))
        printed, words = published["rating_p"], f"{corner}: p-values"
        if corner == "LHL":  # the third is a misprint, and has a row of its own
            wrong = printed[corner][2]
            rows.append(corrected("P22", "LHL: p of dominance", wrong, p_values[2], "", "from its own interval"))
            printed, p_values = {**printed, corner: printed[corner][:2]}, p_values[:2]
            words = f"{corner}: p-values of pleasure and arousal"
        rows.append(compared("Table 2b", words, printed, corner, p_values))
    return rows


def correlation_rows(robot: Robot) -> list[Comparison]:
    """Return Table 3: intervals that follow from its correlations, and the p-values that follow from its numbers."""
    table: Mapping[str, Any] = robot.table("published")["correlation"]
    rows = []
    for part, entries in table.items():
        if not isinstance(entries, dict):
            continue
        people = entries["people"]
        for pair, (r, _, low, high) in ((k, v) for k, v in entries.items() if k != "people"):
            ours = _fisher_interval(r, people)
            section = {**{key: table[key] for key in ("where", "unit", "tolerance")}, pair: [low, high]}
            name = f"{part}, {pair[0]}* with {pair[2]}"
            if part == "b" and pair in ("P_J", "A_J"):
                rows.append(corrected("P25", f"{name}: r", r, -r, "", "its interval is centred there"))
                ours = _fisher_interval(-r, people)
            rows.append(compared("Table 3", f"{name}: interval", section, pair, ours))
    direct = table["e_direct_gaze"]
    r, printed, *_ = direct["P_V"]
    t = r * np.sqrt((direct["people"] - 2) / (1.0 - r * r))
    two_sided = float(2.0 * stats.t.sf(t, direct["people"] - 2))
    rows.append(
        corrected("P26", "direct gaze, P* with V: p", printed, two_sided, "", "two-sided, n = 120; not significant")
    )
    return rows


def _fisher_interval(r: float, people: int) -> list[float]:
    half = _Z / np.sqrt(people - 3)
    return [float(np.tanh(np.arctanh(r) + sign * half)) for sign in (-1.0, 1.0)]
