"""Track a step of our human with OpenSim Moco: torque-driven, CasADi solver with IPOPT, direct collocation.

    .venv-peers/bin/python benchmarks/peer_moco.py PROBLEM.json

`peers.py` writes the problem and reads the last line printed. The body has the same 34 coordinates and masses, the
curves and the nodes are the same. What differs: Moco has neither phases nor impacts nor rigid contacts that come and
go, so the ground's forces are given, those that our reconstruction found, as Moco's users give measured ones; what they
leave over falls on actuators of the pelvis, which cost much. So the problem is easier: no forces are sought and no foot
is held. It starts from the recording with the torques of inverse dynamics; ours starts without torques.

Two stretches: the whole step, whose landings Moco has to smear over an interval, and the first phase alone.

Settings that make it converge, found by trying: implicit dynamics (explicit ones had not converged after 26 iterations
and 170 s), forward differences, and weights and ranges such that a change of any coordinate, speed or control by the
same share of its range costs the same. Moco scales variables by their ranges, and IPOPT, which has only gradients,
starts with curvatures that are all alike; so they nearly are. Accelerations cost next to nothing, since Moco squares
them scaled. The tolerance of 0.01 is that of MocoTrack; constraints hold a hundred times more tightly than there.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import opensim as osim

TRACKING = 100.0  # on rad squared and on m squared, per second
RANGE = {"value": 2.0, "speed": 20.0, "acceleration": 2e5, "control": 2e4, "residual": 2e3}  # to both sides
WEIGHT = {name: TRACKING * (RANGE["value"] / size) ** 2 for name, size in RANGE.items()}
PELVIS = ("TX", "TY", "TZ", "RY", "RX", "RZ")
PELVIS_FORCE = 100.0  # N and N m
APART_S = 1e-6
MOST_ITERATIONS = 200


def main(path: str) -> None:
    problem = json.loads(Path(path).read_text("utf-8"))
    found = []
    for stretch, phases in (("first phase", problem["phases"][:1]), ("step", problem["phases"])):
        cpu = process_time()
        wall = perf_counter()
        row = solve_with_moco(problem | {"phases": phases}) | {"stretch": stretch}
        found.append(row | {"cpu_s": process_time() - cpu, "wall_s": perf_counter() - wall})
        print(json.dumps(found), flush=True)  # what is there if the clock stops the next one


def solve_with_moco(problem: dict[str, Any]) -> dict[str, Any]:
    """Return the solution of Moco."""
    times, angles = recording(problem)
    model, names = human(problem, times)
    single = np.append(np.diff(times) > 10.0 * APART_S, True)  # a spline cannot pass through two nodes at once
    node_s = times[single]
    node_angles = angles[single]
    rates = rates_of(times, angles)[single]
    study = osim.MocoStudy()
    asked = study.updProblem()
    asked.setModelProcessor(osim.ModelProcessor(model))
    asked.setTimeBounds(osim.MocoInitialBounds(float(node_s[0])), osim.MocoFinalBounds(float(node_s[-1])))
    goal = osim.MocoStateTrackingGoal("tracking", 1.0)
    goal.setReference(osim.TableProcessor(state_table(node_s, node_angles, rates, names)))
    goal.setAllowUnusedReferences(True)
    for pair in names:
        for path, kind in zip(pair, ("value", "speed"), strict=True):
            asked.setStateInfo(path, osim.MocoBounds(-RANGE[kind], RANGE[kind]))
            goal.setWeightForState(path, WEIGHT[kind])
    asked.addGoal(goal)
    effort = osim.MocoControlGoal("effort", WEIGHT["control"])
    for axis in PELVIS:
        effort.setWeightForControl(f"/forceset/push_Pelvis_{axis}", WEIGHT["residual"] / WEIGHT["control"])
    asked.addGoal(effort)
    solver = study.initCasADiSolver()
    settle(solver, node_s)
    solver.setGuess(inverse_dynamics_guess(solver, model, node_s, node_angles, rates, names))
    solution = study.solve()
    return encode_solution(solution, node_s, node_angles, names)


def settle(solver: Any, node_s: Any) -> None:
    """Set the options of the solver."""
    solver.setMesh(osim.StdVectorDouble(((node_s - node_s[0]) / np.ptp(node_s)).tolist()))
    solver.set_transcription_scheme("trapezoidal")
    solver.set_multibody_dynamics_mode("implicit")
    solver.set_implicit_multibody_acceleration_bounds(osim.MocoBounds(-RANGE["acceleration"], RANGE["acceleration"]))
    solver.set_minimize_implicit_multibody_accelerations(True)
    solver.set_implicit_multibody_accelerations_weight(WEIGHT["acceleration"])
    solver.set_scale_variables_using_bounds(True)
    solver.set_optim_finite_difference_scheme("forward")
    solver.set_optim_convergence_tolerance(1e-2)
    solver.set_optim_constraint_tolerance(1e-4)
    solver.set_optim_max_iterations(MOST_ITERATIONS)
    solver.set_parallel(0)
    solver.set_verbosity(0)


def encode_solution(solution: Any, node_s: Any, angles: Any, names: Any) -> dict[str, Any]:
    """Return a solution in the form that `peers.py` reads."""
    converged = bool(solution.success())
    if solution.isSealed():
        solution.unseal()
    found = np.stack([solution.getStateMat(state) for state, _ in names], axis=1)
    pushes = [solution.getControlMat(f"/forceset/push_Pelvis_{axis}") for axis in PELVIS[:3]]
    miss = 1e3 * (found - angles)[:, 6:]
    return {
        "version": osim.GetVersion(),
        "case": f"forces given, pelvis pushed by up to {PELVIS_FORCE * np.abs(pushes).max():.0f} N",
        "nodes": len(node_s),
        "converged": converged,
        "iterations": int(solution.getNumIterations()),
        "least_vertical_force_n": 0.0,  # given, and ours do not pull
        "tracking_rms_mrad": float(np.sqrt(np.mean(miss**2))),
        "tracking_worst_mrad": float(np.abs(miss).max()),
    }


def recording(problem: dict[str, Any]) -> tuple[Any, Any]:
    """Return times and coordinates at the nodes; a phase ends a moment before the next begins."""
    times = []
    angles = []
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
    names = []
    bodies = {-1: model.getGround()}
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
        most = RANGE["control" if coordinate in torques else "residual"]
        motor.setMinControl(-most)
        motor.setMaxControl(most)
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
    none = osim.Vec3(0.0)
    offset = osim.Vec3(0.0) if free else osim.Vec3(*group[0]["offset_m"])
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


def state_table(times: Any, angles: Any, rates: Any, names: list[tuple[str, str]]) -> Any:
    """Return coordinates and their rates as OpenSim's table."""
    table = osim.TimeSeriesTable()
    table.setColumnLabels([path for pair in names for path in pair])
    for row, time in enumerate(times):
        both = np.stack([angles[row], rates[row]], axis=1).ravel()
        table.appendRow(float(time), osim.RowVector(both.tolist()))
    table.addTableMetaDataString("inDegrees", "no")
    return table


def inverse_dynamics_guess(solver: Any, model: Any, node_s: Any, angles: Any, rates: Any, names: Any) -> Any:
    """Return the recording with the accelerations and torques that it needs at each node."""
    accelerations = np.gradient(rates, node_s, axis=0)
    torques = inverse_dynamics(model, node_s, angles, rates, accelerations, names)
    guess = solver.createGuess("bounds")
    guess.setNumTimes(len(node_s))
    guess.setTime(osim.Vector(node_s.tolist()))
    for column, (state, speed) in enumerate(names):
        coordinate = state.split("/")[-2]
        motor = osim.CoordinateActuator.safeDownCast(model.getForceSet().get(f"push_{coordinate}"))
        share = torques[:, column] / motor.getOptimalForce()
        guess.setState(state, osim.Vector(angles[:, column].tolist()))
        guess.setState(speed, osim.Vector(rates[:, column].tolist()))
        guess.setDerivative(speed.replace("/speed", "/accel"), osim.Vector(accelerations[:, column].tolist()))
        guess.setControl(f"/forceset/push_{coordinate}", osim.Vector(share.tolist()))
    return guess


def inverse_dynamics(model: Any, node_s: Any, angles: Any, rates: Any, accelerations: Any, names: Any) -> Any:
    """Return generalized forces by node and coordinate, in our order."""
    state = model.initSystem()
    solver = osim.InverseDynamicsSolver(model)
    coordinates = [model.getCoordinateSet().get(path.split("/")[-2]) for path, _ in names]
    places = [place_of(coordinate, state) for coordinate in coordinates]
    found = np.zeros((len(node_s), len(names)))
    wanted = np.zeros(len(names))
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
