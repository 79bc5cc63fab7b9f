"""Does the number of people that a simulated audience recommends reach the power that was asked for?

    python benchmarks/bench_study_power.py [--only sad]

The size of a study of five walks is found for a power of 80 % of one finding; 500 fresh simulated studies of that size
then show the power it has, and 500 of one person less. Required: 80 plus or minus 5 % (`within_5`). In small studies
one person changes the power by more: there, the size must be the smallest that reaches 80 % (`fewest`). `cpu_s` is
processor time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import process_time

import numpy as np

from five_walks import five_walks
from record import Row, benchmark_parser, record
from strut.study.design.audience import AUDIENCES
from strut.study.design.design import Design, read_design
from strut.study.design.simulated_study import people_needed, simulated_power
from strut.study.study_folder import new_study

CASES = (  # question, blocks, audience, finding
    ("forced-choice", 2, "quadruped", "sad"),
    ("forced-choice", 1, "quadruped", "sad"),
    ("forced-choice", 2, "superposition", "fearful"),
    ("forced-choice", 1, "superposition", "fearful"),
    ("slider", 1, "pepper", "all, rating"),
)
WANTED = 0.8
STUDIES = 500
ALLOWED = 0.05


def calibration(design: Design, audience: str, finding: str) -> Row:
    """Return the recommended number of people, and the power with it and with one less."""
    started = process_time()
    model = AUDIENCES[audience]
    chances = (np.random.default_rng(seed) for seed in (7, 8, 9))
    people = people_needed(design, model, power=WANTED, finding=finding, rng=next(chances))
    power, before = (
        simulated_power(design, model, size, runs=STUDIES, rng=rng)[finding]
        for size, rng in zip((people, people - 1), chances, strict=True)
    )
    return {
        "case": f"{audience}, {finding}, {design.session.blocks} showings each",
        "people": people,
        "studies": STUDIES,
        "power_percent": round(100 * power, 1),
        "one_less_percent": round(100 * before, 1),
        "cpu_s": round(process_time() - started, 1),
        "within_5": abs(power - WANTED) <= ALLOWED,
        "fewest": before < WANTED <= power,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and record; quick: two studies of the first case."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--only", default="", help="cases whose finding holds this text")
    options = parser.parse_args(arguments)
    cases = CASES[:1] if options.quick else CASES
    with tempfile.TemporaryDirectory() as scratch:
        motions = five_walks(Path(scratch))
        for number, (question, blocks, audience, finding) in enumerate(cases):
            if options.only not in finding:
                continue
            folder = Path(scratch) / str(number)
            path = new_study(folder, question, motions)
            path.write_text(path.read_text("utf-8").replace("blocks = 2", f"blocks = {blocks}"), "utf-8")
            design = read_design(folder)
            if options.quick:
                power = simulated_power(design, AUDIENCES[audience], 20, runs=2, rng=np.random.default_rng(7))
                record("study_power", [{"people": 20, "studies": 2, "power": power[finding]}], packages=(), quick=True)
                return
            row = calibration(design, audience, finding)
            record("study_power", [row], packages=("strut", "numpy", "scipy", "statsmodels"))


if __name__ == "__main__":
    main()
