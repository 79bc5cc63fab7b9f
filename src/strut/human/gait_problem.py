"""Gait problem: one symmetric step of a human as an optimal-control problem, from the robot's own tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strut.contact_set import contact_set
from strut.engines.kinematic_tree import KinematicTree, read_tree
from strut.errors import OutOfRangeError, UnknownNameError
from strut.human.anatomy import BASE, HEAD, body_size, unsided
from strut.human.gait_options import GaitOptions
from strut.human.posture_targets import arm_cost, haste, posture_cost, step_cost
from strut.human.springs import leg_springs
from strut.human.swing_clearance import swing_constraints
from strut.mirror import mirror_of
from strut.optimal.node_symbols import NodeSymbols, Scales
from strut.optimal.problem import (
    BoundaryConstraint,
    BoundarySymbols,
    Bounds,
    ContactPhase,
    Cost,
    LagrangeCost,
    LiftedVariable,
    MayerCost,
    MeanCost,
    OptimalControlProblem,
    Parameter,
    RateCost,
    periodic,
)
from strut.optimal.sparse_nlp import column, square
from strut.optimal.symbolic_dynamics import Expression
from strut.robot import Array, Robot
from strut.tables.gait import SynthesisTable

SPEED_SHARE = 0.98  # of the bound on velocities that nodes may use: between them, and once exact, a foot is faster


@dataclass(frozen=True, slots=True)
class Criteria:
    """Weights of effort, angular momentum, head rotation and duration, and of the two regularisations."""

    effort: float = 1.0
    momentum: float = 1.0
    head: float = 3.0
    time: float = 0.0
    acceleration: float = 0.01
    torque_rate: float = 1e-4

    def __post_init__(self) -> None:
        for name in ("effort", "momentum", "head", "time", "acceleration", "torque_rate"):
            value = getattr(self, name)
            if not np.isfinite(value) or value < 0.0:
                raise OutOfRangeError(f"The weight of {name} is {value:g}; it must be a finite number of at least 0.")


def named_criteria(robot: Robot, objective: str) -> Criteria:
    """Return the weights of a published mixture by name."""
    known = robot.human_gait.objective
    if objective not in known:
        raise UnknownNameError("objective", objective, tuple(known), "`strut synthesize --help`")
    return weighted_criteria(robot, known[objective].gamma)


def weighted_criteria(robot: Robot, gamma: Sequence[float]) -> Criteria:
    """Return criteria with weights on effort, angular momentum, head rotation and duration."""
    if len(gamma) != 4:
        raise OutOfRangeError(f"{len(gamma)} weights were given; four are needed: effort, momentum, head, time.")
    smooth = robot.human_gait.regularisation
    effort, momentum, head, time = (float(value) for value in gamma)
    if not any(gamma):
        raise OutOfRangeError("All weights are 0, so any gait would do; give at least one of them a number above 0.")
    return Criteria(effort, momentum, head, time, smooth.acceleration, smooth.torque_rate)


def gait_problem(
    robot: Robot,
    criteria: Criteria,
    *,
    speed_m_s: float | None,
    step_m: float | None = None,
    intervals: Sequence[int] | None = None,
    options: GaitOptions | None = None,
) -> OptimalControlProblem:
    """Return the problem of one periodic, mirror-symmetric step.

    Args:
        robot: A human model.
        criteria: What is minimised.
        speed_m_s: Average speed; None leaves it free.
        step_m: Step length; None leaves it free.
        intervals: Of the mesh, phase by phase; the robot's own if None.
        options: What makes it more human than its criteria alone do; nothing if None.
    """
    check_pace(robot, speed_m_s, step_m)
    options = options or GaitOptions()
    gait, tree = robot.human_gait, read_tree(robot.model, angle_base=True)
    phases, sizes = _phases(robot, intervals, options, speed_m_s), sized_body(robot, tree)
    sprung, passive = leg_springs(robot, tree.velocity_names) if options.springs else ((), None)
    return OptimalControlProblem(
        **sizes,
        phases=phases,
        bounds=_bounds(robot, tree),
        costs=(*_costs(criteria, tree, options), *_manner_costs(robot, tree, options)),
        parameters=(*_parameters(gait, phases, speed_m_s, step_m), *sprung),
        passive=passive,
        lifts=_lifts(criteria),
        friction=robot.friction,
        quick=tuple(tree.velocity_names.index(name) for name in gait.limits.quick),
        ends=_ends(robot, tree, gait, sizes["scales"]),
    )


def sized_body(robot: Robot, tree: KinematicTree) -> dict[str, Any]:
    """Return body, torques and sizes of variables and rows, which are the same in every problem of a person."""
    usual = usual_torques(robot)
    return {
        "tree": tree,
        "actuated": tuple(range(BASE, tree.nv)),
        "scales": Scales(np.full(tree.nv, 5.0), np.full(tree.nv, 50.0), usual, 300.0, 10.0),
        "force_scale": np.concatenate([np.full(BASE, 50.0), np.maximum(usual, 1.0)]),
    }


def usual_torques(robot: Robot) -> Array:
    """Return the torques that are usual in walking, joint by joint. Shape (n_joints,)."""
    usual = robot.human_gait.usual_torque_nm
    return np.array([usual[unsided(name)] for name in robot.joint_names])


def _phases(
    robot: Robot, intervals: Sequence[int] | None, options: GaitOptions, speed_m_s: float | None
) -> tuple[ContactPhase, ...]:
    gait, phases = robot.human_gait, []
    usual = gait.speed_m_s.usual
    slower = max(1.0, np.sqrt(usual / speed_m_s)) if speed_m_s else 1.0  # slow steps last longer
    for number, entry in enumerate(gait.phase):
        phases.append(
            ContactPhase(
                name=entry.name,
                contact=contact_set(robot, entry.set),
                intervals=entry.intervals if intervals is None else intervals[number],
                duration_s=(entry.duration_s[0], entry.duration_s[1] * slower),
                arrival=entry.arrival,
                landing=tuple(entry.landing),
                unloaded=tuple(entry.unloaded),
                constraints=swing_constraints(robot, number, options),
            )
        )
    return tuple(phases)


def _bounds(robot: Robot, tree: KinematicTree) -> Bounds:
    gait, names = robot.human_gait, tree.velocity_names
    q = np.array([gait.synthesis_range[name] for name in names]).T
    q[:, 2] *= body_size(robot)
    first = np.array([[-np.inf] * tree.nv, [np.inf] * tree.nv])
    for name, (lower, upper) in gait.synthesis_range_at_start.items():
        first[:, names.index(name)] = lower, upper
    first[:, :2] = 0.0  # the step starts at the origin
    v = np.array([[-1.0], [1.0]]) * np.full(tree.nv, SPEED_SHARE * gait.limits.velocity)
    u = np.array([gait.torque_range[name] for name in robot.joint_names]).T
    return Bounds(q, v, u, first)


def _costs(criteria: Criteria, tree: KinematicTree, options: GaitOptions) -> tuple[Cost, ...]:
    actuators = tree.nv - BASE

    def effort(node: NodeSymbols) -> Expression:
        return square(node.u / node.scales.torque) / (node.parameter["step_length_m"] * actuators)

    return (
        LagrangeCost("effort", criteria.effort, effort),
        LagrangeCost("momentum", criteria.momentum, lambda node: square(node.lifted["momentum"])),
        LagrangeCost("head", criteria.head, lambda node: square(node.lifted["head"])),
        MayerCost("time", criteria.time, lambda ends: ends.total_s),
        MeanCost("acceleration", criteria.acceleration, lambda node: square(node.a / node.scales.acceleration)),
        RateCost("torque rate", options.smooth * criteria.torque_rate, lambda node: node.u / node.scales.torque),
    )


def _manner_costs(robot: Robot, tree: KinematicTree, options: GaitOptions) -> tuple[Cost, ...]:
    style = options.style or robot.expression.neutral_style()
    costs: list[Cost] = [posture_cost(robot, tree.velocity_names, style)] if options.posture else []
    if options.arms:
        costs.append(arm_cost(robot, tree.velocity_names, style))
    if haste(style):
        costs.append(step_cost(robot, style))
    return tuple(costs)


def _lifts(criteria: Criteria) -> tuple[LiftedVariable, ...]:
    lifts = []
    if criteria.momentum:
        lifts.append(LiftedVariable("momentum", 3, 1.0, lambda node: node.velocities.angular_momentum()))
    if criteria.head:
        lifts.append(LiftedVariable("head", 3, 1.0, lambda node: node.velocities.angular_velocity_in_body(HEAD)))
    return tuple(lifts)


def check_pace(robot: Robot, speed_m_s: float | None, step_m: float | None) -> None:
    """Raise OutOfRangeError, with the bound, if nobody walks that fast or that far in a step."""
    speeds, steps = robot.human_gait.speed_m_s, robot.human_gait.limits.step_length_m
    if speed_m_s is not None and not speeds.least <= speed_m_s <= speeds.most:
        least, most = speeds.least, speeds.most
        raise OutOfRangeError(f"A walking speed of {speed_m_s:g} m/s is impossible; choose {least:g} to {most:g} m/s.")
    if step_m is not None and not steps[0] <= step_m <= steps[1]:
        raise OutOfRangeError(f"A step of {step_m:g} m is impossible; choose {steps[0]:g} to {steps[1]:g} m.")


def _parameters(
    gait: SynthesisTable, phases: Sequence[ContactPhase], speed_m_s: float | None, step_m: float | None
) -> tuple[Parameter, ...]:
    speeds, steps = gait.speed_m_s, gait.limits.step_length_m
    if speed_m_s is not None and step_m is not None:
        _check_duration(phases, speed_m_s, step_m, steps)
    pace = speeds.usual if speed_m_s is None else speed_m_s
    step = Parameter("step_length_m", steps[0], steps[1], 0.5 * pace)
    speed = Parameter("speed_m_s", speeds.least, speeds.most, pace)
    return (
        step if step_m is None else replace(step, lower=step_m, upper=step_m, guess=step_m),
        speed if speed_m_s is None else replace(speed, lower=speed_m_s, upper=speed_m_s),
    )


def _check_duration(phases: Sequence[ContactPhase], speed_m_s: float, step_m: float, limits_m: Sequence[float]) -> None:
    shortest, longest = (sum(phase.duration_s[end] for phase in phases) for end in (0, 1))
    lasts_s = step_m / speed_m_s
    if not shortest <= lasts_s <= longest:
        raise OutOfRangeError(
            f"A step of {step_m:g} m at {speed_m_s:g} m/s would last {lasts_s:.2f} s, but its phases last "
            f"{shortest:.2f} to {longest:.2f} s together; "
            f"choose {max(limits_m[0], speed_m_s * shortest):.2f} to {min(limits_m[1], speed_m_s * longest):.2f} m."
        )


def _ends(robot: Robot, tree: KinematicTree, gait: SynthesisTable, scales: Scales) -> tuple[BoundaryConstraint, ...]:
    def advance(ends: BoundarySymbols) -> Expression:
        step = ends.first.parameter["step_length_m"]
        return column(ends.last.q[0] - ends.first.q[0] - step, step - ends.first.parameter["speed_m_s"] * ends.total_s)

    def double_support(ends: BoundarySymbols) -> Expression:
        return ends.durations_s[2] + ends.durations_s[3] - gait.limits.double_support_share * ends.total_s

    coordinates, velocities, torques = periodic(
        tree,
        mirror=mirror_of(robot, tree.velocity_names),
        actuated_from=BASE,
        velocity_scale=scales.velocity,
        torque_scale=scales.torque,
    )
    return (
        coordinates,
        BoundaryConstraint("step length", advance, ("the pelvis", "speed and duration"), row_units="m"),
        velocities,
        torques,
        BoundaryConstraint(
            "share of double support", double_support, ("the durations",), upper=0.0, lower=-np.inf, row_units="s"
        ),
    )
