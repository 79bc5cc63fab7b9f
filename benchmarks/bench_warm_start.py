"""How much of the solver's work does `strut synthesize --from` save?

    python benchmarks/bench_warm_start.py

From a walk at 1.3 m/s to the same and to another speed, beside drawn starts of both; criteria and manner as usual.
`cpu_s` is all of a gait: set-up, solution, polish and proof.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from time import process_time  # noqa: E402

from record import Row, record  # noqa: E402
from strut.human.gait import Gait  # noqa: E402
from strut.human.synthesize import synthesize  # noqa: E402
from strut.motion import Motion  # noqa: E402

WALKED_M_S, WANTED_M_S = 1.3, (1.3, 0.9)


def timed(speed_m_s: float, begin: Motion | None) -> tuple[Row, Gait]:
    began = process_time()
    gait = synthesize("heiman", speed_m_s=speed_m_s, begin=begin)
    found = gait.solution
    row = {"speed_m_s": speed_m_s, "start": "drawn" if begin is None else f"walk at {WALKED_M_S} m/s"}
    row |= {"iterations": found.iterations, "mesh_cost": found.cost_before_refinement, "cost": found.cost}
    return row | {"cpu_s": round(process_time() - began, 1)}, gait


def main() -> None:
    drawn = {speed: timed(speed, None) for speed in WANTED_M_S}
    walk = drawn[WALKED_M_S][1].motion()
    rows = [row for speed in WANTED_M_S for row in (drawn[speed][0], timed(speed, walk)[0])]
    record("warm_start", rows, packages=("strut", "casadi", "numpy"))


if __name__ == "__main__":
    main()
