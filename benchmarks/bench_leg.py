"""How many 7R leg solutions per second does one core make, and how many does a numeric solver make of the same targets?

    python benchmarks/bench_leg.py

The numeric solvers start as their users start them: a start a few hundredths of a radian from the solution, no
joint limits, no redundancy to settle (6 coordinates of the foot for 7 joints), full Gauss-Newton steps. mink is the
library people use with MuJoCo; the bare loop does no more than damped least squares must, to show that the ratio is not
mink's overhead. Neither takes a batch, so strut called for one leg at a time is a row of its own. Only solves that end
within 1e-4 m and 1e-3 rad count.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # the models are written as the tests write them

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from collections.abc import Callable, Sequence  # noqa: E402
from time import perf_counter  # noqa: E402
from xml.etree import ElementTree as ET  # noqa: E402

import mink  # noqa: E402
import mujoco  # noqa: E402
import numpy as np  # noqa: E402
from tests.mjcf_text import text_of  # noqa: E402

from record import Row, benchmark_parser, median_seconds, record  # noqa: E402
from strut.arrays import Array  # noqa: E402
from strut.kinematics.leg7r import leg_forward, leg_inverse  # noqa: E402
from strut.kinematics.mounted_leg import MountedLeg, mounted_legs  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402
from strut.robot import Robot  # noqa: E402

BATCH = 200_000
REPEATS = 15
TARGETS = 2_000  # of the solvers that take one leg at a time
START_RAD = 0.05  # standard deviation of the start from the solution, per joint
MOST_STEPS = 50
CLOSE_M = 1e-4
CLOSE_RAD = 1e-3
DAMPING = 1e-8
FOOT = "LF_foot"

Solver = Callable[[Array, Array, Array], bool]


def random_joints(mounted: MountedLeg, count: int, rng: np.random.Generator) -> Array:
    """Return joint angles all over a leg's reach, knee bent between 20 and 150 degrees. Shape (count, 7)."""
    joints = rng.uniform(-np.pi, np.pi, (count, 7))
    joints[:, 1], joints[:, 5] = rng.uniform(0.2, np.pi - 0.2, (2, count))
    joints[:, 3] = mounted.leg.knee_sign * rng.uniform(0.35, 2.6, count)
    return joints


def one_leg_model(robot: Robot) -> mujoco.MjModel:
    """Return the left front leg alone, its hip frame fixed at the world's origin."""
    whole = ET.fromstring(text_of(robot.model))
    hip = whole.find(".//body[@name='LF_hip_yaw']")
    assert hip is not None
    hip.set("pos", "0 0 0")
    hip.set("quat", "1 0 0 0")
    alone = ET.Element("mujoco")
    ET.SubElement(alone, "compiler", angle="radian", autolimits="true")
    ET.SubElement(alone, "worldbody").append(hip)
    for joint in alone.iter("joint"):
        joint.attrib.pop("range")
    return mujoco.MjModel.from_xml_string(ET.tostring(alone, encoding="unicode"))


def mink_solver(model: mujoco.MjModel) -> Solver:
    """Return damped least squares by mink with its QP solver daqp."""
    configuration = mink.Configuration(model)
    task = mink.FrameTask(FOOT, "site", position_cost=1.0, orientation_cost=1.0)

    def solve(start: Array, position: Array, rotation: Array) -> bool:
        configuration.update(start)
        goal = mink.SE3.from_rotation_and_translation(mink.SO3.from_matrix(rotation), position)
        task.set_target(goal)
        for _ in range(MOST_STEPS):
            error = task.compute_error(configuration)
            if np.linalg.norm(error[:3]) < CLOSE_M and np.linalg.norm(error[3:]) < CLOSE_RAD:
                return True
            velocity = mink.solve_ik(configuration, [task], 1.0, "daqp", damping=DAMPING, limits=[])
            configuration.integrate_inplace(velocity, 1.0)
        return False

    return solve


def bare_solver(model: mujoco.MjModel) -> Solver:
    """Return damped least squares as short as it can be written on MuJoCo's Jacobian."""
    data = mujoco.MjData(model)
    site = model.site(FOOT).id
    jacobian = np.zeros((6, 7))
    error = np.zeros(6)
    damping = DAMPING * np.eye(6)
    now = np.zeros(4)
    wanted = np.zeros(4)
    back = np.zeros(4)
    off = np.zeros(4)

    def solve(start: Array, position: Array, rotation: Array) -> bool:
        data.qpos[:] = start
        mujoco.mju_mat2Quat(wanted, rotation.ravel())
        for _ in range(MOST_STEPS):
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            error[:3] = position - data.site_xpos[site]
            mujoco.mju_mat2Quat(now, data.site_xmat[site])
            mujoco.mju_negQuat(back, now)
            mujoco.mju_mulQuat(off, wanted, back)
            mujoco.mju_quat2Vel(error[3:], off, 1.0)
            if np.linalg.norm(error[:3]) < CLOSE_M and np.linalg.norm(error[3:]) < CLOSE_RAD:
                return True
            mujoco.mj_jacSite(model, data, jacobian[:3], jacobian[3:], site)
            data.qpos += jacobian.T @ np.linalg.solve(jacobian @ jacobian.T + damping, error)
        return False

    return solve


def numeric_rate(solve: Solver, starts: Array, positions: Array, rotations: Array) -> tuple[float, float]:
    """Return converged solves per second and the share of targets on which the solver converged."""
    for sample in range(50):
        solve(starts[sample], positions[sample], rotations[sample])
    converged = 0
    started = perf_counter()
    for start, position, rotation in zip(starts, positions, rotations, strict=True):
        converged += solve(start, position, rotation)
    return converged / (perf_counter() - started), converged / len(starts)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and record; quick: a hundredth of the targets."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    batch, targets, repeats = (BATCH // 100, 100, 1) if quick else (BATCH, TARGETS, REPEATS)
    robot = load_robot("mrpete")
    rng = np.random.default_rng(7)
    mounted = mounted_legs(robot)[0]
    joints = random_joints(mounted, batch, rng)
    ankle, foot, _ = leg_forward(mounted.leg, joints)
    knee = rng.uniform(-np.pi, np.pi, batch)

    def solve_batch() -> Array:
        return leg_inverse(mounted.leg, ankle, foot, knee, reference="body")

    reached, turned, _ = leg_forward(mounted.leg, solve_batch())
    close = (np.linalg.norm(reached - ankle, axis=1) < CLOSE_M) & (np.abs(turned - foot).max(axis=(1, 2)) < CLOSE_RAD)
    ours = close.sum() / median_seconds(solve_batch, repeats=repeats)
    rows: list[Row] = [_row("strut, closed form, batch", ours, float(close.mean()), ours)]

    def solve_each() -> None:
        for sample in range(targets):
            leg_inverse(mounted.leg, ankle[sample], foot[sample], knee[sample], reference="body")

    single = targets / median_seconds(solve_each, repeats=3)
    rows.append(_row("strut, closed form, one leg per call", single, float(close[:targets].mean()), ours))

    model = one_leg_model(robot)
    few = slice(0, targets)
    positions = ankle[few] - foot[few] @ mounted.ankle_in_foot
    starts = joints[few] + rng.normal(0.0, START_RAD, (targets, 7))
    for case, solver in (("mink, daqp", mink_solver(model)), ("bare damped least squares", bare_solver(model))):
        rate, success = numeric_rate(solver, starts, positions, foot[few])
        rows.append(_row(case, rate, success, ours))
    record("leg", rows, packages=("strut", "numpy", "mujoco", "mink", "daqp"), quick=quick)


def _row(case: str, rate: float, success: float, ours: float) -> Row:
    return {
        "case": case,
        "solves_per_s": round(rate),
        "us_per_solve": round(1e6 / rate, 3),
        "converged": round(success, 4),
        "batch_is_faster_by": round(ours / rate, 1),
    }


if __name__ == "__main__":
    main()
