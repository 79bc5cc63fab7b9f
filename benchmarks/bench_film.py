"""How long does a GIF of 80 frames take, and how long did it take before rays were MuJoCo's?

    python benchmarks/bench_film.py

Five walks side by side for eight seconds: 400 pictures of 200 by 168 pixels. Before, with the same walks and nothing
else running: 35 s. Required: at most a fifth of it on two free processors; `load` tells how busy they were.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import tempfile  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from pathlib import Path  # noqa: E402
from time import perf_counter, process_time  # noqa: E402

from record import Row, record  # noqa: E402
from strut import Motion, load_robot, save_gif, save_mp4, walk  # noqa: E402

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
FIRST, BEFORE_S, ALLOWED_S = "five walks, GIF", 35.0, 7.0


def row(case: str, motions: Sequence[Motion], ending: str) -> Row:
    """Return how long one film takes, on the clock and on the processors."""
    robots = [load_robot("mrpete")] * len(motions)
    save = save_gif if ending == ".gif" else save_mp4
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"film{ending}"
        began_s, busy_s = perf_counter(), process_time()
        save(motions, robots, path)
        taken_s, busy_s = perf_counter() - began_s, process_time() - busy_s
        size_kb = path.stat().st_size / 1e3
    judged = {"before_s": BEFORE_S, "fast_enough": taken_s < ALLOWED_S} if case == FIRST else {}
    taken = {"frames": 80, "s": round(taken_s, 2), "processor_s": round(busy_s, 2), "kb": round(size_kb)}
    return {"case": case, **taken, "before_s": "", "fast_enough": "", **judged}


def main() -> None:
    """Measure, print and record."""
    motions = [walk("mrpete", emotion, cycles=3) for emotion in EMOTIONS]
    rows = [
        row(FIRST, motions, ".gif"),
        row("five walks, MP4", motions, ".mp4"),
        row("one walk, GIF", motions[:1], ".gif"),
    ]
    record("film", rows, packages=("strut", "numpy", "scipy", "mujoco", "pillow"))


if __name__ == "__main__":
    main()
