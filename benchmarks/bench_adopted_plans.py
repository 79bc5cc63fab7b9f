"""How long does planning a ten-cycle walk of an adopted robot take, with gate, simulation and receipt?

    OMP_NUM_THREADS=1 python benchmarks/bench_adopted_plans.py
    OMP_NUM_THREADS=1 python benchmarks/bench_adopted_plans.py --robots FOLDER --walks h1:sad go2:happy --label "0.3"

Without a folder of adopted robots, robots of example-robot-data are adopted first. Without walks, emotions that limits
weaken, which take longest, and some that pass as asked. Seconds are processor time on one core. `--label` names the
version that is measured.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import strut
from record import benchmark_parser, record
from strut.errors import StrutError

CYCLES = 10
PACKAGE_WALKS = (  # of robots that example-robot-data has
    *("go2:happy", "go2:sad", "a1:angry", "anymal_c:happy", "hyq:happy", "solo12:angry"),
    *("talos_reduced:sad", "talos_reduced:happy", "icub_reduced:sad"),
)
WALKS = (
    *("h1:sad", "berkeley:happy", "n1:sad", "icub:sad", "h1:happy", "talos:happy", "talos:angry", "n1:happy"),
    *("dm_humanoid:angry", "mujoco_humanoid:sad", "n1:angry", "adam:sad", "g1_hands:sad", "t1:happy"),
    *("quadruped_suite:angry", "quadruped_suite:fearful", "quadruped_suite:happy", "barkour_vb:angry", "b2:angry"),
    *("anymal_c:happy", "hyq:sad", "hyq:happy", "hyq:angry", "a2:angry", "hyqreal1:sad", "aliengo:angry"),
    *("solo12:happy", "solo12:angry", "go2:happy", "go2:sad"),
)


def plan_walk(folder: Path, emotion: str, label: str) -> dict[str, Any]:
    """Return the row of one walk."""
    robot = strut.load_robot(str(folder))
    row: dict[str, Any] = {"label": label, "robot": folder.name, "joints": len(robot.joint_names), "emotion": emotion}
    started = time.process_time()
    try:
        receipt = strut.walk(robot, emotion, cycles=CYCLES).receipt
    except StrutError as error:
        row |= {"seconds": round(time.process_time() - started, 2), "verdict": "refused", "kept": "", "control": ""}
        return row | {"reason": str(error)[:120]}
    assert receipt is not None
    row |= {"seconds": round(time.process_time() - started, 2), "verdict": receipt.verdict}
    row |= {"kept": round(receipt.intensity_kept, 3), "control": receipt.controller}
    return row | {"reason": "; ".join(map(str, receipt.reasons))[:120]}


def main(arguments: Sequence[str] | None = None) -> None:
    """Plan every walk; quick: one walk of one quadruped."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--robots", type=Path, help="folder of adopted robots")
    parser.add_argument("--walks", nargs="+", help="ROBOT:EMOTION")
    parser.add_argument("--label", default="")
    chosen = parser.parse_args(arguments)
    walks = chosen.walks or (PACKAGE_WALKS if chosen.robots is None else WALKS)
    if chosen.quick:
        walks = walks[:1]
    with tempfile.TemporaryDirectory() as scratch:
        robots = chosen.robots or Path(scratch)
        for name, emotion in (walk.split(":") for walk in walks):
            if not (robots / name).is_dir():
                strut.adopt(name, out=robots / name)
            row = plan_walk(robots / name, emotion, chosen.label)
            record("adopted_plans", [row], packages=("strut", "mujoco", "numpy", "scipy"), quick=chosen.quick)


if __name__ == "__main__":
    main()
