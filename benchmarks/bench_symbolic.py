"""How many operations and microseconds does one inverse dynamics of the human take, and its derivatives?

    python benchmarks/bench_symbolic.py

CasADi's virtual machine, one core. `residual` is inverse dynamics with all 14 contact forces, as the solver calls it;
Jacobian and Hessian are those of its 34 rows by 116 variables.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from collections.abc import Sequence  # noqa: E402

import casadi as ca  # noqa: E402
import numpy as np  # noqa: E402

from record import Row, benchmark_parser, median_seconds, record  # noqa: E402
from strut.human.problem.criteria import Criteria  # noqa: E402
from strut.human.problem.gait_problem import gait_problem  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402
from strut.ocp.kinematic_tree import read_tree  # noqa: E402
from strut.ocp.symbolic_dynamics import SymbolicDynamics  # noqa: E402

BATCH = 36  # nodes of the usual mesh


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and record; quick: inverse dynamics alone."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    robot = load_robot("heiman")
    tree = read_tree(robot.model, angle_base=True)
    contact = gait_problem(robot, Criteria(), speed_m_s=1.3).contact
    q, v, a = (ca.SX.sym(name, 34) for name in "qva")
    force = ca.SX.sym("force", len(contact.rows))
    weight = ca.SX.sym("weight", 34)
    moving = SymbolicDynamics(tree, q, v, a)
    rows = moving.inverse_dynamics(moving.row_loads(contact, force))
    x = ca.vertcat(q, v, a, force)
    cases = {"residual": ca.Function("residual", [x, weight], [rows])}
    if not quick:
        cases["jacobian"] = ca.Function("jacobian", [x, weight], [ca.jacobian(rows, x)])
        hessian, _ = ca.hessian(ca.dot(weight, rows), x)
        cases["hessian"] = ca.Function("hessian", [x, weight], [ca.triu(hessian)])
    values = np.random.default_rng(1).uniform(-0.3, 0.3, (116, BATCH))
    table: list[Row] = []
    for name, function in cases.items():
        mapped = function.map(BATCH)
        seconds = median_seconds(lambda mapped=mapped: mapped(values, np.ones((34, BATCH))), repeats=15)
        table.append(
            {
                "case": name,
                "operations": function.n_instructions(),
                "nonzeros": function.nnz_out(0),
                "us_per_node": round(seconds / BATCH * 1e6, 1),
            }
        )
    record("symbolic", table, packages=["casadi", "numpy"], quick=quick)


if __name__ == "__main__":
    main()
