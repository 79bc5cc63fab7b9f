"""Statistics tables: findings as tables that people read, on the screen and in a report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from strut.study.statistics import Choices, StudyStatistics

Table = tuple[str, list[str], list[list[str]]]
Column = tuple[str, Callable[[Any], str]]  # its heading, and what of a row stands in it


def statistics_tables(found: StudyStatistics) -> list[Table]:
    """Return title, columns and rows of every table there is something for."""
    tables = _choice_tables(found.choices) if found.choices else []
    if found.ratings:
        title = "mean ratings against the middle of the scale (t test over participants)"
        tables.append(_table(title, found.ratings, _RATING))
    if found.correlations:
        tables.append(_table("correlations", found.correlations, _CORRELATION))
    if found.control_effects:
        title = "controls against the motions as they were (paired t test over participants)"
        tables.append(_table(title, found.control_effects, _CONTROL))
    for model in found.models:
        tables.append(_table(f"{model.name}; {model.reference} is the reference", model.terms, _TERM))
    return tables


def _choice_tables(choices: Choices) -> list[Table]:
    matrix = choices.confusion
    counts = [
        [name, *(str(count) for count in row)]
        for name, row in zip(matrix.intended, matrix.counts.tolist(), strict=True)
    ]
    tests = [test for test in (choices.uniform, choices.independence, choices.permutation) if test is not None]
    kappas = [kappa for kappa in (choices.cohen, choices.fleiss) if kappa is not None]
    rates = (*choices.hit_rates, choices.overall)
    return [
        ("confusion: rows shown, columns answered", ["shown", *matrix.perceived], counts),
        _table(f"hit rates against a chance of {choices.chance:.0%}", rates, _HIT_RATE),
        _table("tests", tests, _TEST),
        _table("agreement", kappas, _KAPPA),
        _table("learning", choices.learning.blocks, _BLOCK),
    ]


def _table(title: str, rows: Iterable[Any], columns: tuple[Column, ...]) -> Table:
    return title, [heading for heading, _ in columns], [[cell(row) for _, cell in columns] for row in rows]


def _number(value: float | None, form: str = ".3g") -> str:
    return "" if value is None else format(value, form)


def _interval(low: float | None, high: float | None, form: str = "+.2f") -> str:
    return "" if low is None or high is None else f"{low:{form}} to {high:{form}}"


def _column(heading: str, name: str, form: str = ".3g") -> Column:
    """Return a column that holds one number of a row, empty where it is None."""
    return heading, lambda row: _number(getattr(row, name), form)


def _words(heading: str, name: str) -> Column:
    return heading, lambda row: str(getattr(row, name))


def _range(heading: str = "95 %", form: str = "+.2f") -> Column:
    return heading, lambda row: _interval(row.low, row.high, form)


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
    *(
        _words("control", "control"),
        _words("emotion", "emotion"),
        ("measure", lambda row: row.measure.replace("_", " ")),
    ),
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
