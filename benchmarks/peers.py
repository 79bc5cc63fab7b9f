"""How does reconstruction compare with crocoddyl and OpenSim Moco, and our symbolic dynamics with adam-robotics?

    make bench-peers                                  # makes .venv-peers from peers.txt, then runs this
    python benchmarks/peers.py [--limit-s SECONDS] PEERS_PYTHON [PEER ...]

A step of our own gait (34 degrees of freedom, four phases, two impacts) is sampled 500 times a second; `reconstruct`
tracks it, then each peer tracks the same curves of the same body at the same nodes, in a process of its own and in the
same run. `cpu_s` is processor time of one thread, set-up included; `cpu_over_ours` compares it with ours over the same
stretch, the step or its first phase. A peer that needs more than the limit of processor time is stopped with a
message, and the rows it had are kept. Each peer's file and docs/results.toml describe how the problems differ.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import json  # noqa: E402
import resource  # noqa: E402
import signal  # noqa: E402
import subprocess  # noqa: E402
import sys  # noqa: E402
import tempfile  # noqa: E402
from argparse import ArgumentParser  # noqa: E402
from itertools import pairwise  # noqa: E402
from pathlib import Path  # noqa: E402
from time import perf_counter, process_time  # noqa: E402
from typing import Any  # noqa: E402

import casadi as ca  # noqa: E402
import numpy as np  # noqa: E402
from scipy.interpolate import CubicSpline  # noqa: E402

from record import Row, median_seconds, record  # noqa: E402
from strut.arrays import Array  # noqa: E402
from strut.engines.rigid_body import body_poses  # noqa: E402
from strut.human.gait import Gait  # noqa: E402
from strut.human.reconstruction.reconstruct import reconstruct  # noqa: E402
from strut.human.synthesis.synthesize import synthesize  # noqa: E402
from strut.kinematics.contact_set import contact_points  # noqa: E402
from strut.maths.rotation import angles_from_qpos, qpos_from_angles, qvel_from_angles  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402
from strut.motion import Motion  # noqa: E402
from strut.ocp.contact_schedule import PhaseTime  # noqa: E402
from strut.ocp.kinematic_tree import read_tree  # noqa: E402
from strut.ocp.shooting_refinement import POINTS_PER_INTERVAL  # noqa: E402
from strut.ocp.symbolic_dynamics import SymbolicDynamics  # noqa: E402
from strut.robot import Robot  # noqa: E402

HERE = Path(__file__).parent
PEERS = ("adam", "crocoddyl", "moco")
BATCH = 36  # nodes of the usual mesh
SPEED_M_S = 1.3


def main(python: str, peers: list[str], limit_s: int) -> None:
    robot = load_robot("heiman")
    gait = synthesize(robot, speed_m_s=SPEED_M_S)
    recording = gait.motion(steps=2, rate_hz=500.0)
    borders = np.concatenate([[0.0], np.cumsum(gait.trajectory.duration_s)])
    phases = [
        PhaseTime(phase.contact.name, *ends)
        for phase, ends in zip(gait.trajectory.problem.phases, pairwise(borders.tolist()), strict=True)
    ]
    ours, step_row = _reconstruct(recording, robot, phases, "step")
    rows = [step_row, _reconstruct(recording, robot, phases[:1], "first phase")[1]]
    with tempfile.TemporaryDirectory() as folder:
        problem = Path(folder) / "problem.json"
        problem.write_text(json.dumps(_problem(robot, ours, recording)), "utf-8")
        for peer in [peer for peer in peers if peer != "adam"]:
            rows += [_row(peer, found) for found in _run_peer(python, peer, problem, limit_s)]
        if "adam" in peers and (theirs := _run_peer(python, "adam", problem, limit_s)):
            record("peers_dynamics", _dynamics(robot, recording, theirs), packages=["casadi", "numpy"])
    our_s = {row["stretch"]: row["cpu_s"] for row in rows[:2]}
    for row in rows:
        row["cpu_over_ours"] = round(row["cpu_s"] / our_s[row["stretch"]], 2)
    record("peers", rows, packages=["casadi", "numpy"])


def _reconstruct(recording: Motion, robot: Robot, phases: list[PhaseTime], stretch: str) -> tuple[Gait, Row]:
    cpu = process_time()
    wall = perf_counter()
    found = reconstruct(recording, robot, phases=phases)
    times = {"cpu_s": process_time() - cpu, "wall_s": perf_counter() - wall}
    return found, _row("strut", _ours(found, recording) | times | {"stretch": stretch})


def _run_peer(python: str, peer: str, problem: Path, limit_s: int) -> Any:
    """Return what a peer prints last, run by its own interpreter where the problem lies."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run = subprocess.run(
        [str(Path(python).absolute()), str(HERE / f"peer_{peer}.py"), str(problem)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=problem.parent,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s + 5)),
    )
    stopped = run.returncode == -signal.SIGXCPU
    if stopped:
        print(f"peer_{peer}.py was stopped after {limit_s} s of processor time.", file=sys.stderr)
    elif run.returncode:
        sys.exit(f"peer_{peer}.py failed:\n{run.stderr[-2000:]}")
    said = [line for line in run.stdout.splitlines() if line.startswith(("[{", "{"))]
    return json.loads(said[-1]) if said else []


def _dynamics(robot: Robot, recording: Motion, theirs: dict[str, Any]) -> list[Row]:
    """Return operations and time of our symbolic dynamics beside theirs, once both agree on the mass matrix."""
    tree = read_tree(robot.model, angle_base=True)
    q, v, a = (ca.SX.sym(name, tree.nv) for name in "qva")
    torque = SymbolicDynamics(tree, q, v, a).inverse_dynamics([])
    mass = ca.jacobian(torque, a)
    block = ca.Function("mass", [q], [mass])(np.append(np.zeros(6), _curve(recording)(0.0)[6:])).full()[6:, 6:]
    apart = float(np.abs(block - np.array(theirs["joint_mass_matrix"])).max())
    cases = {"mass matrix": mass, "inverse dynamics": torque, "its jacobian": ca.jacobian(torque, ca.vertcat(q, v, a))}
    rows = []
    for (case, value), other in zip(cases.items(), theirs["rows"], strict=True):
        function = ca.Function("case", [q, v, a], [value], {"cse": True})
        mapped = function.map(BATCH)
        values = np.random.default_rng(1).uniform(-0.3, 0.3, (tree.nv, BATCH))
        seconds = median_seconds(lambda mapped=mapped, values=values: mapped(values, values, values), repeats=15)
        rows.append(
            {
                "case": case,
                "our_operations": function.n_instructions(),
                "adam_operations": other["operations"],
                "our_us": round(seconds / BATCH * 1e6, 1),
                "adam_us": other["us"],
                "mass_matrices_apart_kg_m2": f"{apart:.1e}",
            }
        )
    return rows


def _row(solver: str, found: dict[str, Any]) -> Row:
    return {
        "solver": solver,
        "version": found["version"],
        "stretch": found["stretch"],
        "case": found["case"],
        "nodes": found["nodes"],
        "converged": found["converged"],
        "iterations": found["iterations"],
        "tracking_rms_mrad": round(found["tracking_rms_mrad"], 3),
        "tracking_worst_mrad": round(found["tracking_worst_mrad"], 2),
        "least_vertical_force_n": round(found["least_vertical_force_n"], 1),
        "cpu_s": round(found["cpu_s"], 2),
        "wall_s": round(found["wall_s"], 2),
    }


def _ours(found: Gait, recording: Motion) -> dict[str, Any]:
    path = found.trajectory
    miss = 1e3 * (path.q - _curve(recording)(path.time_s))[:, 6:]
    return {
        "version": "",
        "case": "reconstruct",
        "nodes": sum(
            -(-len(path.nodes_of(number)) // POINTS_PER_INTERVAL) for number in range(len(path.problem.phases))
        ),
        "converged": found.solution.converged,
        "iterations": found.solution.iterations,
        "least_vertical_force_n": found.soundness.least_normal_force_n,
        "tracking_rms_mrad": float(np.sqrt(np.mean(miss**2))),
        "tracking_worst_mrad": float(np.abs(miss).max()),
    }


def _curve(recording: Motion) -> CubicSpline:
    return CubicSpline(recording.time_s, angles_from_qpos(recording.qpos), axis=0)


def _problem(robot: Robot, found: Gait, recording: Motion) -> dict[str, Any]:
    """Return body, nodes and curves as plain numbers: all that a peer needs to know."""
    path = found.trajectory
    curve = _curve(recording)
    q = curve(path.time_s)
    v = curve(path.time_s, 1)
    mesh = [path.nodes_of(number)[::POINTS_PER_INTERVAL] for number in range(len(path.problem.phases))]
    force, place = _point_forces(robot, found)
    return {
        "joints": _joints(robot),
        "points": {
            name: {"body": point.body, "position_m": point.position_m, "radius_m": point.radius_m}
            for name, point in contact_points(robot).items()
        },
        "phases": [
            {
                "set": phase.contact.name,
                "points": [point.name for point in phase.contact.points],
                "arrival": phase.arrival,
                "time_s": _encode_list(path.time_s[mesh[number]]),
                "qpos": _encode_list(qpos_from_angles(q)[mesh[number]]),
                "qvel": _encode_list(qvel_from_angles(q, v)[mesh[number]]),
                "angles": _encode_list(q[mesh[number]]),
                "force_n": _encode_list(force[mesh[number]]),
                "force_at_m": _encode_list(place[mesh[number]]),
            }
            for number, phase in enumerate(path.problem.phases)
        ],
        "usual_torque_nm": _encode_list(path.problem.scales.torque),
        "torque_limit_nm": _encode_list(robot.torque_limit_nm),
        "mass_kg": robot.mass_kg,
    }


def _point_forces(robot: Robot, found: Gait) -> tuple[Array, Array]:
    """Return the force on every contact point and where it acts, at the nodes. Shapes (nodes, n_points, 3)."""
    path = found.trajectory
    points = contact_points(robot)
    force = np.zeros((len(path.time_s), len(points), 3))
    for index, row in enumerate(path.problem.contact.rows):
        force[:, list(points).index(row.point.name), row.axis] = path.force_n[:, index]
    centre, turn = body_poses(robot.model, [point.body for point in points.values()], qpos_from_angles(path.q))
    own = np.array([point.position_m for point in points.values()])
    below = np.array([[0.0, 0.0, -point.radius_m] for point in points.values()])
    return force, centre + np.einsum("tpij,pj->tpi", turn, own) + below


def _joints(robot: Robot) -> list[dict[str, Any]]:
    tree = read_tree(robot.model)
    bodies: dict[int, str] = {place.step: name for name, place in tree.bodies.items()}
    return [
        {
            "name": step.name,
            "kind": step.kind,
            "parent": step.parent,
            "offset_m": _encode_list(step.offset_m),
            "rotation": _encode_list(step.rotation),
            "axis": _encode_list(step.axis),
            "mass_kg": step.mass_kg,
            "com_m": _encode_list(step.com_m),
            "inertia_kg_m2": _encode_list(step.inertia_kg_m2),
            "body": bodies.get(index),
        }
        for index, step in enumerate(tree.steps)
    ]


def _encode_list(values: Array) -> list[Any]:
    return list(np.asarray(values).tolist())


if __name__ == "__main__":
    words = ArgumentParser(description=__doc__)
    words.add_argument("--limit-s", type=int, default=900, help="processor time that a peer may take")
    words.add_argument("python", help="interpreter of an environment with peers.txt")
    words.add_argument("peers", nargs="*", metavar="PEER", help=f"of {', '.join(PEERS)}; all if left out")
    given = words.parse_args()
    main(given.python, given.peers or list(PEERS), given.limit_s)
