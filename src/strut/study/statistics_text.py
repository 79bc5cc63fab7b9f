"""Statistics text: findings as tables, and as methods and results in the words of a paper (pages/*.txt)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from strut.study.ratings import RatingMean
from strut.study.significance import holm
from strut.study.statistics import Choices, StudyStatistics
from strut.study.templates import prose

Table = tuple[str, list[str], list[list[str]]]
Column = tuple[str, Callable[[Any], str]]  # its heading, and what of a row stands in it
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


def statistics_tables(found: StudyStatistics) -> list[Table]:
    """Return title, columns and rows of every table there is something for."""
    tables = _choice_tables(found.choices) if found.choices else []
    rated = "mean ratings against the middle of the scale (t test over participants)"
    controls = "controls against the motions as they were (paired t test over participants)"
    for title, rows, columns in (
        (rated, found.ratings, _RATING),
        ("correlations", found.correlations, _CORRELATION),
        (controls, found.control_effects, _CONTROL),
        *((f"{model.name}; {model.reference} is the reference", model.terms, _TERM) for model in found.models),
    ):
        if rows:
            tables.append(_table(title, rows, columns))
    return tables


def _choice_tables(choices: Choices) -> list[Table]:
    matrix = choices.confusion
    counts = [[name, *map(str, row)] for name, row in zip(matrix.intended, matrix.counts.tolist(), strict=True)]
    return [
        ("confusion: rows shown, columns answered", ["shown", *matrix.perceived], counts),
        _table(f"hit rates against a chance of {choices.chance:.0%}", (*choices.hit_rates, choices.overall), _HIT_RATE),
        _table("tests", (choices.chi2_uniform, choices.chi2_independence, choices.permutation), _TEST),
        _table("agreement", (choices.cohens_kappa, choices.fleiss_kappa), _KAPPA),
        _table("learning", choices.learning.blocks, _BLOCK),
    ]


def _table(title: str, rows: Iterable[Any], columns: tuple[Column, ...]) -> Table:
    cells = [[cell(row) for _, cell in columns] for row in rows if row is not None]
    return title, [heading for heading, _ in columns], cells


def _column(heading: str, name: str, form: str = ".3g") -> Column:
    """Return a column that holds one number of a row, empty where it is None."""
    return heading, lambda row: "" if getattr(row, name) is None else format(getattr(row, name), form)


def _words(heading: str, name: str) -> Column:
    return heading, lambda row: str(getattr(row, name))


def _range(heading: str = "95 %", form: str = "+.2f") -> Column:
    return heading, lambda row: "" if None in (row.low, row.high) else f"{row.low:{form}} to {row.high:{form}}"


_P, _P_HOLM, _N = _column("p", "p_value"), _column("p (Holm)", "p_holm"), _words("n", "n")
_MEASURE: Column = ("measure", lambda row: row.measure.replace("_", " "))
_HITS: Column = ("hits", lambda row: f"{row.hits}/{row.shown}")
_RATE, _WILSON = _column("rate", "rate", ".0%"), _range("95 % (Wilson)", ".0%")
_RATING = (
    *(_words("scale", "scale"), _words("emotion", "emotion"), _column("mean", "mean", "+.2f"), _range()),
    *(_column("d", "effect_size", "+.2f"), _P, _P_HOLM, _N),
)
_CORRELATION = (
    *(_words("factor", "factor"), _words("rating", "scale"), _column("Spearman r", "r", "+.2f"), _range()),
    *(_P, _P_HOLM, _N, _column("within r", "within_r", "+.2f"), _column("within p", "within_p")),
)
_CONTROL = (
    *(_words("control", "control"), _words("emotion", "emotion"), _MEASURE),
    *(_column("as it was", "shown", "+.2f"), _column("control", "matched", "+.2f"), _range("95 % of the change")),
    *(_P, _P_HOLM, _N),
)
_TERM = (_words("term", "name"), _column("estimate", "estimate", "+.3f"), _range(form="+.3f"), _P)
_HIT_RATE = (
    *(_words("shown", "emotion"), _HITS, _RATE, _WILSON, _P, _P_HOLM),
    _column("p (BH)", "p_benjamini_hochberg"),
)
_TEST = (
    *(_words("test", "name"), _column("statistic", "statistic", ".2f"), _column("dof", "dof", "g"), _P),
    _words("note", "note"),
)
_KAPPA = (
    *(_words("between", "name"), _column("kappa", "value", ".3f"), _range(form=".3f")),
    _words("interval", "method"),
)
_BLOCK = (_words("block", "block"), _HITS, _RATE, _WILSON)
