"""Recorded problem: the optimal control problem of the motion nearest to a recording that obeys the dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.interpolate import CubicHermiteSpline, CubicSpline

from strut.arrays import Array, Index
from strut.human.anatomy import body_size, walking_cycle
from strut.human.problem.gait_problem import body_and_scales
from strut.human.table import human_gait
from strut.kinematics.contact_set import ContactSet, contact_set
from strut.ocp.contact_schedule import SHORTEST_S, PhaseTime
from strut.ocp.kinematic_tree import KinematicTree, read_tree
from strut.ocp.node_symbols import NodeSymbols
from strut.ocp.problem import (
    ArrivalKind,
    BoundaryConstraint,
    BoundarySymbols,
    Bounds,
    ContactPhase,
    Cost,
    MayerCost,
    MeanCost,
    OptimalControlProblem,
    RateCost,
    SampleCost,
    TrackingCost,
)
from strut.ocp.symbolic_dynamics import Expression
from strut.ocp.trajectory import Trajectory, trajectory_through
from strut.robot import BASE, Robot

Formulation = Literal["samples", "published"]
INTERVAL_S = {"samples": 0.01, "published": 0.02}  # about 50 and 26 intervals in a step
MIN_INTERVALS = 5  # of a phase
COST_SCALE = 1e4  # of all costs: an error of 1 mrad must exceed the tolerance of the solver
PUBLISHED_EFFORT_WEIGHT = 0.01**2  # the residual is 0.01 W u; 0.01 outside the square pulls angles 0.18 rad away
EFFORT_WEIGHT = 1e-9  # small: hardly changes angles, and distributes loads that the recording leaves open
TORQUE_RATE_WEIGHT = 3e-10  # selects among torque curves that fit equally well; 1e-11 oscillates, 1e-9 distorts
ACCELERATION_WEIGHT = 1e-12
PHASE_TIME_WEIGHT = 0.05  # per s²: 2 ms of a phase time weigh as much as 0.6 mrad of one sample
RANGE_MARGIN = 0.05  # by which the bounds are wider than recorded coordinates outside the published ranges


@dataclass(frozen=True, slots=True, eq=False)
class RecordedAngles:
    """Samples (T,) and (T, nq) with their phases, whose durations may change by `slack_s`."""

    time_s: Array
    q: Array
    phases: tuple[PhaseTime, ...]
    slack_s: float

    @property
    def cut(self) -> bool:
        """Whether the recording ends inside the last phase."""
        return bool(self.phases[-1].stop_s > self.time_s[-1] - 1e-5)  # the solver keeps times to 1e-8

    def retimed(self, duration_s: Array) -> RecordedAngles:
        """Return the recording with other phase durations. Shape (n_phases,)."""
        borders = self.phases[0].start_s + np.concatenate([[0.0], np.cumsum(duration_s)])
        times = [(float(start), float(stop)) for start, stop in pairwise(borders)]
        phases = [
            replace(phase, start_s=start, stop_s=stop) for phase, (start, stop) in zip(self.phases, times, strict=True)
        ]
        return replace(self, phases=tuple(phases))

    def node_times(self, counts: Sequence[int]) -> Array:
        """Return the times of all nodes for numbers of nodes per phase. Shape (nodes,)."""
        return np.concatenate(
            [np.linspace(time.start_s, time.stop_s, count) for time, count in zip(self.phases, counts, strict=True)]
        )

    def samples(self, intervals: Sequence[int], weight: float) -> SampleCost:
        """Return the cost of the deviation from the samples, each in its interval; `weight` is for one per node."""
        node = list[Index]()
        taken = list[Index]()
        first = 0
        for number, (time, count) in enumerate(zip(self.phases, intervals, strict=True)):
            last = number + 1 == len(self.phases)
            stop_s = time.stop_s + 1e-9 if last else time.stop_s - 1e-9
            inside = np.flatnonzero((self.time_s >= time.start_s - 1e-9) & (self.time_s < stop_s))
            along = (self.time_s[inside] - time.start_s) / (time.stop_s - time.start_s) * count
            node.append(first + np.clip(along.astype(np.intp), 0, count - 1))
            taken.append(inside)
            first += count + 1
        chosen = np.concatenate(taken)
        time_s = self.time_s[chosen] - self.phases[0].start_s
        return SampleCost("recording", weight * first / len(chosen), np.concatenate(node), time_s, self.q[chosen])


def recorded_problem(
    robot: Robot, recording: RecordedAngles, formulation: Formulation, smooth: float = 1.0
) -> tuple[OptimalControlProblem, Trajectory]:
    """Return the problem of following a recording, and an initial guess."""
    tree = read_tree(robot.model, angle_base=True)
    phases = _phases(robot, recording, INTERVAL_S[formulation])
    counts = [phase.intervals + 1 for phase in phases]
    node_s = recording.node_times(counts)
    curve = CubicSpline(recording.time_s, recording.q, axis=0)
    no_torque = np.zeros((len(node_s), len(robot.joint_names)))
    if formulation == "published":
        wanted = catmull_rom(recording.time_s, recording.q)(node_s)
        costs: tuple[Cost, ...] = (
            TrackingCost("recording", COST_SCALE, lambda node: node.q, wanted),
            TrackingCost("effort", COST_SCALE * PUBLISHED_EFFORT_WEIGHT, _torques, no_torque),
        )
    else:
        costs = (
            recording.samples([phase.intervals for phase in phases], COST_SCALE),
            TrackingCost("effort", COST_SCALE * EFFORT_WEIGHT, _torques, no_torque),
            RateCost("torque rate", COST_SCALE * TORQUE_RATE_WEIGHT * smooth, _torques),
            MeanCost("acceleration", COST_SCALE * ACCELERATION_WEIGHT, lambda node: (node.a.T @ node.a) / 2500.0),
        )
    problem = OptimalControlProblem(
        **body_and_scales(robot, tree),
        phases=phases,
        bounds=_bounds(robot, tree, curve(node_s)),
        costs=costs + _phase_time_costs(recording),
        boundary_constraints=_ends(recording),
    )
    lasting = [phase.stop_s - phase.start_s for phase in recording.phases]
    return problem, trajectory_through(problem, lambda time_s, order: curve(time_s + node_s[0], order), lasting)


def _ends(recording: RecordedAngles) -> tuple[BoundaryConstraint, ...]:
    """Return the constraint that a motion lasts as long as the recording, if the recording ends inside a phase."""
    if not recording.slack_s or not recording.cut:
        return ()
    total_s = recording.phases[-1].stop_s - recording.phases[0].start_s
    return (BoundaryConstraint("end of the recording", lambda ends: (ends.total_s - total_s) / 0.1),)


def _phase_time_costs(recording: RecordedAngles) -> tuple[MayerCost, ...]:
    """Return the cost of moving phase times; in double support, torques can imitate a later heel strike."""
    if not recording.slack_s:
        return ()
    durations_s = [phase.stop_s - phase.start_s for phase in recording.phases]

    def moved(ends: BoundarySymbols) -> Expression:
        total = 0.0
        off = 0.0
        for number in range(len(durations_s) - recording.cut):
            off = off + ends.durations_s[number] - durations_s[number]
            total = total + off**2
        return total

    return (MayerCost("phase times", COST_SCALE * PHASE_TIME_WEIGHT, moved),)


def _torques(node: NodeSymbols) -> Expression:
    return node.u / node.scales.torque


def catmull_rom(time_s: Array, values: Array) -> CubicHermiteSpline:
    """Return the Catmull-Rom spline: cubics whose slope at a sample is that of the chord between its neighbours."""
    slope = np.empty_like(values)
    slope[1:-1] = (values[2:] - values[:-2]) / (time_s[2:] - time_s[:-2])[:, None]
    slope[0] = np.diff(values[:2], axis=0)[0]
    slope[-1] = np.diff(values[-2:], axis=0)[0]
    slope[0] /= time_s[1] - time_s[0]
    slope[-1] /= time_s[-1] - time_s[-2]
    return CubicHermiteSpline(time_s, values, slope, axis=0)


def _phases(robot: Robot, recording: RecordedAngles, interval_s: float) -> tuple[ContactPhase, ...]:
    phases: list[ContactPhase] = []
    before: ContactSet | None = None
    for number, time in enumerate(recording.phases):
        contact = contact_set(robot, time.contact)
        length = time.stop_s - time.start_s
        arrival: ArrivalKind = "rest"
        landing = tuple(point.name for point in contact.points)
        if before is not None:
            standing = {point.name for point in before.points}
            landing = tuple(point.name for point in contact.points if point.name not in standing)
            arrival = "impact" if landing else "continuous"
        intervals = max(MIN_INTERVALS, round(length / interval_s))
        lifted = _lifted(robot, recording, number)
        bounds = (max(SHORTEST_S, length - recording.slack_s), length + recording.slack_s)
        phases.append(ContactPhase(time.contact, contact, intervals, bounds, arrival, landing, (), lifted))
        before = contact
    return tuple(phases)


def _lifted(robot: Robot, recording: RecordedAngles, number: int) -> tuple[str, ...]:
    """Return the rows without force at the end of a phase: contact points leave the ground unloaded.

    If the whole foot leaves, all rows of its points are free of force; if a part of it stays, only the vertical ones.
    """
    here = contact_set(robot, recording.phases[number].contact)
    if number + 1 < len(recording.phases):
        stays = contact_set(robot, recording.phases[number + 1].contact)
    elif recording.cut:
        return ()
    else:
        stays = contact_set(robot, walking_cycle(robot).following(here.name))
    points = {point.name for point in stays.points}
    bodies = {point.body for point in stays.points}
    gone = [row for row in here.rows if row.point.name not in points]
    return tuple(row.name for row in gone if row.axis == 2 or row.point.body not in bodies)


def _bounds(robot: Robot, tree: KinematicTree, wanted: Array) -> Bounds:
    """Return the published ranges of recorded steps for both sides, widened to contain the recording."""
    ranges = human_gait(robot).reconstruction_range
    lower, upper = np.array([ranges[name] for name in tree.velocity_names]).T
    lower[BASE:] = np.minimum(lower[BASE:], robot.joint_lower_rad)
    upper[BASE:] = np.maximum(upper[BASE:], robot.joint_upper_rad)
    standing = body_size(robot)
    lower[2] = lower[2] * standing
    upper[2] = upper[2] * standing
    lower[:2] = -np.inf
    upper[:2] = np.inf
    lower = np.minimum(lower, wanted.min(axis=0) - RANGE_MARGIN)
    upper = np.maximum(upper, wanted.max(axis=0) + RANGE_MARGIN)
    velocity = human_gait(robot).limits.velocity
    torque = np.array([-robot.torque_limit_nm, robot.torque_limit_nm])
    return Bounds(np.array([lower, upper]), np.array([[-velocity], [velocity]]) * np.ones(tree.nv), torque)
