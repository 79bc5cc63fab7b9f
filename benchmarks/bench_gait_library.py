"""How long does one gait of Cassie's library take, and how much faster are two workers than one?

    python benchmarks/bench_gait_library.py [--grid 5,3,3] [--workers 1 2]
    python benchmarks/bench_gait_library.py --grid 11,11,11 --workers 2 --store gaits.db    # goes on where it was

Builds the same grid from nothing with each number of Dask workers on this machine. `gait_s` is the median processor
time of a gait that starts from a neighbour, one core; `build_s` is waiting for the whole grid, set-up of the workers
included, and `speedup` is the first of these over the present one; both are left out where a build went on. On a
machine that others use only `gait_s` counts.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import argparse  # noqa: E402
from pathlib import Path  # noqa: E402
from statistics import median  # noqa: E402
from tempfile import TemporaryDirectory  # noqa: E402
from time import perf_counter  # noqa: E402

from record import Row, record  # noqa: E402
from strut.pipeline.gait_library_build import build_gait_library  # noqa: E402


def build_row(counts: tuple[int, int, int], workers: int, path: Path) -> Row:
    """Build a grid into a store, what it holds already left alone, and return how long it took."""
    goes_on, started = path.exists(), perf_counter()
    store = build_gait_library("cassie", path, counts=counts, workers=workers)
    taken_s = perf_counter() - started
    records = list(store.records())
    warm = [one.figures for one in records if one.figures.get("warm") and one.start is not None]
    return {
        "grid": "x".join(str(count) for count in counts),
        "workers": workers,
        "gaits": len(records),
        "found": sum(one.status == "ok" for one in records),
        "gait_s": round(median(figures["solve_s"] for figures in warm), 3),
        "iterations": median(figures["iterations"] for figures in warm),
        "build_s": None if goes_on else round(taken_s, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--grid", default="5,3,3")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--store", type=Path, help="keep the gaits; only for one number of workers")
    options = parser.parse_args()
    if options.store is not None and len(options.workers) != 1:
        parser.error("--store holds one build: give one number of workers")
    forward, left, height = (int(number) for number in options.grid.split(","))
    first_s: float | None = None
    with TemporaryDirectory() as folder:
        for workers in options.workers:
            path = options.store or Path(folder) / f"{workers}.db"
            row = build_row((forward, left, height), workers, path)
            first_s = first_s or row["build_s"]
            speedup = round(first_s / row["build_s"], 2) if first_s else None
            record("gait_library", [row | {"speedup": speedup}], packages=("casadi", "mujoco"))


if __name__ == "__main__":
    main()
