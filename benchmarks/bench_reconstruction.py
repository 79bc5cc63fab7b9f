"""How long do one and fifteen reconstructions of a recorded step take, the fifteen on two processes?

    python benchmarks/bench_reconstruction.py [--count COUNT]

The recordings are a synthesized gait at 100, 200 and 500 samples per second with its true phase times, so that the
result can be compared with the truth: `torque_share` is the root mean square of the torque error over the largest
torque, `force_share` that of the worst axis of the whole ground force over body weight, both at the nodes of the gait.
Times include the shooting refinement and the playback by another engine; `intervals` are those of the mesh.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from collections.abc import Sequence  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from itertools import pairwise  # noqa: E402
from time import perf_counter, process_time  # noqa: E402

import numpy as np  # noqa: E402

from record import Row, benchmark_parser, record  # noqa: E402
from strut.engines.rigid_body import GRAVITY_M_S2  # noqa: E402
from strut.human.gait import Gait  # noqa: E402
from strut.human.reconstruction.reconstruct import reconstruct  # noqa: E402
from strut.human.synthesis.synthesize import synthesize  # noqa: E402
from strut.motion import Motion  # noqa: E402
from strut.ocp.contact_schedule import PhaseTime  # noqa: E402
from strut.ocp.shooting_refinement import POINTS_PER_INTERVAL  # noqa: E402
from strut.ocp.trajectory import Trajectory  # noqa: E402

WORKERS = 2
RATES_HZ = (100.0, 200.0, 500.0)


def true_phases(gait: Gait) -> list[PhaseTime]:
    borders = np.concatenate([[0.0], np.cumsum(gait.trajectory.duration_s)])
    names = [phase.name for phase in gait.trajectory.problem.phases]
    return [PhaseTime(name, start, stop) for name, (start, stop) in zip(names, pairwise(borders), strict=True)]


def one(work: tuple[Motion, list[PhaseTime]]) -> tuple[float, int, Gait]:
    began = process_time()
    found = reconstruct(work[0], phases=work[1])
    return process_time() - began, found.solution.iterations, found


def misses(known: Trajectory, gait: Gait) -> tuple[float, float]:
    """Return torque and force errors as shares; borders of phases are compared on their own side."""
    found = gait.trajectory
    starts = [known.nodes_of(number)[0] for number in range(len(known.problem.phases))]
    aside = np.where(np.isin(np.arange(len(known.time_s)), starts), 1e-7, -1e-7)
    aside[0] = 0.0
    _, u, rows = found.at(known.time_s + aside)
    totals = []
    for axis in range(3):
        theirs = [row.axis == axis for row in known.problem.contact.rows]
        ours = [row.axis == axis for row in found.problem.contact.rows]
        miss = rows[:, ours].sum(axis=1) - known.force_n[:, theirs].sum(axis=1)
        totals.append(np.sqrt(np.mean(miss**2)))
    weight_n = gait.robot.mass_kg * GRAVITY_M_S2
    return float(np.sqrt(np.mean((u - known.u) ** 2)) / np.abs(known.u).max()), float(max(totals)) / weight_n


def main(arguments: Sequence[str] | None = None) -> None:
    """Reconstruct steps one by one and in parallel; quick: one step."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--count", type=int, default=15, help="steps reconstructed in parallel")
    options = parser.parse_args(arguments)
    count = options.count
    gait = synthesize("heiman", speed_m_s=1.3)
    phases = true_phases(gait)
    rows = list[Row]()
    for rate_hz in RATES_HZ[:1] if options.quick else RATES_HZ:
        began = perf_counter()
        cpu_s, iterations, found = one((gait.motion(steps=2, rate_hz=rate_hz), phases))
        torque, force = misses(gait.trajectory, found)
        rows.append(
            {
                "case": f"one step at {rate_hz:g} Hz",
                "intervals": sum(phase.intervals for phase in found.trajectory.problem.phases) // POINTS_PER_INTERVAL,
                "iterations": iterations,
                "cpu_s": round(cpu_s, 1),
                "wall_s": round(perf_counter() - began, 1),
                "torque_share": round(torque, 4),
                "force_share": round(force, 4),
            }
        )
    if options.quick:
        record("reconstruction", rows, packages=("strut", "casadi", "numpy"), quick=True)
        return
    works = [(gait.motion(steps=2, rate_hz=RATES_HZ[number % 3]), phases) for number in range(count)]
    began = perf_counter()
    with ProcessPoolExecutor(WORKERS) as pool:
        spent = [(cpu_s, iterations) for cpu_s, iterations, _ in pool.map(time_reconstruction, works)]
    rows.append(
        {
            "case": f"{count} steps on {WORKERS} processes",
            "intervals": rows[0]["intervals"],
            "iterations": max(iterations for _, iterations in spent),
            "cpu_s": round(sum(cpu_s for cpu_s, _ in spent), 1),
            "wall_s": round(perf_counter() - began, 1),
            "torque_share": "",
            "force_share": "",
        }
    )
    record("reconstruction", rows, packages=("strut", "casadi", "numpy"))


def time_reconstruction(work: tuple[Motion, list[PhaseTime]]) -> tuple[float, int, None]:
    """Reconstruct in another process; the gait itself, which holds functions, stays there."""
    return *one(work)[:2], None


if __name__ == "__main__":
    main()
