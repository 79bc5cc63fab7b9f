"""Compare the motions of two source trees: receipts and trajectories, side by side.

    python benchmarks/compare_trees.py record SRC FOLDER     # run all cases with the strut in SRC
    python benchmarks/compare_trees.py compare OLD NEW       # print what differs between two recorded folders

Five walks of Mr. Pete, twelve performances of Pepper, twenty goals of Alice, five human gaits, six imported robots,
three animations of Cassie and, if the folder of recordings is beside the project, four captured walks: twelve minutes.
Only the command line is used, so that trees with different insides can be compared.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
MORE_EMOTIONS = (*EMOTIONS, "disgusted", "surprised", "calm", "bored", "proud", "curious", "tired")
GOALS = 20
ADOPTED = {
    "go2": "sad",
    "anymal_c": "happy",
    "solo12": "neutral",
    "talos_reduced": "sad",
    "icub": "neutral",
    "g1_29dof_rev_1_0": "happy",
}
ANIMATIONS = ("happy", "sad", "curious")
RECORDINGS = {  # body height [m] and mass [kg] where the file does not say them
    "felis_subject3_neutral": (1.86, 75.0),
    "qcmas_walk": (1.86, 70.23),
    "sydney_walk03": (1.634, 53.5),
    "c3d_samples/newwalk": (1.75, 70.0),
}
DATA = Path(__file__).resolve().parents[1] / ".." / "shared" / "data"
CLOCKS = {"solve_s"}  # differ from run to run
RENAMED = {  # keys of receipts in trees before 0.2.0
    "shown": "expressed_share",
    "left_out": "not_expressed",
    "naturalness.least_load": "naturalness.min_load",
    "walk.seam_place": "walk.seam_position",
}
TEXTS = {"reasons", "not_expressed", "emotion"}  # compared by their number, since sentences may be rewritten
TOLERANCE = 1e-9
HUMAN_TOLERANCE = 1e-4  # an interior-point method stops within its own tolerance
HUMAN = ("heiman", "capture")


def cases() -> dict[str, list[str]]:
    """Return the arguments of every case by its name, without `--out`."""
    rng = np.random.default_rng(0)
    distance = np.sqrt(rng.uniform(size=GOALS))
    bearing = rng.uniform(-math.pi, math.pi, GOALS)
    degrees = rng.uniform(-180.0, 180.0, GOALS)
    arguments = {f"mrpete_{name}": ["walk", "mrpete", "--emotion", name] for name in EMOTIONS}
    arguments |= {f"pepper_{name}": ["perform", "pepper", "wave", "--emotion", name] for name in MORE_EMOTIONS}
    for k in range(GOALS):
        x = distance[k] * math.cos(bearing[k])
        y = distance[k] * math.sin(bearing[k])
        goal = [f"{value:.4f}" for value in (x, y, degrees[k])]
        arguments[f"alice_{k:02d}"] = ["walk", "alice", "--goal", *goal, "--emotion", EMOTIONS[k % len(EMOTIONS)]]
    arguments |= {f"heiman_{name}": ["walk", "heiman", "--cycles", "2", "--emotion", name] for name in EMOTIONS}
    for robot, emotion in ADOPTED.items():
        arguments[f"adopted_{robot}"] = ["walk", robot, "--emotion", emotion, "--cycles", "4"]
    for name in ANIMATIONS:
        arguments[f"animation_{name}"] = ["animate", f"{{source}}/strut/robots/cassie/stories/{name}.toml"]
    for name, (height_m, mass_kg) in RECORDINGS.items() if DATA.is_dir() else ():
        file = str(DATA / f"{name}.c3d")
        key = f"capture_{Path(name).name}"
        arguments[key] = ["capture", file, "--height", f"{height_m}", "--mass", f"{mass_kg}"]
    return arguments


def record(source: Path, folder: Path) -> None:
    """Run every case with the strut in `source`; keep what is recorded already."""
    folder.mkdir(parents=True, exist_ok=True)
    source = source.resolve()
    robots = folder.resolve() / "robots"
    environment = os.environ | {"PYTHONPATH": str(source), "OMP_NUM_THREADS": "1", "STRUT_ROBOTS": str(robots)}

    def run(arguments: list[str]) -> tuple[int, str]:
        words = [word.replace("{source}", str(source)) for word in arguments]
        command = [sys.executable, "-m", "strut", *words, "--force"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr

    for robot in ADOPTED:
        if not (robots / robot).exists():
            code, _ = run(["adopt", robot])
            print(f"adopt {robot}: exit {code}", flush=True)
    for name, arguments in cases().items():
        motion = folder / f"{name}.npz"
        if motion.exists():
            continue
        is_capture = arguments[0] == "capture"
        out = folder / name if is_capture else motion
        code, words = run([*arguments, "--out", str(out)])
        (folder / f"{name}.txt").write_text(f"exit {code}\n{words}", "utf-8")
        if is_capture:
            for written in out.glob("*.npz"):
                motion.write_bytes(written.read_bytes())
        print(f"{name}: exit {code}", flush=True)


def differences(old: Path, new: Path) -> list[str]:
    """Return what differs between two motion files, in words."""
    if not (old.exists() and new.exists()):
        return [] if old.exists() == new.exists() else [f"written only in {old if old.exists() else new}"]
    tolerance = HUMAN_TOLERANCE if old.name.startswith(HUMAN) else TOLERANCE
    words = []
    with np.load(old) as before, np.load(new) as after:
        for column in ("time_s", "qpos", "contact", "torque_nm", "ground_force_n"):
            a, b = (np.asarray(table[column], dtype=float) if column in table else None for table in (before, after))
            if a is None or b is None or a.shape != b.shape:
                words += [] if a is b is None else [f"{column}: shapes {np.shape(a)} and {np.shape(b)}"]
            elif (size := float(np.abs(a - b).max(initial=0.0))) > tolerance * max(
                1.0, float(np.abs(a).max(initial=0.0))
            ):
                words.append(f"{column}: up to {size:.3g}")
        receipts = [json.loads(str(table["meta"]))["receipt"] for table in (before, after)]
    receipts = [{RENAMED.get(key, key): value for key, value in flatten(receipt)} for receipt in receipts]
    for key in dict.fromkeys([*receipts[0], *receipts[1]]):
        a, b = (receipt.get(key, "absent") for receipt in receipts)
        if key in TEXTS and all(isinstance(value, list) for value in (a, b)):
            a, b = len(a), len(b)
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (a, b))
        same = math.isclose(a, b, rel_tol=tolerance * 10.0, abs_tol=tolerance * 10.0) if numbers else a == b
        words += [] if same or key in CLOCKS else [f"{key}: {a} → {b}"]
    return words


def flatten(table: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the entries of a table and of the tables in it, as `outer.inner`."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flatten(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def compare(old: Path, new: Path) -> int:
    """Print what differs, case by case, and return how many cases do."""
    found = {name: differences(old / f"{name}.npz", new / f"{name}.npz") for name in cases()}
    for name, words in found.items():
        print(f"{name}: {'; '.join(words) or 'same'}")
    changed = sum(bool(words) for words in found.values())
    print(f"{len(found) - changed} of {len(found)} the same")
    return changed


if __name__ == "__main__":
    verb, first, second = sys.argv[1:]
    if verb == "record":
        record(Path(first), Path(second))
    else:
        compare(Path(first), Path(second))
