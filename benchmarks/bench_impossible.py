"""Is any motion ok that cannot happen? Makes them from honest ones of six robots, with a seed, and checks each.

    python benchmarks/bench_impossible.py                    # a row for each maker and robot
    python benchmarks/bench_impossible.py --keep FOLDER --seed 7

The makers are in `impossible_motions.py`, the honest motions in `random_motions.py`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

import strut
from impossible_motions import impossible_motions
from random_motions import random_motions
from record import Row, benchmark_parser, record
from strut.errors import StrutError

ROBOTS = ("mrpete", "alice", "pepper", "cassie", "heiman", "solo12")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument("--keep", type=Path, help="folder of honest motions, made where they are missing")
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args(arguments)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = chosen.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        robots = ("alice",) if chosen.quick else ROBOTS
        honest = {one.name.rsplit("_", 1)[0]: one for one in random_motions(folder, dict.fromkeys(robots, 1))}
        for name, one in honest.items():
            rows.append({"maker": "honest", "robot": name} | outcome(one.motion, one.robot))
        pairs = {name: (one.motion, one.robot) for name, one in honest.items()}
        for case in impossible_motions(pairs, seed=chosen.seed):
            maker, robot = case.name.split()
            rows.append({"maker": maker, "robot": robot} | outcome(case.motion, pairs[robot][1]))
    wrong = [row for row in rows if (row["verdict"] in ("ok", "weakened")) != (row["maker"] == "honest")]
    for row in wrong:
        print("wrong:", *row.values())
    print(f"{len(rows) - len(honest)} that cannot happen, {len(honest)} honest ones; {len(wrong)} judged wrongly")
    record("impossible", rows, packages=["mujoco"], quick=chosen.quick)


def outcome(motion: strut.Motion, robot: strut.Robot) -> Row:
    """Return the verdict on a motion and its first reason."""
    try:
        receipt = strut.check(motion, robot)
    except StrutError as error:
        return {"verdict": "not judged", "reason": str(error)[:120]}
    return {"verdict": receipt.verdict, "reason": str(receipt.reasons[0])[:120] if receipt.reasons else ""}


if __name__ == "__main__":
    main()
