"""Which third-party robots can be imported without edits by hand, and how long does it take?

A row has the robot, its kind (as labelled), whether it was adopted or why it was refused, legs, feet, joints, mass,
processor seconds, and whether its servos hold it for a second. The argument is a list of files (`kind<TAB>path` per
line); without it, the robots of installed packages are imported.

    python benchmarks/bench_adopt.py robots.txt --out robots/ --pictures pictures/
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from record import benchmark_parser, record
from strut.adoption.adopt import adopt
from strut.adoption.folder_check import check_folder
from strut.adoption.package_robots import find_description, package_robot_names
from strut.adoption.portrait import portrait_png
from strut.errors import StrutError

QUICK = "a1.urdf"  # part of the path of the one robot of a quick run


def list_robots(path: Path | None) -> list[tuple[str, Path]]:
    if path is None:
        return [("unknown", file) for file in dict.fromkeys(map(find_description, package_robot_names()))]
    lines = [line for line in path.read_text("utf-8").splitlines() if line.strip()]
    return [(kind, Path(file)) for kind, file in (line.split("\t") for line in lines)]


def import_one(kind: str, path: Path, out: Path, pictures: Path | None) -> dict[str, Any]:
    row: dict[str, Any] = {"robot": "/".join(path.parts[-3:]), "kind": kind, "result": "adopted", "sentence": ""}
    row |= {"legs": "", "feet": "", "joints": "", "mass_kg": "", "seconds": "", "stands": ""}
    name = "_".join(path.with_suffix("").parts[-3:]).replace(".", "_").lower()
    started = time.process_time()
    try:
        adopted = adopt(path, out=out / name, force=True)
    except StrutError as error:
        sentence = str(error).replace(str(path), path.name)
        return row | {"result": "refused", "sentence": sentence, "seconds": round(time.process_time() - started, 2)}
    except Exception as error:
        return row | {"result": "crashed", "sentence": f"{type(error).__name__}: {error}"}
    robot = adopted.robot
    took_s = time.process_time() - started
    kinds = {1: "ball", 2: "line"}
    row |= {
        "legs": len(robot.feet),
        "feet": " ".join(sorted({kinds.get(len(foot.points), "sole") for foot in robot.feet})),
        "joints": len(robot.joint_names),
        "mass_kg": round(robot.mass_kg, 1),
        "seconds": round(took_s, 2),
    }
    faults = [note.sentence for note in check_folder(adopted.folder).notes if note.severity == "fault"]
    row |= {"stands": not faults, "sentence": " ".join(faults)}
    if pictures is not None:
        (pictures / f"{name}.png").write_bytes(portrait_png(robot))
    return row


def main(arguments: Sequence[str] | None = None) -> None:
    """Adopt every robot and record what came of it; quick: one quadruped."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("robots", nargs="?", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args(arguments)
    only = QUICK if chosen.quick else chosen.only
    if chosen.pictures is not None:
        chosen.pictures.mkdir(parents=True, exist_ok=True)
    out = chosen.out or Path(tempfile.mkdtemp(prefix="adopted_"))
    rows = []
    for kind, path in list_robots(chosen.robots):
        if only in str(path):
            rows.append(import_one(kind, path, out, chosen.pictures))
            print(*rows[-1].values(), sep=" | ", flush=True)
    for kind in dict.fromkeys(row["kind"] for row in rows):
        print(kind, dict(Counter(row["result"] for row in rows if row["kind"] == kind)))
    record("adopt", rows, packages=("mujoco",), quick=chosen.quick)


if __name__ == "__main__":
    main()
