"""Does the number of people that a simulated audience recommends reach the power that was asked for?

    python benchmarks/bench_study_power.py

The size of a study of five walks is found for a power of 80 % to recognise one emotion; 500 fresh simulated studies of
that size then show the power it has. Required: 80 plus or minus 5 %. `cpu_s` is processor time.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import process_time

import numpy as np

from record import Row, record
from strut import walk
from strut.io.motion_file import save_motion
from strut.study.audience import AUDIENCES
from strut.study.design import read_design
from strut.study.rehearsal import people_needed, simulated_power
from strut.study.study_folder import new_study

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
WANTED, STUDIES = 0.8, 500


def main() -> None:
    """Measure, print and record."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        motions = [Path(scratch) / f"{emotion}.npz" for emotion in EMOTIONS]
        for path in motions:
            save_motion(walk("mrpete", path.stem, cycles=2, rate_hz=50.0), path)
        folder = Path(scratch) / "study"
        new_study(folder, "forced-choice", motions)
        design = read_design(folder)
        for audience, finding in (("quadruped", "sad"), ("superposition", "fearful")):
            started, rng = process_time(), np.random.default_rng(7)
            people = people_needed(design, AUDIENCES[audience], power=WANTED, finding=finding, rng=rng)
            fresh = np.random.default_rng(8)
            power = simulated_power(design, AUDIENCES[audience], people, runs=STUDIES, rng=fresh)[finding]
            row: Row = {"case": f"{audience}, {finding}", "people": people, "studies": STUDIES}
            row |= {"power_percent": round(100 * power, 1), "cpu_s": round(process_time() - started, 1)}
            rows.append(row | {"calibrated": abs(power - WANTED) <= 0.05})
            record("study_power", rows[-1:], packages=("strut", "numpy", "scipy", "statsmodels"))


if __name__ == "__main__":
    main()
