"""Report: one self-contained page with methods, results, tables and figures; a browser prints it to PDF."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from strut.errors import AnswersError
from strut.io.atomic import check_writable, write_atomically
from strut.io.motion_file import load_motion
from strut.study.answer_table import answer_columns, answers_of, export_rows
from strut.study.answers import Answers, read_answers
from strut.study.confusion import BlockRate
from strut.study.controls import weakened_words
from strut.study.design import Design, read_design
from strut.study.ratings import RatingMean
from strut.study.recognition import Recognition
from strut.study.report_tables import save_tables
from strut.study.statistics import Choices, StudyStatistics, study_statistics
from strut.study.statistics_text import methods_and_results, simulated_title, statistics_tables
from strut.study.study_folder import open_study
from strut.study.templates import filled, prose

_INK, _SOFT, _ACCENT, _ALERT = "#1d2430", "#7d8794", "#1f5fbf", "#9b1c1c"
Drawing = tuple[Callable[[Axes], None], tuple[float, float]]  # what draws a figure, and its size [in]
_STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "strut",
    "font.family": "sans-serif",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": _INK,
    "axes.edgecolor": _SOFT,
}


def report_study(
    folder: Path | str,
    path: Path | str | None = None,
    *,
    answers: Path | str | None = None,
    database: str | None = None,
    scale: tuple[float, float] | None = None,
    force: bool = False,
) -> StudyStatistics:
    """Write methods, results, tables and figures of a study as one page; return what was found.

    Beside `report.html` stands `report_tables` with every table as CSV and LaTeX.

    Args:
        folder: Of the study.
        path: Page to write; `report.html` in the folder if left out.
        answers: A table of answers instead of the database.
        database: Where the answers are, if not in the folder.
        scale: Lowest and highest value of raw ratings in `answers`, which are then rescaled to -1 to 1.
        force: Whether an existing page may be replaced.

    Example:
        >>> strut.report_study("mystudy", answers="simulated.csv").participants  # doctest: +SKIP
        20
    """
    folder = Path(folder)
    page = Path(path or folder / "report.html")
    if page.exists():
        check_writable(page, force=force)  # before the work, not after it
    if answers:
        table, design = read_answers(answers, scale=scale), read_design(folder)
        _check_belongs(design, table, str(answers))
        rows = pd.read_csv(answers, dtype=str, keep_default_na=False, na_values=[""]).rename(columns=str.strip)
    else:
        opened = open_study(folder, database)
        design = opened.design
        with closing(opened.database):
            stored = opened.database.rows()
        table, rows = answers_of(design, stored), export_rows(design, stored)
    options = design.answer_options if design.question == "forced-choice" else ()
    found = study_statistics(table, options=options)
    write_atomically(page, report_html(design, rows, found).encode(), force=force)
    save_tables(statistics_tables(found), page.with_name(f"{page.stem}_tables"), simulated=found.simulated)
    return found


def _check_belongs(design: Design, answers: Answers, source: str) -> None:
    """Raise AnswersError if a table answers another question, or names motions that the study does not show."""
    asked, held = answer_columns(design), {*answers.ratings, *(("perceived",) if answers.are_choices else ())}
    if set(asked) != held:
        has = ", ".join(sorted(held))
        raise AnswersError(source, f"holds {has}; the {design.question} question of {design.name} asks {asked[0]}.")
    shown = {(entry.name, entry.intended) for entry in design.stimuli}
    named = not answers.table["stimulus"].equals(answers.table["intended"])  # else it says only what was intended
    known = {intended for _, intended in shown}
    for stimulus, intended in zip(answers.table["stimulus"], answers.table["intended"], strict=True):
        if ((stimulus, intended) not in shown) if named else (intended not in known):
            motion = f"{stimulus} ({intended})" if named else intended
            raise AnswersError(source, f"has answers to {motion}, which {design.name} does not show.")


def report_html(design: Design, rows: pd.DataFrame | Sequence[dict[str, Any]], found: StudyStatistics) -> str:
    """Return the report of a study as a page; `rows` are the exported answers, for who took part and how long."""
    methods, results = methods_and_results(found)
    motions = [load_motion(design.folder / entry.file) for entry in design.stimuli]
    shown_s = design.display.seconds or min(motion.duration_s for motion in motions)
    procedure = prose(
        "procedure.txt",
        design=design,
        controls=sorted(Counter(entry.control for entry in design.stimuli if entry.control != "none").items()),
        robots=sorted({motion.robot for motion in motions}),
        version=version("strut"),
        weakened=weakened_words(motions),
    )
    about = (procedure, _people(design, pd.DataFrame(rows), shown_s), methods)
    return filled(
        "report.html",
        name=simulated_title(design.name, simulated=found.simulated),
        simulated=found.simulated,
        methods=" ".join(about),
        results=results,
        figures=_figures(found),
        tables=statistics_tables(found),
        left_out=found.left_out,
    )


def _people(design: Design, rows: pd.DataFrame, shown_s: float) -> str:
    """Return who took part, as far as they said, when, and how long an answer took."""
    rows = rows.reindex(columns=["participant", "practice", "age", "gender", "received_at", "response_ms"])
    for name in ("practice", "age", "response_ms"):
        rows[name] = pd.to_numeric(rows[name], errors="coerce")
    people = rows.groupby("participant", sort=False).last()
    days = rows["received_at"].replace("", None).dropna().str[:10]
    times_s = rows["response_ms"][rows["practice"] != 1].dropna() / 1000.0
    return prose(
        "people.txt",
        done=int((rows["participant"].value_counts() >= design.trials).sum()),
        people=len(people),
        days=sorted(days),
        ages=people["age"].dropna(),
        genders=Counter(people["gender"][people["gender"] != "none"].dropna()).most_common(),
        times_s=times_s,
        early=int((times_s < shown_s).sum()),
    )


def _figures(found: StudyStatistics) -> list[tuple[str, str]]:
    """Return caption and SVG of every figure there is something for; both say where answers are simulated."""
    figures = _choice_figures(found.choices) if found.choices else []
    for scale in dict.fromkeys(row.scale for row in found.ratings):
        rows, name = [row for row in found.ratings if row.scale == scale], scale.replace("_", " ")
        drawing = _intervals(rows, [row.emotion for row in rows], [], ylabel=name)
        figures.append((f"Mean {name} with 95 % intervals over participants", drawing))
    return [
        (simulated_title(caption, simulated=found.simulated), _drawn(*drawing, simulated=found.simulated))
        for caption, drawing in figures
    ]


def _choice_figures(choices: Choices) -> list[tuple[str, Drawing]]:
    emotions, blocks = [row.emotion for row in choices.hit_rates], choices.learning.blocks
    chance, lines = [choices.chance], "The dashed line is guessing"
    if choices.chance_all is not None:
        chance, lines = (
            [*chance, choices.chance_all],
            'Dashed lines: guessing among emotions and, lower, with "do not know"',
        )
    hits = _intervals(choices.hit_rates, emotions, chance, ylabel="hit rate")
    figures = [
        ("Which emotion was taken for which, in percent of what was shown", _confusion_figure(choices)),
        (f"Hit rates with Wilson intervals. {lines}", hits),
    ]
    if len(blocks) > 1:
        numbers = [str(row.block) for row in blocks]
        curve = _intervals(blocks, numbers, chance, curve=True, xlabel="block", ylabel="hit rate")
        figures.append(("Hit rates by block, with Wilson intervals", curve))
    return figures


def _confusion_figure(choices: Choices) -> Drawing:
    """Return the confusion matrix as a picture."""
    matrix = choices.confusion
    share = 100.0 * matrix.counts / matrix.shown[:, None]

    def draw(axes: Axes) -> None:
        axes.imshow(share, cmap="Blues", vmin=0, vmax=100, aspect="auto")
        for (row, column), value in np.ndenumerate(share):
            color = "white" if value > 55 else _INK
            axes.text(column, row, f"{value:.0f}", ha="center", va="center", color=color)
        axes.set_xticks(range(len(matrix.perceived)), matrix.perceived, rotation=25, ha="right")
        axes.set_yticks(range(len(matrix.intended)), matrix.intended)
        axes.set(xlabel="answered", ylabel="shown")
        axes.tick_params(length=0)

    return draw, (1.5 + 0.85 * len(matrix.perceived), 1.4 + 0.48 * len(matrix.intended))


def _intervals(
    rows: Sequence[Recognition | BlockRate | RatingMean],
    names: list[str],
    chance: Sequence[float],
    *,
    curve: bool = False,
    **labels: str,
) -> Drawing:
    """Return rates beside lines of chance, or means on a scale with its middle (there is none), with intervals."""
    middle = [row.mean if isinstance(row, RatingMean) else row.rate for row in rows]
    reach = np.maximum([[m - row.low, row.high - m] for m, row in zip(middle, rows, strict=True)], 0.0).T
    bound = 2.0 if max(abs(value) for value in middle) > 1.0 else 1.0

    def draw(axes: Axes) -> None:
        axes.errorbar(range(len(rows)), middle, yerr=reach, fmt="o", color=_ACCENT, ecolor=_INK, capsize=4)
        axes.set_xlim(-0.5, len(rows) - 0.5)
        if curve:
            axes.plot(range(len(rows)), middle, color=_ACCENT, linewidth=1.0)
        for line in chance or [0.0]:
            axes.axhline(line, color=_SOFT, linestyle="--" if chance else "-", linewidth=1.0)
        axes.set_xticks(range(len(rows)), names)
        axes.set(ylim=(-1.05 * bound, 1.05 * bound) if not chance else (0.0, 1.02), **labels)

    size_in = (1.8 + 0.8 * len(rows), 3.0) if curve else (1.6 + 0.9 * len(rows), 2.8 if not chance else 3.0)
    return draw, size_in


def _drawn(draw: Callable[[Axes], None], size_in: tuple[float, float], *, simulated: bool) -> str:
    """Return a figure as SVG; pictures travel without their captions, so that of simulated answers says so itself."""
    with matplotlib.rc_context(_STYLE):
        figure = Figure(figsize=size_in, layout="constrained")
        draw(figure.add_subplot())
        if simulated:
            figure.text(0.99, 0.99, "SIMULATED", ha="right", va="top", color=_ALERT, weight="bold", size=8)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    return text[text.index("<svg") :]
