"""How long is one tick of whole-body control, and which solver is quickest for its quadratic program?

Rows: the tick as a whole on a humanoid of example-robot-data, then the same programs, recorded along the walk, solved
from scratch by every solver that is installed (daqp, quadprog, piqp, proxsuite, clarabel, osqp). Times are of the
processor.

    python benchmarks/bench_whole_body_control.py [ROBOT FOLDER]
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import daqp
import numpy as np
from scipy.sparse import csc_matrix

import strut
from record import benchmark_parser, record
from strut.adoption.adopt import adopt
from strut.engines.inverse_dynamics import velocities
from strut.simulation import whole_body_program
from strut.simulation.whole_body_control import WholeBodyControl

TICKS = 400
Program = tuple[Any, Any, Any, Any, Any]  # Hessian, gradient, rows, upper, lower; bounds of variables first


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a call, and its processor time in milliseconds."""
    started = time.process_time_ns()
    found = work()
    return found, (time.process_time_ns() - started) * 1e-6


def all_rows(program: Program) -> tuple[Any, Any, Any]:
    """Return bounds of variables and rows as rows alone, with their finite bounds."""
    hessian, _, rows, upper, lower = program
    every = np.concatenate([np.eye(len(hessian)), rows])
    low = np.where(lower < -1e29, -np.inf, lower)
    high = np.where(upper > 1e29, np.inf, upper)
    bounded = np.isfinite(low) | np.isfinite(high)
    return every[bounded], low[bounded], high[bounded]


def by_quadprog(program: Program) -> Any:
    import quadprog  # noqa: PLC0415 -- only if it is installed

    rows, low, high = all_rows(program)
    below = np.isfinite(low)
    above = np.isfinite(high)
    sides = np.concatenate([rows[below], -rows[above]])
    return quadprog.solve_qp(program[0], -program[1], sides.T, np.concatenate([low[below], -high[above]]))[0]


def by_piqp(program: Program) -> Any:
    import piqp  # noqa: PLC0415 -- only if it is installed

    solver = piqp.DenseSolver()
    solver.setup(program[0], program[1], None, None, *(all_rows(program)))
    solver.solve()
    return solver.result.x


def by_proxsuite(program: Program) -> Any:
    import proxsuite  # noqa: PLC0415 -- only if it is installed

    rows, low, high = all_rows(program)
    return proxsuite.proxqp.dense.solve(
        program[0], program[1], None, None, rows, np.maximum(low, -1e20), np.minimum(high, 1e20)
    ).x


def by_clarabel(program: Program) -> Any:
    import clarabel  # noqa: PLC0415 -- only if it is installed

    rows, low, high = all_rows(program)
    below = np.isfinite(low)
    above = np.isfinite(high)
    sides = np.concatenate([rows[above], -rows[below]])
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(len(sides))]
    right = np.concatenate([high[above], -low[below]])
    hessian = csc_matrix(np.triu(program[0]))
    return clarabel.DefaultSolver(hessian, program[1], csc_matrix(sides), right, cones, settings).solve().x


def by_osqp(program: Program) -> Any:
    import osqp  # noqa: PLC0415 -- only if it is installed

    solver = osqp.OSQP()
    rows, low, high = all_rows(program)
    solver.setup(csc_matrix(np.triu(program[0])), program[1], csc_matrix(rows), low, high, verbose=False)
    return solver.solve(raise_error=False).x


SOLVERS = {
    "daqp": lambda program: daqp.solve(*program)[0],
    "quadprog": by_quadprog,
    "piqp": by_piqp,
    "proxsuite": by_proxsuite,
    "clarabel": by_clarabel,
    "osqp": by_osqp,
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and record; quick: a few ticks."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("robot", nargs="?", help="folder of an adopted robot")
    options = parser.parse_args(arguments)
    if options.robot is not None:
        robot = strut.load_robot(options.robot)
    else:
        robot = adopt("g1_29dof_rev_1_0", out=Path(tempfile.mkdtemp()) / "g1").robot
    motion = strut.walk(robot, "neutral", cycles=3)
    control = WholeBodyControl(robot, motion)
    qvel, _ = velocities(robot, motion.time_s, motion.qpos)
    programs = list[Program]()
    solve = daqp.solve

    def recorded(*program: Any) -> Any:
        programs.append(tuple(np.array(part) for part in program))
        return solve(*program)

    samples = np.linspace(0, len(motion.time_s) - 1, 8 if options.quick else TICKS).astype(int)
    ticks = [
        timed(lambda k=k: control.correction(float(motion.time_s[k]), motion.qpos[k], qvel[k]))[1] for k in samples
    ]
    whole_body_program.daqp.solve = recorded
    for k in samples:
        control.correction(float(motion.time_s[k]), motion.qpos[k], qvel[k])
    whole_body_program.daqp.solve = solve
    rows = [row("tick", robot, ticks, 0.0)]
    wanted = [solve(*program)[0] for program in programs]
    for name, solver in SOLVERS.items():
        if importlib.util.find_spec(name) is None:
            print(f"{name} is not installed")
            continue
        solver(programs[0])
        solved = [timed(lambda program=program, solver=solver: solver(program)) for program in programs]
        found = [one for one, _ in solved]
        times = [spent for _, spent in solved]
        off = max(float(np.abs(np.asarray(one) - other).max()) for one, other in zip(found, wanted, strict=True))
        rows.append(row(name, robot, times, off))
    record("whole_body_control", rows, packages=("mujoco", "daqp"), quick=options.quick)


def row(case: str, robot: strut.Robot, times_ms: list[float], off: float) -> dict[str, Any]:
    """Return a row: processor times, and the distance of the solution from daqp's."""
    return {
        "case": case,
        "joints": len(robot.joint_names),
        "median_ms": round(median(times_ms), 3),
        "p95_ms": round(quantiles(times_ms, n=20)[-1], 3),
        "largest_difference": f"{off:.1e}",
    }


if __name__ == "__main__":
    main()
