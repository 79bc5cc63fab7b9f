"""Quiet stand: the posture before and after a walk, optimal by the criteria of the walk."""

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

BOTH_FEET_FLAT = (
    "BothFlat"  # the contact set of a stand; no phase of a recorded walk, so it is not in the robot's table
)
COSTS = ("effort", "posture", "arms")  # costs that a body at rest has
BOUND_MARGIN = 0.02  # rad, m: the stand stays inside the bounds, so that a movement can leave it in any direction
FOOT = LEG[-1]
EXACT = SolverOptions(tolerance=1e-7, row_tolerance=1e-11)


def stand_at_rest(robot: Robot, step: OptimalControlProblem, toe_in_rad: float) -> Solution:
    """Return a stand on both soles as a motionless trajectory, with the costs of a step.

    Args:
        robot: A human model.
        step: Problem of a step.
        toe_in_rad: Angle by which each foot is turned inwards. The centre of mass is ahead of the ankles by the
            distance in the gait table.
    """
    table = human_gait(robot).stand
    wide = either_side_bounds(robot, step)
    q = wide.q + BOUND_MARGIN * np.array([[1.0], [-1.0]])
    q[:, :2] = 0.0
    for index, name in enumerate(step.tree.velocity_names):
        q[0, index] = table.knee_rad if unsided(name) == KNEE else q[0, index]
    phase = ContactPhase(
        BOTH_FEET_FLAT,
        stance(robot, BOTH_FEET_FLAT),
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
        boundary_constraints=(),
        parameters=tuple(replace(one, lower=one.guess, upper=one.guess) for one in step.parameters),
        lifted_variables=(),
        bounded_between_nodes=(),
    )
    upright = np.clip(np.zeros(step.tree.nq), *q)
    upright[2] = q[1, 2]
    return DirectCollocation(problem).solve(guess_between(problem, [upright.tolist()] * 2), options=EXACT)


def either_side_bounds(robot: Robot, step: OptimalControlProblem) -> Bounds:
    """Return bounds that contain those of a step and of its mirror image, for movements of either leg."""
    table = step.bounds
    names = step.tree.velocity_names
    q = _with_mirror_image(table.q, mirror_of(robot, names))
    q[:, :2] = [[-np.inf], [np.inf]]
    q[1, 2] = robot.subject.standing_pelvis_height_m + BOUND_MARGIN
    return Bounds(q, table.v, _with_mirror_image(table.u, mirror_of(robot, names[BASE:])))


def stance(robot: Robot, name: str) -> ContactSet:
    """Return a contact set by name: one of the robot, or both soles."""
    if name != BOTH_FEET_FLAT:
        return contact_set(robot, name)
    soles = [contact_set(robot, f"{side}Flat") for side in SIDES]
    return ContactSet(BOTH_FEET_FLAT, tuple(row for sole in soles for row in sole.rows))


def heading_of_foot(robot: Robot, q: Array, side: str) -> float:
    """Return the heading of a foot, from the x axis to the left [rad]. Shape (nq,) in."""
    ends = [(sided(FOOT, side), (x_m, 0.0, 0.0)) for x_m in (0.0, 1.0)]
    ankle, ahead = point_positions(robot.model, ends, qpos_from_angles(q[None]))[0]
    return float(np.arctan2(ahead[1] - ankle[1], ahead[0] - ankle[0]))


def _with_mirror_image(limits: Array, mirror: Mirror) -> Array:
    """Return lower and upper limits that contain the given ones and their mirror image. Shape (2, n) in and out."""
    image = mirror.image(limits)
    return np.array([np.minimum(limits[0], image.min(axis=0)), np.maximum(limits[1], image.max(axis=0))])


def _weight_ahead(robot: Robot, node: NodeSymbols) -> Expression:
    """Return the deviation of the centre of mass from that of people ahead of their ankles, forwards [m]."""
    ankles = [node.positions.position(sided(FOOT, side), (0.0, 0.0, 0.0))[0] for side in SIDES]
    people_m = body_size(robot) * human_gait(robot).stand.ahead_of_ankles_m
    return node.positions.centre_of_mass()[0] - sum(ankles) / len(ankles) - people_m


def _turns_of_feet(node: NodeSymbols, toe_in_rad: float) -> Expression:
    """Return the sines of the angles between the feet and their headings. Shape (2,)."""
    deviations = []
    for side in SIDES:
        heading = toe_in_rad if side == RIGHT else -toe_in_rad
        axis = node.positions.rotation(sided(FOOT, side))[:, 0]
        deviations.append(np.cos(heading) * axis[1] - np.sin(heading) * axis[0])
    return column(*deviations)
