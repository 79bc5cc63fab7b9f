"""Report: one self-contained page with methods, results, tables and figures; a browser prints it to PDF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from strut.errors import AnswersError
from strut.io.atomic import check_writable, write_atomically
from strut.io.motion_file import load_motion
from strut.study.answer_table import answer_columns, answers_of, export_rows
from strut.study.answers import Answers, read_answers
from strut.study.controls import weakened_words
from strut.study.design import Design, read_design
from strut.study.figures import study_figures
from strut.study.statistics import StudyStatistics, study_statistics
from strut.study.statistics_text import methods_and_results, statistics_tables
from strut.study.study_folder import open_study
from strut.study.templates import filled, prose


def report_study(
    folder: Path | str,
    path: Path | str | None = None,
    *,
    answers: Path | str | None = None,
    database: str | None = None,
    force: bool = False,
) -> StudyStatistics:
    """Write methods, results, tables and figures of a study as one page; return what was found.

    Args:
        folder: Of the study.
        path: Page to write; `report.html` in the folder if left out.
        answers: A table of answers instead of the database.
        database: Where the answers are, if not in the folder.
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
        table, design = read_answers(answers), read_design(folder)
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
        name=design.name,
        simulated=found.simulated,
        methods=" ".join(about),
        results=results,
        figures=study_figures(found),
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
