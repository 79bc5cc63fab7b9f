"""How long does a user wait for the report of a recorded walk, from the C3D file on?

    python benchmarks/bench_capture_time.py

`strut capture` in a process of its own, as typed, start of Python and report included. On a busy machine, processor
time says more than the wait. Needs the recordings in ../shared/data.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from record import benchmark_parser, record, recordings

TRIALS = {"qcmas_walk": (), "c3d_samples/plate_type3": ("--height", "1.56", "--mass", "72")}
LONGEST_WAIT_S = 180.0


def time_capture(name: str, options: tuple[str, ...]) -> dict[str, object]:
    """Return a row: length of the file's used part, seconds of waiting and of processor time, progress lines."""
    from strut.formats.motion_file import load_motion  # noqa: PLC0415  (only the row needs it)

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "walk"
        command = [
            sys.executable,
            "-m",
            "strut",
            "capture",
            str(recordings() / f"{name}.c3d"),
            *options,
            "--out",
            str(out),
        ]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wait_s = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        motion = load_motion(out / "motion.npz")
        report_mb = (out / "report.html").stat().st_size / 1e6
    processor_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "trial": name,
        "recorded_s": round(motion.duration_s, 2),
        "frames": len(motion.time_s),
        "wait_s": round(wait_s, 1),
        "processor_s": round(processor_s, 1),
        "in_time": wait_s < LONGEST_WAIT_S,
        "exit_code": done.returncode,
        "report_mb": round(report_mb, 2),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Capture every trial; quick: the shorter one."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    trials = list(TRIALS.items())[:1] if quick else list(TRIALS.items())
    recordings()
    rows = [time_capture(*trial) for trial in trials]
    record("capture_time", rows, packages=["numpy", "scipy", "mujoco"], quick=quick)


if __name__ == "__main__":
    main()
