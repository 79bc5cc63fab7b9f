"""How long does somebody wait for the report of a recorded walk, from the C3D file on?

`strut capture` in a process of its own, as people type it, start of Python and report included. On a machine that is
used by others, the waiting says less than the processor time. Needs the recordings in ../shared/data.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from record import record

DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
TRIALS = {"c3d_samples/plate_type3": ("--height", "1.56", "--mass", "72"), "qcmas_walk": ()}
LONGEST_WAIT_S = 180.0


def waited(name: str, options: tuple[str, ...]) -> dict[str, object]:
    """Return a row: length of the file's used part, seconds of waiting and of processor time, progress lines."""
    from strut.formats.motion_file import load_motion  # noqa: PLC0415  (only the row needs it)

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "walk"
        command = [sys.executable, "-m", "strut", "capture", str(DATA / f"{name}.c3d"), *options, "--out", str(out)]
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


def main() -> None:
    if not DATA.is_dir():
        sys.exit("The recordings are not here: ../shared/data is absent.")
    record("capture_time", [waited(*trial) for trial in TRIALS.items()], packages=["numpy", "scipy", "mujoco"])


if __name__ == "__main__":
    main()
