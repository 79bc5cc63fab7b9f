"""How many ticks per second does one core make on Pepper's 18 coordinates, beside pink and mink on the same tasks?

    python benchmarks/bench_task_priority.py

Hand pose, head orientation and posture while Pepper waves for 10 s at 100 Hz, platform free, in six styles.
Every solver gets the same goals one step ahead, closes hand and head errors within the step and a tenth of the
posture's, keeps joint ranges and speeds, and takes straight steps. A tick is kinematics, goals and solution. pink and
mink know weights instead of priorities: 1 for the hand, 0.1 for the head and 0.01 for the posture, a factor of 100 in
cost from one to the next. Solvers take turns, and processor time is counted, so that others on the machine slow down
all of them alike.
`bounded` is the share of ticks in which a joint is at the end of its range or speed.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # the models are written as the tests write them

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import tempfile  # noqa: E402
from collections.abc import Callable, Sequence  # noqa: E402
from dataclasses import dataclass  # noqa: E402
from time import process_time  # noqa: E402

import mink  # noqa: E402
import numpy as np  # noqa: E402
import pink  # noqa: E402
import pinocchio  # noqa: E402
from tests.mjcf_text import text_of  # noqa: E402

from record import Row, benchmark_parser, record  # noqa: E402
from strut.arrays import Array  # noqa: E402
from strut.engines.frame_kinematics import FrameKinematics, frame_poses  # noqa: E402
from strut.expression.body_swing import posture_over_time  # noqa: E402
from strut.gaits.hand_task.gaze import looking_at  # noqa: E402
from strut.gaits.hand_task.named_tasks import hand_task  # noqa: E402
from strut.gaits.hand_task.tracking_problem import TrackingProblem  # noqa: E402
from strut.kinematics.task_priority import Held, Level, resolve, velocity_bounds  # noqa: E402
from strut.maths.rotation import Quaternion, orientation_error, quaternion_from_rotation, slerp  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402
from strut.robot import Robot  # noqa: E402
from strut.style import Style  # noqa: E402

STEP_S = 0.01
DURATION_S = 10.0
REPEATS = 5
POSTURE_SHARE = 0.1
HAND = "right_wrist"
HEAD = "eyes"
USER_M = np.array([3.0, 0.0, 1.2])
STYLES = {  # of the study's four emotions and of two corners in which joints press against their ends most
    "happy": Style(jerkiness=0.30, activity=0.60, gaze=0.55),
    "sad": Style(jerkiness=0.70, activity=0.40, gaze=0.25),
    "fearful": Style(jerkiness=0.82, activity=0.80, gaze=0.285),
    "calm": Style(jerkiness=0.35, activity=0.40, gaze=0.70),
    "corner LHH": Style(jerkiness=0.875, activity=0.875, gaze=0.875),
    "corner LLL": Style(jerkiness=0.875, activity=0.125, gaze=0.125),
}
HAND_COST = 1.0
HEAD_COST = 0.1
POSTURE_COST = 0.01

Tick = Callable[[Array, int], Array]


@dataclass(frozen=True)
class Goals:
    """Goals over time: hand (T, 3) and wxyz, posture (T, 18) and, from the posture alone, the head."""

    style: Style
    hand_m: Array
    hand: list[Quaternion]
    posture: Array
    head: list[Quaternion]

    def gaze(self, eyes_m: Array, k: int) -> Quaternion:
        return slerp(self.head[k], looking_at(eyes_m, USER_M), self.style.gaze)


def goals_of(robot: Robot, style: Style) -> Goals:
    time_s = np.arange(round(DURATION_S / STEP_S) + 1) * STEP_S
    poses = hand_task(robot, "wave", duration_s=DURATION_S).poses(time_s)
    posture = np.concatenate([np.zeros((len(time_s), 3)), posture_over_time(robot, style, time_s)], axis=1)
    head = frame_poses(robot, HEAD, posture)[1]
    hand = [quaternion_from_rotation(one) for one in poses.rotation.reshape(-1, 9)]
    return Goals(style, poses.position_m, hand, posture, [quaternion_from_rotation(one) for one in head.reshape(-1, 9)])


def limits(robot: Robot) -> tuple[Array, Array, Array]:
    drive = robot.platform
    speed = [drive.speed_limit_m_s] * 2 + [drive.turn_limit_rad_s]
    return (
        np.concatenate([np.full(3, -10.0), robot.joint_lower_rad]),
        np.concatenate([np.full(3, 10.0), robot.joint_upper_rad]),
        np.concatenate([speed, robot.joint_speed_limit_rad_s]),
    )


def strut_tick(robot: Robot, goals: Goals) -> Tick:
    kinematics = FrameKinematics(robot, (HAND, HEAD))
    hand, head = kinematics.frames
    lower, upper, speed = limits(robot)
    held: Held | None = None

    def tick(qpos: Array, k: int) -> Array:
        nonlocal held
        kinematics.move(qpos)
        wanted = (
            np.concatenate([goals.hand_m[k] - hand.position_m, orientation_error(hand.rotation, goals.hand[k])])
            / STEP_S
        )
        glance = orientation_error(head.rotation, goals.gaze(head.position_m, k)) / STEP_S
        posture = POSTURE_SHARE / STEP_S * (goals.posture[k] - qpos)
        posture[:3] = 0.0
        least, most = velocity_bounds(qpos, lower, upper, speed, step_s=STEP_S, approach_per_s=1.0 / STEP_S)
        levels = (Level(hand.jacobian, wanted), Level(head.jacobian[3:], glance), Level(None, posture))
        resolved = resolve(levels, least, most, held=held)
        held = resolved.held
        return resolved.velocity

    return tick


def mink_tick(robot: Robot, goals: Goals) -> Tick:
    model = robot.model
    configuration = mink.Configuration(model)
    hand = mink.FrameTask(HAND, "site", position_cost=HAND_COST, orientation_cost=HAND_COST)
    head = mink.FrameTask(HEAD, "site", position_cost=0.0, orientation_cost=HEAD_COST)
    posture = mink.PostureTask(model, cost=POSTURE_COST, gain=POSTURE_SHARE)
    speed = {model.joint(j).name: float(limit) for j, limit in enumerate(limits(robot)[2])}
    bounds = [mink.ConfigurationLimit(model), mink.VelocityLimit(model, speed)]
    eyes = model.site(HEAD).id

    def tick(qpos: Array, k: int) -> Array:
        configuration.update(qpos)
        hand.set_target(mink.SE3(np.array([*goals.hand[k], *goals.hand_m[k]])))
        gaze = goals.gaze(configuration.data.site_xpos[eyes], k)
        head.set_target(mink.SE3(np.array([*gaze, 0.0, 0.0, 0.0])))
        rest = goals.posture[k].copy()
        rest[:3] = qpos[:3]
        posture.set_target(rest)
        return mink.solve_ik(configuration, [hand, head, posture], STEP_S, "daqp", 1e-12, limits=bounds)

    return tick


def pink_tick(robot: Robot, goals: Goals) -> Tick:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        path.write_text(text_of(robot.model), encoding="utf-8")
        model = pinocchio.buildModelFromMJCF(str(path))
    lower, upper, speed = limits(robot)
    model.lowerPositionLimit = lower
    model.upperPositionLimit = upper
    model.velocityLimit = speed
    configuration = pink.Configuration(model, model.createData(), np.zeros(18))
    hand = pink.tasks.FrameTask(HAND, position_cost=HAND_COST, orientation_cost=HAND_COST)
    head = pink.tasks.FrameTask(HEAD, position_cost=0.0, orientation_cost=HEAD_COST)
    posture = pink.tasks.PostureTask(cost=POSTURE_COST, gain=POSTURE_SHARE)

    def pose(orientation: Quaternion, position_m: Array) -> pinocchio.SE3:
        w, x, y, z = orientation
        return pinocchio.SE3(pinocchio.Quaternion(w, x, y, z).matrix(), position_m)

    def tick(qpos: Array, k: int) -> Array:
        configuration.update(qpos)
        hand.set_target(pose(goals.hand[k], goals.hand_m[k]))
        eyes_m = configuration.get_transform_frame_to_world(HEAD).translation
        head.set_target(pose(goals.gaze(eyes_m, k), np.zeros(3)))
        rest = goals.posture[k].copy()
        rest[:3] = qpos[:3]
        posture.set_target(rest)
        return pink.solve_ik(configuration, [hand, head, posture], STEP_S, solver="daqp", damping=1e-12)

    return tick


def play(tick: Tick, start: Array, samples: int) -> tuple[Array, list[float]]:
    """Return coordinates (T, 18) along straight steps, and the seconds that each tick took."""
    taken = []
    qpos = start.copy()
    positions = np.empty((samples, len(start)))
    for k in range(samples):
        began = process_time()
        velocity = tick(qpos, k)
        taken.append(process_time() - began)
        qpos = qpos + STEP_S * velocity
        positions[k] = qpos
    return positions, taken


def measured(case: str, positions: Array, taken: list[float], robot: Robot, goals: Goals) -> Row:
    """Return what a solver did: time per tick and how far hand and head are from their goals after 3 s."""
    hand_m, _ = frame_poses(robot, HAND, positions)
    eyes_m, heads = frame_poses(robot, HEAD, positions)
    off_mm = 1e3 * np.linalg.norm(hand_m - goals.hand_m, axis=1)
    gaze = [np.linalg.norm(orientation_error(heads[k].ravel(), goals.gaze(eyes_m[k], k))) for k in range(len(heads))]
    settled = slice(round(3.0 / STEP_S), None)
    lower, upper, speed = limits(robot)
    velocity = np.diff(positions, axis=0) / STEP_S
    ends = (positions < lower + 1e-6) | (positions > upper - 1e-6)
    ends[1:] |= np.abs(velocity) > speed - 1e-6
    return {
        "case": case,
        "bounded": round(float(ends.any(axis=1).mean()), 3),
        "ticks_per_s": round(1.0 / float(np.median(taken))),
        "median_us": round(1e6 * float(np.median(taken)), 1),
        "p95_us": round(1e6 * float(np.quantile(taken, 0.95)), 1),
        "hand_error_max_mm": round(float(off_mm[settled].max()), 5),
        "hand_error_rms_mm": round(float(np.sqrt(np.mean(off_mm[settled] ** 2))), 5),
        "gaze_error_max_rad": float(f"{max(gaze[settled]):.3g}"),
        "within_limits": bool((positions >= lower - 1e-9).all() and (positions <= upper + 1e-9).all()),
    }


def compare(robot: Robot, name: str, style: Style, *, repeats: int) -> list[Row]:
    """Return a row for each solver."""
    goals = goals_of(robot, style)
    path = hand_task(robot, "wave", duration_s=DURATION_S)
    problem = TrackingProblem(robot, path, style, USER_M, "corrected", np.array([0.0, STEP_S]), 1)
    start = problem.tracker().settled()
    makers = {"strut, priorities": strut_tick, "mink, weights": mink_tick, "pink, weights": pink_tick}
    ticks = {case: make(robot, goals) for case, make in makers.items()}
    taken: dict[str, list[float]] = {case: [] for case in ticks}
    positions: dict[str, Array] = {}
    for _ in range(repeats):
        for case, tick in ticks.items():
            positions[case], seconds = play(tick, start, len(goals.hand))
            taken[case] += seconds
    rows = [measured(f"{name}: {case}", positions[case], taken[case], robot, goals) for case in ticks]
    for row in rows:
        row["slower_than_strut_by"] = round(row["median_us"] / rows[0]["median_us"], 2)
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure every style; quick: the first one, once."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    robot = load_robot("pepper")
    styles = list(STYLES.items())[:1] if quick else list(STYLES.items())
    repeats = 1 if quick else REPEATS
    rows = [row for name, style in styles for row in compare(robot, name, style, repeats=repeats)]
    record("task_priority", rows, packages=("strut", "numpy", "mujoco", "mink", "pin-pink", "daqp"), quick=quick)


if __name__ == "__main__":
    main()
