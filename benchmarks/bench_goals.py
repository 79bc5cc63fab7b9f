"""Does Alice arrive at random goals in physics, and how fast does she walk there?

    python benchmarks/bench_goals.py

Twenty goals, evenly spread over a disc of 1 m, with any heading. She walks as fast as the balance margin allows that
the published law keeps at its safe speed of 1 cm/s. After each step, the rest is planned again from where the foot
landed. Required: no fall, ends within 2 cm and 5 degrees, three times 1 cm/s, and 0.5 s to plan 1 m at the
usual pace. Neither plan nor controller knows the rough floor: a third of the friction, and a fifth more mass.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from statistics import median
from time import process_time

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import numpy as np  # noqa: E402

from record import Row, benchmark_parser, median_seconds, record  # noqa: E402
from strut.gaits.footsteps.goal_walk import simulate_to_goal  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402
from strut.pipeline.walk import walk  # noqa: E402
from strut.place import Place  # noqa: E402
from strut.robot import Robot  # noqa: E402

GOALS = 20
FLOORS = {"as planned": {}, "rough": {"friction": 0.25, "mass_scale": 1.2}}


def random_goals(rng: np.random.Generator, count: int) -> list[Place]:
    """Return goals evenly spread over a disc of 1 m, with any heading."""
    distance = np.sqrt(rng.uniform(size=count))
    bearing = rng.uniform(-math.pi, math.pi, count)
    places = np.stack([distance * np.cos(bearing), distance * np.sin(bearing), rng.uniform(-math.pi, math.pi, count)])
    return [Place(*place) for place in places.T.tolist()]


def row(robot: Robot, case: str, margin_m: float, *, goals: int, repeats: int) -> Row:
    """Return how the walks to all goals ended on a floor."""
    arrivals = []
    speeds = []
    margins = []
    for goal in random_goals(np.random.default_rng(0), goals):
        motion = walk(robot, goal=goal, pace="fastest", margin_m=margin_m)
        assert motion.receipt is not None
        speeds.append(motion.meta["gait"]["line_speed_m_s"] * 100.0)
        margins.append(motion.receipt.balance_margin_mm)
        arrivals.append(simulate_to_goal(motion, robot, **FLOORS[case]))
    return {
        "case": case,
        "goals": len(arrivals),
        "falls": sum(arrival.fell for arrival in arrivals),
        "worst_mm": round(max(arrival.goal_error_m for arrival in arrivals) * 1e3, 2),
        "worst_deg": round(math.degrees(max(arrival.heading_error_rad for arrival in arrivals)), 2),
        "min_margin_mm": round(min(margins), 1),
        "slowest_cm_s": round(min(speeds), 2),
        "median_cm_s": round(float(np.median(speeds)), 2),
        "steps": sum(arrival.steps for arrival in arrivals),
        "plan_1_m_s": round(median_seconds(lambda: walk(robot, goal=Place(1.0, 0.0)), repeats=repeats), 3),
        "plan_1_m_core_s": round(core_seconds(lambda: walk(robot, goal=Place(1.0, 0.0)), repeats=repeats), 3),
    }


def core_seconds(work: Callable[[], object], *, repeats: int) -> float:
    """Return the median time of `work` on its core, whatever else uses the machine."""
    taken = []
    for _ in range(repeats):
        started = process_time()
        work()
        taken.append(process_time() - started)
    return median(taken)


def main(arguments: Sequence[str] | None = None) -> None:
    """Walk to all goals on each floor; quick: to one goal on one floor."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    robot = load_robot("alice")
    published = walk(robot, goal=Place(0.5, 0.0), pace=0.01, law="mass", margin_m=0.0).receipt
    assert published is not None
    assert published.balance_margin_mm is not None
    margin_m = published.balance_margin_mm * 1e-3
    floors = list(FLOORS)[:1] if quick else list(FLOORS)
    goals, repeats = (1, 1) if quick else (GOALS, 5)
    rows = [row(robot, case, margin_m, goals=goals, repeats=repeats) for case in floors]
    record("goals", rows, packages=("strut", "numpy", "mujoco"), quick=quick)


if __name__ == "__main__":
    main()
