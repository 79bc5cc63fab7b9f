"""How long does it take to plan ten cycles of an emotive crawl at 100 Hz, with gate and receipt?

    python benchmarks/bench_walk.py

A feeling that the body cannot show in full is planned again and again at lower intensity, which is part of the time.
Required: less than a second for forty seconds of motion.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from record import Row, median_seconds, record  # noqa: E402
from strut import Robot, load_robot, walk  # noqa: E402

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
REPEATS = 5
WINDOW_S = 40.0
ALLOWED_S = 1.0


def row(robot: Robot, emotion: str) -> Row:
    """Return how long one emotion takes, and how often the gate had to try."""
    attempts: list[float] = []
    motion = walk(robot, emotion, cycles=10, rate_hz=100.0, on_progress=lambda now: attempts.append(now.intensity))
    assert motion.receipt is not None
    planning_s = median_seconds(lambda: walk(robot, emotion, cycles=10, rate_hz=100.0), repeats=REPEATS)
    per_window_s = planning_s * WINDOW_S / motion.duration_s
    return {
        "case": emotion,
        "median_s": round(planning_s, 3),
        "motion_s": round(motion.duration_s, 2),
        "s_per_40_s": round(per_window_s, 3),
        "attempts": len(attempts),
        "kept": round(motion.receipt.intensity_kept or 0.0, 3),
        "fast_enough": per_window_s < ALLOWED_S,
    }


def main() -> None:
    """Measure, print and record."""
    robot = load_robot("mrpete")
    record("walk", [row(robot, emotion) for emotion in EMOTIONS], packages=("strut", "numpy", "scipy", "mujoco"))


if __name__ == "__main__":
    main()
