"""Paragraph: methods and results of a study in the words of a paper, which stand in pages/*.txt."""

from __future__ import annotations

from typing import Any

from strut.study.ratings import RatingMean
from strut.study.significance import holm
from strut.study.statistics import StudyStatistics
from strut.study.templates import prose

_ALPHA = 0.05
_MOST_MEANS = 24  # in words; of more, only those that stand out are told


def methods_and_results(found: StudyStatistics) -> tuple[str, str]:
    """Return two paragraphs: what was done, and what came out. Simulated answers are called so in both."""
    rates = found.choices.hit_rates if found.choices else ()
    corrected = holm([model.p_value for model in found.models])
    results = prose(
        "results.txt",
        found=found,
        alpha=_ALPHA,
        above=[row for row in rates if row.p_holm < _ALPHA],
        not_above=[row for row in rates if row.p_holm >= _ALPHA],
        models=[(_modelled(model.name), p_value) for model, p_value in zip(found.models, corrected, strict=True)],
        **_means(found.ratings),
    )
    few = "There are too few participants for any test; what was left out says why."
    return prose("methods.txt", found=found), results or few


def _means(ratings: tuple[RatingMean, ...]) -> dict[str, Any]:
    """Return the means that are told, by scale: all of a few, of many those that stand out."""
    many, off_middle = len(ratings) > _MOST_MEANS, [row for row in ratings if row.off_middle(_ALPHA)]
    told: dict[str, list[RatingMean]] = {}
    for row in off_middle if many else ratings:
        told.setdefault(row.scale, []).append(row)
    return {"told": told, "told_of_many": many, "off_middle": len(off_middle)}


def _modelled(name: str) -> str:
    """Return 'the odds of a hit' or a scale from the name of a mixed model."""
    return name.split(", ")[1].split(" ~", maxsplit=1)[0].replace("_", " ").replace("hit", "the odds of a hit")
