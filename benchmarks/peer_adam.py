"""Time the symbolic dynamics of adam-robotics on our human's body, in CasADi's virtual machine.

    .venv-peers/bin/python benchmarks/peer_adam.py PROBLEM.json

`peers.py` writes the problem and reads the last line printed. adam-robotics reads URDF, so the body is written down as
URDF, joint by joint. It has no inverse dynamics with accelerations: that is its mass matrix times them, plus its bias
force.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

import casadi as ca
import numpy as np
from adam.casadi import KinDynComputations

from record import median_seconds

BATCH = 36  # nodes of the usual mesh


def main(path: str) -> None:
    problem = json.loads(Path(path).read_text("utf-8"))
    joints = [joint["name"] for joint in problem["joints"][1:]]
    body = KinDynComputations(urdf_of(problem), joints, "link_0", np.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0]))
    base = ca.SX.sym("base", 4, 4)
    q = ca.SX.sym("q", len(joints))
    base_v = ca.SX.sym("base_v", 6)
    v = ca.SX.sym("v", len(joints))
    a = ca.SX.sym("a", 6 + len(joints))
    mass = body.mass_matrix_fun()(base, q)
    bias = body.bias_force_fun()(base, q, base_v, v)
    torque = ca.mtimes(mass, a) + bias
    known = [base, q, base_v, v, a]
    moving = ca.vertcat(q, v, a)
    cases = {
        "mass matrix": mass,
        "inverse dynamics": torque,
        "its jacobian": ca.jacobian(torque, moving),
    }
    angles = problem["phases"][0]["angles"][0][6:]
    block = ca.Function("block", [base, q], [mass])(np.eye(4), angles).full()[6:, 6:]
    rows = [timed(name, ca.Function("case", known, [value], {"cse": True})) for name, value in cases.items()]
    print(json.dumps({"rows": rows, "joint_mass_matrix": block.tolist()}))


def timed(name: str, function: Any) -> dict[str, Any]:
    """Return operations and microseconds of one evaluation out of a batch."""
    rng = np.random.default_rng(1)
    values = [rng.uniform(-0.3, 0.3, (function.size1_in(i), function.size2_in(i) * BATCH)) for i in range(5)]
    mapped = function.map(BATCH)
    seconds = median_seconds(lambda: mapped(*values), repeats=15)
    return {"case": name, "operations": function.n_instructions(), "us": round(seconds / BATCH * 1e6, 1)}


def urdf_of(problem: dict[str, Any]) -> str:
    """Return the body as URDF, one link for each joint; the first one floats."""
    robot = Element("robot", name="human")
    for index, joint in enumerate(problem["joints"]):
        link = SubElement(robot, "link", name=f"link_{index}")
        inertial = SubElement(link, "inertial")
        inertia = np.array(joint["inertia_kg_m2"])
        SubElement(inertial, "origin", xyz=words(joint["com_m"]), rpy="0 0 0")
        SubElement(inertial, "mass", value=repr(joint["mass_kg"]))
        entries = {f"i{'xyz'[i]}{'xyz'[j]}": repr(float(inertia[i, j])) for i in range(3) for j in range(i, 3)}
        SubElement(inertial, "inertia", entries)
    for index, joint in enumerate(problem["joints"][1:], start=1):
        hinge = SubElement(robot, "joint", name=joint["name"], type="revolute")
        SubElement(hinge, "parent", link=f"link_{joint['parent']}")
        SubElement(hinge, "child", link=f"link_{index}")
        SubElement(hinge, "origin", xyz=words(joint["offset_m"]), rpy="0 0 0")
        SubElement(hinge, "axis", xyz=words(joint["axis"]))
        SubElement(hinge, "limit", lower="-3", upper="3", effort="1000", velocity="100")
    return tostring(robot, encoding="unicode")


def words(values: list[float]) -> str:
    """Return numbers as URDF writes them."""
    return " ".join(repr(float(value)) for value in values)


if __name__ == "__main__":
    main(sys.argv[1])
