"""Does Cassie hold every speed and height that may be asked, and how long is a tick of its controllers?

    python benchmarks/bench_cassie_control.py [walks pushes further] [--commands 20] [--seeds 0 1 2] [--rate 2000]
                                              [--walker library]

`walks`: random commands over the range that control.toml allows, each walked for 22 s from standing and then stopped,
with noisy sensors, springs, torque limits and friction 0.6; every command with several seeds of the noise. `pushes`: of
60 N for 0.1 s from each side, standing and walking. `further`: the published speeds of 1 m/s, which control.toml does
not allow, at three heights. Speeds are measured in the simulation over whole pairs of steps. `tick_ms`
is the median over all ticks of estimate, state machine and torques; `real_time_factor` is simulated time over processor
time, physics and sensors included.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import argparse  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from dataclasses import replace  # noqa: E402
from itertools import product  # noqa: E402

import numpy as np  # noqa: E402
from msgspec import structs  # noqa: E402

from record import Row, benchmark_parser, record  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402
from strut.pilot.controllers.reference import PilotRequest, StandRequest, WalkRequest  # noqa: E402
from strut.pilot.gait_library.gait_library import GaitLibrary  # noqa: E402
from strut.pilot.gait_library.gait_library_file import load_gait_library  # noqa: E402
from strut.pilot.piloted_simulation import Clock, PilotedRun, Push, World, simulate_requests  # noqa: E402
from strut.pilot.plant.torque_model import control_table  # noqa: E402
from strut.robot import Robot  # noqa: E402

WALK_S = 22.0
STEADY_S = 12.0
PAIRS = 14
PUSH_N = 60.0


def walk_row(
    name: str,
    command: tuple[float, float, float],
    seed: int,
    rate_hz: float,
    library: GaitLibrary | None = None,
    robot: Robot | None = None,
) -> Row:
    """Walk one command, stop, and return what came of it."""
    forward, left, height = command
    run = simulate_requests(
        [WalkRequest(forward, left, 0.0, height, duration_s=WALK_S), StandRequest(1.0)],
        robot or load_robot("cassie"),
        world=World(seed=seed),
        clock=Clock(control_hz=rate_hz, longest_s=WALK_S + 18.0),
        library=library,
    )
    errors = steady_errors(run, command) if not run.outcome.fell else (None, None, None)
    return row(name, command, seed, rate_hz, run, errors)


def steady_errors(run: PilotedRun, command: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return the errors of speed forward and left and of height, once the walk is steady."""
    pair_s = 2.0 * control_table(load_robot("cassie")).walking.step_s
    time_s = run.motion.time_s
    qpos = run.motion.qpos
    first, last = np.searchsorted(time_s, (STEADY_S, STEADY_S + PAIRS * pair_s))
    speed = (qpos[last, :2] - qpos[first, :2]) / (time_s[last] - time_s[first])
    return (
        round(float(speed[0] - command[0]), 4),
        round(float(speed[1] - command[1]), 4),
        round(float(qpos[first:last, 2].mean() - command[2]), 4),
    )


def push_row(
    name: str,
    requests: list[PilotRequest],
    push: Push,
    seed: int,
    rate_hz: float,
    library: GaitLibrary | None = None,
) -> Row:
    """Push once and return what came of it."""
    world = World(pushes=(push,), seed=seed)
    run = simulate_requests(requests, world=world, clock=Clock(control_hz=rate_hz), library=library)
    return row(name, (0.0, 0.0, 0.0), seed, rate_hz, run, (None, None, None))


def row(
    name: str,
    command: tuple[float, float, float],
    seed: int,
    rate_hz: float,
    run: PilotedRun,
    errors: tuple[float | None, float | None, float | None],
) -> Row:
    """Return one row of the table."""
    forward, left, height = command
    outcome = run.outcome
    return {
        "case": name,
        "forward_m_s": round(forward, 3),
        "left_m_s": round(left, 3),
        "height_m": round(height, 3),
        "seed": seed,
        "control_hz": rate_hz,
        "fell": int(outcome.fell),
        "finished": int(outcome.finished),
        "upright_s": round(outcome.upright_s, 2),
        "forward_error_m_s": errors[0],
        "left_error_m_s": errors[1],
        "height_error_m": errors[2],
        "torque_use": round(outcome.torque_use, 3),
        "foot_slip_mm": round(outcome.foot_slip_mm, 1),
        "tick_ms": round(outcome.tick_ms, 4),
        "real_time_factor": round(outcome.real_time_factor, 2),
    }


def keep(rows: list[Row], *, quick: bool = False) -> None:
    """Record rows as they come: all of them take many minutes."""
    record("cassie_control", rows, packages=("mujoco", "numpy", "scipy"), quick=quick)


def walks(options: argparse.Namespace, library: GaitLibrary | None) -> None:
    """Walk random commands."""
    allowed = control_table(load_robot("cassie")).command
    ranges = np.array([allowed.forward_m_s, allowed.sideways_m_s, allowed.walking_height_m])
    commands = np.random.default_rng(1).uniform(ranges[:, 0], ranges[:, 1], (options.commands, 3))
    for seed in options.seeds:
        for forward, left, height in commands.tolist():
            keep([walk_row(f"walk{options.by}", (forward, left, height), seed, options.rate, library)])


def pushes(options: argparse.Namespace, library: GaitLibrary | None) -> None:
    """Push from each side, standing and walking at 0.4 m/s; the stand is the same with either walker."""
    sides = {"front": (-1.0, 0.0), "back": (1.0, 0.0), "left": (0.0, -1.0), "right": (0.0, 1.0)}
    walk: list[PilotRequest] = [WalkRequest(0.4, height_m=0.85, duration_s=4.0), StandRequest(0.5)]
    for seed, (side, (x, y)) in product(options.seeds, sides.items()):
        force = (PUSH_N * x, PUSH_N * y, 0.0)
        if library is None:
            keep([push_row(f"push standing, {side}", [StandRequest(3.0)], Push(0.5, force), seed, options.rate)])
        name = f"push walking{options.by}, {side}"
        keep([push_row(name, walk, Push(4.3, force), seed, options.rate, library)])


def further(options: argparse.Namespace, library: GaitLibrary | None) -> None:
    """Walk at 1 m/s, forward and back, high and low: what is asked for beyond what is allowed."""
    robot = load_robot("cassie")
    table = control_table(robot)
    wide = structs.replace(table, command=structs.replace(table.command, forward_m_s=(-1.0, 1.0)))
    bold = replace(robot, tables=replace(robot.tables, control=wide))
    for seed, height, forward in product(options.seeds, (0.85, 0.75, 0.95), (1.0, -1.0)):
        keep([walk_row(f"further{options.by}", (forward, 0.0, height), seed, options.rate, library, bold)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the parts that are asked for; quick: one push of a standing robot."""
    parts = {"walks": walks, "pushes": pushes, "further": further}
    parser = benchmark_parser(__doc__)
    parser.add_argument("parts", nargs="*", choices=[[], *parts], default=[])
    parser.add_argument("--commands", type=int, default=20)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--rate", type=float, default=2000.0)
    parser.add_argument("--walker", choices=("pendulum", "library"), default="pendulum")
    options = parser.parse_args(arguments)
    if options.quick:
        push = Push(0.5, (-PUSH_N, 0.0, 0.0))
        keep([push_row("push standing, front", [StandRequest(1.0)], push, 0, 1000.0)], quick=True)
        return
    library = load_gait_library(load_robot("cassie")) if options.walker == "library" else None
    options.by = "" if library is None else " by the library"
    for part in options.parts or ("walks", "pushes"):
        parts[part](options, library)


if __name__ == "__main__":
    main()
