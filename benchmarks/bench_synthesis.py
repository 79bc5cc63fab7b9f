"""How long does a human's step take to synthesise from a cold start, and do perturbed starts reach the same optimum?

    python benchmarks/bench_synthesis.py [STARTS]

One step of 34 degrees of freedom, four phases, two impacts, 32 intervals, all criteria at 1.3 m/s. The first start is
the drawn step, the others have noise of 0.03 rad on every angle at every node and 30 % on every duration. `cpu_s` is
what the solver used, `wall_s` what a user waits; they differ when others use the machine. The set-up is done once.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import sys  # noqa: E402
from time import process_time  # noqa: E402

from record import Row, record  # noqa: E402
from strut.engines.nonlinear_program import SolverOptions  # noqa: E402
from strut.optimal.cold_start import Drawing, drawn_step  # noqa: E402
from strut.optimal.gait_problem import Criteria, gait_problem  # noqa: E402
from strut.optimal.solve import NotSolvedError, Transcribed  # noqa: E402
from strut.optimal.soundness import contact_drift, momentum_error  # noqa: E402
from strut.robots.catalogue import load_robot  # noqa: E402

SPEED_M_S = 1.3


def main(starts: int) -> None:
    robot = load_robot("heiman")
    problem = gait_problem(robot, Criteria(), speed_m_s=SPEED_M_S)
    program = Transcribed(problem)
    rows: list[Row] = []
    for seed in range(starts):
        drawing = Drawing(0.03, 0.3, seed) if seed else Drawing()
        began = process_time()
        try:
            solution = program.solve(
                drawn_step(robot, problem, SPEED_M_S, drawing), options=SolverOptions(most_seconds=300.0)
            )
        except NotSolvedError as failure:
            if failure.best is None:
                raise
            solution = failure.best
        rows.append(
            {
                "start": seed,
                "converged": solution.converged,
                "iterations": solution.iterations,
                "cost": round(solution.cost, 5),
                "drift_mm": round(1e3 * contact_drift(robot, solution.trajectory)[0], 3),
                "momentum_error_n_s": round(momentum_error(robot, solution.trajectory), 3),
                "setup_s": round(program.setup_s, 2),
                "wall_s": round(solution.solve_s, 2),
                "cpu_s": round(process_time() - began, 2),
            }
        )
    record("synthesis", rows, packages=["casadi", "numpy"])


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
