"""Track a step of our human with OpenSim Moco: torque-driven, CasADi solver with IPOPT, direct collocation.

    .venv-peers/bin/python benchmarks/peer_moco.py PROBLEM.json

`peers.py` writes the problem and reads the last line printed. The body has the same 34 coordinates and masses, the
curves and the number of mesh intervals are the same. What differs: Moco has neither phases nor impacts nor rigid
contacts that come and go, so the ground's forces are given, those that our reconstruction found, as Moco's users give
measured ones; what they leave over falls on actuators of the pelvis, which cost much. So the problem is easier: no
forces are sought and no foot is held. It starts from the recording with the torques of inverse dynamics, without which
it had made little progress after five iterations; ours starts without torques.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import opensim as osim

TRACKING, EFFORT, RESIDUAL_WEIGHT = 100.0, 1e-6, 100.0
PELVIS = ("TX", "TY", "TZ", "RY", "RX", "RZ")
PELVIS_FORCE = 100.0  # N and N m
APART_S = 1e-6
MOST_ITERATIONS = 100


def main(path: str) -> None:
    problem = json.loads(Path(path).read_text("utf-8"))
    began = process_time()
    print(json.dumps([solved(problem) | {"cpu_s": process_time() - began}]))


def solved(problem: dict[str, Any]) -> dict[str, Any]:
    """Return what Moco finds."""
    times, angles = recording(problem)
    model, names = human(problem, times)
    study = osim.MocoStudy()
    asked = study.updProblem()
    asked.setModelProcessor(osim.ModelProcessor(model))
    asked.setTimeBounds(osim.MocoInitialBounds(float(times[0])), osim.MocoFinalBounds(float(times[-1])))
    for column, (state, speed) in enumerate(names):
        low, high = angles[:, column].min() - 0.2, angles[:, column].max() + 0.2
        asked.setStateInfo(state, osim.MocoBounds(float(low), float(high)))
        asked.setStateInfo(speed, osim.MocoBounds(-20.0, 20.0))
    table = state_table(times, angles, names)
    goal = osim.MocoStateTrackingGoal("tracking", TRACKING)
    goal.setReference(osim.TableProcessor(table))
    goal.setAllowUnusedReferences(True)
    for _, speed in names:
        goal.setWeightForState(speed, 0.0)
    asked.addGoal(goal)
    effort = osim.MocoControlGoal("effort", EFFORT)
    for axis in PELVIS:
        effort.setWeightForControl(f"/forceset/push_Pelvis_{axis}", RESIDUAL_WEIGHT)
    asked.addGoal(effort)
    intervals = sum(len(phase["time_s"]) - 1 for phase in problem["phases"])
    solver = study.initCasADiSolver()
    solver.set_num_mesh_intervals(intervals)
    solver.set_transcription_scheme("trapezoidal")
    solver.set_optim_convergence_tolerance(1e-3)
    solver.set_optim_constraint_tolerance(1e-4)
    solver.set_optim_max_iterations(MOST_ITERATIONS)
    solver.set_parallel(0)
    solver.set_verbosity(0)
    solver.setGuess(inverse_dynamics_guess(solver, model, times, angles, names))
    solution = study.solve()
    return told(solution, times, angles, names, intervals)


def told(solution: Any, times: Any, angles: Any, names: Any, intervals: int) -> dict[str, Any]:
    """Return what a solution says, as `peers.py` reads it."""
    converged = bool(solution.success())
    if solution.isSealed():
        solution.unseal()
    node_s = solution.getTimeMat()
    found = np.stack([solution.getStateMat(state) for state, _ in names], axis=1)
    wanted = np.stack([np.interp(node_s, times, column) for column in angles.T], axis=1)
    miss = 1e3 * (found - wanted)[:, 6:]
    return {
        "version": osim.GetVersion(),
        "case": f"{intervals} intervals, trapezoidal, forces given",
        "nodes": len(node_s),
        "converged": converged,
        "iterations": int(solution.getNumIterations()),
        "least_vertical_force_n": 0.0,  # given, and ours do not pull
        "tracking_rms_mrad": float(np.sqrt(np.mean(miss**2))),
        "tracking_worst_mrad": float(np.abs(miss).max()),
    }


def recording(problem: dict[str, Any]) -> tuple[Any, Any]:
    """Return times and coordinates at the nodes; a phase ends a moment before the next begins."""
    times, angles = [], []
    for phase in problem["phases"]:
        own = list(phase["time_s"])
        own[-1] -= APART_S
        times += own
        angles += phase["angles"]
    return np.array(times), np.array(angles)


def human(problem: dict[str, Any], times: Any) -> tuple[Any, list[tuple[str, str]]]:
    """Return the body with a motor for every coordinate, and the paths of coordinates and speeds in our order."""
    model = osim.Model()
    model.setName("human")
    model.setGravity(osim.Vec3(0.0, 0.0, -9.81))
    names, bodies = [], {-1: model.getGround()}
    group: list[dict[str, Any]] = []
    for index, joint in enumerate(problem["joints"]):
        group.append(joint)
        if joint["mass_kg"] > 0.0:
            bodies[index], own = add_segment(model, bodies[group[0]["parent"]], group)
            names += own
            group = []
    model.finalizeConnections()
    torques = dict(zip([name for name, *_ in names[6:]], problem["usual_torque_nm"], strict=True))
    for coordinate, _, _ in names:
        motor = osim.CoordinateActuator(coordinate)
        motor.setName(f"push_{coordinate}")
        motor.setOptimalForce(torques.get(coordinate, PELVIS_FORCE))
        motor.setMinControl(-1000.0)
        motor.setMaxControl(1000.0)
        model.addForce(motor)
    add_ground_forces(model, problem, times)
    model.finalizeConnections()
    return model, [(state, speed) for _, state, speed in names]


def add_segment(model: Any, parent: Any, group: list[dict[str, Any]]) -> tuple[Any, list[tuple[str, str, str]]]:
    """Add a body that hangs on up to six axes, and return it with name, coordinate path and speed path of each."""
    last = group[-1]
    inertia = np.array(last["inertia_kg_m2"])
    moments = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    body = osim.Body(f"body_{last['name']}", last["mass_kg"], osim.Vec3(*last["com_m"]), osim.Inertia(*moments))
    model.addBody(body)
    free = last["kind"] == "free"
    axes = [([0, 1, 0], "Pelvis_RY"), ([1, 0, 0], "Pelvis_RX"), ([0, 0, 1], "Pelvis_RZ")] if free else []
    axes = axes or [(joint["axis"], joint["name"]) for joint in group]
    spare = [
        axis for axis in ([0, 1, 0], [1, 0, 0], [0, 0, 1]) if axis not in [[round(a) for a in own] for own, _ in axes]
    ]
    transform = osim.SpatialTransform()
    for place in range(3):
        axis, name = axes[place] if place < len(axes) else (spare[place - len(axes)], None)
        turn = transform.updTransformAxis(place)
        turn.set_axis(osim.Vec3(*[float(part) for part in axis]))
        if name:
            turn.setCoordinateNames(osim.ArrayStr(name, 1))
        turn.set_function(osim.LinearFunction(1.0, 0.0) if name else osim.Constant(0.0))
    slides = ["Pelvis_TX", "Pelvis_TY", "Pelvis_TZ"] if free else []
    for place, name in enumerate(slides):
        slide = transform.updTransformAxis(3 + place)
        slide.setCoordinateNames(osim.ArrayStr(name, 1))
        slide.set_function(osim.LinearFunction(1.0, 0.0))
    none, offset = osim.Vec3(0.0), osim.Vec3(0.0) if free else osim.Vec3(*group[0]["offset_m"])
    joint = osim.CustomJoint(f"joint_{last['name']}", parent, offset, none, body, none, none, transform)
    model.addJoint(joint)
    own = [*slides, *(name for _, name in axes)]
    base = f"/jointset/joint_{last['name']}"
    return body, [(name, f"{base}/{name}/value", f"{base}/{name}/speed") for name in own]


def add_ground_forces(model: Any, problem: dict[str, Any], times: Any) -> None:
    """Add the given force on every contact point, at its place on the ground."""
    force = np.concatenate([phase["force_n"] for phase in problem["phases"]])
    place = np.concatenate([phase["force_at_m"] for phase in problem["phases"]])
    joints = {joint["body"]: joint["name"] for joint in problem["joints"] if joint["body"]}
    for index, (name, point) in enumerate(problem["points"].items()):
        body = model.getBodySet().get(f"body_{joints[point['body']]}")
        given = osim.PrescribedForce(f"ground_{name}", body)
        given.setForceIsInGlobalFrame(True)
        given.setPointIsInGlobalFrame(True)
        given.setForceFunctions(*(curve(times, force[:, index, axis]) for axis in range(3)))
        given.setPointFunctions(*(curve(times, place[:, index, axis]) for axis in range(3)))
        model.addForce(given)


def curve(times: Any, values: Any) -> Any:
    """Return a curve of straight pieces."""
    line = osim.PiecewiseLinearFunction()
    for time, value in zip(times, values, strict=True):
        line.addPoint(float(time), float(value))
    return line


def rates_of(times: Any, angles: Any) -> Any:
    """Return the rates of change; a difference over the moment between two phases means nothing."""
    rates = np.gradient(angles, times, axis=0)
    same = np.flatnonzero(np.diff(times) < 10.0 * APART_S)
    rates[same], rates[same + 1] = rates[same - 1], rates[same + 2]
    return rates


def state_table(times: Any, angles: Any, names: list[tuple[str, str]]) -> Any:
    """Return coordinates and their rates as OpenSim's table."""
    rates = rates_of(times, angles)
    table = osim.TimeSeriesTable()
    table.setColumnLabels([path for pair in names for path in pair])
    for row, time in enumerate(times):
        both = np.stack([angles[row], rates[row]], axis=1).ravel()
        table.appendRow(float(time), osim.RowVector(both.tolist()))
    table.addTableMetaDataString("inDegrees", "no")
    return table


def inverse_dynamics_guess(solver: Any, model: Any, times: Any, angles: Any, names: list[tuple[str, str]]) -> Any:
    """Return the recording with the torques that it needs at each node."""
    keep = np.append(np.diff(times) > 10.0 * APART_S, True)
    node_s, rates = times[keep], rates_of(times, angles)[keep]
    accelerations = np.gradient(rates, node_s, axis=0)
    guess = solver.createGuess("bounds")
    guess.setNumTimes(len(node_s))
    guess.setTime(osim.Vector(node_s.tolist()))
    for column, (state, speed) in enumerate(names):
        guess.setState(state, osim.Vector(angles[keep][:, column].tolist()))
        guess.setState(speed, osim.Vector(rates[:, column].tolist()))
    torques = inverse_dynamics(model, node_s, angles[keep], rates, accelerations, names)
    for column, (state, _) in enumerate(names):
        coordinate = state.split("/")[-2]
        motor = osim.CoordinateActuator.safeDownCast(model.getForceSet().get(f"push_{coordinate}"))
        guess.setControl(
            f"/forceset/push_{coordinate}", osim.Vector((torques[:, column] / motor.getOptimalForce()).tolist())
        )
    return guess


def inverse_dynamics(model: Any, node_s: Any, angles: Any, rates: Any, accelerations: Any, names: Any) -> Any:
    """Return generalized forces by node and coordinate, in our order."""
    state, solver = model.initSystem(), osim.InverseDynamicsSolver(model)
    coordinates = [model.getCoordinateSet().get(path.split("/")[-2]) for path, _ in names]
    places = [place_of(coordinate, state) for coordinate in coordinates]
    found, wanted = np.zeros((len(node_s), len(names))), np.zeros(len(names))
    for row in range(len(node_s)):
        state.setTime(float(node_s[row]))
        for column, coordinate in enumerate(coordinates):
            coordinate.setValue(state, float(angles[row, column]), False)
            coordinate.setSpeedValue(state, float(rates[row, column]))
        wanted[places] = accelerations[row]
        found[row] = solver.solve(state, osim.Vector(wanted.tolist())).to_numpy()[places]
    return found


def place_of(coordinate: Any, state: Any) -> int:
    """Return where Simbody keeps the speed of a coordinate."""
    before = coordinate.getSpeedValue(state)
    coordinate.setSpeedValue(state, 7.0)
    place = int(np.argmax(state.getU().to_numpy()))
    coordinate.setSpeedValue(state, before)
    return place


if __name__ == "__main__":
    main(sys.argv[1])
