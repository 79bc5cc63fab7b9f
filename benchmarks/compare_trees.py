"""Does a changed tree make the same motions as before? Receipts and trajectories of two source trees, side by side.

    python benchmarks/compare_trees.py record SRC FOLDER     # plays all cases with the strut in SRC
    python benchmarks/compare_trees.py compare OLD NEW       # prints what differs between two recorded folders

Five walks of Mr. Pete, twelve performances of Pepper, twenty goals of Alice, five gaits of a human: six minutes.
Only the command line is used, so that trees with different insides can be compared.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
MORE_EMOTIONS = (*EMOTIONS, "disgusted", "surprised", "calm", "bored", "proud", "curious", "tired")
GOALS = 20
CLOCKS = {"solve_s"}  # differ from run to run
TOLERANCE = 1e-9
HUMAN_TOLERANCE = 1e-4  # an interior point stops within its own tolerance


def cases() -> dict[str, list[str]]:
    """Return the arguments of every case by its name."""
    rng = np.random.default_rng(0)
    distance = np.sqrt(rng.uniform(size=GOALS))
    bearing = rng.uniform(-math.pi, math.pi, GOALS)
    degrees = rng.uniform(-180.0, 180.0, GOALS)
    found = {f"mrpete_{name}": ["walk", "mrpete", "--emotion", name] for name in EMOTIONS}
    found |= {f"pepper_{name}": ["perform", "pepper", "wave", "--emotion", name] for name in MORE_EMOTIONS}
    for k in range(GOALS):
        x = distance[k] * math.cos(bearing[k])
        y = distance[k] * math.sin(bearing[k])
        goal = [f"{value:.4f}" for value in (x, y, degrees[k])]
        found[f"alice_{k:02d}"] = ["walk", "alice", "--goal", *goal, "--emotion", EMOTIONS[k % len(EMOTIONS)]]
    return found | {f"heiman_{name}": ["walk", "heiman", "--cycles", "2", "--emotion", name] for name in EMOTIONS}


def record(source: Path, folder: Path) -> None:
    """Play every case with the strut in `source`; what is there already is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"PYTHONPATH": str(source.resolve()), "OMP_NUM_THREADS": "1"}
    for name, arguments in cases().items():
        if (folder / f"{name}.npz").exists():
            continue
        command = [sys.executable, "-m", "strut", *arguments, "--out", str(folder / f"{name}.npz"), "--force"]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        (folder / f"{name}.txt").write_text(f"exit {done.returncode}\n{done.stderr}", "utf-8")
        print(f"{name}: exit {done.returncode}", flush=True)


def differences(old: Path, new: Path) -> list[str]:
    """Return what differs between two motion files, in words."""
    if not (old.exists() and new.exists()):
        return [] if old.exists() == new.exists() else [f"written only in {old if old.exists() else new}"]
    tolerance = HUMAN_TOLERANCE if old.name.startswith("heiman") else TOLERANCE
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
    for key in dict.fromkeys([*receipts[0], *receipts[1]]):
        a, b = (receipt.get(key, "absent") for receipt in receipts)
        numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (a, b))
        same = math.isclose(a, b, rel_tol=tolerance * 10.0, abs_tol=tolerance * 10.0) if numbers else a == b
        words += [] if same or key in CLOCKS else [f"{key}: {a} → {b}"]
    return words


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
