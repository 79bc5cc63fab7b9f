"""What every benchmark shares: its options, its data, and rows that are printed and appended to results/.

A benchmark is a module with `main(arguments)`. With `--quick` it measures the smallest case that shows that it works,
and records nothing; tests/test_benchmarks.py runs every benchmark that way.
"""

from __future__ import annotations

import csv
import os
import platform
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NoReturn

RESULTS = Path(__file__).parent / "results"
RECORDINGS = Path(__file__).parents[2] / "shared" / "data"  # real recordings, which are not part of the project
Row = dict[str, Any]


def benchmark_parser(description: str | None) -> ArgumentParser:
    """Return a parser of a benchmark's options, which knows `--quick`."""
    parser = ArgumentParser(description=description, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="measure the smallest case, and record nothing")
    return parser


def skip(reason: str) -> NoReturn:
    """End a benchmark that cannot run here, without an error: `make bench` goes on with the next one."""
    print(f"skipped: {reason}")
    raise SystemExit(0)


def recordings() -> Path:
    """Return the folder of real recordings, or skip the benchmark where they are absent."""
    if not RECORDINGS.is_dir():
        skip("the recordings in ../shared/data are absent.")
    return RECORDINGS


def processor() -> str:
    """Return the processor's name as the system gives it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def median_seconds(work: Callable[[], Any], *, repeats: int) -> float:
    """Return the median time of `work` after one run to warm up."""
    work()
    taken = []
    for _ in range(repeats):
        started = perf_counter()
        work()
        taken.append(perf_counter() - started)
    return median(taken)


def record(name: str, rows: Sequence[Row], *, packages: Sequence[str], quick: bool = False) -> None:
    """Print rows and append them to `results/<name>.csv`; older rows with other columns move to a file of their own.

    Rows of a quick run are printed only.
    """
    print(",".join(rows[0]))
    for row in rows:
        print(",".join(str(value) for value in row.values()))
    if quick:
        return
    measured_on = {
        "when": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "processor": processor(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else "",  # others on the machine slow us down
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.csv"
    columns = [*rows[0], *measured_on]
    if path.exists() and _columns(path) != columns:
        path.rename(_aside(name))
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns)
        if is_new:
            writer.writeheader()
        writer.writerows(row | measured_on for row in rows)


def _columns(path: Path) -> list[str]:
    with path.open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file), [])


def _aside(name: str) -> Path:
    """Return a free name for rows with other columns."""
    return next(path for number in count(1) if not (path := RESULTS / f"{name}_older_{number}.csv").exists())
