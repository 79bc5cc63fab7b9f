"""Report: one self-contained page with methods, results, tables and figures; a browser prints it to PDF."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape
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

_STYLE = """
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: #1d2430; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.simulated { background: #fde8e8; border: 2px solid #9b1c1c; color: #9b1c1c; font-weight: 700; padding: .6rem 1rem; }
figure { margin: 1rem 0; break-inside: avoid; } figure svg { max-width: 100%; height: auto; }
figcaption, .small { color: #5b6676; font-size: .9rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .6rem 0; font-size: .88rem; break-inside: avoid; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { border: 1px solid #cdd3db; padding: .25rem .55rem; text-align: left; vertical-align: top; }
h2 { break-after: avoid; } tr { break-inside: avoid; }
@page { margin: 18mm; }
@media print { body { margin: 0; padding: 0; max-width: none; font-size: 10.5pt; } .wide { overflow: visible; } }
"""


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
    about = (_procedure(design), _bodies(motions), _people(design, rows, shown_s), methods)
    parts = [f"<h1>{escape(design.name)}</h1>"]
    if found.simulated:
        words = "SIMULATED: a published response model answered, not people. Nothing here is a finding about people."
        parts.append(f'<p class="simulated">{words}</p>')
    parts += [
        "<h2>Methods</h2>",
        f"<p>{escape(' '.join(about))}</p>",
        "<h2>Results</h2>",
        f"<p>{escape(results)}</p>",
    ]
    for caption, svg in study_figures(found):
        parts.append(f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>")
    parts.append("<h2>Tables</h2>")
    parts += [_table(*table) for table in statistics_tables(found)]
    if found.left_out:
        items = "".join(f"<li>{escape(reason)}</li>" for reason in found.left_out)
        parts.append(f"<h2>Left out</h2><ul>{items}</ul>")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(design.name)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>'
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _procedure(design: Design) -> str:
    """Return how the study was done, from its design alone."""
    session, display = design.session, design.display
    kinds = {"points": "point lights", "sticks": "stick figures", "solid": "solid bodies"}
    questions = {
        "forced-choice": f"a choice among {len(design.answer_options)} answers"
        + (", in another order for each participant" if design.ask.shuffle else ""),
        "slider": f"a slider from {design.ask.ends[0]} over {design.ask.ends[1]} to {design.ask.ends[2]}",
        "sam": f"self-assessment manikins with {design.ask.points} points for {', '.join(design.ask.scales)}",
        "improvement": f"{len(design.ask.items)} items on what should change, from much less to much more",
    }
    controls = Counter(entry.control for entry in design.stimuli if entry.control != "none")
    orders = {
        "random": "in random order",
        "latin-square": "in the order of a balanced Latin square",
        "fixed": "in fixed order",
    }
    sentences = [
        f"{len(design.stimuli)} motions were shown as {kinds[display.kind]} of "
        f"{f'{display.seconds:g} s' if display.seconds else 'equal length'}, seen from {display.azimuth_deg:g} degrees "
        f"by a camera that {'stood still' if display.camera == 'fixed' else 'moved along'}, {orders[session.order]}, "
        f"in {session.blocks} block{'s' if session.blocks > 1 else ''} with {session.repeats} showing"
        f"{'s' if session.repeats > 1 else ''} each after {session.practice} practice trial"
        f"{'' if session.practice == 1 else 's'}; the question was "
        f"{questions[design.question]}."
    ]
    if session.per_participant:
        sentences.append(f"Each participant saw {session.per_participant} of them, those seen least until then.")
    if controls:
        words = " and ".join(f"{count} {name}" for name, count in sorted(controls.items()))
        sentences.append(f"Among them were {words} controls.")
    return " ".join(sentences)


def _bodies(motions: Sequence[Motion]) -> str:
    """Return whose motions were shown and how much of each feeling the body could keep."""
    robots = " and ".join(sorted({motion.robot for motion in motions}))
    weakened = weakened_words(motions)
    sentence = f"The motions are of {robots}, made and shown by strut {version('strut')}"
    return f"{sentence}; weakened to what the body can do: {weakened}." if weakened else f"{sentence}."


def _people(design: Design, rows: Sequence[dict[str, Any]], shown_s: float) -> str:
    """Return who took part, as far as they said, when, and how long an answer took."""
    by_person = {row["participant"]: row for row in rows}
    done = sum(count >= design.trials for count in Counter(row["participant"] for row in rows).values())
    ages = [row["age"] for row in by_person.values() if row["age"] is not None]
    genders = Counter(row["gender"] for row in by_person.values() if row["gender"] not in (None, "none"))
    times = [row["response_ms"] for row in rows if row["response_ms"] is not None and not row["practice"]]
    days = sorted(row["received_at"][:10] for row in rows if row["received_at"])
    sentences = [f"{done} of {len(by_person)} who answered at all answered everything."]
    if days:
        sentences.append(f"Answers came on {days[0]}." if days[0] == days[-1] else f"From {days[0]} to {days[-1]}.")
    if len(ages) > 1:
        sentences.append(f"Mean age was {mean(ages):.1f} years (sd {stdev(ages):.1f}; {len(ages)} gave it).")
    elif ages:
        sentences.append(f"One gave an age, {ages[0]} years.")
    if genders:
        sentences.append(f"Genders given: {', '.join(f'{count} {name}' for name, count in genders.most_common())}.")
    if times:
        sentences.append(f"The median answer came {median(times) / 1000.0:.1f} s after the motion began.")
        early = sum(time < 1000.0 * shown_s for time in times)
        if early:
            sentences.append(f"{early} of {len(times)} answers came before it had ended.")
    return " ".join(sentences)


def _table(title: str, columns: list[str], rows: list[list[str]]) -> str:
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    caption = f"<caption>{escape(title)}</caption>"
    return f'<div class="wide"><table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
