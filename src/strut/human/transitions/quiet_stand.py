"""Quiet stand: the posture before and after a walk, the cheapest by the walk's own criteria."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import point_positions
from strut.human.anatomy import KNEE, LEG, RIGHT, SIDES, body_size, sided, unsided
from strut.human.table import human_gait
from strut.kinematics.contact_set import ContactSet, contact_set
from strut.kinematics.mirror import Mirror, mirror_of
from strut.maths.rotation import qpos_from_angles
from strut.ocp.collocation import DirectCollocation, Solution
from strut.ocp.interior_point import SolverOptions
from strut.ocp.node_symbols import NodeSymbols
from strut.ocp.problem import Bounds, Constraint, ContactPhase, OptimalControlProblem
from strut.ocp.sparse_nlp import column
from strut.ocp.symbolic_dynamics import Expression
from strut.ocp.trajectory import guess_between
from strut.robot import BASE, Robot

BOTH_FLAT = "BothFlat"  # the contact set of a stand; no phase of a recorded walk, so it is not in the robot's table
COSTS = ("effort", "posture", "arms")  # what a body that does not move pays for
ROOM = 0.02  # how far a stand stays inside all bounds [rad, m], so that whoever leaves it may move either way
FOOT = LEG[-1]
EXACT = SolverOptions(tolerance=1e-7, row_tolerance=1e-11)


def stand_at_rest(robot: Robot, step: OptimalControlProblem, toe_in_rad: float) -> Solution:
    """Return a stand on both soles as a movement in which nothing moves, at the costs of a step's problem.

    The feet are turned inwards by an angle, each to its side; the weight is ahead of the ankles as people's is.
    """
    table = human_gait(robot).stand
    wide = either_side_bounds(robot, step)
    q = wide.q + ROOM * np.array([[1.0], [-1.0]])
    q[:, :2] = 0.0
    for index, name in enumerate(step.tree.velocity_names):
        q[0, index] = table.knee_rad if unsided(name) == KNEE else q[0, index]
    phase = ContactPhase(
        BOTH_FLAT,
        stance(robot, BOTH_FLAT),
        intervals=1,
        duration_s=(table.stay_s, table.stay_s),
        constraints=(
            Constraint("rest", lambda node: node.a / node.scales.acceleration, nodes="first"),
            Constraint("place of the weight", lambda node: _weight_ahead(robot, node), nodes="first", unit="m"),
            Constraint("turn of the feet", lambda node: _turns_of_feet(node, toe_in_rad), nodes="first"),
        ),
    )
    problem = replace(
        step,
        phases=(phase,),
        bounds=Bounds(q, np.zeros_like(wide.v), wide.u),
        costs=tuple(cost for cost in step.costs if cost.name in COSTS),
        ends=(),
        parameters=tuple(replace(one, lower=one.guess, upper=one.guess) for one in step.parameters),
        lifts=(),
        quick=(),
    )
    upright = np.clip(np.zeros(step.tree.nq), *q)
    upright[2] = q[1, 2]
    return DirectCollocation(problem).solve(guess_between(problem, [upright.tolist()] * 2), options=EXACT)


def either_side_bounds(robot: Robot, step: OptimalControlProblem) -> Bounds:
    """Return the bounds of a step and of its mirror image, for movements in which either leg may do anything."""
    table = step.bounds
    names = step.tree.velocity_names
    q = _either(table.q, mirror_of(robot, names))
    q[:, :2] = [[-np.inf], [np.inf]]
    q[1, 2] = robot.subject.standing_pelvis_height_m + ROOM
    return Bounds(q, table.v, _either(table.u, mirror_of(robot, names[BASE:])))


def stance(robot: Robot, name: str) -> ContactSet:
    """Return a contact set by name: a robot's own, or both soles."""
    if name != BOTH_FLAT:
        return contact_set(robot, name)
    soles = [contact_set(robot, f"{side}Flat") for side in SIDES]
    return ContactSet(BOTH_FLAT, tuple(row for sole in soles for row in sole.rows))


def heading_of_foot(robot: Robot, q: Array, side: str) -> float:
    """Return where the toes of a foot point, from the x axis to the left [rad]. Shape (nq,) in."""
    ends = [(sided(FOOT, side), (x_m, 0.0, 0.0)) for x_m in (0.0, 1.0)]
    ankle, ahead = point_positions(robot.model, ends, qpos_from_angles(q[None]))[0]
    return float(np.arctan2(ahead[1] - ankle[1], ahead[0] - ankle[0]))


def _either(limits: Array, mirror: Mirror) -> Array:
    image = mirror.image(limits)
    return np.array([np.minimum(limits[0], image.min(axis=0)), np.maximum(limits[1], image.max(axis=0))])


def _weight_ahead(robot: Robot, node: NodeSymbols) -> Expression:
    """Return how far the centre of mass is from where people's is over their ankles, forwards [m]."""
    ankles = [node.positions.position(sided(FOOT, side), (0.0, 0.0, 0.0))[0] for side in SIDES]
    people_m = body_size(robot) * human_gait(robot).stand.ahead_of_ankles_m
    return node.positions.centre_of_mass()[0] - sum(ankles) / len(ankles) - people_m


def _turns_of_feet(node: NodeSymbols, toe_in_rad: float) -> Expression:
    """Return how far each foot points away from its heading, as sines. Shape (2,)."""
    missing = []
    for side in SIDES:
        heading = toe_in_rad if side == RIGHT else -toe_in_rad
        axis = node.positions.rotation(sided(FOOT, side))[:, 0]
        missing.append(np.cos(heading) * axis[1] - np.sin(heading) * axis[0])
    return column(*missing)
