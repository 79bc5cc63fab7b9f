"""Study report: a self-contained page with methods, results, tables and figures, and its tables as CSV and LaTeX."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from strut.errors import AnswersError
from strut.formats.motion_file import load_motion
from strut.plumbing.atomic_files import check_writable, write_atomically
from strut.plumbing.csv_text import csv_of_lists
from strut.study.design.controls import format_weakened
from strut.study.design.custom_questions import CustomQuestion
from strut.study.design.design import Design, read_design
from strut.study.report.report_figures import report_figures
from strut.study.report.statistics_text import StatisticsTable, methods_and_results, simulated_title, statistics_tables
from strut.study.statistics.answer_table import answers_of, export_rows
from strut.study.statistics.answers import Answers, answer_columns, read_answers
from strut.study.statistics.study_statistics import StudyStatistics, study_statistics
from strut.study.study_folder import open_study
from strut.study.templates import filled, prose

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "χ²": r"$\chi^2$"}
_SPECIAL |= {letter: f"\\{letter}" for letter in "&%$#_{}"}
_MAX_NAME_LETTERS = 40  # of a table's file name


def report_study(
    folder: Path | str,
    path: Path | str | None = None,
    *,
    answers: Path | str | None = None,
    database: str | None = None,
    scale: tuple[float, float] | None = None,
    force: bool = False,
) -> StudyStatistics:
    """Write methods, results, tables and figures of a study as one page; return the statistics.

    The folder `report_tables` beside `report.html` has every table as CSV and LaTeX. The report of simulated answers is
    `simulated_report.html`.

    Args:
        folder: Folder of the study.
        path: Page to write; `report_page` of the folder if left out.
        answers: A table of answers instead of the database.
        database: URL of the database, if it is not in the folder.
        scale: Lowest and highest value of raw ratings in `answers`, which are then rescaled to -1 to 1.
        force: Whether an existing page may be replaced.

    Example:
        >>> strut.study.report_study("mystudy", answers="simulated.csv").participants  # doctest: +SKIP
        20
    """
    folder = Path(folder)
    if answers:
        table = read_answers(answers, scale=scale)
        design = read_design(folder)
        _check_belongs(design, table, str(answers))
        rows = pd.read_csv(answers, dtype=str, keep_default_na=False, na_values=[""]).rename(columns=str.strip)
    else:
        opened = open_study(folder, database, make=False)
        design = opened.design
        with closing(opened.database):
            stored = opened.database.rows()
        table = answers_of(design, stored)
        rows = export_rows(design, stored)
    page = Path(path or report_page(folder, simulated=table.simulated))
    if page.exists():
        check_writable(page, force=force)  # before the work, not after it
    found = study_statistics(table, **design.ask.statistics_options(folder))
    write_atomically(page, report_html(design, rows, found).encode(), force=force)
    tables = report_tables(design, rows, found)
    save_tables(tables, page.with_name(f"{page.stem}_tables"), simulated=found.simulated)
    return found


def _check_belongs(design: Design, answers: Answers, source: str) -> None:
    """Raise AnswersError if a table has answers to another question or to motions that the study does not show."""
    held = set(answer_columns(answers.table))
    asked = design.ask.answer_columns
    extra = {"perceived"} if "label" in asked else set()  # a laboratory may have coded labels
    if set(asked) != held - extra:
        has = ", ".join(sorted(held))
        raise AnswersError(source, f"holds {has}; the {design.question} question of {design.name} asks {asked[0]}.")
    for shown in _not_shown(design, answers):
        raise AnswersError(source, f"has answers to {shown}, which {design.name} does not show.")


def _not_shown(design: Design, answers: Answers) -> list[str]:
    """Return the stimuli that were answered but are not in the design; emotions if the table has no stimuli."""
    table = answers.table
    if table["stimulus"].equals(table["intended"]):  # the table has no stimuli
        return sorted(set(table["intended"]) - {entry.intended for entry in design.stimuli})
    shown = {(entry.name, entry.intended) for entry in design.stimuli}
    unknown = set(zip(table["stimulus"], table["intended"], strict=True)) - shown
    return sorted(f"{stimulus} ({intended})" for stimulus, intended in unknown)


def report_page(folder: Path, *, simulated: bool) -> Path:
    """Return the path of a study's report; that of simulated answers is another file."""
    return folder / ("simulated_report.html" if simulated else "report.html")


def report_html(design: Design, rows: pd.DataFrame | Sequence[dict[str, Any]], found: StudyStatistics) -> str:
    """Return the report of a study as HTML; `rows` are the exported answers, for participants and response times."""
    methods, results = methods_and_results(found)
    motions = [load_motion(design.folder / entry.file) for entry in design.stimuli]
    shown_s = design.display.seconds or min(motion.duration_s for motion in motions)
    procedure = prose(
        "procedure.txt",
        design=design,
        controls=sorted(Counter(entry.control for entry in design.stimuli if entry.control != "none").items()),
        robots=sorted({motion.robot for motion in motions}),
        version=version("strut"),
        weakened=format_weakened(motions, shown_s),
    )
    methods_section = (procedure, _people(design, pd.DataFrame(rows), shown_s), methods)
    return filled(
        "report.html",
        name=simulated_title(design.name, simulated=found.simulated),
        simulated=found.simulated,
        methods=" ".join(methods_section),
        results=results,
        figures=report_figures(found),
        tables=report_tables(design, rows, found),
        left_out=found.left_out,
    )


def _people(design: Design, rows: pd.DataFrame, shown_s: float) -> str:
    """Return the sentences on participants, dates and response times."""
    rows = rows.reindex(columns=["participant", "practice", "age", "gender", "received_at", "response_ms", "group"])
    for name in ("practice", "age", "response_ms"):
        rows[name] = pd.to_numeric(rows[name], errors="coerce")
    people = rows.groupby("participant", sort=False).last()
    days = rows["received_at"].replace("", None).dropna().str[:10]
    times_s = rows["response_ms"][rows["practice"] != 1].dropna() / 1000.0
    return prose(
        "people.txt",
        done=sum(len(own) >= design.trials_of(str(own["group"].iloc[0])) for _, own in rows.groupby("participant")),
        groups=[(name, int((people["group"] == name).sum())) for name in (one.name for one in design.groups)],
        people=len(people),
        days=sorted(days),
        ages=people["age"].dropna(),
        genders=Counter(people["gender"][people["gender"] != "none"].dropna()).most_common(),
        times_s=times_s,
        early=int((times_s < shown_s).sum()),
    )


def report_tables(
    design: Design, rows: pd.DataFrame | Sequence[dict[str, Any]], found: StudyStatistics
) -> list[StatisticsTable]:
    """Return all tables of a report."""
    return [*statistics_tables(found), *_custom_tables(design, pd.DataFrame(rows), found)]


def _custom_tables(design: Design, rows: pd.DataFrame, found: StudyStatistics) -> list[StatisticsTable]:
    """Return the table of answers to the study's own questions, one row per question; none without questions."""
    if not design.questions:
        return []
    people = rows.reindex(columns=["participant", *(question.column for question in design.questions)])
    replies = people.groupby("participant", sort=False).first()
    title = simulated_title("The study's own questions", simulated=found.simulated)
    cells = [
        [one.name, one.when, one.text[design.languages[0]], *_summary(one, replies[one.column])]
        for one in design.questions
    ]
    return [(title, ["question", "when", "text", "answers", "summary"], cells)]


def _summary(question: CustomQuestion, replies: pd.Series) -> tuple[str, str]:
    """Return the number of answers to a question, and their counts, or mean and standard deviation."""
    given = replies[replies.notna() & (replies.astype(str) != "")]
    if question.kind in ("number", "scale") and len(given):
        numbers = pd.to_numeric(given)
        spread = f", SD = {numbers.std():.2f}" if len(numbers) > 1 else ""
        return str(len(given)), f"M = {numbers.mean():.2f}{spread}, from {numbers.min():g} to {numbers.max():g}"
    if question.kind == "choice":
        counts = given.value_counts()
        options = next(iter(question.options.values()))
        return str(len(given)), ", ".join(f"{counts.get(name, 0)} {name}" for name in options)
    return str(len(given)), "in the table of answers" if question.kind == "text" and len(given) else ""


def save_tables(tables: Sequence[StatisticsTable], folder: Path, *, simulated: bool) -> None:
    """Write `table_1_....csv` and `.tex` of every table; tables of an earlier report are deleted."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*table_*"):
        old.unlink()
    for number, table in enumerate(tables, start=1):
        name = f"{'simulated_' if simulated else ''}table_{number}_{_plain(table[0])}"
        write_atomically(folder / f"{name}.csv", csv_text(table).encode(), force=True)
        write_atomically(folder / f"{name}.tex", latex_text(table, number).encode(), force=True)


def csv_text(table: StatisticsTable) -> str:
    """Return a table as CSV; its title is a comment in the first line."""
    title, columns, rows = table
    return f"# {title}\n{csv_of_lists([columns, *rows])}"


def latex_text(table: StatisticsTable, number: int) -> str:
    """Return a table in LaTeX with the rules of the package booktabs."""
    title, columns, rows = table
    cells = [[latex_escaped(cell) for cell in row] for row in (columns, *rows)]
    return filled("table.tex", title=latex_escaped(title), number=number, columns=cells[0], rows=cells[1:])


def latex_escaped(text: str) -> str:
    """Return a text with all special characters of LaTeX escaped."""
    return re.sub("|".join(map(re.escape, _SPECIAL)), lambda match: _SPECIAL[match[0]], text)


def _plain(title: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "_", title.lower()).strip("_")
    return words[:_MAX_NAME_LETTERS].rstrip("_")
