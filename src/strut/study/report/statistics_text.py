"""Statistics text: tables, and the methods and results sections in the form of a paper (pages/*.txt)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from strut.plumbing.number_text import Share, format_percent
from strut.study.report.apa import f_words
from strut.study.statistics.ratings import RatingMean
from strut.study.statistics.recognition import ALPHA
from strut.study.statistics.significance import holm
from strut.study.statistics.study_statistics import Choices, StudyStatistics
from strut.study.templates import prose

StatisticsTable = tuple[str, list[str], list[list[str]]]
Column = tuple[str, Callable[[Any], str]]  # its heading, and a function from a row to its cell
_MAX_INTERVALS = 2  # of a curve on one side of the middle; more are summarised
_MAX_MEANS = 24  # in the text; of more, only significant ones are reported


def methods_and_results(found: StudyStatistics) -> tuple[str, str]:
    """Return the methods and the results, one paragraph each. Both say if answers are simulated."""
    corrected = holm([model.p_value for model in found.models])
    models = list(zip(found.models, corrected, strict=True))
    results = prose(
        "results.txt", found=found, alpha=ALPHA, models=models, spans=format_intervals, **_means(found.ratings)
    ).replace(" ,", ",")
    few = "There are too few participants for any test; the reasons are listed under what was left out."
    methods = [prose("methods.txt", found=found), *(finding.methods for finding in found.further.values())]
    results = " ".join(filter(None, [results, *(finding.results for finding in found.further.values())]))
    return " ".join(filter(None, methods)), results or few


def _means(ratings: tuple[RatingMean, ...]) -> dict[str, Any]:
    """Return the means for the text, by scale: all of a few, only the significant ones of many."""
    many = len(ratings) > _MAX_MEANS
    off_middle = [row for row in ratings if row.off_middle(ALPHA)]
    reported: dict[str, list[RatingMean]] = {}
    for row in off_middle if many else ratings:
        reported.setdefault(row.scale, []).append(row)
    return {"reported": reported, "are_selected": many, "off_middle": len(off_middle)}


def statistics_tables(found: StudyStatistics) -> list[StatisticsTable]:
    """Return title, columns and rows of every table that has data; titles say if answers are simulated."""
    tables = _choice_tables(found.choices) if found.choices else []
    tables += _preference_tables(found)
    tables += _label_tables(found)
    rated = "Mean ratings against the middle of the scale (t tests over participants)"
    controls = "Controls against original motions (paired t tests over participants)"
    for title, rows, columns in (
        (rated, found.ratings, _RATING),
        ("Ratings against factors of the motions (mixed models)", found.correlations, _CORRELATION),
        ("Ratings over time against the middle of the scale (simultaneous bands)", found.curves, _CURVE),
        (controls, found.control_effects, _CONTROL),
        ("Groups (between subjects)", found.group_effects, _GROUP),
        ("Confidence, from 1 to 5", found.confidence.emotions if found.confidence else (), _CONFIDENCE),
        *(
            (f"{model.name[:1].upper()}{model.name[1:]}; {model.reference} is the reference", model.terms, _TERM)
            for model in found.models
        ),
    ):
        if rows:
            tables.append(_table(title, rows, columns))
    if found.models:
        tables.append(_table("Mixed models: the effect of the emotion, and standard deviations", found.models, _MODEL))
    tables += [table for finding in found.further.values() for table in finding.tables]
    return [(simulated_title(title, simulated=found.simulated), *rest) for title, *rest in tables]  # type: ignore[misc]


def _preference_tables(found: StudyStatistics) -> list[StatisticsTable]:
    if not found.preferences:
        return []
    return [
        _table("Strengths of the motions (Bradley-Terry)", found.preferences.strengths, _STRENGTH),
        _table("Pairs: number of participants who preferred each motion (sign tests)", found.preferences.pairs, _PAIR),
        _table("Test that motions differ", [found.preferences.overall], _TEST),
    ]


def _label_tables(found: StudyStatistics) -> list[StatisticsTable]:
    if not found.labels:
        return []
    counts = found.labels.counts
    emotions = list(found.labels.counts[0].by_emotion) if found.labels.counts else []
    cells = [[row.label, str(row.count), *(str(row.by_emotion[name]) for name in emotions)] for row in counts]
    title = f"Labels: the {len(counts)} most frequent of {found.labels.distinct}, by the emotion shown"
    return [(title, ["label", "all", *emotions], cells), _table("Agreement on labels", [found.labels.test], _TEST)]


def simulated_title(title: str, *, simulated: bool) -> str:
    """Return a title that says if answers are simulated."""
    return f"{title} (simulated)" if simulated else title


def format_intervals(intervals: Sequence[tuple[float, float, int]]) -> str:
    """Return 'above from 1.2 to 3.4 s'; many intervals on one side are summarised."""
    texts = []
    for side, word in ((1, "above"), (-1, "below")):
        own = [(start, end) for start, end, where in intervals if where == side]
        if len(own) > _MAX_INTERVALS:
            texts.append(f"{word} in {len(own)} intervals between {own[0][0]:.1f} and {own[-1][1]:.1f} s")
        else:
            texts += [f"{word} from {start:.1f} to {end:.1f} s" for start, end in own]
    return ", ".join(texts)


def _choice_tables(choices: Choices) -> list[StatisticsTable]:
    matrix = choices.confusion
    counts = [[name, *map(str, row)] for name, row in zip(matrix.intended, matrix.counts.tolist(), strict=True)]
    rows = (*choices.hit_rates, choices.overall)
    return [
        ("Confusion matrix: rows shown, columns answered", ["shown", *matrix.perceived], counts),
        _table(f"Hit rates ({_chance_words(choices)})", rows, _HIT_RATE),
        _table("Tests", (choices.chi2_uniform, choices.chi2_independence, choices.permutation), _TEST),
        _table("Agreement", (choices.cohens_kappa, choices.fleiss_kappa), _KAPPA),
        _table("Learning", choices.learning.blocks, _BLOCK),
    ]


def _chance_words(choices: Choices) -> str:
    """Return the hit rates of guessing: one, or two if "do not know" was offered."""
    if choices.chance_all is None:
        return f"guessing: {format_percent(choices.chance)}"
    named = f"guessing: {format_percent(choices.chance)} among emotions"
    return f'{named}, {format_percent(choices.chance_all)} among all options with "do not know"'


def _table(title: str, rows: Iterable[Any], columns: tuple[Column, ...]) -> StatisticsTable:
    cells = [[cell(row) for _, cell in columns] for row in rows if row is not None]
    return title, [heading for heading, _ in columns], cells


def _column(heading: str, name: str, form: str = ".3g") -> Column:
    """Return a column with one number of a row, empty if it is None."""
    return heading, lambda row: "" if getattr(row, name) is None else _format_cell(getattr(row, name), form)


def _format_cell(value: float, form: str) -> str:
    return format(Share(value) if form.endswith("%") else value, form)


def _words(heading: str, name: str) -> Column:
    return heading, lambda row: str(getattr(row, name))


def _range(heading: str = "95 %", form: str = "+.2f") -> Column:
    return (
        heading,
        lambda row: (
            "" if None in (row.low, row.high) else f"{_format_cell(row.low, form)} to {_format_cell(row.high, form)}"
        ),
    )


_P = _column("p", "p_value")
_P_HOLM = _column("p (Holm)", "p_holm")
_N = _words("n", "n")
_MEASURE: Column = ("measure", lambda row: row.measure.replace("_", " "))
_HITS: Column = ("hits", lambda row: f"{row.hits}/{row.shown}")
_RATE = _column("rate", "rate", ".0%")
_RATE_INTERVAL = _range("95 %", ".0%")
_RATING = (
    *(_words("scale", "scale"), _words("emotion", "emotion"), _column("mean", "mean", "+.2f"), _range()),
    *(_column("d", "effect_size", "+.2f"), _P, _P_HOLM, _N),
)
_CORRELATION = (
    *(
        _words("factor", "factor"),
        _words("rating", "scale"),
        _column("Spearman r", "r", "+.2f"),
        _words("stimuli", "n"),
    ),
    *(_column("slope", "slope", "+.2f"), _range(), _column("t", "t", ".2f"), _column("dof", "dof", ".1f"), _P, _P_HOLM),
)
_CONTROL = (
    *(_words("control", "control"), _words("emotion", "emotion"), _MEASURE),
    *(_column("original", "shown", "+.2f"), _column("control", "matched", "+.2f"), _range("95 % of the change")),
    *(_P, _P_HOLM, _N),
)
_TERM = (
    *(_words("term", "name"), _column("estimate", "estimate", "+.3f"), _range(form="+.3f")),
    *(_column("t or z", "statistic", ".2f"), _column("dof", "dof", ".1f"), _P),
)
_MODEL: tuple[Column, ...] = (
    _words("outcome", "outcome"),
    ("test", lambda row: f_words(row.statistic, row.dof)),
    _P,
    ("standard deviations", lambda row: ", ".join(f"{name} {sd:.2f}" for name, sd in row.sds.items())),
    _column("residual", "residual_sd", ".2f"),
    _words("note", "note"),
)
_HIT_RATE = (
    *(_words("shown", "emotion"), _HITS, _RATE, _RATE_INTERVAL, _words("do not know", "do_not_know")),
    *(_column("rate of named", "rate_named", ".0%"), _column("hits by chance", "expected", ".1f"), _P, _P_HOLM),
    *(_column("Hu", "unbiased", ".2f"), _column("Wagner t", "wagner_t", ".2f"), _column("dof", "wagner_dof", "d")),
    _column("Wagner p (Holm)", "wagner_holm"),
    ("named more often", lambda row: f"{row.more_frequent} {row.more_frequent_count}" if row.more_frequent else ""),
)
_TEST = (
    *(_words("test", "name"), _column("statistic", "statistic", ".2f"), _column("dof", "dof", "g"), _P),
    _words("note", "note"),
)
_KAPPA = (
    *(_words("between", "name"), _column("kappa", "value", ".3f"), _range(form=".3f")),
    _words("interval", "method"),
)
_BLOCK = (_words("block", "block"), _HITS, _RATE, _RATE_INTERVAL)
_STRENGTH = (
    *(_words("motion", "stimulus"), _words("intended", "intended")),
    ("chosen", lambda row: f"{row.wins}/{row.compared}"),
    *(_column("share", "share", ".0%"), _column("strength", "strength", "+.2f"), _range()),
)
_PAIR = (
    *(_words("first", "first"), _words("second", "second")),
    *(_words("for the first", "for_first"), _words("for the second", "for_second"), _P, _P_HOLM),
)
_CURVE: tuple[Column, ...] = (
    *(_words("motion", "stimulus"), _words("intended", "intended"), _N),
    ("mean at the end", lambda row: f"{row.mean[-1]:+.2f}"),
    ("off the middle", lambda row: format_intervals(row.off_middle) or "nowhere"),
    _column("smallest p", "p_value"),
)
_GROUP: tuple[Column, ...] = (
    *(_MEASURE, _words("emotion", "emotion")),
    ("groups", lambda row: ", ".join(f"{name} (n = {n})" for name, n in zip(row.groups, row.n, strict=True))),
    ("means", lambda row: ", ".join(f"{mean:+.2f}" for mean in row.means)),
    ("test", lambda row: f_words(row.statistic, row.dof) if row.dof else "permutation" if row.p_value else ""),
    *(_P, _P_HOLM),
)
_CONFIDENCE = (_words("emotion", "emotion"), _column("mean", "mean", ".2f"), _column("sd", "sd", ".2f"), _N)
