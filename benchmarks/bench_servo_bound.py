"""Do walks whose centre of pressure keeps 10 mm inside the feet stay upright by servos in other conditions?

Random crawls of Mr. Pete and random walks of Alice to a goal: emotion, intensity, tempo or goal and pace are drawn.
Each is simulated by servos in the conditions of the plan, at friction 0.6 and 0.9 with masses x 0.9 and x 1.1, and in
two conditions drawn between them. The bound of 10 mm is the planner's usual balance margin; no row was used to choose
it.

    python benchmarks/bench_servo_bound.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import strut
from record import benchmark_parser, record
from strut.errors import StrutError
from strut.simulation.controller_choice import FRICTIONS, MARGIN, MASS_SCALES
from strut.simulation.playback import Conditions

WALKS = 60
DRAWN = 2
CASES: dict[str, Any] = {
    "mrpete": lambda rng: {"cycles": int(rng.integers(2, 5)), "tempo": float(rng.choice([1.0, 1.5, 2.5, 4.0, 6.0]))},
    "alice": lambda rng: {
        "goal": strut.Place(*rng.uniform([0.1, -0.15, -0.8], [0.5, 0.15, 0.8]).round(2).tolist()),
        "pace": str(rng.choice(["own", "fastest"])),
    },
}


def row_of(seed: int) -> dict[str, Any]:
    """Return the row of one random walk: of Mr. Pete for odd seeds, of Alice for even ones."""
    rng = np.random.default_rng(seed)
    name = list(CASES)[1 - seed % 2]
    robot = strut.load_robot(name)
    emotion = strut.Emotion(*rng.uniform(-1.0, 1.0, 3).round(2).tolist())
    intensity = float(rng.choice([0.5, 1.0, 1.5]))
    options = CASES[name](rng)
    row: dict[str, Any] = {"seed": seed, "robot": name, "pad": " ".join(map(str, emotion.pad)), "intensity": intensity}
    row |= {"options": " ".join(f"{key}={value}" for key, value in options.items()).replace(",", "")}
    outcome = dict.fromkeys(("margin_mm", "torque_use", "conditions", "falls", "worst_slip_mm", "least_distance"), "")
    try:
        motion = strut.walk(robot, emotion, intensity=intensity, **options)
    except StrutError:
        return row | {"verdict": "refused"} | outcome
    receipt = motion.receipt
    assert receipt is not None
    assert receipt.balance_margin_mm is not None
    drawn = rng.uniform((FRICTIONS[0], MASS_SCALES[0]), (FRICTIONS[1], MASS_SCALES[1]), (DRAWN, 2)).round(3).tolist()
    conditions = [Conditions(robot.friction), *MARGIN, *(Conditions(*pair) for pair in drawn)]
    outcomes = [
        strut.simulate(motion, robot, friction=one.friction, mass_scale=one.mass_scale, controller="servos").outcome
        for one in conditions
    ]
    return row | {
        "verdict": receipt.verdict,
        "margin_mm": round(receipt.balance_margin_mm, 1),
        "torque_use": round(receipt.torque_use or 0.0, 2),
        "conditions": len(conditions),
        "falls": sum(one.fell or one.stumbles > 0 for one in outcomes),
        "worst_slip_mm": round(max(one.foot_slip_mm or 0.0 for one in outcomes), 1),
        "least_distance": round(min(one.distance_m / one.commanded_distance_m for one in outcomes), 3),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate all random walks; quick: one of Mr. Pete."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--first", type=int, default=0, help="seed of the first walk")
    parser.add_argument("--walks", type=int, default=WALKS)
    chosen = parser.parse_args(arguments)
    seeds = [1] if chosen.quick else range(chosen.first, chosen.first + chosen.walks)
    for seed in seeds:
        record("servo_bound", [row_of(seed)], packages=("strut", "mujoco", "numpy"), quick=chosen.quick)


if __name__ == "__main__":
    main()
