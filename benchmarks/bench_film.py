"""How long does a GIF of 80 frames take, and how long did it take at first?

    python benchmarks/bench_film.py

Five walks side by side for eight seconds: 400 pictures of 256 by 215 pixels. The first
version took 35 s for 200 by 168 pixels on a free machine. Required: at most a fifth of that on two free processors;
`load` says how busy they were.
One walk of a robot with meshes, where a package has brought it (example-robot-data: go1), is adopted, walked and
filmed, too; before it was rasterized, that film, 400 pixels wide, took 57 s of the processors, at a load of 5.4.

Eight seconds of two adopted robots with meshes side by side, as GIF and MP4 at once, 1280 pixels wide: with loops of
numpy, 25.7 s of the processors and 116 s by the clock at a load of 19, after a first short film that loads everything.
Required: a third of it, by the processors, because other programs share them. Processor time is that of this process;
ffmpeg is not in it, before or after.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import tempfile  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from pathlib import Path  # noqa: E402
from time import perf_counter, process_time  # noqa: E402

from record import Row, benchmark_parser, record  # noqa: E402
from strut import Motion, Robot, adopt, load_robot, save_gif, save_mp4, save_views, walk  # noqa: E402
from strut.errors import NotAdoptedError  # noqa: E402

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
FIRST = "five walks, GIF"
BEFORE_S = 35.0
ALLOWED_S = 7.0
WITH_MESHES = "go1"
PAIR = ("go1", "romeo")
PAIR_CASE = "8 s of two adopted robots, GIF and MP4"
PAIR_BEFORE_S = 25.7  # of the processors
PAIR_ALLOWED_S = PAIR_BEFORE_S / 3.0


def row(case: str, robot: Robot, motions: Sequence[Motion], ending: str, *, duration_s: float | None = None) -> Row:
    """Return how long one film takes, on the clock and on the processors."""
    robots = [robot] * len(motions)
    save = save_gif if ending == ".gif" else save_mp4
    shown: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"film{ending}"
        began_s = perf_counter()
        busy_s = process_time()
        save(motions, robots, path, duration_s=duration_s, on_frame=lambda number, _count: shown.append(number))
        taken_s = perf_counter() - began_s
        busy_s = process_time() - busy_s
        size_kb = path.stat().st_size / 1e3
    judged = {"before_s": BEFORE_S, "fast_enough": taken_s < ALLOWED_S} if case == FIRST else {}
    taken = {"frames": len(shown), "s": round(taken_s, 2), "processor_s": round(busy_s, 2), "kb": round(size_kb)}
    return {"case": case, **taken, "before_s": "", "fast_enough": "", **judged}


def rows_with_meshes() -> list[Row]:
    """Return how long a film of a third-party robot takes; nothing if no package has it."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            robot = adopt(WITH_MESHES, out=Path(folder) / WITH_MESHES).robot
        except NotAdoptedError as reason:
            print(reason)
            return []
        return [row(f"one walk of {WITH_MESHES}, with meshes, GIF", robot, [walk(robot, cycles=3)], ".gif")]


def row_of_pair() -> list[Row]:
    """Return how long a GIF and an MP4 of two adopted robots take; nothing where no package has them."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            robots = [adopt(name, out=Path(folder) / name).robot for name in PAIR]
        except NotAdoptedError as reason:
            print(reason)
            return []
        motions = [walk(robot, "happy", cycles=3) for robot in robots]
        save_views(motions, mp4=Path(folder) / "first.mp4", duration_s=0.1)  # compiles, and simplifies the meshes
        shown: list[int] = []
        files = {ending: Path(folder) / f"film.{ending}" for ending in ("gif", "mp4")}
        began_s = perf_counter()
        busy_s = process_time()
        save_views(motions, **files, duration_s=8.0, on_frame=lambda number, _count: shown.append(number))
        taken_s = perf_counter() - began_s
        busy_s = process_time() - busy_s
        size_kb = sum(path.stat().st_size for path in files.values()) / 1e3
    taken = {"frames": len(shown), "s": round(taken_s, 2), "processor_s": round(busy_s, 2), "kb": round(size_kb)}
    return [{"case": PAIR_CASE, **taken, "before_s": PAIR_BEFORE_S, "fast_enough": busy_s < PAIR_ALLOWED_S}]


def main(arguments: Sequence[str] | None = None) -> None:
    """Film, print and record; quick: half a second of one walk."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    if quick:
        motion = walk("mrpete", cycles=2, rate_hz=25.0)
        half_a_second = row("half a second, GIF", load_robot("mrpete"), [motion], ".gif", duration_s=0.5)
        record("film", [half_a_second], packages=(), quick=True)
        return
    motions = [walk("mrpete", emotion, cycles=3) for emotion in EMOTIONS]
    mrpete = load_robot("mrpete")
    rows = [
        row(FIRST, mrpete, motions, ".gif"),
        row("five walks, MP4", mrpete, motions, ".mp4"),
        row("one walk, GIF", mrpete, motions[:1], ".gif"),
        *rows_with_meshes(),
        *row_of_pair(),
    ]
    record("film", rows, packages=("strut", "numpy", "scipy", "mujoco", "pillow"))


if __name__ == "__main__":
    main()
