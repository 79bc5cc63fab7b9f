"""Fit markers with OpenSim's inverse-kinematics tool: the same body, the same markers, the same weights.

    .venv-peers/bin/python benchmarks/peer_opensim_ik.py PROBLEM.json

`bench_marker_fit.py PEERS_PYTHON` writes the problem and reads the last line printed. The time is that of the tool's
`run` alone; reading the model and the markers is part of it, as every user of the tool waits for it; a run over
two frames measures it alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import opensim as osim


def main(path: str) -> None:
    osim.Logger.removeFileSink()  # it would write opensim.log where it is started
    problem = json.loads(Path(path).read_text("utf-8"))
    model = human(problem)
    with tempfile.TemporaryDirectory() as folder:
        few, _ = run(model, problem, folder, problem["duration_s"] * 1.5 / problem["frames"])
        whole, errors = run(model, problem, folder, problem["duration_s"])
    print(json.dumps({"cpu_s": whole, "set_up_cpu_s": few, "mean_error_m": errors}))


def run(model: Any, problem: dict[str, Any], folder: str, stop_s: float) -> tuple[float, float]:
    """Return processor time of the tool, and the mean marker error that it reports as root mean squares over frames."""
    tool = osim.InverseKinematicsTool()
    tool.setModel(model)
    tool.setMarkerDataFileName(problem["trc"])
    tool.setStartTime(0.0)
    tool.setEndTime(stop_s)
    tool.setOutputMotionFileName(f"{folder}/out.mot")
    tool.setResultsDir(folder)
    tool.set_report_errors(True)
    for marker in problem["markers"]:
        task = osim.IKMarkerTask()
        task.setName(marker["name"])
        task.setApply(True)
        task.setWeight(1.0)
        tool.getIKTaskSet().cloneAndAppend(task)
    started = process_time()
    tool.run()
    taken = process_time() - started
    report = next(Path(folder).glob("*marker_errors.sto"))
    rows = report.read_text().split("endheader", 1)[1].strip().splitlines()
    column = rows[0].split().index("marker_error_RMS")
    return taken, sum(float(row.split()[column]) for row in rows[1:]) / len(rows[1:])


def human(problem: dict[str, Any]) -> Any:
    """Return the body with its markers."""
    model = osim.Model()
    model.setName("human")
    bodies = {"": model.getGround()}
    for segment in problem["segments"]:
        body = osim.Body(segment["name"], 1.0, osim.Vec3(0.0), osim.Inertia(1.0, 1.0, 1.0))
        bodies[segment["name"]] = body
        model.addBody(body)
        add_joint(model, bodies[segment["parent"]], body, segment)
    for marker in problem["markers"]:
        model.addMarker(osim.Marker(marker["name"], bodies[marker["segment"]], osim.Vec3(*marker["at_m"])))
    model.finalizeConnections()
    model.initSystem()
    return model


def add_joint(model: Any, parent: Any, body: Any, segment: dict[str, Any]) -> None:
    """Hang a body on its parent: welded, or by up to three rotations in turn and, for the root, three translations."""
    name = f"joint_{segment['name']}"
    none = osim.Vec3(0.0)
    offset = osim.Vec3(*segment["offset_m"])
    if not segment["axes"]:
        model.addJoint(osim.WeldJoint(name, parent, offset, none, body, none, none))
        return
    transform = osim.SpatialTransform()
    spare = [axis for axis in (1, 0, 2) if axis not in segment["axes"]]
    for place, axis in enumerate([*segment["axes"], *spare]):
        turn = transform.updTransformAxis(place)
        turn.set_axis(osim.Vec3(*[float(axis == index) for index in range(3)]))
        moves = place < len(segment["axes"])
        if moves:
            turn.setCoordinateNames(osim.ArrayStr(segment["dofs"][place], 1))
        turn.set_function(osim.LinearFunction(1.0, 0.0) if moves else osim.Constant(0.0))
    for place, dof in enumerate(segment["slides"]):
        slide = transform.updTransformAxis(3 + place)
        slide.setCoordinateNames(osim.ArrayStr(dof, 1))
        slide.set_function(osim.LinearFunction(1.0, 0.0))
    model.addJoint(osim.CustomJoint(name, parent, offset, none, body, none, none, transform))


if __name__ == "__main__":
    main(sys.argv[1])
