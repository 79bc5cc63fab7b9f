"""How far are synthesized gaits from people's published bands?

    python benchmarks/bench_gait_bands.py [--objective OBJECTIVE] [--speeds SPEED ...]

One gait of the default person per speed, as `strut synthesize` finds it. `near` of `judged` figures are within two
standard deviations of people's mean at that speed; `worst` is the farthest one, by `worst_sd`. `cpu_s` is the whole
gait: set-up, solution, refinement, proof and judgement. Every figure goes to `results/gait_band_figures.csv`.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from collections.abc import Sequence  # noqa: E402
from time import process_time  # noqa: E402

from record import Row, benchmark_parser, record  # noqa: E402
from strut.human.analysis.naturalness import NEAR_SD  # noqa: E402
from strut.human.gait import Gait  # noqa: E402
from strut.human.synthesis.synthesize import synthesize  # noqa: E402

SPEEDS_M_S = (1.0, 1.3, 1.6)


def judge_gait(objective: str, speed_m_s: float) -> tuple[Row, Gait]:
    """Return the row of a gait, and the gait."""
    began = process_time()
    gait = synthesize("heiman", objective=objective, speed_m_s=speed_m_s)
    scores = gait.band_scores()
    looks = gait.naturalness
    assert looks is not None
    worst = max(scores, key=lambda name: abs(scores[name].z), default="")
    row = {"objective": objective, "speed_m_s": speed_m_s, "judged": len(scores)}
    row |= {"near": sum(abs(score.z) <= NEAR_SD for score in scores.values()), "worst": worst}
    row |= {"worst_sd": round(abs(scores[worst].z), 2) if worst else "", "step_m": round(gait.step_length_m, 3)}
    row |= {"step_of_people_m": round(scores["step_length_m"].mean, 3) if scores else ""}
    row |= {"heel_mm": round(1e3 * looks.heel_clearance_m, 1), "odd": "; ".join(looks.oddities(gait.robot))}
    return row | {"iterations": gait.solution.iterations, "cpu_s": round(process_time() - began, 1)}, gait


def main(arguments: Sequence[str] | None = None) -> None:
    """Judge a gait of each speed; quick: of the second one."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--objective", default="natural")
    parser.add_argument("--speeds", type=float, nargs="+", default=SPEEDS_M_S)
    options = parser.parse_args(arguments)
    for speed_m_s in options.speeds[1:2] if options.quick else options.speeds:
        row, gait = judge_gait(options.objective, speed_m_s)
        record("gait_bands", [row], packages=("strut", "casadi", "numpy"), quick=options.quick)
        figures = [
            {"objective": options.objective, "speed_m_s": speed_m_s, "figure": name, "value": f"{score.value:.4g}"}
            | {"people": f"{score.mean:.4g}", "sd": f"{score.sd:.3g}", "z": round(score.z, 2)}
            for name, score in gait.band_scores().items()
        ]
        record("gait_band_figures", figures, packages=("strut",), quick=options.quick)


if __name__ == "__main__":
    main()
