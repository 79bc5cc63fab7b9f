"""Report: one self-contained page with methods, results, tables and figures; a browser prints it to PDF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

from strut.io.atomic import write_atomically
from strut.io.motion_file import load_motion
from strut.motion import Motion
from strut.study.confound import weakened_words
from strut.study.design import Design
from strut.study.figures import study_figures
from strut.study.paragraph import methods_and_results
from strut.study.report_sources import rows_of_file, rows_of_study
from strut.study.statistics import StudyStatistics, study_statistics
from strut.study.statistics_tables import statistics_tables
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
    design, rows, table = rows_of_file(folder, Path(answers)) if answers else rows_of_study(folder, database)
    options = design.answer_options if design.question == "forced-choice" else ()
    found = study_statistics(table, options=options)
    write_atomically(Path(path or folder / "report.html"), report_html(design, rows, found).encode(), force=force)
    return found


def report_html(design: Design, rows: Sequence[dict[str, Any]], found: StudyStatistics) -> str:
    """Return the report of a study as a page.

    Args:
        design: What was asked.
        rows: The exported answers, for who took part and how long they needed.
        found: The statistics of the answers.
    """
    methods, results = methods_and_results(found)
    motions = [load_motion(design.folder / entry.file) for entry in design.stimuli]
    shown_s = design.display.seconds or min(motion.duration_s for motion in motions)
    about = (_procedure(design, motions), _people(design, rows, shown_s), methods)
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


def _procedure(design: Design, motions: Sequence[Motion]) -> str:
    """Return how the study was done, whose motions were shown, and how much of each feeling the body could keep."""
    return prose(
        "procedure.txt",
        design=design,
        controls=sorted(Counter(entry.control for entry in design.stimuli if entry.control != "none").items()),
        robots=sorted({motion.robot for motion in motions}),
        version=version("strut"),
        weakened=weakened_words(motions),
    )


def _people(design: Design, rows: Sequence[dict[str, Any]], shown_s: float) -> str:
    """Return who took part, as far as they said, when, and how long an answer took."""
    by_person = {row["participant"]: row for row in rows}
    done = sum(count >= design.trials for count in Counter(row["participant"] for row in rows).values())
    sentences = [f"{done} of {len(by_person)} who answered at all answered everything.", *_days(rows)]
    sentences += _ages([row["age"] for row in by_person.values() if row["age"] is not None])
    genders = Counter(row["gender"] for row in by_person.values() if row["gender"] not in (None, "none"))
    if genders:
        sentences.append(f"Genders given: {', '.join(f'{count} {name}' for name, count in genders.most_common())}.")
    return " ".join(sentences + _times(rows, shown_s))


def _ages(ages: Sequence[int]) -> list[str]:
    if len(ages) > 1:
        return [f"Mean age was {mean(ages):.1f} years (sd {stdev(ages):.1f}; {len(ages)} gave it)."]
    return [f"One gave an age, {ages[0]} years." for _ in ages]


def _days(rows: Sequence[dict[str, Any]]) -> list[str]:
    days = sorted(row["received_at"][:10] for row in rows if row["received_at"])
    if not days:
        return []
    return [f"Answers came on {days[0]}." if days[0] == days[-1] else f"From {days[0]} to {days[-1]}."]


def _times(rows: Sequence[dict[str, Any]], shown_s: float) -> list[str]:
    """Return how long answers took, and how many came before the motion had ended."""
    times = [row["response_ms"] for row in rows if row["response_ms"] is not None and not row["practice"]]
    if not times:
        return []
    sentences = [f"The median answer came {median(times) / 1000.0:.1f} s after the motion began."]
    early = sum(time < 1000.0 * shown_s for time in times)
    return [*sentences, f"{early} of {len(times)} answers came before it had ended."] if early else sentences
