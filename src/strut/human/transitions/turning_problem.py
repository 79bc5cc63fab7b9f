"""Turning problem: a stride of two different steps that is periodic up to a turn about the vertical."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.human.anatomy import PELVIS, other_side
from strut.human.problem.bounce import bounce_constraints
from strut.human.problem.gait_options import GaitOptions
from strut.human.problem.posture_costs import posture_cost
from strut.human.problem.swing_clearance import swing_constraints
from strut.human.table import human_gait
from strut.human.transitions.quiet_stand import either_side_bounds
from strut.human.transitions.walk_pieces import mirrored_step
from strut.kinematics.contact_set import contact_set
from strut.maths.rotation import angles_from_qpos, qpos_from_angles
from strut.ocp.continuity_constraints import turned_periodicity_constraints
from strut.ocp.problem import (
    BoundaryConstraint,
    BoundarySymbols,
    Bounds,
    ContactPhase,
    Cost,
    ImpactCost,
    LagrangeCost,
    MayerCost,
    OptimalControlProblem,
    RateCost,
)
from strut.ocp.sparse_nlp import column
from strut.ocp.symbolic_dynamics import Expression
from strut.ocp.trajectory import Trajectory, trajectory_through
from strut.robot import BASE, Robot

STEPS = 2  # of a stride
FREE_HEADING_RAD = 10.0  # spread of the heading in the posture cost: so large that it costs nothing


@dataclass(frozen=True, slots=True, eq=False)
class Turning:
    """A stride that turns, made from the step of a straight walk.

    Args:
        robot: A human model.
        options: Of the straight walk; the shanks are always kept apart as capsules.
        step: A solved step, from left toe off to right toe off.
        turn_rad: Turn about the vertical in a stride, positive to the left.
        mesh: Mesh intervals of the phases of the step.
        natural: Whether the criteria are the natural ones.
    """

    robot: Robot
    options: GaitOptions
    step: Trajectory
    turn_rad: float
    mesh: Sequence[int]
    natural: bool = True

    def problem(self) -> OptimalControlProblem:
        """Return the problem; the chord of the stride is the x axis."""
        step = self.step.problem
        wide = either_side_bounds(self.robot, step)
        q = wide.q.copy()
        first = np.tile([[-np.inf], [np.inf]], step.tree.nq)
        q[:, BASE - 1] += abs(self.turn_rad) * np.array([-1.0, 1.0])
        first[:, :2] = 0.0
        turning = replace(
            step,
            phases=tuple(self._phase(number, mirrored=mirrored) for mirrored in (False, True) for number in range(4)),
            bounds=Bounds(q, wide.v, wide.u, first),
            costs=tuple(self._cost(cost) for cost in step.costs),
        )
        return replace(
            turning,
            boundary_constraints=(
                *turned_periodicity_constraints(turning, PELVIS, self.turn_rad),
                *self.pace_constraints(),
            ),
        )

    def guess(self, problem: OptimalControlProblem) -> Trajectory:
        """Return the straight step and its mirror image bent along an arc, at the nodes of the problem."""
        path = self.step.on_mesh(replace(self.step.problem, phases=problem.phases[:4]))
        arc_m = STEPS * self.step.parameter["step_length_m"]
        image = mirrored_step(self.robot, path, problem)
        steps = (mirrored_step(self.robot, image, problem), image)  # mirrored twice it has the rows of the stride
        q, v, a, u, force = (
            np.concatenate([getattr(step, name) for step in steps]) for name in ("q", "v", "a", "u", "force_n")
        )
        q[len(path.q) :, 0] += arc_m / STEPS
        duration_s = np.tile(path.duration_s, STEPS)
        time_s = problem.node_times(duration_s)
        heading = self.turn_rad * (time_s / time_s[-1] - 0.5)
        along = self.turn_rad * (q[:, 0] / arc_m - 0.5)
        turned = turned_configuration(q, heading)
        turned[:, :2] = arc_m / self.turn_rad * np.stack([np.sin(along), -np.cos(along)], 1)
        turned[:, :2] += q[:, 1:2] * np.stack([-np.sin(along), np.cos(along)], 1)
        turned[:, :2] -= turned[0, :2]
        rotation = np.array([[np.cos(heading), -np.sin(heading)], [np.sin(heading), np.cos(heading)]])
        for rates in (v, a):
            rates[:, :2] = np.einsum("ijt,tj->ti", rotation, rates[:, :2])
        v[:, BASE - 1] += self.turn_rad / time_s[-1]
        guess = trajectory_through(problem, lambda _, order: (turned, v, a)[order], duration_s, path.parameter)
        return replace(guess, u=u, force_n=force)

    def _phase(self, number: int, *, mirrored: bool) -> ContactPhase:
        side: Callable[[str], str] = other_side if mirrored else str
        phase = self.step.problem.phases[number]
        with_capsules = replace(self.options, capsules=True)
        speed_m_s = self.step.parameter["speed_m_s"]
        return replace(
            phase,
            name=side(phase.name),
            contact=contact_set(self.robot, side(phase.contact.name)),
            intervals=self.mesh[number],
            landing=tuple(side(name) for name in phase.landing),
            unloaded=tuple(side(name) for name in phase.unloaded),
            constraints=(
                *swing_constraints(self.robot, number, with_capsules, natural=self.natural, mirrored=mirrored),
                *bounce_constraints(self.robot, number, self.options.style, speed_m_s),
            ),
        )

    def _cost(self, cost: Cost) -> Cost:
        """Return a cost of the step for a stride: sums and durations count half, and the heading is free."""
        if isinstance(cost, MayerCost):
            value = cost.value
            return replace(cost, value=lambda ends: value(replace(ends, total_s=ends.total_s / STEPS)))
        if isinstance(cost, LagrangeCost | RateCost | ImpactCost):
            return replace(cost, weight=cost.weight / STEPS)
        if cost.name == "posture":
            names = self.step.problem.tree.velocity_names
            style = self.options.style or self.robot.expression.neutral_style()
            spread_rad = human_gait(self.robot).natural_criteria.spread_rad if self.natural else {}
            return posture_cost(self.robot, names, style, {**spread_rad, names[BASE - 1]: FREE_HEADING_RAD})
        return cost

    def pace_constraints(self) -> tuple[BoundaryConstraint, ...]:
        """Return the constraints on length and speed of the stride and on the share of double support."""
        share = human_gait(self.robot).limits.double_support_share
        chord = float(np.sinc(0.5 * self.turn_rad / np.pi))  # over the arc

        def advance(ends: BoundarySymbols) -> Expression:
            arc = STEPS * ends.first.parameter["step_length_m"]
            way = ends.last.q[:2] - ends.first.q[:2]
            return column(way[0] - chord * arc, way[1], arc - ends.first.parameter["speed_m_s"] * ends.total_s)

        def double_support(ends: BoundarySymbols) -> Expression:
            steps = [ends.durations_s[4 * step : 4 * step + 4] for step in range(STEPS)]
            return column(*(both[2] + both[3] - share * sum(both[k] for k in range(4)) for both in steps))

        return (
            BoundaryConstraint("stride", advance, ("along", "across", "speed and duration"), row_units="m"),
            BoundaryConstraint("share of double support", double_support, upper=0.0, lower=-np.inf, row_units="s"),
        )


def turned_configuration(q: Array, heading_rad: Array) -> Array:
    """Return coordinates turned about the vertical, row by row; positions stay. Shapes (T, nq) and (T,)."""
    qpos = qpos_from_angles(q)
    turn = Rotation.from_euler("z", heading_rad[:, None]) * Rotation.from_quat(qpos[:, 3:7], scalar_first=True)
    qpos[:, 3:7] = turn.as_quat(scalar_first=True)
    return angles_from_qpos(qpos)
