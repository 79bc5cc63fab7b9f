"""Pepper's study: a choice of four emotions (Table 2a), ratings of eight motions (2b, 3a), correlations (3b to 3e).

The simulated audience answers by the model of the eight means.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from strut.arrays import Array
from strut.reproduction.comparison import Comparison, Sheet
from strut.study.design.audience import motion_sds
from strut.study.design.power import smallest_hits
from strut.study.design.published import published
from strut.study.statistics.answers import PAD_SCALES
from strut.study.statistics.confusion import Confusion, chi2_independence
from strut.study.statistics.ratings import one_sample, sd_from_interval
from strut.study.statistics.significance import binomial_p, wilson_interval

_FACTORS = ("jerkiness", "activity", "gaze")
SIGN_MISPRINTS = (("all", "jerkiness_pleasure"), ("all", "jerkiness_arousal"))  # P25, in Table 3b
_HALVES = {
    "low_activity": ("activity", -1),
    "high_activity": ("activity", 1),
    "low_jerkiness": ("jerkiness", -1),
    "high_jerkiness": ("jerkiness", 1),
    "averted_gaze": ("gaze", -1),
    "direct_gaze": ("gaze", 1),
}


def wald_interval(hits: int, shown: int) -> tuple[float, float]:
    """Return the Wald 95 % interval of a share; (0, 0) without hits."""
    low, high = proportion_confint(hits, shown, alpha=0.05, method="normal")
    return float(low), float(high)


def fisher_interval(r: float, n: int) -> tuple[float, float]:
    """Return the 95 % interval of a correlation of n pairs, by Fisher's z transformation."""
    z = math.atanh(r)
    half = float(stats.norm.ppf(0.975)) / math.sqrt(n - 3)
    return math.tanh(z - half), math.tanh(z + half)


def correlation_p(r: float, n: int, alternative: Literal["two-sided", "greater", "less"] = "two-sided") -> float:
    """Return the p-value of a printed correlation of n pairs."""
    t = r * math.sqrt((n - 2) / (1.0 - r**2))
    if alternative == "two-sided":
        return float(2.0 * stats.t.sf(abs(t), n - 2))
    return float(stats.t.sf(t, n - 2) if alternative == "greater" else stats.t.cdf(t, n - 2))


def choices() -> list[Comparison]:
    """Compare Table 2a: percentages, p-values and intervals, with the errata P20 and P21."""
    study = published("pepper")
    sheet = Sheet("Pepper, Table 2a", study)
    chance = study["chance"]
    shown = study["shown"]
    emotions = tuple(study["emotions"])
    answers = tuple(study["answers"])
    matrix = Confusion(emotions, answers, np.array([study["counts"][emotion] for emotion in emotions]))
    for emotion, counts in zip(matrix.intended, matrix.counts.tolist(), strict=True):
        sheet.compare(f"answers to {emotion}", "percent", emotion, [100.0 * k / shown for k in counts], kind="formula")
        more = [float(stats.binom.sf(k, shown, chance)) for k in counts]
        sheet.compare(f"P(X > k), answers to {emotion}", "p_value", emotion, more, kind="formula")
        wald = [100.0 * min(max(end, 0.0), 1.0) for k in counts for end in wald_interval(k, shown)]
        sheet.compare(f"Wald intervals, answers to {emotion}", "interval", emotion, wald, kind="formula")
        exact = [binomial_p(k, shown, chance) for k in counts]
        note = "a p-value is P(X >= k), printed is P(X > k)"
        sheet.correct("P20", f"p of answers to {emotion}", study["p_value"][emotion], exact, "", note)
        column = matrix.perceived.index(emotion)
        printed = study["interval"][emotion][2 * column : 2 * column + 2]
        wilson = [100.0 * end for end in wilson_interval(counts[column], shown)]
        note = "the Wilson interval also holds near 0 and 1"
        sheet.correct("P21", f"interval of {emotion} hits", printed, wilson, "%", note)
    independence = chi2_independence(matrix)
    assert independence.dof is not None
    sheet.compare("chi2 independence", "derived", "chi2_independence", independence.statistic)
    sheet.compare("chi2 dof", "derived", "chi2_dof", independence.dof)
    sheet.compare("accuracy", "derived", "accuracy", matrix.accuracy)
    sheet.compare("smallest hits", "derived", "smallest_hits", float(smallest_hits(shown, chance)))
    return sheet.rows


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Test and effect size of a printed mean and interval, and their uncertainty by rounding."""

    p_value: float
    p_open: float
    effect: float
    effect_open: float
    interval: tuple[float, float]


def rebuild_test(mean: float, low: float, high: float, n: int) -> Rebuilt:
    """Return the test of a mean and its 95 % interval, both printed to 0.01."""
    half_digit = 0.005
    sd = sd_from_interval(low, high, n)
    _, p_value, interval = one_sample(mean, sd, n)
    p_open = effect_open = 0.0
    for moved, widened in product((-half_digit, 0.0, half_digit), (-half_digit, half_digit)):
        other_sd = sd_from_interval(low - widened, high + widened, n)
        effect_open = max(effect_open, abs((mean + moved) / other_sd - mean / sd))
        p_open = max(p_open, abs(one_sample(mean + moved, other_sd, n)[1] - p_value))
    return Rebuilt(p_value, p_open, mean / sd, effect_open, interval)


def ratings() -> list[Comparison]:
    """Compare Tables 2b and 3a: tests and effect sizes from the printed means and intervals, with P22 to P24."""
    study = published("pepper")
    sheet = Sheet("Pepper, Tables 2b and 3a", study)
    for corner in study["corners"]:
        _corner_ratings(sheet, corner)
    hits = [
        sum((study["rating_mean"][corner][axis] > 0) == (corner[axis] == "H") for corner in study["corners"])
        for axis in range(3)
    ]
    note = "by sign of the printed means; two entries of one row were swapped"
    sheet.correct(
        "P23", "motions rated with the intended sign", study["right_direction"]["text"], hits, "", note, kind="formula"
    )
    section = study["all_ratings"]
    for scale in PAD_SCALES:
        mean, printed_p, low, high, printed_effect = section[scale]
        own = rebuild_test(mean, low, high, section["people_times_motions"])
        sheet.compare(f"interval of all ratings, {scale}", section | {"ends": [low, high]}, "ends", own.interval)
        sheet.compare(f"p of all ratings, {scale}", _opened(section, printed_p, own.p_open), "value", own.p_value)
        if scale == "arousal":
            note = "from p and the interval"
            sheet.correct("P24", "effect size, arousal", printed_effect, own.effect, "", note)
        else:
            opened = _opened(section, printed_effect, own.effect_open)
            sheet.compare(f"effect size of all ratings, {scale}", opened, "value", own.effect)
    return sheet.rows


def _corner_ratings(sheet: Sheet, corner: str) -> None:
    """Add the numbers that follow from the printed means and intervals of one motion."""
    study = sheet.published
    means = study["rating_mean"][corner]
    ends = study["rating_interval"][corner]
    found = [rebuild_test(mean, ends[2 * k], ends[2 * k + 1], study["people"]) for k, mean in enumerate(means)]
    for index, (scale, own) in enumerate(zip(PAD_SCALES, found, strict=True)):
        printed_p = study["rating_p"][corner][index]
        if (corner, scale) == ("LHL", "dominance"):
            sheet.correct("P22", "p of dominance, LHL", printed_p, own.p_value, "", "from its own interval")
        else:
            section = _opened(study["rating_p"], printed_p, own.p_open)
            sheet.compare(f"p of {scale}, {corner}", section, "value", own.p_value)
        section = _opened(study["rating_effect_size"], study["rating_effect_size"][corner][index], own.effect_open)
        sheet.compare(f"effect size of {scale}, {corner}", section, "value", own.effect)
    sheet.compare(f"intervals, {corner}", "rating_interval", corner, [end for own in found for end in own.interval])


def _opened(section: dict[str, Any], value: float, rounding: float) -> dict[str, Any]:
    """Return a section with one value and a tolerance widened by the rounding of its sources."""
    return section | {"value": value, "tolerance": section["tolerance"] + rounding}


def printed_correlations() -> Iterator[tuple[str, str, list[float]]]:
    """Yield table, pair and the printed r, p, low, high of all 45 correlations."""
    for table, section in published("pepper")["correlation"].items():
        for pair, values in section.items():
            if pair.split("_")[0] in _FACTORS:
                yield table, pair, values


def correlations_of_ratings() -> list[Comparison]:
    """Compare intervals and p-values of 45 correlations, the correlations by the means, and the model."""
    sheet = Sheet("Pepper, Tables 3b to 3e", published("pepper"))
    rebuilt_r = rebuilt_correlations()
    distances = []
    for table, pair, (r, p, low, high) in printed_correlations():
        section = sheet.published["correlation"][table]
        n = section["n"]
        where = f"{pair.replace('_', ' on ')}, {table.replace('_', ' ')}"
        ends = section | {"ends": [low, high], "p": p}
        right = r
        if (table, pair) in SIGN_MISPRINTS:
            note = "the printed interval is centred on the other sign"
            right = -r
            sheet.correct(
                "P25",
                f"interval of {where}",
                fisher_interval(r, n),
                fisher_interval(right, n),
                "",
                note,
                kind="formula",
            )
        sheet.compare(f"interval of {where}", ends, "ends", fisher_interval(right, n), kind="formula")
        # r is printed to 0.01: half of that moves a p-value of 240 pairs by up to 0.031, its own rounding by 0.005
        printed_form = _printed_p(pair, table, right)
        sheet.compare(f"p of {where}, printed form", ends | {"tolerance": 0.036}, "p", printed_form, kind="formula")
        note = f"two-sided with n = {n}; printed is one-sided with n = 240"
        sheet.correct("P26", f"p of {where}", p, correlation_p(right, n), "", note, kind="formula")
        distances.append(rebuilt_r[table, pair] - r)  # sign misprints and all
    rms = float(np.sqrt(np.mean(np.square(distances))))
    largest = float(np.abs(distances).max())
    sheet.add("correlations computed from Table 2b, rms difference from the printed ones", rms, "")
    sheet.compare(
        "correlations computed from Table 2b, largest difference", "derived_rebuilt", "largest", largest, kind="formula"
    )
    for scale, coefficients in zip(PAD_SCALES, audience_model().tolist(), strict=True):
        sheet.compare(f"model of {scale}, coefficients", "audience", scale, coefficients, kind="formula")
    return sheet.rows


def _printed_p(pair: str, table: str, r: float) -> float:
    """Return the p-value as the paper computes it: one-sided with n = 240, the tail by the factor."""
    if table == "high_activity" and pair == "gaze_arousal":
        return correlation_p(r, 240, "less")  # the one entry of its factor that was tested downwards
    return correlation_p(r, 240, "less" if pair.startswith("jerkiness") else "greater")


def _corner_means() -> tuple[Array, Array]:
    """Return jerkiness, activity and gaze of the eight motions, coded -1 and +1, and their means. Shape (8, 3) each."""
    study = published("pepper")
    signs = [[1 if level == "H" else -1 for level in corner] for corner in study["corners"]]
    factors = np.array(signs, dtype=np.float64) * [-1.0, 1.0, 1.0]  # little pleasure is much jerkiness
    return factors, np.array([study["rating_mean"][corner] for corner in study["corners"]])


def rebuilt_correlations() -> dict[tuple[str, str], float]:
    """Return all 45 correlations from the means and standard deviations of Table 2b, by table and pair."""
    factors, means = _corner_means()
    sds = motion_sds()
    found = {}
    for table, pair, _ in printed_correlations():
        factor, scale = pair.split("_")
        column = _FACTORS.index(factor)
        axis = PAD_SCALES.index(scale)
        used = np.ones(8, dtype=bool)
        if table in _HALVES:
            half, side = _HALVES[table]
            used = factors[:, _FACTORS.index(half)] == side
        x = factors[used, column]
        mean = means[used, axis]
        sd = sds[used, axis]
        spread = np.sqrt(np.mean(sd**2) + np.var(mean))
        found[table, pair] = float(np.mean(x * (mean - mean.mean())) / spread)
    return found


def audience_model() -> Array:
    """Return the coefficients of 1, J, V, G, JV, JG, VG, JVG that reproduce the eight means, by scale. Shape (3, 8)."""
    factors, means = _corner_means()
    j, v, g = factors.T
    terms = np.stack([np.ones_like(j), j, v, g, j * v, j * g, v * g, j * v * g], axis=1)
    return np.asarray(np.linalg.solve(terms, means).T)
