"""How long does planning a ten-cycle walk of an imported robot take, with gate, simulation and receipt?

Give the folder with the robots' folders, and what to walk; without that, feelings that limits weaken, which take
longest, and some that pass as asked. Seconds are of the processor, on one core. `--label` tells versions apart.

    OMP_NUM_THREADS=1 python benchmarks/bench_adopted_plans.py robots/ h1:sad go2:happy --label "0.3"
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import strut
from record import record
from strut.errors import StrutError

CYCLES = 10
WALKS = (
    *("h1:sad", "berkeley:happy", "n1:sad", "icub:sad", "h1:happy", "talos:happy", "talos:angry", "n1:happy"),
    *("dm_humanoid:angry", "mujoco_humanoid:sad", "n1:angry", "adam:sad", "g1_hands:sad", "t1:happy"),
    *("quadruped_suite:angry", "quadruped_suite:fearful", "quadruped_suite:happy", "barkour_vb:angry", "b2:angry"),
    *("anymal_c:happy", "hyq:sad", "hyq:happy", "hyq:angry", "a2:angry", "hyqreal1:sad", "aliengo:angry"),
    *("solo12:happy", "solo12:angry", "go2:happy", "go2:sad"),
)


def planned(folder: Path, emotion: str, label: str) -> dict[str, Any]:
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
    row |= {"kept": round(receipt.intensity_kept, 3), "control": receipt.control}
    return row | {"reason": "; ".join(map(str, receipt.reasons))[:120]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", type=Path)
    parser.add_argument("walks", nargs="*", default=WALKS)
    parser.add_argument("--label", default="")
    chosen = parser.parse_args()
    for robot, emotion in (walk.split(":") for walk in chosen.walks):
        row = planned(chosen.robots / robot, emotion, chosen.label)
        record("adopted_plans", [row], packages=("strut", "mujoco", "numpy", "scipy"))


if __name__ == "__main__":
    main()
