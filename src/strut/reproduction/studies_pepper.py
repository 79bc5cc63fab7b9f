"""Pepper's study: a choice of four emotions (Table 2a) and ratings of eight motions (Tables 2b and 3a)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

from strut.reproduction.comparison import Comparison, compared, corrected
from strut.study.answers import PAD_SCALES
from strut.study.confusion import Confusion, chi2_independence
from strut.study.power import smallest_hits
from strut.study.published import published
from strut.study.ratings import one_sample, sd_from_interval
from strut.study.significance import at_least, wald_interval, wilson_interval

GROUP = "Pepper"


def pepper_confusion() -> Confusion:
    """Return the published counts."""
    study = published("pepper")
    return Confusion(
        tuple(study["emotions"]),
        tuple(study["answers"]),
        np.array([study["counts"][emotion] for emotion in study["emotions"]]),
    )


def choice_rows() -> list[Comparison]:
    """Return Table 2a: percentages, p-values and intervals, with the errata P20 and P21."""
    study, matrix = published("pepper"), pepper_confusion()
    chance, shown, rows = study["chance"], study["shown"], list[Comparison]()
    for emotion, counts in zip(matrix.intended, matrix.counts.tolist(), strict=True):
        rows.append(
            compared(GROUP, f"answers to {emotion}", study["percent"], emotion, [100.0 * k / shown for k in counts])
        )
        more = [float(stats.binom.sf(k, shown, chance)) for k in counts]
        rows.append(compared(GROUP, f"P(X > k), answers to {emotion}", study["p_value"], emotion, more))
        wald = [100.0 * min(max(end, 0.0), 1.0) for k in counts for end in wald_interval(k, shown)]
        rows.append(compared(GROUP, f"Wald intervals, answers to {emotion}", study["interval"], emotion, wald))
        exact = [at_least(k, shown, chance) for k in counts]
        note = "a p-value is P(X >= k), printed is P(X > k)"
        rows.append(corrected("P20", f"p of answers to {emotion}", study["p_value"][emotion], exact, "", note))
        column = matrix.perceived.index(emotion)
        printed = study["interval"][emotion][2 * column : 2 * column + 2]
        wilson = [100.0 * end for end in wilson_interval(counts[column], shown)]
        rows.append(
            corrected("P21", f"interval of {emotion} hits", printed, wilson, "%", "Wilson's is honest at the edges")
        )
    independence, derived = chi2_independence(matrix), study["derived"]
    assert independence.dof is not None
    ours = {
        "chi2_independence": independence.statistic,
        "chi2_dof": independence.dof,
        "accuracy": matrix.accuracy,
        "smallest_hits": float(smallest_hits(shown, chance)),
    }
    return rows + [compared(GROUP, name.replace("_", " "), derived, name, value) for name, value in ours.items()]


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """Test and effect size behind a printed mean and interval, and how far their rounding may have moved them."""

    p_value: float
    p_open: float
    effect: float
    effect_open: float
    interval: tuple[float, float]


def rebuilt(mean: float, low: float, high: float, n: int) -> Rebuilt:
    """Return what a mean and its 95 % interval, both printed to 0.01, say about the test that was made of them."""
    half_digit = 0.005
    sd = sd_from_interval(low, high, n)
    _, p_value, interval = one_sample(mean, sd, n)
    effects, p_values = [], []
    for moved, widened in product((-half_digit, 0.0, half_digit), (-half_digit, half_digit)):
        other_sd = sd_from_interval(low - widened, high + widened, n)
        effects.append((mean + moved) / other_sd)
        p_values.append(one_sample(mean + moved, other_sd, n)[1])
    return Rebuilt(
        p_value,
        max(abs(p - p_value) for p in p_values),
        mean / sd,
        max(abs(effect - mean / sd) for effect in effects),
        interval,
    )


def rating_rows() -> list[Comparison]:
    """Return Tables 2b and 3a: tests and effect sizes from the printed means and intervals, with P22 to P24."""
    study, rows = published("pepper"), list[Comparison]()
    for corner in study["corners"]:
        means, ends = study["rating_mean"][corner], study["rating_interval"][corner]
        found = [rebuilt(mean, ends[2 * k], ends[2 * k + 1], study["people"]) for k, mean in enumerate(means)]
        for index, (scale, own) in enumerate(zip(PAD_SCALES, found, strict=True)):
            printed_p = study["rating_p"][corner][index]
            if (corner, scale) == ("LHL", "dominance"):
                rows.append(
                    corrected("P22", "p of dominance, LHL", printed_p, own.p_value, "", "from its own interval")
                )
            else:
                section = _opened(study["rating_p"], printed_p, own.p_open)
                rows.append(compared(GROUP, f"p of {scale}, {corner}", section, "value", own.p_value))
            section = _opened(study["rating_effect_size"], study["rating_effect_size"][corner][index], own.effect_open)
            rows.append(compared(GROUP, f"effect size of {scale}, {corner}", section, "value", own.effect))
        intervals = [end for own in found for end in own.interval]
        rows.append(compared(GROUP, f"intervals, {corner}", study["rating_interval"], corner, intervals))
    rows.append(_direction_row())
    for scale in PAD_SCALES:
        mean, printed_p, low, high, printed_effect = study["all_ratings"][scale]
        section = study["all_ratings"]
        own = rebuilt(mean, low, high, section["people_times_motions"])
        rows.append(
            compared(GROUP, f"interval of all ratings, {scale}", section | {"ends": [low, high]}, "ends", own.interval)
        )
        opened = _opened(section, printed_p, own.p_open)
        rows.append(compared(GROUP, f"p of all ratings, {scale}", opened, "value", own.p_value))
        if scale == "arousal":
            rows.append(
                corrected("P24", "effect size, arousal", printed_effect, own.effect, "", "from p and the interval")
            )
        else:
            opened = _opened(section, printed_effect, own.effect_open)
            rows.append(compared(GROUP, f"effect size of all ratings, {scale}", opened, "value", own.effect))
    return rows


def _opened(section: dict[str, Any], value: float, rounding: float) -> dict[str, Any]:
    """Return a section with one value and a tolerance widened by what rounding of its sources leaves open."""
    return section | {"value": value, "tolerance": section["tolerance"] + rounding}


def _direction_row() -> Comparison:
    study = published("pepper")
    hits = [
        sum((study["rating_mean"][corner][axis] > 0) == (corner[axis] == "H") for corner in study["corners"])
        for axis in range(3)
    ]
    note = "by sign of the printed means; two entries of one row were swapped"
    return corrected("P23", "motions rated in the right direction", study["right_direction"]["text"], hits, "", note)
