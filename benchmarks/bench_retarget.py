"""How fast are feet held and balance kept when a person's walk becomes a robot's, beside mink frame by frame?

    python benchmarks/bench_retarget.py --robots talos g1

mink solves one frame after the other from the last one (damping 0.5, up to 10 steps until the error changes by less
than 0.001, as GMR does; feet cost 100, pelvis 10, rotations 10), without arms, which makes its problems smaller. Its
targets are the person's own feet and pelvis, scaled by leg length, as in frame-by-frame retargeting, and then those of
strut's plan, whose feet stand still. `slip` is how far the middle of a sole moves within a stance, by MuJoCo's
kinematics. `zmp_outside` is the share of samples with the zero-moment point more than 30 mm from where it was planned,
in the middle of a sole or on the way to the next. Processor time of one core is counted.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # the robot of the tests, if no other is named

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import tempfile  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from dataclasses import replace  # noqa: E402
from time import process_time  # noqa: E402

import mink  # noqa: E402
import numpy as np  # noqa: E402
from tests.adoption.small_robots import biped, import_robot  # noqa: E402

from record import Row, benchmark_parser, record, recordings  # noqa: E402
from strut.arrays import Array  # noqa: E402
from strut.engines.rigid_body import foot_positions  # noqa: E402
from strut.maths.sampling import runs  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402
from strut.retargeting.body_movement import SIDES  # noqa: E402
from strut.retargeting.retarget import Retargeting, prepare, usual_width  # noqa: E402
from strut.retargeting.trajectory_fit import BodyGoal  # noqa: E402
from strut.retargeting.walk_plan import WalkPlan, plan_walk  # noqa: E402
from strut.retargeting.whole_body_retarget import (  # noqa: E402
    body_goal,
    hold_feet,
    keep_balance,
    zero_moment_point_of,
)
from strut.robot import Robot  # noqa: E402

UNIT_M = 0.056444
CLIPS = {"104_02": (0.0, 7.4), "12_01": (0.0, 4.3), "91_29": (0.0, 7.0), "91_13": (0.0, 9.5), "16_15": (0.0, 3.9)}
DAMPING = 0.5
MAX_ITERATIONS = 10
ENOUGH = 1e-3


def persons_own(goal: BodyGoal, plan: WalkPlan, task: Retargeting) -> tuple[BodyGoal, Array]:
    """Return a goal with the person's own feet, scaled, and the scaled path of the pelvis (T, 3)."""
    target = task.target
    scale = target.leg_m / task.movement.leg_m * np.array([0.8, 0.8, 1.0])
    turn = np.stack([plan.movement.rotation[f"foot_{side}"] for side in SIDES], axis=1)
    ankle_m = np.stack([plan.movement.point_m[f"ankle_{side}"] * scale for side in SIDES], axis=1)
    foot_m = ankle_m + np.einsum("tnij,nj->tni", turn, np.array(target.foot_from_ankle_m))
    upright = np.stack([target.upright[f"foot_{side}"] for side in SIDES])
    return replace(goal, foot_m=foot_m, foot_rotation=turn @ upright), plan.movement.pelvis_m * scale


def mink_motion(plan: WalkPlan, task: Retargeting, *, own_feet: bool) -> Array:
    """Return the frame-by-frame motion to the targets of a plan, or to the person's own feet. Shape (T, nq)."""
    goal, start = body_goal(plan, task.target)
    base_m = start[:, :3]
    if own_feet:
        planned_m = goal.pelvis_m
        goal, pelvis_m = persons_own(goal, plan, task)
        base_m = base_m + pelvis_m - planned_m
    robot = task.target.robot
    configuration = mink.Configuration(robot.model, q=start[0])
    feet = [
        mink.FrameTask(robot.feet[foot].frame, "site", position_cost=100.0, orientation_cost=10.0)
        for foot in task.target.feet
    ]
    kinds = [kind for kind in ("pelvis", "trunk", "head") if kind in task.target.body]
    bodies = [
        mink.FrameTask(task.target.body[kind], "body", position_cost=10.0 * (kind == "pelvis"), orientation_cost=10.0)
        for kind in kinds
    ]
    posture = mink.PostureTask(robot.model, cost=0.05)
    posture.set_target(robot.standing_qpos)
    tasks = [*feet, *bodies, posture]
    limits = [mink.ConfigurationLimit(robot.model)]
    motion = np.empty_like(start)
    for k in range(len(start)):
        for foot, one in enumerate(feet):
            turn = mink.SO3.from_matrix(goal.foot_rotation[k, foot])
            one.set_target(mink.SE3.from_rotation_and_translation(turn, goal.foot_m[k, foot]))
        for number, one in enumerate(bodies):
            turn = mink.SO3.from_matrix(goal.rotation[k, number])
            one.set_target(mink.SE3.from_rotation_and_translation(turn, base_m[k]))
        before = np.inf
        for _ in range(MAX_ITERATIONS):
            velocity = mink.solve_ik(configuration, tasks, 0.01, "daqp", DAMPING, limits=limits)
            configuration.integrate_inplace(velocity, 0.01)
            error = sum(float(np.linalg.norm(one.compute_error(configuration))) for one in (*feet, *bodies))
            if before - error < ENOUGH:
                break
            before = error
        motion[k] = configuration.q
    return motion


def timed(solve: Callable[[], Array]) -> tuple[Array, float]:
    """Return a motion and the seconds of processor time that it took."""
    began = process_time()
    motion = solve()
    return motion, process_time() - began


def row(solver: str, clip: str, task: Retargeting, plan: WalkPlan, qpos: Array, taken_s: float) -> Row:
    """Return what a solver did."""
    robot = task.target.robot
    place_m = foot_positions(robot, qpos)[:, list(task.target.feet), :2]
    slip_mm = [
        1e3 * float(np.linalg.norm(place_m[stance, foot] - place_m[stance.start, foot], axis=1).max())
        for foot in range(2)
        for stance in runs(plan.contact[:, foot])
    ]
    missed_m = np.linalg.norm(zero_moment_point_of(robot, plan.time_s, qpos) - plan.zmp_m, axis=1)
    return {
        "robot": Path(robot.name).name,
        "clip": clip,
        "solver": solver,
        "frames": len(qpos),
        "frames_per_s": round(len(qpos) / taken_s),
        "slip_mean_mm": round(float(np.mean(slip_mm)), 2),
        "slip_max_mm": round(max(slip_mm), 2),
        "zmp_outside": round(float((missed_m > 0.03).mean()), 3),
    }


def measure(robot: Robot, clip: str, between_s: tuple[float, float]) -> list[Row]:
    """Return the rows of one robot and one walk."""
    file = recordings() / "cmu_bvh" / f"{clip}.bvh"
    task = prepare(file, robot, unit_m=UNIT_M, between_s=between_s)
    plan = plan_walk(task.movement, task.target, steps=0.8, width_m=usual_width(task.target), slower=1.0, rate_hz=100.0)
    held, held_s = timed(lambda: hold_feet(plan, task.target).qpos)
    balanced, both_s = timed(lambda: keep_balance(plan, task.target, hold_feet(plan, task.target)).qpos)
    single, single_s = timed(lambda: mink_motion(plan, task, own_feet=True))
    planned, planned_s = timed(lambda: mink_motion(plan, task, own_feet=False))
    return [
        row("mink own feet", clip, task, plan, single, single_s),
        row("mink planned feet", clip, task, plan, planned, planned_s),
        row("strut feet held", clip, task, plan, held, held_s),
        row("strut balanced", clip, task, plan, balanced, both_s),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = benchmark_parser(__doc__)
    parser.add_argument(
        "--robots", nargs="*", default=[], help="imported humanoids; the small biped of the tests if none"
    )
    parser.add_argument("--clips", nargs="*", default=list(CLIPS), choices=list(CLIPS), help="CMU walks")
    options = parser.parse_args(arguments)
    recordings()
    with tempfile.TemporaryDirectory() as folder:
        robots = [load_robot(name) for name in options.robots]
        robots = robots or [import_robot(biped(), Path(folder), "biped.urdf")[0]]
        clips = {"104_02": (1.0, 3.0)} if options.quick else {clip: CLIPS[clip] for clip in options.clips}
        rows = [one for robot in robots for clip, between_s in clips.items() for one in measure(robot, clip, between_s)]
    record("retarget", rows, packages=("strut", "mink", "mujoco", "numpy", "scipy"), quick=options.quick)


if __name__ == "__main__":
    main()
