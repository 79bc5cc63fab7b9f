"""What does the check of self-collision cost per sample, and are the cheaper ways right?

    python benchmarks/bench_self_collision.py [FILE.npz ...]

Walks of Mr. Pete and Alice and a wave of Pepper, or the motions of files. Per motion and method, the processor time and
the smallest distance found: `ours` is `engines.self_distance`, `every pair` calls mj_geomDistance for every pair at
every tenth sample, `collision pass` is one mj_collision a sample with a margin of 10 mm, which sees nothing farther.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from collections.abc import Callable, Sequence  # noqa: E402
from copy import copy  # noqa: E402
from time import process_time  # noqa: E402

import mujoco  # noqa: E402
import numpy as np  # noqa: E402

import strut  # noqa: E402
from record import Row, benchmark_parser, record  # noqa: E402
from strut.arrays import Array  # noqa: E402
from strut.engines.self_distance import collision_pairs, self_distance  # noqa: E402
from strut.models.catalogue import robot_of  # noqa: E402
from strut.motion import Motion  # noqa: E402
from strut.robot import Robot  # noqa: E402

MARGIN_M = 0.01
EVERY = 10


def ours(robot: Robot, qpos: Array) -> float:
    """Return the smallest distance as the gate measures it."""
    distance = self_distance(robot, qpos)
    return np.inf if distance is None else distance.smallest_m


def every_pair(robot: Robot, qpos: Array) -> float:
    """Return the smallest distance by a call for every pair, at every tenth sample."""
    model = robot.model
    pairs = collision_pairs(robot).clear
    data = mujoco.MjData(model)
    smallest_m = np.inf
    for sample in qpos[::EVERY]:
        data.qpos[:] = sample
        mujoco.mj_kinematics(model, data)
        smallest_m = min(smallest_m, *(mujoco.mj_geomDistance(model, data, *pair, 10.0, None) for pair in pairs))
    return smallest_m


def collision_pass(robot: Robot, qpos: Array) -> float:
    """Return the smallest distance of checked pairs by one collision pass a sample, on a copy whose geoms can meet."""
    checked = np.array(collision_pairs(robot).clear)
    model = copy(robot.model)
    is_checked = np.zeros((model.ngeom, model.ngeom), dtype=bool)
    is_checked[checked[:, 0], checked[:, 1]] = True
    is_checked[checked[:, 1], checked[:, 0]] = True
    model.geom_contype[:] = model.geom_conaffinity[:] = is_checked.any(axis=0)
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_OVERRIDE
    model.opt.o_margin = MARGIN_M
    data = mujoco.MjData(model)
    smallest_m = np.inf
    for sample in qpos:
        data.qpos[:] = sample
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        counts = is_checked[data.contact.geom[:, 0], data.contact.geom[:, 1]]
        smallest_m = min(smallest_m, data.contact.dist[counts].min(initial=np.inf))
    return smallest_m


def rows_of(name: str, motion: Motion) -> list[Row]:
    """Return what each method costs and finds."""
    robot = robot_of(motion)
    rows = list[Row]()
    methods: tuple[tuple[str, Callable[[Robot, Array], float], int], ...] = (
        ("ours", ours, 1),
        ("every pair", every_pair, EVERY),
        ("collision pass", collision_pass, 1),
    )
    for word, method, every in methods:
        method(robot, motion.qpos[:1])  # compiles
        began = process_time()
        smallest_m = method(robot, motion.qpos)
        cost_us = 1e6 * (process_time() - began) / len(motion.qpos[::every])
        found: float | str = round(1e3 * smallest_m, 2) if np.isfinite(smallest_m) else f"over {1e3 * MARGIN_M:.0f}"
        rows.append({"motion": name, "method": word, "us_per_sample": round(cost_us, 1), "smallest_mm": found})
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and record; quick: one short walk."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("files", nargs="*", help="motion files")
    options = parser.parse_args(arguments)
    if options.quick:
        motions = {"mrpete": strut.walk("mrpete", cycles=2, rate_hz=25.0)}
    else:
        motions = {path: strut.load_motion(path) for path in options.files} or {
            **{f"mrpete {emotion}": strut.walk("mrpete", emotion) for emotion in ("neutral", "angry", "sad")},
            "alice": strut.walk("alice", goal=strut.Place(0.5, 0.3, 0.8)),
            "pepper": strut.perform("pepper", "wave", "happy"),
        }
    rows = [row for name, motion in motions.items() for row in rows_of(name, motion)]
    record("self_collision", rows, packages=("mujoco", "numpy"), quick=options.quick)


if __name__ == "__main__":
    main()
