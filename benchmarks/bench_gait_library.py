"""How long does one gait of Cassie's library take, and how much faster are two workers than one?

    python benchmarks/bench_gait_library.py [--grid 5,3,3] [--workers 1 2] [--repeats 3]
    python benchmarks/bench_gait_library.py --grid 11,11,11 --workers 2 --store gaits.db    # goes on where it was
    python benchmarks/bench_gait_library.py --tried gaits.db    # one row for each gait that `strut library try` walked

Builds the same grid anew with each number of Dask workers on this machine, in turns. `gait_s` is the median processor
time of a gait that starts from a neighbour, one core; `_most` are the worst of all. `build_s` is the elapsed time of
the whole grid and `first_s` that of its first gait, start of the workers included. `speedup` is `build_s` of the first
number of workers over the present one, `steady_speedup` the same without `first_s`; they are left out where a build
went on. `builder_s` and `workers_s` are processor times, and `others_cores` is how many cores other programs kept busy
meanwhile: unless it is close to 0, only processor times count.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from collections.abc import Sequence  # noqa: E402
from itertools import product  # noqa: E402
from pathlib import Path  # noqa: E402
from statistics import median  # noqa: E402
from tempfile import TemporaryDirectory  # noqa: E402
from time import perf_counter  # noqa: E402
from typing import get_args  # noqa: E402

from record import Row, benchmark_parser, record  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402
from strut.pilot.gait_library.gait_library_build import build_gait_library  # noqa: E402
from strut.pilot.gait_library.gait_store import GaitStore  # noqa: E402
from strut.pilot.request import Walker  # noqa: E402


def others_busy_s() -> float:
    """Return the processor time of all other programs since the machine started; 0 without /proc."""
    stat = Path("/proc/stat")
    if not stat.is_file():
        return 0.0
    user, low, system, _, _, interrupts, soft = (int(number) for number in stat.read_text("utf-8").split()[1:8])
    return (user + low + system + interrupts + soft) / os.sysconf("SC_CLK_TCK") - sum(os.times()[:4])


def build_row(counts: tuple[int, int, int], workers: int, path: Path) -> Row:
    """Build the missing gaits of a grid into a store, and return the times."""
    goes_on = path.exists()
    others_s = others_busy_s()
    own = os.times()
    started = perf_counter()
    came_s = []
    store = build_gait_library(
        "cassie", path, counts=counts, workers=workers, on_gait=lambda *_: came_s.append(perf_counter() - started)
    )
    taken_s = perf_counter() - started
    ended = os.times()
    records = list(store.records())
    solved = [one.figures for one in records if one.start is not None]
    warm = [figures for figures in solved if figures["warm"]]
    found = [one.figures for one in records if one.status == "ok"]
    return {
        "grid": "x".join(str(count) for count in counts),
        "workers": workers,
        "gaits": len(records),
        "found": len(found),
        "gait_s": round(median(figures["solve_s"] for figures in warm), 3),
        "gait_most_s": round(max(figures["solve_s"] for figures in solved), 3),
        "iterations": median(figures["iterations"] for figures in warm),
        "iterations_most": max(figures["iterations"] for figures in solved),
        "off_line_mm": round(median(figures["off_line_mm"] for figures in found), 2),
        "off_line_most_mm": round(max(figures["off_line_mm"] for figures in found), 1),
        "slip_most_mm": round(max(figures["slip_mm"] for figures in found), 2),
        "first_s": None if goes_on else round(came_s[0], 1),
        "build_s": None if goes_on else round(taken_s, 1),
        "builder_s": round(ended.user + ended.system - own.user - own.system, 1),
        "workers_s": round(ended.children_user + ended.children_system - own.children_user - own.children_system, 1),
        "others_cores": round((others_busy_s() - others_s) / taken_s, 2),
    }


def speedups(first: Row, row: Row) -> Row:
    """Return the speed-up of each build over the first one, with and without the start of the workers."""
    if row["build_s"] is None:
        return {"speedup": None, "steady_speedup": None}
    steady_s = [one["build_s"] - one["first_s"] for one in (first, row)]
    return {
        "speedup": round(first["build_s"] / row["build_s"], 2),
        "steady_speedup": round(steady_s[0] / steady_s[1], 2),
    }


def tried_rows(path: Path) -> list[Row]:
    """Return the outcome of the walks in a store: held without a fall, and the error of the mean speed."""
    store = GaitStore(path, load_robot("cassie"))
    rows: list[Row] = []
    for one, walker in product(store.records(), get_args(Walker)):
        came = one.figures.get(f"walked_by_{walker}")
        if came is not None:
            place = zip(("forward_m_s", "left_m_s", "height_m"), store.parameter(one.index), strict=True)
            rows.append({"walker": walker} | {name: round(value, 4) for name, value in place} | came)
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Build the grid with each number of workers; quick: a grid of one gait with one worker."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--grid", default="5,3,3")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--store", type=Path, help="keep the gaits; only for one number of workers")
    parser.add_argument("--tried", type=Path, help="only record the walks that this store holds")
    options = parser.parse_args(arguments)
    if options.quick:
        options.grid = "2,1,1"
        options.workers = [1]
    if options.tried is not None:
        record("gait_trials", tried_rows(options.tried), packages=("mujoco", "numpy"))
        return
    if options.store is not None and len(options.workers) != 1:
        parser.error("--store holds one build: give one number of workers")
    forward, left, height = (int(number) for number in options.grid.split(","))
    for _ in range(options.repeats):
        with TemporaryDirectory() as folder:
            rows: list[Row] = []
            for workers in options.workers:
                path = options.store or Path(folder) / f"{workers}.db"
                rows.append(build_row((forward, left, height), workers, path))
                row = rows[-1] | speedups(rows[0], rows[-1])
                record("gait_library", [row], packages=("casadi", "mujoco"), quick=options.quick)


if __name__ == "__main__":
    main()
