"""Motion-tracking optimal control problem: the feasible motion of a standing body nearest to a reference.

Unknown are all coordinates, torques and contact forces of all frames, and one time scale in [1, 4] per interval between
keyframes. Constraints are the equations of motion, limits of torques, speeds and joints, friction cones, and centre of
pressure and centre of mass inside the support polygon. The cost is the published one (Li, Cummings, Sreenath, 2020,
with its errata): squared distance from the reference, by frame and not by time, with higher weights at keyframes and at
the end; effort of the motors; a quadratic cost of time, without which stretching costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.ocp.balanced_path import FRAME, KEYFRAME, LAST, LONGEST_STRETCH
from strut.ocp.collocation import DirectCollocation
from strut.ocp.node_symbols import Scales
from strut.ocp.problem import (
    BoundaryConstraint,
    BoundarySymbols,
    Bounds,
    ContactPhase,
    MayerCost,
    OptimalControlProblem,
    RateCost,
    TrackingCost,
)
from strut.ocp.sparse_nlp import column, square
from strut.ocp.support_constraints import ReferenceMotion, SupportConstraints, touchdown_constraint
from strut.ocp.symbolic_dynamics import Expression
from strut.ocp.trajectory import Trajectory, trajectory_through
from strut.robot import BASE

# Of squared torques over their limits: a hundredth of the published weight, which slows the motion down and lowers the
# body wherever possible; no benchmark.
EFFORT = 1.3
TIME = 100.0  # of a squared stretch, per interval
STILL = 1e3  # of squared velocities at the end
CALM = 1e-2  # of squared rates of torques over their limits
COST = 1e-3  # scale of the total cost, so that it is about 1
MOST_USE = 0.92  # usable share of torque, speed and friction at frames, as a margin between them; no benchmark
ROOM_RAD = 0.01  # margin to the joint limits; no benchmark


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Coordinates and velocities from which a window starts. Shapes (nv,)."""

    q: Array
    v: Array


class MotionTrackingOCP:
    """The problem of a whole motion, or of a window of it from one keyframe to another, and its transcription."""

    def __init__(
        self, given: ReferenceMotion, *, first: int = 0, last: int | None = None, start: State | None = None
    ) -> None:
        self.given = given
        self.first = first
        self.last = len(given.q) - 1 if last is None else last
        self.phases = [phase for phase in given.phases if phase[0] >= first and phase[1] <= self.last]
        self.frame_of = np.concatenate([np.arange(a, b + 1) for a, b in self.phases])
        self._supports = SupportConstraints(given)
        self.program = DirectCollocation(self._problem(start))

    def _problem(self, start: State | None) -> OptimalControlProblem:
        body = self.given.body
        nv = self.given.body.tree.nv
        ranges, speed, torque = body.limits
        weight_n = body.tree.mass_kg * GRAVITY_M_S2
        wide = np.array([[-np.inf], [np.inf]])
        base_q = wide * np.ones(BASE)
        limits = Bounds(
            q=np.column_stack([base_q, ranges + np.array([[ROOM_RAD], [-ROOM_RAD]])]),
            v=np.column_stack([base_q, MOST_USE * np.array([-speed, speed])]),
            u=MOST_USE * np.array([-torque, torque]),
        )
        moved = np.concatenate([np.full(3, weight_n), np.full(3, 0.5 * weight_n), np.maximum(torque, 1.0)])
        return OptimalControlProblem(
            tree=body.tree,
            actuated=tuple(range(BASE, nv)),
            scales=Scales(np.full(nv, 2.0), np.full(nv, 20.0), torque, force_n=0.3 * weight_n, impulse_n_s=1.0),
            force_scale=moved,
            phases=tuple(self._contact_phase(number, start) for number in range(len(self.phases))),
            bounds=limits,
            costs=self._costs(torque),
            boundary_constraints=self._boundary_constraints(start),
            friction=MOST_USE * body.robot.friction,
        )

    def _contact_phase(self, number: int, start: State | None) -> ContactPhase:
        phase = self.phases[number]
        stance, place = self._supports.of(phase)
        before = self._supports.of(self.phases[number - 1])[0].contact.rows if number else ()
        known = {(row.point.name, row.axis) for row in before}
        new = [(row.point.name, row.axis) for row in stance.contact.rows if (row.point.name, row.axis) not in known]
        constraints = stance.constraints
        if new and (number or start is None):
            where = dict(zip((point.name for point in self._supports.points), place, strict=True))
            constraints += (touchdown_constraint(new, stance, where, resting=number == 0),)
        drawn_s = (phase[1] - phase[0]) * self.given.frame_s
        return ContactPhase(
            f"{phase[0]} to {phase[1]}",
            stance.contact,
            phase[1] - phase[0],
            (drawn_s, LONGEST_STRETCH * drawn_s),
            constraints=constraints,
            may_pull=stance.may_pull,
        )

    def _costs(self, torque: Array) -> tuple[TrackingCost | MayerCost | RateCost, ...]:
        given = self.given
        frames = self.frame_of
        weight = np.full(len(given.q), FRAME)
        weight[given.key] = KEYFRAME
        weight[self.last] = LAST
        shown = np.bincount(frames, minlength=len(weight))[frames]  # a border is two nodes
        drawn_s = np.array([phase[1] - phase[0] for phase in self.phases]) * given.frame_s

        def stretched(ends: BoundarySymbols) -> Expression:
            return square(ends.durations_s / drawn_s - 1.0)

        costs: list[TrackingCost | MayerCost | RateCost] = [
            TrackingCost("drawing", 2.0 * COST, lambda node: node.q, given.q[frames], weight[frames] / shown),
            TrackingCost(
                "effort",
                2.0 * COST * EFFORT,
                lambda node: node.u / torque,
                np.zeros((len(frames), len(torque))),
                1.0 / shown,
            ),
            MayerCost("time", COST * TIME, stretched),
            RateCost("calm", COST * CALM, lambda node: node.u / torque),
        ]
        if self.last == len(given.q) - 1:
            costs.append(MayerCost("still", COST * STILL, lambda ends: square(ends.last.v)))
        return tuple(costs)

    def _boundary_constraints(self, start: State | None) -> tuple[BoundaryConstraint, ...]:
        if start is None:
            found = [BoundaryConstraint("starts at rest", lambda ends: ends.first.v)]
        else:
            found = [
                BoundaryConstraint(
                    "goes on", lambda ends: column(ends.first.q - start.q, (ends.first.v - start.v) / 2.0)
                )
            ]
        if self.last == len(self.given.q) - 1:
            found.append(BoundaryConstraint("stops", lambda ends: ends.last.v[:BASE]))
        return tuple(found)

    def guess(self) -> Trajectory:
        """Return the reference as initial guess; the points in contact share the weight."""
        drawn = self.given.q, *_rates(self.given.q, self.given.frame_s)
        drawn_s = np.array([last - first for first, last in self.phases]) * self.given.frame_s
        return trajectory_through(self.program.problem, lambda _, order: drawn[order][self.frame_of], drawn_s)


def _rates(q: Array, frame_s: float) -> tuple[Array, Array]:
    """Return velocities and accelerations of frames, at rest before the first and after the last. Shape (N, nv)."""
    change = np.diff(q, axis=0, prepend=q[:1], append=q[-1:])
    return (change[1:] + change[:-1]) / (2.0 * frame_s), np.diff(change, axis=0) / frame_s**2
