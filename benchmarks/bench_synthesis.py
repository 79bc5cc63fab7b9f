"""How long does a human's step take to synthesize from a cold start, and do perturbed starts reach the same optimum?

    python benchmarks/bench_synthesis.py [--starts STARTS] [--manners MANNER ...]

One step of 34 degrees of freedom, four phases, two impacts, as `strut synthesize --speed 1.3` finds it, in the usual
manner and in the plain one: set-up, solution, refinement and proof. The first start is the drawn step, the others have
noise of 0.03 rad on every angle at every node and 30 % on every duration. Each runs in a fresh process, so that runs
are independent. `cpu_s` is the processor time of that process, imports included; `wall_s` is elapsed time, longer on a
busy machine. A start counts as the same optimum when its cost on the mesh is within 0.1 % of the least and all joint
angles are within 10 mrad of that gait's at the same share of the step. The cells of a start that fails are empty.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import sys  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from multiprocessing import get_context  # noqa: E402
from statistics import median  # noqa: E402
from time import perf_counter, process_time  # noqa: E402

import numpy as np  # noqa: E402

from record import Row, benchmark_parser, record  # noqa: E402
from strut.arrays import Array  # noqa: E402
from strut.errors import StrutError  # noqa: E402
from strut.human.problem.gait_options import HUMAN, PLAIN, named_gait_options  # noqa: E402
from strut.human.synthesis.initial_guess import GuessOptions  # noqa: E402
from strut.human.synthesis.synthesize import synthesize  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402

SPEED_M_S = 1.3
SAME_COST = 1.001
SAME_RAD = 0.010
SHARES = np.linspace(0.0, 1.0, 101)
FIGURES = ("attempts", "iterations", "mesh_cost", "cost", "drift_mm", "momentum_error_n_s", "playback_deg")
Found = tuple[Row, Array | None]


def main(arguments: Sequence[str] | None = None) -> None:
    """Synthesize from every start; quick: from the first start with the usual criteria."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--manners", nargs="+", default=[HUMAN, PLAIN])
    options = parser.parse_args(arguments)
    starts = 1 if options.quick else options.starts
    rows: list[Row] = []
    for manner in [HUMAN] if options.quick else options.manners:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as fresh:
            rows += _judged([_timed(fresh, manner, seed) for seed in range(starts)])
        own = rows[-starts:]
        cpu_s, wall_s = (median(row[name] for row in own) for name in ("cpu_s", "wall_s"))
        same = sum(row["same"] for row in own)
        print(
            f"{manner}: {same} of {starts} reach the same optimum; "
            f"median {cpu_s:.1f} s of processor time, {wall_s:.1f} s of waiting",
            file=sys.stderr,
        )
    record("synthesis", rows, packages=["casadi", "numpy"], quick=options.quick)


def _timed(fresh: ProcessPoolExecutor, manner: str, seed: int) -> Found:
    began = perf_counter()
    row, angles = fresh.submit(_synthesized, manner, seed).result()
    row |= {"wall_s": round(perf_counter() - began, 2)}
    print(f"{manner}, start {seed}: {row}", file=sys.stderr, flush=True)
    return row, angles


def _synthesized(manner: str, seed: int) -> Found:
    """Return the row of a start, and its joint angles over the step. Runs in a process of its own."""
    robot = load_robot("heiman")
    wanted = named_gait_options(robot, [manner])
    noise = {"angle_noise_rad": 0.03, "duration_noise": 0.3} if seed else {}
    row: Row = {"manner": manner, "start": seed}
    try:
        gait = synthesize(
            robot,
            speed_m_s=SPEED_M_S,
            options=wanted,
            guess=GuessOptions(**noise, seed=seed, style=wanted.style),
        )
    except StrutError as failure:
        print(failure, file=sys.stderr)
        return row | {"sound": False} | dict.fromkeys(FIGURES, "") | {"cpu_s": round(process_time(), 2)}, None
    path = gait.trajectory
    sound = gait.soundness
    assert gait.solution.cost_before_refinement is not None  # every gait is refined
    assert sound.playback_error_rad is not None  # and played back
    figures = (
        len(gait.attempts),
        gait.solution.iterations,
        round(gait.solution.cost_before_refinement, 5),
        round(gait.solution.cost, 5),
        round(1e3 * sound.contact_drift_m, 4),
        round(sound.momentum_error_n_s, 4),
        round(float(np.rad2deg(sound.playback_error_rad)), 4),
    )
    row |= {"sound": not sound.faults()} | dict(zip(FIGURES, figures, strict=True))
    share, kept = np.unique(path.time_s / path.time_s[-1], return_index=True)
    angles = np.stack([np.interp(SHARES, share, column) for column in path.q[kept, 6:].T], axis=1)
    return row | {"cpu_s": round(process_time(), 2)}, angles


def _judged(found: list[Found]) -> list[Row]:
    """Return the rows with the distance of each from the cheapest gait, and whether it is the same optimum."""
    costs = [row["mesh_cost"] if angles is not None else np.inf for row, angles in found]
    best_cost = min(costs)
    best = found[int(np.argmin(costs))][1]
    rows = []
    for (row, angles), cost in zip(found, costs, strict=True):
        if angles is None or best is None:
            rows.append(row | {"apart_mrad": "", "same": False})
            continue
        apart_rad = float(np.abs(angles - best).max())
        same = bool(cost < SAME_COST * best_cost and apart_rad < SAME_RAD)
        rows.append(row | {"apart_mrad": round(1e3 * apart_rad, 3), "same": same})
    return rows


if __name__ == "__main__":
    main()
