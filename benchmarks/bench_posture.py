"""How many whole-lower-body postures per second does one core solve, and how many does Newton on the twelve angles?

    python benchmarks/bench_posture.py

Targets are steps, lifts and turns of Alice within 4 cm, 1.5 cm and 0.3 rad. Warm rows start from the same postures near
their solutions, as a walk would, and all must end within 1e-11 m. The joint-space Newton is the plain textbook one:
twelve angles, twelve equations (left foot, centre of mass, hip height, level body with its heading), central
differences. It takes no batch, so strut called for one posture at a time is a row of its own. Required: 10 000 postures
a second in a batch, and 20 times the joint-space rate.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from collections.abc import Callable, Sequence  # noqa: E402

import numpy as np  # noqa: E402

from record import Row, benchmark_parser, median_seconds, record  # noqa: E402
from strut.arrays import Array  # noqa: E402
from strut.gaits.footsteps.biped_model import BipedModel, biped_model  # noqa: E402
from strut.gaits.footsteps.biped_posture import PostureTargets, solve_postures  # noqa: E402
from strut.gaits.footsteps.leg_angles import chain_points, leg_angles  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402

BATCH = 20_000
SINGLE = 200
REPEATS = 5
START_RAD = 0.03  # standard deviation of the start from the solution, per joint
CLOSE_M = 1e-11


def random_targets(legs: BipedModel, count: int, rng: np.random.Generator) -> PostureTargets:
    """Return targets that a walk might have."""
    half = legs.separation_m / 2.0
    ankles = np.zeros((count, 2, 3))
    ankles[:, 0, 1] = -half
    ankles[:, 1, 1] = half
    ankles[:, 1, 0] = rng.uniform(-0.04, 0.04, count)
    ankles[:, 1, 2] = rng.uniform(0.0, 0.015, count)
    com = np.stack([rng.uniform(-0.005, 0.005, count), rng.uniform(-half, -0.8 * half, count)], axis=1)
    headings = rng.uniform(-0.3, 0.3, (count, 2))
    return PostureTargets(ankles, com, headings, headings.mean(axis=1), rng.uniform(0.19, 0.22, count))


def joint_space_error(legs: BipedModel, targets: PostureTargets, k: int, theta: Array) -> Array:
    """Return by how much sets of twelve angles miss target k. Shape (M, 12) in and out."""
    one = targets.rows(slice(k, k + 1))
    count = len(theta)
    feet = np.broadcast_to(one.foot_heading_rad, (count, 2))
    points, body, foot = chain_points(legs, theta, one.ankle_in_world[:, 0], feet[:, 0])
    masses = legs.masses_in_world(points, feet, np.broadcast_to(one.body_heading_rad, (count,)))
    com = np.einsum("k,mki->mi", legs.mass_kg, masses[..., :2]) / legs.mass_kg.sum()
    return np.concatenate(
        [
            points[:, 7] - one.ankle_in_world[:, 1],
            tilt_error(foot, float(one.foot_heading_rad[0, 1])),
            com - one.com_in_world,
            points[:, 3, 2:] - one.height_m,
            tilt_error(body, float(one.body_heading_rad[0])),
        ],
        axis=1,
    )


def tilt_error(rotation: Array, heading_rad: float) -> Array:
    """Return by how much rotations are not level with a heading: zero if they are. Shape (M, 3, 3) in, (M, 3) out."""
    aside = -np.sin(heading_rad) * rotation[:, 0, 0] + np.cos(heading_rad) * rotation[:, 1, 0]
    return np.stack([aside, rotation[:, 2, 0], rotation[:, 2, 1]], axis=1)


def joint_space_newton(legs: BipedModel, targets: PostureTargets, k: int, start: Array) -> bool:
    """Solve one target in the twelve angles with a numeric Jacobian; return whether it came close."""
    theta = start.copy()
    steps = np.concatenate([1e-6 * np.eye(12), -1e-6 * np.eye(12)])
    for _ in range(15):
        error = joint_space_error(legs, targets, k, theta[None])[0]
        if np.abs(error).max() < CLOSE_M:
            return True
        around = joint_space_error(legs, targets, k, theta + steps)  # in one call: numpy is slow for single postures
        theta -= np.linalg.solve((around[:12] - around[12:]).T / 2e-6, error)
    return False


def count_solved(legs: BipedModel, targets: PostureTargets, start: Array, count: int) -> int:
    """Return how many of the first targets are found, one call each."""
    solutions = [solve_postures(legs, targets.rows(slice(k, k + 1)), start[k]) for k in range(count)]
    return sum(bool(solution.found[0]) for solution in solutions)


def row(case: str, count: int, work: Callable[[], int], *, repeats: int) -> Row:
    """Return the rate of solves that ended close."""
    solved = work()
    return {
        "case": case,
        "postures_per_s": round(solved / median_seconds(work, repeats=repeats)),
        "solved": solved,
        "asked": count,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and record; quick: a hundredth of the postures."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    batch, single, repeats = (BATCH // 100, 10, 1) if quick else (BATCH, SINGLE, REPEATS)
    legs = biped_model(load_robot("alice"))
    rng = np.random.default_rng(0)
    targets = random_targets(legs, batch, rng)
    solution = solve_postures(legs, targets)
    theta = leg_angles(solution.joint_in_world) + rng.normal(0.0, START_RAD, (batch, 12))
    start = chain_points(legs, theta, targets.ankle_in_world[:, 0], targets.foot_heading_rad[:, 0])[0]
    rows = [
        row(case, count, work, repeats=repeats)
        for case, count, work in (
            ("batch, warm", batch, lambda: int(solve_postures(legs, targets, start).found.sum())),
            ("batch, cold", batch, lambda: int(solve_postures(legs, targets).found.sum())),
            ("batch, cold, with angles", batch, lambda: len(leg_angles(solve_postures(legs, targets).joint_in_world))),
            ("one at a time, warm", single, lambda: count_solved(legs, targets, start, single)),
            (
                "Newton on twelve angles, numeric Jacobian, warm",
                single,
                lambda: sum(joint_space_newton(legs, targets, k, theta[k]) for k in range(single)),
            ),
        )
    ]
    slowest = rows[-1]["postures_per_s"]
    for entry in rows:
        entry["times_joint_space"] = round(entry["postures_per_s"] / slowest, 1)
    record("posture", rows, packages=("strut", "numpy"), quick=quick)


if __name__ == "__main__":
    main()
