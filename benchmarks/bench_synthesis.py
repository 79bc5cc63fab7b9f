"""How long does a human's step take to synthesise from a cold start, and do perturbed starts reach the same optimum?

    python benchmarks/bench_synthesis.py [STARTS]

One step of 34 degrees of freedom, four phases, two impacts, as `strut synthesize --speed 1.3` asks for. The first start
is the drawn step, the others have noise of 0.03 rad on every angle at every node and 30 % on every duration. `cpu_s` is
processor time with set-up, `wall_s` what a user waits for the solver; they differ when others use the machine. The
problem is written down once, and its time is in every row.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import sys  # noqa: E402
from dataclasses import replace  # noqa: E402
from statistics import median  # noqa: E402
from time import process_time  # noqa: E402

from record import Row, record  # noqa: E402
from strut.engines.nonlinear_program import SolverOptions  # noqa: E402
from strut.optimal.cold_start import Drawing, drawn_step  # noqa: E402
from strut.optimal.gait_problem import Criteria, gait_problem  # noqa: E402
from strut.optimal.manner import HUMAN, named_manner  # noqa: E402
from strut.optimal.solve import NotSolvedError, Transcribed  # noqa: E402
from strut.optimal.soundness import contact_drift, momentum_error  # noqa: E402
from strut.optimal.synthesise import usual_mesh  # noqa: E402
from strut.optimal.trajectory import Trajectory  # noqa: E402
from strut.robot import Robot  # noqa: E402
from strut.robots.catalogue import load_robot  # noqa: E402

SPEED_M_S = 1.3
SAME = 1.01  # costs within 1 % of the least are the same optimum


def main(starts: int) -> None:
    robot = load_robot("heiman")
    manner = named_manner(robot, [HUMAN])
    mesh = usual_mesh(robot, SPEED_M_S)
    problem = gait_problem(robot, Criteria(), speed_m_s=SPEED_M_S, intervals=mesh, manner=manner)
    began = process_time()
    program = Transcribed(problem)
    setup_s = process_time() - began
    rows: list[Row] = []
    for seed in range(starts):
        usual = Drawing(bearing=manner.bearing)
        drawing = replace(usual, angle_noise_rad=0.03, duration_noise=0.3, seed=seed) if seed else usual
        rows.append(_solved(program, drawn_step(robot, problem, SPEED_M_S, drawing), robot, seed, setup_s))
        print(f"start {seed}: {rows[-1]}", file=sys.stderr, flush=True)
    same = sum(row["converged"] and row["cost"] < SAME * min(row["cost"] for row in rows) for row in rows)
    middle = median(row["cpu_s"] for row in rows)
    print(f"{same} of {starts} reach the same optimum; median {middle:.1f} s of processor time", file=sys.stderr)
    record("synthesis", rows, packages=["casadi", "numpy"])


def _solved(program: Transcribed, guess: Trajectory, robot: Robot, seed: int, setup_s: float) -> Row:
    began = process_time()
    try:
        solution = program.solve(guess, options=SolverOptions(most_seconds=3600.0))
    except NotSolvedError as failure:
        if failure.best is None:
            raise
        solution = failure.best
    return {
        "start": seed,
        "converged": solution.converged,
        "iterations": solution.iterations,
        "cost": round(solution.cost, 5),
        "drift_mm": round(1e3 * contact_drift(robot, solution.trajectory)[0], 3),
        "momentum_error_n_s": round(momentum_error(robot, solution.trajectory), 3),
        "wall_s": round(solution.solve_s, 2),
        "cpu_s": round(process_time() - began + setup_s, 2),
    }


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
