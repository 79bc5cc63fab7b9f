"""Gait problem: one mirror-symmetric step of a human as an optimal control problem, from the model's gait table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.errors import OutOfRangeError
from strut.human.anatomy import HEAD, body_size, unsided
from strut.human.problem.bounce import bounce_constraints, bounce_parameters
from strut.human.problem.criteria import Criteria
from strut.human.problem.effort_costs import HEAD_RATE, MOMENTUM, natural_costs, published_costs
from strut.human.problem.gait_options import GaitOptions
from strut.human.problem.posture_costs import arm_cost, posture_cost, step_cost, step_time_reduction
from strut.human.problem.springs import leg_springs
from strut.human.problem.swing_clearance import swing_constraints
from strut.human.table import SynthesisTable, human_gait
from strut.kinematics.contact_set import contact_set
from strut.kinematics.mirror import mirror_of
from strut.ocp.kinematic_tree import KinematicTree, read_tree
from strut.ocp.node_symbols import Scales
from strut.ocp.problem import (
    BoundaryConstraint,
    BoundarySymbols,
    Bounds,
    ContactPhase,
    Cost,
    LiftedVariable,
    MayerCost,
    OptimalControlProblem,
    Parameter,
    periodic,
)
from strut.ocp.sparse_nlp import column
from strut.ocp.symbolic_dynamics import Expression
from strut.robot import BASE, Robot

SPEED_SHARE = 0.98  # share of the velocity bound allowed at the nodes: between them a foot moves faster


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
        criteria: Weights of the cost functions.
        speed_m_s: Average speed; None leaves it free.
        step_m: Step length; None leaves it free.
        intervals: Mesh intervals of each phase; those of the gait table if None.
        options: Costs and constraints besides the criteria; none if None.
    """
    check_pace(robot, speed_m_s, step_m)
    options = options or GaitOptions()
    gait = human_gait(robot)
    tree = read_tree(robot.model, angle_base=True)
    phases = _phases(robot, criteria, intervals, options, speed_m_s)
    body = body_and_scales(robot, tree)
    sprung, passive = leg_springs(robot, tree.velocity_names) if options.springs else ((), None)
    return OptimalControlProblem(
        **body,
        phases=phases,
        bounds=_bounds(robot, tree, criteria),
        costs=_costs(robot, criteria, tree, options),
        parameters=(
            *_parameters(gait, phases, speed_m_s, step_m),
            *sprung,
            *bounce_parameters(robot, options.style),
        ),
        passive=passive,
        lifted_variables=_lifts(criteria),
        friction=robot.friction,
        bounded_between_nodes=tuple(tree.velocity_names.index(name) for name in gait.limits.quick),
        boundary_constraints=_boundary_constraints(robot, tree, gait, body["scales"]),
    )


def body_and_scales(robot: Robot, tree: KinematicTree) -> dict[str, Any]:
    """Return kinematic tree, actuated velocities and scales: the same in every problem of a subject."""
    usual = usual_torques(robot)
    return {
        "tree": tree,
        "actuated": tuple(range(BASE, tree.nv)),
        "scales": Scales(np.full(tree.nv, 5.0), np.full(tree.nv, 50.0), usual, 300.0, 10.0),
        "force_scale": np.concatenate([np.full(BASE, 50.0), np.maximum(usual, 1.0)]),
    }


def usual_torques(robot: Robot) -> Array:
    """Return the typical torque of each joint in walking. Shape (n_joints,)."""
    usual = human_gait(robot).usual_torque_nm
    return np.array([usual[unsided(name)] for name in robot.joint_names])


def _phases(
    robot: Robot,
    criteria: Criteria,
    intervals: Sequence[int] | None,
    options: GaitOptions,
    speed_m_s: float | None,
) -> tuple[ContactPhase, ...]:
    """Return the phases of a step; the bounds of their durations follow the speed."""
    gait = human_gait(robot)
    phases = []
    natural_duration_s = gait.natural_criteria.duration_s if criteria.natural else {}
    usual_m_s = gait.speed_m_s.usual
    longest_factor = max(1.0, np.sqrt(usual_m_s / speed_m_s)) if speed_m_s else 1.0  # slow steps last longer
    shortest_factor = 1.0
    if speed_m_s and criteria.natural:
        tempo = max(1.0, options.style.tempo) if options.style else 1.0
        slow_steps = max(1.0, longest_factor / tempo)  # slow steps at a high tempo are short and need not last longer
        shortest_factor = slow_steps * min(1.0, usual_m_s / speed_m_s)
    for number, entry in enumerate(gait.phase):
        shortest_s, longest_s = natural_duration_s.get(entry.name, entry.duration_s)
        phases.append(
            ContactPhase(
                name=entry.name,
                contact=contact_set(robot, entry.set),
                intervals=entry.intervals if intervals is None else intervals[number],
                duration_s=(shortest_s * shortest_factor, longest_s * longest_factor),
                arrival=entry.arrival,
                landing=tuple(entry.landing),
                unloaded=tuple(entry.unloaded),
                constraints=(
                    *swing_constraints(robot, number, options, natural=criteria.natural),
                    *bounce_constraints(robot, number, options.style, speed_m_s),
                ),
            )
        )
    return tuple(phases)


def _bounds(robot: Robot, tree: KinematicTree, criteria: Criteria) -> Bounds:
    gait = human_gait(robot)
    names = tree.velocity_names
    ranges = {**gait.synthesis_range, **(gait.natural_criteria.range_rad if criteria.natural else {})}
    q = np.array([ranges[name] for name in names]).T
    q[:, 2] *= body_size(robot)
    first = np.array([[-np.inf] * tree.nv, [np.inf] * tree.nv])
    for name, (lower, upper) in gait.synthesis_range_at_start.items():
        first[:, names.index(name)] = lower, upper
    first[:, :2] = 0.0  # the step starts at the origin
    v = np.array([[-1.0], [1.0]]) * np.full(tree.nv, SPEED_SHARE * gait.limits.velocity)
    u = np.array([gait.torque_range[name] for name in robot.joint_names]).T
    return Bounds(q, v, u, first)


def _costs(robot: Robot, criteria: Criteria, tree: KinematicTree, options: GaitOptions) -> tuple[Cost, ...]:
    """Return the costs of the criteria, of the duration and of the options."""
    effort_costs = natural_costs if criteria.natural else published_costs
    costs: list[Cost] = [*effort_costs(robot, criteria, options)]
    costs.append(MayerCost("time", criteria.time, lambda ends: ends.total_s))
    style = options.style or robot.expression.neutral_style()
    if options.posture:
        spread_rad = human_gait(robot).natural_criteria.spread_rad if criteria.natural else {}
        costs.append(posture_cost(robot, tree.velocity_names, style, spread_rad))
    if options.arms:
        costs.append(arm_cost(robot, tree.velocity_names, style))
    if step_time_reduction(style):
        costs.append(step_cost(robot, style))
    return tuple(costs)


def _lifts(criteria: Criteria) -> tuple[LiftedVariable, ...]:
    lifts = []
    if criteria.momentum:
        lifts.append(LiftedVariable(MOMENTUM, 3, 1.0, lambda node: node.velocities.angular_momentum()))
    if criteria.head:
        lifts.append(LiftedVariable(HEAD_RATE, 3, 1.0, lambda node: node.velocities.angular_velocity_in_body(HEAD)))
    return tuple(lifts)


def check_pace(robot: Robot, speed_m_s: float | None, step_m: float | None) -> None:
    """Raise OutOfRangeError if speed or step length is outside the gait table; None leaves it free."""
    speeds = human_gait(robot).speed_m_s
    steps = human_gait(robot).limits.step_length_m
    if speed_m_s is not None and not speeds.min <= speed_m_s <= speeds.max:
        least = speeds.min
        most = speeds.max
        raise OutOfRangeError(f"A walking speed of {speed_m_s:g} m/s is impossible; choose {least:g} to {most:g} m/s.")
    if step_m is not None and not steps[0] <= step_m <= steps[1]:
        raise OutOfRangeError(f"A step of {step_m:g} m is impossible; choose {steps[0]:g} to {steps[1]:g} m.")


def _parameters(
    gait: SynthesisTable, phases: Sequence[ContactPhase], speed_m_s: float | None, step_m: float | None
) -> tuple[Parameter, ...]:
    speeds = gait.speed_m_s
    steps = gait.limits.step_length_m
    if speed_m_s is not None and step_m is not None:
        _check_step_duration(phases, speed_m_s, step_m, steps)
    pace = speeds.usual if speed_m_s is None else speed_m_s
    step = Parameter("step_length_m", steps[0], steps[1], 0.5 * pace)
    speed = Parameter("speed_m_s", speeds.min, speeds.max, pace)
    return (
        step if step_m is None else replace(step, lower=step_m, upper=step_m, guess=step_m),
        speed if speed_m_s is None else replace(speed, lower=speed_m_s, upper=speed_m_s),
    )


def _check_step_duration(
    phases: Sequence[ContactPhase], speed_m_s: float, step_m: float, limits_m: Sequence[float]
) -> None:
    """Raise OutOfRangeError if a step of this length and speed is shorter or longer than its phases may last."""
    shortest_s = sum(phase.duration_s[0] for phase in phases)
    longest_s = sum(phase.duration_s[1] for phase in phases)
    duration_s = step_m / speed_m_s
    if not shortest_s <= duration_s <= longest_s:
        lower_m = max(limits_m[0], speed_m_s * shortest_s)
        upper_m = min(limits_m[1], speed_m_s * longest_s)
        raise OutOfRangeError(
            f"A step of {step_m:g} m at {speed_m_s:g} m/s would last {duration_s:.2f} s, but its phases last "
            f"{shortest_s:.2f} to {longest_s:.2f} s together; choose {lower_m:.2f} to {upper_m:.2f} m."
        )


def _boundary_constraints(
    robot: Robot, tree: KinematicTree, gait: SynthesisTable, scales: Scales
) -> tuple[BoundaryConstraint, ...]:
    """Return mirror-symmetric periodicity, step length and speed, and the share of double support."""

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
