"""The quadruped study: confusion of five gaits, its chi-squared tests, its power analysis."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats

from strut.reproduction.comparison import Comparison, compared, corrected
from strut.study.agreement import kappa_of_counts
from strut.study.confusion import Confusion, chi2_independence, chi2_uniform, cramers_v, hit_rates
from strut.study.power import chi2_observations, chi2_power
from strut.study.published import published

GROUP = "quadruped"


def quadruped_confusion() -> Confusion:
    """Return the published counts."""
    study = published("quadruped")
    emotions = tuple(study["emotions"])
    return Confusion(emotions, emotions, np.array([study["counts"][emotion] for emotion in emotions]))


def quadruped_rows() -> list[Comparison]:
    """Return every number of the study that its counts determine."""
    matrix = quadruped_confusion()
    return [
        *_table_rows(matrix),
        *_last_block_rows(matrix),
        *_chi2_rows(matrix),
        *_derived_rows(matrix),
        *_power_rows(),
    ]


def _table_rows(matrix: Confusion) -> list[Comparison]:
    study, rows = published("quadruped"), []
    for emotion, counts, shown in zip(matrix.intended, matrix.counts, matrix.shown, strict=True):
        ours = [round(share) for share in (100.0 * counts / shown).tolist()]
        quantity = f"answers to {emotion}"
        if emotion == "anger":
            note = "4 of 15 are 26.7 %"
            rows.append(corrected("E14", quantity, study["percent"][emotion], ours, "%", note))
        else:
            rows.append(compared(GROUP, quantity, study["percent"], emotion, ours))
        cells = stats.power_divergence(counts, np.full(len(counts), shown / len(counts))).statistic
        row_cells = [(count - shown / len(counts)) ** 2 / (shown / len(counts)) for count in counts]
        assert math.isclose(sum(row_cells), cells)  # the cells printed one by one add up to scipy's statistic
        rows.append(compared(GROUP, f"chi-squared cells of {emotion}", study["cell_chi2"], emotion, row_cells))
    return rows


def _last_block_rows(matrix: Confusion) -> list[Comparison]:
    """Return the last block: five people saw each gait once, so percentages are counts of five."""
    study, rows = published("quadruped"), []
    people, last_hits = study["people"], 0
    for index, emotion in enumerate(matrix.intended):
        counts = [round(share * people / 100) for share in study["last_block"][emotion]]
        last_hits += counts[index]
        ours = [100.0 * count / people for count in counts]
        rows.append(compared(GROUP, f"answers to {emotion}, last block", study["last_block"], emotion, ours))
        assert all(count <= whole for count, whole in zip(counts, matrix.counts[index], strict=True))
    shown_last = people * len(matrix.intended)
    others = int(matrix.counts.sum()) - shown_last
    first = (int(matrix.hits.sum()) - last_hits) / others
    derived = study["derived"]
    rows.append(compared(GROUP, "accuracy, last block", derived, "accuracy_last_block", last_hits / shown_last))
    rows.append(compared(GROUP, "accuracy, first two blocks", derived, "accuracy_first_two_blocks", first))
    return rows


def _chi2_rows(matrix: Confusion) -> list[Comparison]:
    study = published("quadruped")
    section, uniform, independence = study["chi2"], chi2_uniform(matrix), chi2_independence(matrix)
    rounded = sum(round((count - 3.0) ** 2 / 3.0, 2) for count in matrix.counts.ravel().tolist())
    critical = float(stats.chi2.isf(0.05, section["degrees_of_freedom"]))
    note = "the sum of rounded cells; equal expectations test uniformity, not independence"
    assert uniform.dof is not None
    return [
        compared(GROUP, "chi-squared, sum of the rounded cells", section, "sum_of_rounded_cells", rounded),
        compared(GROUP, "critical chi-squared for 16 degrees of freedom", section, "critical", critical),
        corrected("E15", "chi-squared, uniform", section["sum_of_rounded_cells"], uniform.statistic, "", note),
        corrected("E15", "degrees of freedom, uniform", section["degrees_of_freedom"], uniform.dof, "", note),
        corrected(
            "E15", "p, uniform", _p(section), uniform.p_value, "", "16 degrees of freedom belong to independence"
        ),
        corrected(
            "E15", "p, independence", _p(section), independence.p_value, "", "repeated measures: permute within subject"
        ),
    ]


def _p(section: dict[str, float]) -> float:
    return float(stats.chi2.sf(section["sum_of_rounded_cells"], section["degrees_of_freedom"]))


def _derived_rows(matrix: Confusion) -> list[Comparison]:
    derived = published("quadruped")["derived"]
    p_values = [row.p_value for row in hit_rates(matrix, 1.0 / len(matrix.perceived))]
    row_chi2 = [float(stats.chisquare(row).statistic) for row in matrix.counts]
    ours: dict[str, float | list[float]] = {
        "chi2_uniform": chi2_uniform(matrix).statistic,
        "chi2_uniform_critical": float(stats.chi2.isf(0.05, 20)),
        "chi2_independence": chi2_independence(matrix).statistic,
        "cramers_v": cramers_v(matrix),
        "cohens_kappa": kappa_of_counts(matrix).value,
        "accuracy": matrix.accuracy,
        "binomial_p": p_values,
        "row_chi2": row_chi2,
    }
    return [compared(GROUP, name.replace("_", " "), derived, name, value) for name, value in ours.items()]


def _power_rows() -> list[Comparison]:
    study = published("quadruped")
    section = study["power"]
    dof = study["chi2"]["degrees_of_freedom"]
    needed = chi2_observations(section["effect_size_w"], dof, power=section["power"], alpha=section["alpha"])
    subjects = math.ceil(math.ceil(needed) / section["trials_per_subject"])
    power = chi2_power(section["effect_size_w"], dof, subjects * section["trials_per_subject"], alpha=section["alpha"])
    return [
        compared(GROUP, "subjects needed", section, "subjects", subjects),
        compared(GROUP, "observations needed", study["derived_observations"], "chi2_observations", needed),
        compared(GROUP, "power of 15 subjects", study["derived"], "power_at_225_observations", power),
    ]
