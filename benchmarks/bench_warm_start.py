"""How much solver time do solved gaits and `strut synthesize --from` save, and is the optimum the same?

    python benchmarks/bench_warm_start.py [CASE ...]

Each case starts from key poses (cold), from a blend of the solved gaits that come with strut (usual), and, if its name
says so, from our walk at 1.3 m/s (`--from`). `apart_mrad` is the largest difference of a joint angle from the cold gait
at the same share of the step. `cpu_s` is all of a gait: set-up, solution, refinement and proof.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import sys  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from dataclasses import replace  # noqa: E402
from time import perf_counter, process_time  # noqa: E402
from typing import Any  # noqa: E402

import numpy as np  # noqa: E402

from record import Row, benchmark_parser, record  # noqa: E402
from strut.arrays import Array  # noqa: E402
from strut.emotion import named_emotion  # noqa: E402
from strut.errors import StrutError  # noqa: E402
from strut.expression.blend import style_for  # noqa: E402
from strut.human.gait import Gait  # noqa: E402
from strut.human.problem.gait_options import HUMAN, named_gait_options  # noqa: E402
from strut.human.synthesis.initial_guess import GuessOptions  # noqa: E402
from strut.human.synthesis.synthesize import synthesize  # noqa: E402
from strut.human.table import human_gait  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402
from strut.models.subject import subject  # noqa: E402

CASES = ("1.3", "1.08", "0.75", "1.9", "woman", "sad", "angry")  # speeds that are not in the library, but for the first
FROM_M_S = 1.3
FROM_CASES = ("1.3", "1.08")
SHARES = np.linspace(0.0, 1.0, 101)


def request(case: str) -> dict[str, Any]:
    """Return the arguments of a case."""
    if case == "woman":
        return {"robot": subject(1.65, 60.0, sex="female"), "speed_m_s": 1.2}
    human = load_robot("heiman")
    if case[0].isdigit():
        return {"robot": human, "speed_m_s": float(case)}
    style = style_for(human, named_emotion(case))
    options = replace(named_gait_options(human, [HUMAN]), style=style)
    return {"robot": human, "speed_m_s": style.speed * human_gait(human).speed_m_s.usual, "options": options}


def timed(case: str, start: str, **start_arguments: Any) -> tuple[Row, Gait | None]:
    """Return the row of a case from one start, and its gait."""
    began = perf_counter()
    began_cpu = process_time()
    row: Row = {"case": case, "start": start}
    try:
        gait = synthesize(**request(case), **start_arguments)
    except StrutError as failure:
        print(failure, file=sys.stderr)
        row |= dict.fromkeys(("attempts", "iterations", "mesh_cost", "cost"), "")
        return row | {"cpu_s": round(process_time() - began_cpu, 1), "wall_s": round(perf_counter() - began, 1)}, None
    found = gait.solution
    row |= {"attempts": len(gait.attempts), "iterations": found.iterations}
    row |= {"mesh_cost": found.cost_before_refinement, "cost": found.cost}
    return row | {"cpu_s": round(process_time() - began_cpu, 1), "wall_s": round(perf_counter() - began, 1)}, gait


def angles(gait: Gait) -> Array:
    """Return joint angles over the step. Shape (101, n_joints)."""
    share, kept = np.unique(gait.trajectory.time_s / gait.trajectory.time_s[-1], return_index=True)
    return np.asarray(np.stack([np.interp(SHARES, share, column) for column in gait.trajectory.q[kept, 6:].T], axis=1))


def apart_mrad(gait: Gait | None, cold: Gait | None) -> float | str:
    """Return the largest difference of a joint angle; None if one of them failed."""
    if gait is None or cold is None:
        return ""
    return round(1e3 * float(np.max(np.abs(angles(gait) - angles(cold)))), 2)


def main(arguments: Sequence[str] | None = None) -> None:
    """Synthesize every case from each start; quick: the second case from solved gaits."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("cases", nargs="*", default=CASES)
    options = parser.parse_args(arguments)
    if options.quick:
        row, _ = timed(CASES[1], "solved gaits")
        record("warm_start", [row], packages=("strut", "casadi", "numpy"), quick=True)
        return
    for case in options.cases:
        style = request(case).get("options")
        cold = timed(case, "guessed step", guess=GuessOptions(style=style.style if style else None))
        found = [cold, timed(case, "solved gaits")]
        if case in FROM_CASES:
            walk = synthesize("heiman", speed_m_s=FROM_M_S).motion()
            found.append(timed(case, f"--from a walk at {FROM_M_S} m/s", initial_motion=walk))
        rows = [row | {"apart_mrad": apart_mrad(gait, cold[1])} for row, gait in found]
        record("warm_start", rows, packages=("strut", "casadi", "numpy"))


if __name__ == "__main__":
    main()
