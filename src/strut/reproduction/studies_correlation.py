"""Pepper's correlations (Tables 3b to 3e) and the model of its eight means that answers as a simulated audience."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from strut.reproduction.comparison import Comparison, compared, corrected, unpublished
from strut.robot import Array
from strut.study.answers import PAD_SCALES
from strut.study.correlation import correlation_p, fisher_interval
from strut.study.published import published
from strut.study.ratings import sd_from_interval

GROUP = "Pepper"
FACTORS = ("jerkiness", "activity", "gaze")
_SIGN_MISPRINTS = ("jerkiness_pleasure", "jerkiness_arousal")  # P25, in Table 3b
_HALVES = {
    "low_activity": ("activity", -1),
    "high_activity": ("activity", 1),
    "low_jerkiness": ("jerkiness", -1),
    "high_jerkiness": ("jerkiness", 1),
    "averted_gaze": ("gaze", -1),
    "direct_gaze": ("gaze", 1),
}


def printed_correlations() -> Iterator[tuple[str, str, list[float]]]:
    """Yield table, pair and the printed r, p, low, high of all 45 correlations."""
    for table, section in published("pepper")["correlation"].items():
        for pair, values in section.items():
            if pair.split("_")[0] in FACTORS:
                yield table, pair, values


def correlation_rows() -> list[Comparison]:
    """Return the intervals and p-values of 45 correlations, their rebuilding from the means, and the model."""
    tables, rows = published("pepper")["correlation"], list[Comparison]()
    for table, pair, (r, p, low, high) in printed_correlations():
        n, where = tables[table]["n"], f"{pair.replace('_', ' on ')}, {table.replace('_', ' ')}"
        misprinted = table == "all" and pair in _SIGN_MISPRINTS
        ends = tables[table] | {"ends": [low, high], "p": p}
        if misprinted:
            note = "its interval is centred on the other sign"
            rows.append(
                corrected("P25", f"interval of {where}", fisher_interval(r, n), fisher_interval(-r, n), "", note)
            )
        right = -r if misprinted else r
        rows.append(compared(GROUP, f"interval of {where}", ends, "ends", fisher_interval(right, n)))
        # r is printed to 0.01: half of that moves a p-value of 240 pairs by up to 0.031, its own rounding by 0.005
        printed_form = _printed_p(pair, table, right)
        rows.append(compared(GROUP, f"p of {where}, printed form", ends | {"tolerance": 0.036}, "p", printed_form))
        two_sided = correlation_p(right, n)
        note = f"two-sided with n = {n}; printed is one-sided with n = 240"
        rows.append(corrected("P26", f"p of {where}", p, two_sided, "", note))
    return [*rows, *_rebuilt_rows(), *_model_rows()]


def _printed_p(pair: str, table: str, r: float) -> float:
    """Return the p-value as the paper computed it: n = 240 everywhere, one-sided, the tail by the factor."""
    if table == "high_activity" and pair == "gaze_arousal":
        return correlation_p(r, 240, "less")  # the one entry of its factor that was tested downwards
    return correlation_p(r, 240, "less" if pair.startswith("jerkiness") else "greater")


def corner_factors() -> Array:
    """Return jerkiness, activity and gaze of the eight motions, coded -1 and +1. Shape (8, 3)."""
    signs = [[1 if level == "H" else -1 for level in corner] for corner in published("pepper")["corners"]]
    return np.array(signs, dtype=np.float64) * [-1.0, 1.0, 1.0]  # little pleasure is much jerkiness


def rebuilt_correlations() -> dict[tuple[str, str], float]:
    """Return all 45 correlations from the means and standard deviations of Table 2b, by table and pair."""
    study = published("pepper")
    factors, corners = corner_factors(), study["corners"]
    means = np.array([study["rating_mean"][corner] for corner in corners])
    ends = np.array([study["rating_interval"][corner] for corner in corners]).reshape(8, 3, 2)
    sds = np.array([[sd_from_interval(low, high, study["people"]) for low, high in row] for row in ends])
    found = {}
    for table, pair, _ in printed_correlations():
        factor, scale = pair.split("_")
        column, axis = FACTORS.index(factor), PAD_SCALES.index(scale)
        used = np.ones(8, dtype=bool)
        if table in _HALVES:
            half, side = _HALVES[table]
            used = factors[:, FACTORS.index(half)] == side
        x, mean, sd = factors[used, column], means[used, axis], sds[used, axis]
        spread = np.sqrt(np.mean(sd**2) + np.var(mean))
        found[table, pair] = float(np.mean(x * (mean - mean.mean())) / spread)
    return found


def _rebuilt_rows() -> list[Comparison]:
    printed = {(table, pair): r for table, pair, (r, *_) in printed_correlations()}  # sign misprints and all
    difference = np.array([rebuilt - printed[key] for key, rebuilt in rebuilt_correlations().items()])
    derived = published("pepper")["derived_rebuilt"]
    rms = float(np.sqrt(np.mean(difference**2)))
    return [
        unpublished(GROUP, "correlations rebuilt from Table 2b, rms distance from the printed ones", rms, ""),
        compared(
            GROUP, "correlations rebuilt from Table 2b, largest", derived, "largest", float(abs(difference).max())
        ),
    ]


def audience_model() -> Array:
    """Return the coefficients of the eight-corner model, by scale and term. Shape (3, 8)."""
    study = published("pepper")
    means = np.array([study["rating_mean"][corner] for corner in study["corners"]])
    terms = design_terms(corner_factors())
    return np.asarray(np.linalg.solve(terms, means).T)


def design_terms(factors: Array) -> Array:
    """Return 1, J, V, G, JV, JG, VG, JVG of coded factors. Shape (N, 3) in, (N, 8) out."""
    j, v, g = factors.T
    return np.stack([np.ones_like(j), j, v, g, j * v, j * g, v * g, j * v * g], axis=1)


def _model_rows() -> list[Comparison]:
    section = published("pepper")["audience"]
    model = audience_model()
    return [
        compared(GROUP, f"model of {scale}, coefficients", section, scale, model[index].tolist())
        for index, scale in enumerate(PAD_SCALES)
    ]
