"""How long does it take from 10 000 answers to a report, with every test, model and figure?

    python benchmarks/bench_study_report.py

The answers are simulated: 500 observers with twenty answers each, one study with choices and one with ratings.
Required: less than 10 s from the answers to the page. `cpu_s` is the processor time of the report; `wall_s` is longer
on a busy machine.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from five_walks import five_walks
from record import Row, benchmark_parser, record
from strut.study.design.audience import audience_for
from strut.study.design.design import read_design
from strut.study.design.simulated_study import simulated_rows
from strut.study.report.study_report import report_html
from strut.study.statistics.answer_table import answers_of, export_rows
from strut.study.statistics.study_statistics import study_statistics
from strut.study.study_folder import new_study

PEOPLE = 500
BLOCKS = 4
ALLOWED_S = 10.0
QUESTIONS = ("forced-choice", "sam")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and record; quick: ten observers of one study."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    people = 10 if quick else PEOPLE
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        motions = five_walks(Path(scratch))
        for question in QUESTIONS[:1] if quick else QUESTIONS:
            folder = Path(scratch) / question
            new_study(folder, question, motions)
            text = (folder / "design.toml").read_text("utf-8").replace("blocks = 2", f"blocks = {BLOCKS}")
            (folder / "design.toml").write_text(text, "utf-8")
            design = read_design(folder)
            answered = simulated_rows(design, audience_for(design, None), people, np.random.default_rng(0))
            started = perf_counter()
            used = process_time()
            table = answers_of(design, answered)
            found = study_statistics(table, **design.ask.statistics_options(folder))
            page = report_html(design, export_rows(design, answered), found)
            wall_s = perf_counter() - started
            cpu_s = process_time() - used
            rows.append(
                {
                    "case": question,
                    "answers": len(table),
                    "wall_s": round(wall_s, 2),
                    "cpu_s": round(cpu_s, 2),
                    "page_kb": round(len(page) / 1e3),
                    "fast_enough": wall_s < ALLOWED_S,
                }
            )
    record("study_report", rows, packages=("strut", "scipy", "statsmodels", "pingouin"), quick=quick)


if __name__ == "__main__":
    main()
