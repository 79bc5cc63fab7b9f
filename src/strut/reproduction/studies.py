"""Studies: the published percentages, tests, intervals and correlations of three studies, computed again."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from strut.reproduction.comparison import Comparison, Parts, RowKind, Sheet
from strut.reproduction.studies_pepper import choices, correlations_of_ratings, ratings
from strut.study.design.power import chi2_observations, chi2_power
from strut.study.design.published import published
from strut.study.statistics.confusion import Confusion, chi2_independence, chi2_uniform, cramers_v, kappa_of_counts
from strut.study.statistics.significance import binomial_p

_INTENDED = {"A": -1, "N": 0, "J": 1}  # by the first letter of the mood
_BY_SCIPY = ("chi2_uniform_critical", "row_chi2")  # alone, without the statistics of `strut study stats`
_SUBJECTS = tuple(f"Subject{number}" for number in range(1, 6))


def parts() -> Parts:
    """Return the functions that compute the rows of the quadruped, Pepper and slider studies."""
    return {
        "quadruped, choices": _quadruped,
        "Pepper, choices": choices,
        "Pepper, ratings": ratings,
        "Pepper, correlations": correlations_of_ratings,
        "human gait, slider": _slider,
    }


def _quadruped() -> list[Comparison]:
    """Compare the numbers of the study of five gaits that follow from its counts."""
    study = published("quadruped")
    sheet = Sheet("quadruped", study)
    emotions = tuple(study["emotions"])
    matrix = Confusion(emotions, emotions, np.array([study["counts"][emotion] for emotion in emotions]))
    _percentages(sheet, matrix)
    _last_block(sheet, matrix)
    _chi2(sheet, matrix)
    _derived(sheet, matrix)
    _power(sheet)
    return sheet.rows


def _percentages(sheet: Sheet, matrix: Confusion) -> None:
    for emotion, counts, shown in zip(matrix.intended, matrix.counts, matrix.shown, strict=True):
        ours = [round(share) for share in (100.0 * counts / shown).tolist()]
        quantity = f"answers to {emotion}"
        if emotion == "anger":
            sheet.correct(
                "E14", quantity, sheet.published["percent"][emotion], ours, "%", "4 of 15 are 26.7 %", kind="formula"
            )
        else:
            sheet.compare(quantity, "percent", emotion, ours, kind="formula")
        cells = stats.power_divergence(counts, np.full(len(counts), shown / len(counts))).statistic
        row_cells = [(count - shown / len(counts)) ** 2 / (shown / len(counts)) for count in counts]
        assert math.isclose(sum(row_cells), cells)  # the cells printed one by one add up to scipy's statistic
        sheet.compare(f"chi-squared cells of {emotion}", "cell_chi2", emotion, row_cells, kind="formula")


def _last_block(sheet: Sheet, matrix: Confusion) -> None:
    """Add the last block: five participants saw each gait once, so the percentages are counts of five."""
    people = sheet.published["people"]
    last_hits = 0
    for index, emotion in enumerate(matrix.intended):
        counts = [round(share * people / 100) for share in sheet.published["last_block"][emotion]]
        last_hits += counts[index]
        ours = [100.0 * count / people for count in counts]
        sheet.compare(f"answers to {emotion}, last block", "last_block", emotion, ours, kind="formula")
        assert all(count <= whole for count, whole in zip(counts, matrix.counts[index], strict=True))
    shown_last = people * len(matrix.intended)
    others = int(matrix.counts.sum()) - shown_last
    first = (int(matrix.hits.sum()) - last_hits) / others
    sheet.compare("accuracy, last block", "derived", "accuracy_last_block", last_hits / shown_last, kind="formula")
    sheet.compare("accuracy, first two blocks", "derived", "accuracy_first_two_blocks", first, kind="formula")


def _chi2(sheet: Sheet, matrix: Confusion) -> None:
    uniform = chi2_uniform(matrix)
    independence = chi2_independence(matrix)
    rounded = sum(round((count - 3.0) ** 2 / 3.0, 2) for count in matrix.counts.ravel().tolist())
    total, dof = (sheet.published["chi2"][name] for name in ("sum_of_rounded_cells", "degrees_of_freedom"))
    printed_p = float(stats.chi2.sf(total, dof))
    note = "the sum of rounded cells; equal expectations test uniformity, not independence"
    assert uniform.dof is not None
    sheet.compare("chi-squared, sum of the rounded cells", "chi2", "sum_of_rounded_cells", rounded, kind="formula")
    sheet.compare(
        "critical chi-squared for 16 degrees of freedom",
        "chi2",
        "critical",
        float(stats.chi2.isf(0.05, dof)),
        kind="formula",
    )
    sheet.correct("E15", "chi-squared, uniform", total, uniform.statistic, "", note)
    sheet.correct("E15", "degrees of freedom, uniform", dof, uniform.dof, "", note)
    note = "16 degrees of freedom belong to independence"
    sheet.correct("E15", "p, uniform", printed_p, uniform.p_value, "", note)
    note = "repeated measures: permute within subject"
    sheet.correct("E15", "p, independence", printed_p, independence.p_value, "", note)


def _derived(sheet: Sheet, matrix: Confusion) -> None:
    hits = zip(matrix.hits.tolist(), matrix.shown.tolist(), strict=True)
    chance = 1.0 / len(matrix.perceived)
    ours: dict[str, float | list[float]] = {
        "chi2_uniform": chi2_uniform(matrix).statistic,
        "chi2_uniform_critical": float(stats.chi2.isf(0.05, 20)),
        "chi2_independence": chi2_independence(matrix).statistic,
        "cramers_v": cramers_v(matrix),
        "cohens_kappa": kappa_of_counts(matrix).value,
        "accuracy": matrix.accuracy,
        "binomial_p": [binomial_p(k, n, chance) for k, n in hits],
        "row_chi2": [float(stats.chisquare(row).statistic) for row in matrix.counts],
    }
    for name, value in ours.items():
        kind: RowKind = "formula" if name in _BY_SCIPY else "computed"
        sheet.compare(name.replace("_", " "), "derived", name, value, kind=kind)


def _power(sheet: Sheet) -> None:
    section = sheet.published["power"]
    dof = sheet.published["chi2"]["degrees_of_freedom"]
    needed = chi2_observations(section["effect_size_w"], dof, power=section["power"], alpha=section["alpha"])
    subjects = math.ceil(math.ceil(needed) / section["trials_per_subject"])
    power = chi2_power(section["effect_size_w"], dof, subjects * section["trials_per_subject"], alpha=section["alpha"])
    sheet.compare("subjects needed", "power", "subjects", subjects)
    sheet.compare("observations needed", "derived_observations", "chi2_observations", needed)
    sheet.compare("power of 15 subjects", "derived", "power_at_225_observations", power)


def band(mean: float, border: float) -> int:
    """Return the class of a mean rating: -1 below minus the border, 1 above the border, 0 between."""
    return -1 if mean < -border else int(mean > border)


def _slider() -> list[Comparison]:
    """Compare the numbers that follow from the printed means of 75 clips of human gaits, with erratum E29."""
    study = published("slider_survey")
    sheet = Sheet("slider survey", study)
    counts = study["ratings"]
    # by mood (angriest first), subject and clip: shape (5, 5, 3)
    means = np.array([[[mean for mean, _ in study[mood][name]] for name in _SUBJECTS] for mood in study["moods"]])
    meant = [_INTENDED[mood[0]] for mood in study["moods"]]
    read = np.array([[[band(float(mean), study["border"]) for mean in clips] for clips in mood] for mood in means])
    inside = (read == np.array(meant)[:, None, None]).sum(axis=(0, 2)).tolist()
    by_mood = means.mean(axis=2)
    rising = (np.diff(by_mood, axis=0) > 0).all(axis=0).astype(float).tolist()
    slots = study["sets"] * study["clips_per_set"] / study["clips"]
    sheet.compare("clips rated as intended, subjects 1 to 5", "derived", "clips_in_band", inside, kind="formula")
    sheet.compare(
        "mean ratings by mood of subject 3, angriest first",
        "derived",
        "subject3_means",
        by_mood[:, 2].tolist(),
        kind="formula",
    )
    sheet.compare(
        "mean ratings in the intended order of moods, subjects 1 to 5 (1: yes)",
        "derived",
        "in_order",
        rising,
        kind="formula",
    )
    sheet.compare("number of sets with each clip", "derived", "slots_per_clip", slots, kind="formula")
    each = counts["total"] / study["clips"]
    note = "4023 ratings, 75 clips"
    sheet.correct("E29", "ratings per clip", counts["per_clip"], each, "", note, kind="formula")
    sheet.add("ratings per participant", counts["total"] / study["people"], "")
    return sheet.rows
