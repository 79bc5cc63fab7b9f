"""Track a step of our human with crocoddyl: contact forward dynamics, impulses at touchdown, FDDP.

    .venv-peers/bin/python benchmarks/peer_crocoddyl.py PROBLEM.json

`peers.py` writes the problem and reads the last line printed. The body is the same, joint by joint, and so are phases,
nodes and curves. What differs: the start is fixed at the recording (ours is free); torques have no bounds (ours have);
the heel turns about the point that lands (ours rolls); steps are semi-implicit Euler (ours are cubics). Two cases: the
ground may pull, the outer toe being held in two rows as ours; and it is kept from pulling and slipping by penalties on
friction and wrench cones (ours: bounds), for which crocoddyl needs all three rows of the outer toe.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import crocoddyl
import numpy as np
import pinocchio as pin

TRACKING = 1e4
VELOCITY = 1e-2
EFFORT = 1e-3  # per second, on rad squared, rad/s squared, shares of usual torque squared
CONE = 1e-3  # per second, on N squared
FRICTION = 0.8
PULL_PER_S = 30.0
DAMPING = 1e-8  # two held points of a line are six rows of rank five
CONTACT_DAMPING = 1e-5  # the same between landings, where both toes have cones; with 1e-8 it diverges
AXES = {(1.0, 0.0, 0.0): pin.JointModelRX, (0.0, 1.0, 0.0): pin.JointModelRY, (0.0, 0.0, 1.0): pin.JointModelRZ}
FOOT = {"Right": "FootRight", "Left": "FootLeft"}
MOST_ITERATIONS = 200


def body_of(problem: dict[str, Any]) -> pin.Model:
    """Return the body with one joint of Pinocchio for each of ours."""
    model = pin.Model()
    for joint in problem["joints"]:
        place = pin.SE3(np.array(joint["rotation"]), np.array(joint["offset_m"]))
        free = joint["kind"] == "free"
        kind = pin.JointModelFreeFlyer() if free else AXES[tuple(joint["axis"])]()
        name = "root_joint" if free else joint["name"]  # by this name crocoddyl knows what is not actuated
        number = model.addJoint(joint["parent"] + 1, kind, place, name)
        inertia = pin.Inertia(joint["mass_kg"], np.array(joint["com_m"]), np.array(joint["inertia_kg_m2"]))
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
        if joint["body"]:
            model.addFrame(pin.Frame(joint["body"], number, 0, pin.SE3.Identity(), pin.OP_FRAME))
    return model


def add_points(model: pin.Model, problem: dict[str, Any]) -> None:
    """Add a frame for each contact point; that of the heel is the lowest point of its ball when it lands."""
    for name, point in problem["points"].items():
        foot = model.frames[model.getFrameId(point["body"])]
        place = np.array(point["position_m"])
        if point["radius_m"] > 0.0:
            landed = next((phase for phase in problem["phases"] if name in phase["points"]), None)
            if landed is None:
                continue
            data = model.createData()  # anew: frames have been added since
            pin.framesForwardKinematics(model, data, posture(landed["qpos"][0]))
            turn = data.oMf[model.getFrameId(point["body"])].rotation
            place = place + turn.T @ np.array([0.0, 0.0, -point["radius_m"]])
        model.addFrame(pin.Frame(name, foot.parentJoint, 0, pin.SE3(np.eye(3), place), pin.OP_FRAME))


def add_soles(model: pin.Model, problem: dict[str, Any]) -> dict[str, np.ndarray]:
    """Add a frame in the middle of each sole and return its length and width, by foot."""
    sizes = {}
    for side, foot in FOOT.items():
        heel, big, small = (problem["points"][f"{name}{side}"] for name in ("Heel", "Hallux", "Meta5"))
        toes = np.array([big["position_m"], small["position_m"]])
        middle = [(heel["position_m"][0] + toes[0, 0]) / 2.0, toes[:, 1].mean(), toes[0, 2]]
        joint = model.frames[model.getFrameId(foot)].parentJoint
        model.addFrame(pin.Frame(f"Sole{side}", joint, 0, pin.SE3(np.eye(3), np.array(middle)), pin.OP_FRAME))
        sizes[foot] = np.array([toes[0, 0] - heel["position_m"][0], np.ptp(toes[:, 1])])
    return sizes


def posture(qpos: list[float]) -> np.ndarray:
    """Return Pinocchio's coordinates: the quaternion xyzw."""
    return np.array([*qpos[:3], *qpos[4:7], qpos[3], *qpos[7:]])


def state_of(qpos: list[float], qvel: list[float]) -> np.ndarray:
    """Return position and velocity, the base's linear velocity turned into its own axes."""
    q = posture(qpos)
    v = np.array(qvel)
    v[:3] = pin.Quaternion(q[3:7]).toRotationMatrix().T @ v[:3]
    return np.concatenate([q, v])


class Tracking:
    """The shooting problem."""

    def __init__(self, problem: dict[str, Any], *, cones: bool) -> None:
        self.problem = problem
        self.cones = cones
        self.model = body_of(problem)
        add_points(self.model, problem)
        self.soles = add_soles(self.model, problem)
        self.state = crocoddyl.StateMultibody(self.model)
        self.actuation = crocoddyl.ActuationModelFloatingBase(self.state)
        self.running: list[Any] = []
        self.guess: list[np.ndarray] = []
        self.nodes: list[tuple[int, int, int]] = []  # place in the guess, phase, node
        for number, phase in enumerate(problem["phases"]):
            self._add(number, phase)
        last = problem["phases"][-1]
        self.guess.append(state_of(last["qpos"][-1], last["qvel"][-1]))
        self.nodes.append((len(self.guess) - 1, len(problem["phases"]) - 1, len(last["qpos"]) - 1))
        self.terminal = self._differential(last, self.guess[-1], 0.02)

    def _add(self, number: int, phase: dict[str, Any]) -> None:
        states = [state_of(q, v) for q, v in zip(phase["qpos"], phase["qvel"], strict=True)]
        if number and phase["arrival"] == "impact":
            before = self.problem["phases"][number - 1]
            reached = state_of(before["qpos"][-1], before["qvel"][-1])
            self.nodes.append((len(self.guess), number - 1, len(before["qpos"]) - 1))
            self.running.append(self._impulse(phase, reached))
            self.guess.append(reached)
        step_s = (phase["time_s"][-1] - phase["time_s"][0]) / (len(states) - 1)
        for node, state in enumerate(states[:-1]):
            self.nodes.append((len(self.guess), number, node))
            self.running.append(self._differential(phase, state, step_s))
            self.guess.append(state)

    def _costs(self, state: np.ndarray, controls: int, *, effort: bool) -> Any:
        costs = crocoddyl.CostModelSum(self.state, controls)
        weights = np.concatenate([np.ones(self.model.nv), np.full(self.model.nv, VELOCITY / TRACKING)])
        residual = crocoddyl.ResidualModelState(self.state, state, controls)
        track = crocoddyl.CostModelResidual(self.state, crocoddyl.ActivationModelWeightedQuad(weights), residual)
        costs.addCost("tracking", track, TRACKING)
        if effort:
            share = crocoddyl.ActivationModelWeightedQuad(1.0 / np.array(self.problem["usual_torque_nm"]) ** 2)
            torque = crocoddyl.CostModelResidual(
                self.state, share, crocoddyl.ResidualModelControl(self.state, controls)
            )
            costs.addCost("effort", torque, EFFORT)
        return costs

    def _differential(self, phase: dict[str, Any], state: np.ndarray, step_s: float) -> Any:
        contacts = crocoddyl.ContactModelMultiple(self.state, self.actuation.nu)
        gains = np.array([0.0, PULL_PER_S])
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        for side, foot in FOOT.items():
            own = [name for name in phase["points"] if name.endswith(side)]
            if len(own) == 3:  # a sole
                frame = self.model.getFrameId(f"Sole{side}")
                contacts.addContact(
                    foot,
                    crocoddyl.ContactModel6D(self.state, frame, pin.SE3.Identity(), world, self.actuation.nu, gains),
                )
                continue
            for name in own:
                frame = self.model.getFrameId(name)
                if name.startswith("Meta5") and not self.cones:  # with the big toe, a line: held in x and z alone
                    contact = crocoddyl.ContactModel2D(self.state, frame, np.zeros(2), self.actuation.nu, gains)
                else:
                    contact = crocoddyl.ContactModel3D(self.state, frame, np.zeros(3), world, self.actuation.nu, gains)
                contacts.addContact(name, contact)
        costs = self._costs(state, self.actuation.nu, effort=True)
        if self.cones:
            self._add_cones(costs, contacts)
        model = crocoddyl.DifferentialActionModelContactFwdDynamics(
            self.state, self.actuation, contacts, costs, CONTACT_DAMPING if self.cones else 0.0, True
        )
        return crocoddyl.IntegratedActionModelEuler(model, step_s)

    def _add_cones(self, costs: Any, contacts: Any) -> None:
        """Add penalties on contacts that pull, slip, or press outside their sole."""
        for name, item in contacts.contacts.todict().items():
            frame = item.contact.id
            controls = self.actuation.nu
            if name in self.soles:
                cone = crocoddyl.WrenchCone(np.eye(3), FRICTION, self.soles[name], 4, True, 0.0, 1e4)
                residual = crocoddyl.ResidualModelContactWrenchCone(self.state, frame, cone, controls)
            else:
                cone = crocoddyl.FrictionCone(np.eye(3), FRICTION, 4, True, 0.0, 1e4)
                residual = crocoddyl.ResidualModelContactFrictionCone(self.state, frame, cone, controls)
            barrier = crocoddyl.ActivationModelQuadraticBarrier(crocoddyl.ActivationBounds(cone.lb, cone.ub))
            costs.addCost(f"cone {name}", crocoddyl.CostModelResidual(self.state, barrier, residual), CONE)

    def _impulse(self, phase: dict[str, Any], state: np.ndarray) -> Any:
        impulses = crocoddyl.ImpulseModelMultiple(self.state)
        world = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        for side, foot in FOOT.items():
            own = [name for name in phase["points"] if name.endswith(side)]
            if len(own) == 3:
                impulses.addImpulse(foot, crocoddyl.ImpulseModel6D(self.state, self.model.getFrameId(foot), world))
                continue
            for name in own:
                impulses.addImpulse(name, crocoddyl.ImpulseModel3D(self.state, self.model.getFrameId(name), world))
        return crocoddyl.ActionModelImpulseFwdDynamics(
            self.state, impulses, self._costs(state, 0, effort=False), 0.0, DAMPING, True
        )

    def solve(self) -> dict[str, Any]:
        """Solve from the recording with quasi-static torques."""
        problem = crocoddyl.ShootingProblem(self.guess[0], self.running, self.terminal)
        solver = crocoddyl.SolverFDDP(problem)
        solver.th_stop = 1e-6
        controls = problem.quasiStatic(self.guess[:-1])
        converged = solver.solve(self.guess, controls, MOST_ITERATIONS, False)
        miss = np.array([self._miss(solver.xs[place], phase, node) for place, phase, node in self.nodes])
        return {
            "version": crocoddyl.__version__,
            "case": "FDDP, cones as penalties" if self.cones else "FDDP, ground may pull",
            "nodes": len(self.nodes),
            "converged": bool(converged),
            "iterations": int(solver.iter),
            "tracking_rms_mrad": 1e3 * float(np.sqrt(np.mean(miss**2))),
            "tracking_worst_mrad": 1e3 * float(np.abs(miss).max()),
            "least_vertical_force_n": self._least_vertical_force(problem, solver.xs, solver.us),
        }

    def _least_vertical_force(self, problem: Any, states: Any, controls: Any) -> float:
        """Return the smallest upward force of a foot's contact, negative where the ground pulls."""
        problem.calc(states, controls)
        least = np.inf
        for model, data in zip(problem.runningModels, problem.runningDatas, strict=True):
            if isinstance(model, crocoddyl.IntegratedActionModelEuler):
                inner = data.differential
                for contact in inner.multibody.contacts.contacts.todict().values():
                    joint = self.model.frames[contact.frame].parentJoint
                    least = min(least, float(inner.pinocchio.oMi[joint].act(contact.fext).linear[2]))
        return least

    def _miss(self, state: np.ndarray, phase: int, node: int) -> np.ndarray:
        return state[7 : self.model.nq] - np.array(self.problem["phases"][phase]["qpos"][node][7:])


def main(path: str) -> None:
    problem = json.loads(Path(path).read_text("utf-8"))
    found = []
    for cones in (False, True):
        cpu = process_time()
        wall = perf_counter()
        row = Tracking(problem, cones=cones).solve() | {"stretch": "step"}
        found.append(row | {"cpu_s": process_time() - cpu, "wall_s": perf_counter() - wall})
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
