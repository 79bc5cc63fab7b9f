"""Statistics tables: findings as tables that people read, on the screen and in a report."""

from __future__ import annotations

from strut.study.control_effect import ControlEffect
from strut.study.statistics import Choices, StudyStatistics

Table = tuple[str, list[str], list[list[str]]]


def statistics_tables(found: StudyStatistics) -> list[Table]:
    """Return title, columns and rows of every table there is something for."""
    tables = _choice_tables(found.choices) if found.choices else []
    if found.ratings:
        columns = ["scale", "emotion", "mean", "95 %", "d", "p", "p (Holm)", "n"]
        rows = [
            [
                row.scale,
                row.emotion,
                f"{row.mean:+.2f}",
                f"{row.low:+.2f} to {row.high:+.2f}",
                _number(row.effect_size, "+.2f"),
                _number(row.p_value),
                _number(row.p_holm),
                str(row.n),
            ]
            for row in found.ratings
        ]
        tables.append(("mean ratings against the middle of the scale (t test over participants)", columns, rows))
    if found.correlations:
        columns = ["factor", "rating", "Spearman r", "95 %", "p", "p (Holm)", "n", "within r", "within p"]
        rows = [
            [
                row.factor,
                row.scale,
                f"{row.r:+.2f}",
                f"{row.low:+.2f} to {row.high:+.2f}",
                _number(row.p_value),
                _number(row.p_holm),
                str(row.n),
                _number(row.within_r, "+.2f"),
                _number(row.within_p),
            ]
            for row in found.correlations
        ]
        tables.append(("correlations", columns, rows))
    if found.control_effects:
        tables.append(_control_table(found.control_effects))
    for model in found.models:
        columns = ["term", "estimate", "95 %", "p"]
        rows = [
            [term.name, f"{term.estimate:+.3f}", f"{term.low:+.3f} to {term.high:+.3f}", _number(term.p_value)]
            for term in model.terms
        ]
        tables.append((f"{model.name}; {model.reference} is the reference", columns, rows))
    return tables


def _control_table(effects: tuple[ControlEffect, ...]) -> Table:
    columns = ["control", "emotion", "measure", "as it was", "control", "95 % of the change", "p", "p (Holm)", "n"]
    rows = [
        [
            row.control,
            row.emotion,
            row.measure.replace("_", " "),
            f"{row.shown:+.2f}",
            f"{row.matched:+.2f}",
            _interval(row.low, row.high, "+.2f"),
            _number(row.p_value),
            _number(row.p_holm),
            str(row.n),
        ]
        for row in effects
    ]
    return "controls against the motions as they were (paired t test over participants)", columns, rows


def _choice_tables(choices: Choices) -> list[Table]:
    matrix = choices.confusion
    counts = [
        [name, *(str(count) for count in row)]
        for name, row in zip(matrix.intended, matrix.counts.tolist(), strict=True)
    ]
    rates = [
        [
            row.emotion,
            f"{row.hits}/{row.shown}",
            f"{row.rate:.0%}",
            f"{row.low:.0%} to {row.high:.0%}",
            _number(row.p_value),
            _number(row.p_holm),
            _number(row.p_benjamini_hochberg),
        ]
        for row in (*choices.hit_rates, choices.overall)
    ]
    tests = [
        [
            test.name,
            f"{test.statistic:.2f}",
            "" if test.dof is None else f"{test.dof:g}",
            _number(test.p_value),
            test.note,
        ]
        for test in (choices.uniform, choices.independence, choices.permutation)
        if test is not None
    ]
    kappas = [
        [kappa.name, f"{kappa.value:.3f}", _interval(kappa.low, kappa.high, ".3f"), kappa.method]
        for kappa in (choices.cohen, choices.fleiss)
        if kappa is not None
    ]
    blocks = [
        [str(block.block), f"{block.hits}/{block.shown}", f"{block.rate:.0%}", f"{block.low:.0%} to {block.high:.0%}"]
        for block in choices.learning.blocks
    ]
    return [
        ("confusion: rows shown, columns answered", ["shown", *matrix.perceived], counts),
        (
            f"hit rates against a chance of {choices.chance:.0%}",
            ["shown", "hits", "rate", "95 % (Wilson)", "p", "p (Holm)", "p (BH)"],
            rates,
        ),
        ("tests", ["test", "statistic", "dof", "p", "note"], tests),
        ("agreement", ["between", "kappa", "95 %", "interval"], kappas),
        ("learning", ["block", "hits", "rate", "95 % (Wilson)"], blocks),
    ]


def _number(value: float | None, form: str = ".3g") -> str:
    return "" if value is None else format(value, form)


def _interval(low: float | None, high: float | None, form: str) -> str:
    return "" if low is None or high is None else f"{low:{form}} to {high:{form}}"
