"""Does every adult walk at every speed, and how long does a user wait for it?

    python benchmarks/bench_human_bodies.py [--count COUNT] [--first FIRST]

Bodies of 1.53 to 1.99 m and 50 to 98 kg of both sexes, body mass indices of 17 to 33, at 0.6 to 2.0 m/s, drawn at
random with a fixed seed, in the usual manner with natural criteria, as `strut synthesize` finds them. `attempts` are
the starts that were needed; `wall_s` is what a user waits, `cpu_s` the processor time, both without imports.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import sys  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from statistics import median  # noqa: E402
from time import perf_counter, process_time  # noqa: E402

import numpy as np  # noqa: E402

from record import Row, benchmark_parser, record  # noqa: E402
from strut.errors import StrutError  # noqa: E402
from strut.human.synthesis.synthesize import synthesize  # noqa: E402
from strut.models.subject import subject  # noqa: E402

SEED = 7
FIGURES = ("step_m", "attempts", "iterations", "cost", "near", "judged", "odd")


def people(count: int) -> list[dict[str, float | str]]:
    """Return adults and the speeds at which they walk."""
    rng = np.random.default_rng(SEED)
    found = list[dict[str, float | str]]()
    while len(found) < count:
        height_m, mass_kg, speed_m_s = rng.uniform([1.53, 50.0, 0.6], [1.99, 98.0, 2.0])
        sex = "female" if rng.random() < 0.5 else "male"
        if 17.0 <= mass_kg / height_m**2 <= 33.0:
            found.append(
                {
                    "sex": sex,
                    "height_m": round(height_m, 3),
                    "mass_kg": round(mass_kg, 1),
                    "speed_m_s": round(speed_m_s, 2),
                }
            )
    return found


def walk_of(person: dict[str, float | str]) -> Row:
    """Return the row of a person."""
    began_s = perf_counter()
    began_cpu_s = process_time()
    try:
        robot = subject(float(person["height_m"]), float(person["mass_kg"]), sex=str(person["sex"]))
        gait = synthesize(robot, speed_m_s=float(person["speed_m_s"]))
    except StrutError as failure:
        print(failure, file=sys.stderr)
        figures: Row = dict.fromkeys(FIGURES, "")
    else:
        looks = gait.naturalness
        assert looks is not None
        figures = {"step_m": round(gait.step_length_m, 3), "attempts": len(gait.attempts)}
        figures |= {"iterations": gait.solution.iterations, "cost": round(gait.solution.cost, 4)}
        figures |= {"near": looks.bands_near, "judged": looks.bands_judged, "odd": "; ".join(looks.oddities(robot))}
    spent = {"wall_s": round(perf_counter() - began_s, 1), "cpu_s": round(process_time() - began_cpu_s, 1)}
    return {**person, "sound": figures["step_m"] != ""} | figures | spent


def main(arguments: Sequence[str] | None = None) -> None:
    """Let every person walk; quick: the first one."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--count", type=int, default=20, help="people drawn")
    parser.add_argument("--first", type=int, default=0, help="people left out, who walked before")
    options = parser.parse_args(arguments)
    rows = []
    for person in people(1 if options.quick else options.count)[options.first :]:
        rows.append(walk_of(person))
        record("human_bodies", rows[-1:], packages=["strut", "casadi", "numpy"], quick=options.quick)
    sound = sum(row["sound"] for row in rows)
    waited = median(row["wall_s"] for row in rows)
    print(f"{sound} of {len(rows)} walk; median {waited:.1f} s of waiting", file=sys.stderr)


if __name__ == "__main__":
    main()
