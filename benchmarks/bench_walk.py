"""How long does it take to plan ten cycles of an emotive crawl at 100 Hz, with gate and receipt?

    python benchmarks/bench_walk.py

An emotion that the body cannot express in full is planned again at lower intensities, which is part of the time.
Required: less than a second for forty seconds of motion.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from collections.abc import Sequence  # noqa: E402

from record import Row, benchmark_parser, median_seconds, record  # noqa: E402
from strut import Robot, load_robot, walk  # noqa: E402

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
REPEATS = 5
WINDOW_S = 40.0
ALLOWED_S = 1.0


def row(robot: Robot, emotion: str, *, repeats: int) -> Row:
    """Return how long one emotion takes, and how often the gate had to try."""
    attempts: list[float] = []
    motion = walk(robot, emotion, cycles=10, rate_hz=100.0, on_progress=lambda now: attempts.append(now.intensity))
    assert motion.receipt is not None
    planning_s = median_seconds(lambda: walk(robot, emotion, cycles=10, rate_hz=100.0), repeats=repeats)
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Plan a walk of every emotion; quick: the neutral one, once."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    robot = load_robot("mrpete")
    emotions, repeats = (EMOTIONS[:1], 1) if quick else (EMOTIONS, REPEATS)
    rows = [row(robot, emotion, repeats=repeats) for emotion in emotions]
    record("walk", rows, packages=("strut", "numpy", "scipy", "mujoco"), quick=quick)


if __name__ == "__main__":
    main()
