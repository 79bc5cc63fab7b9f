"""How long does a user wait for a walk of a human at the command line?

    python benchmarks/bench_human_waiting.py [--runs RUNS] [--cases CASE ...]

`strut synthesize --speed 1.3`, the same between the speeds of the library of solved gaits, and `strut walk heiman` with
each feeling, every run a program of its own as a user starts it: imports, set-up, solution, refinement, proof and file.
`wall_s` is the wait, longer when others use the machine (`load`); `cpu_s` is the processor time.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from record import Row, benchmark_parser, record

CASES = {
    "default": ("synthesize", "--speed", "1.3"),
    "between": ("synthesize", "--speed", "1.22"),
    **{feeling: ("walk", "heiman", "--emotion", feeling) for feeling in ("happy", "sad", "angry", "fearful")},
}


def run(case: str, number: int) -> Row:
    """Return how long one run of a case took."""
    alone = {**os.environ, **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")}
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "strut", *CASES[case], "--out", str(Path(folder) / "walk.npz")]
        began_s = perf_counter()
        began_cpu_s = getrusage(RUSAGE_CHILDREN)
        subprocess.run(command, check=True, capture_output=True, env=alone)
        wall_s = perf_counter() - began_s
        used = getrusage(RUSAGE_CHILDREN)
    cpu_s = used.ru_utime + used.ru_stime - began_cpu_s.ru_utime - began_cpu_s.ru_stime
    return {"case": case, "run": number, "wall_s": round(wall_s, 2), "cpu_s": round(cpu_s, 2)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run every case as often as asked; quick: the first case once."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    options = parser.parse_args(arguments)
    runs = 1 if options.quick else options.runs
    for case in options.cases[:1] if options.quick else options.cases:
        rows = [run(case, number) for number in range(runs)]
        record("human_waiting", rows, packages=["strut", "casadi", "numpy"], quick=options.quick)
        wall_s, cpu_s = (median(row[name] for row in rows) for name in ("wall_s", "cpu_s"))
        print(f"{case}: median {wall_s:.1f} s of waiting, {cpu_s:.1f} s of processor time", file=sys.stderr)


if __name__ == "__main__":
    main()
