"""Gait problem: one symmetric step of a human as an optimal-control problem, from the robot's own tables."""

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
from strut.human.problem.posture_targets import arm_cost, haste, posture_cost, step_cost
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

SPEED_SHARE = 0.98  # of the bound on velocities that nodes may use: between them, and once exact, a foot is faster


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
    gait = human_gait(robot)
    tree = read_tree(robot.model, angle_base=True)
    phases = _phases(robot, criteria, intervals, options, speed_m_s)
    sizes = sized_body(robot, tree)
    sprung, passive = leg_springs(robot, tree.velocity_names) if options.springs else ((), None)
    return OptimalControlProblem(
        **sizes,
        phases=phases,
        bounds=_bounds(robot, tree, criteria),
        costs=(*_costs(robot, criteria, options), *_manner_costs(robot, criteria, tree, options)),
        parameters=(
            *_parameters(gait, phases, speed_m_s, step_m),
            *sprung,
            *bounce_parameters(robot, options.style),
        ),
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
    usual = human_gait(robot).usual_torque_nm
    return np.array([usual[unsided(name)] for name in robot.joint_names])


def _phases(
    robot: Robot,
    criteria: Criteria,
    intervals: Sequence[int] | None,
    options: GaitOptions,
    speed_m_s: float | None,
) -> tuple[ContactPhase, ...]:
    gait = human_gait(robot)
    phases = []
    own_s = gait.natural_criteria.duration_s if criteria.natural else {}
    usual = gait.speed_m_s.usual
    slower = max(1.0, np.sqrt(usual / speed_m_s)) if speed_m_s else 1.0  # slow steps last longer
    tempo = max(1.0, options.style.tempo) if options.style else 1.0
    hurried = max(1.0, slower / tempo)  # but quick short ones do not
    shorter = hurried * min(1.0, usual / speed_m_s) if speed_m_s and criteria.natural else 1.0
    for number, entry in enumerate(gait.phase):
        shortest_s, longest_s = own_s.get(entry.name, entry.duration_s)
        phases.append(
            ContactPhase(
                name=entry.name,
                contact=contact_set(robot, entry.set),
                intervals=entry.intervals if intervals is None else intervals[number],
                duration_s=(shortest_s * shorter, longest_s * slower),
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


def _costs(robot: Robot, criteria: Criteria, options: GaitOptions) -> tuple[Cost, ...]:
    costs = natural_costs if criteria.natural else published_costs
    return (
        *costs(robot, criteria, options),
        MayerCost("time", criteria.time, lambda ends: ends.total_s),
    )


def _manner_costs(robot: Robot, criteria: Criteria, tree: KinematicTree, options: GaitOptions) -> tuple[Cost, ...]:
    style = options.style or robot.expression.neutral_style()
    tighter = human_gait(robot).natural_criteria.spread_rad
    costs: list[Cost] = []
    if options.posture:
        costs.append(posture_cost(robot, tree.velocity_names, style, tighter if criteria.natural else {}))
    if options.arms:
        costs.append(arm_cost(robot, tree.velocity_names, style))
    if haste(style):
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
    """Raise OutOfRangeError, with the bound, if nobody walks that fast or that far in a step."""
    speeds = human_gait(robot).speed_m_s
    steps = human_gait(robot).limits.step_length_m
    if speed_m_s is not None and not speeds.least <= speed_m_s <= speeds.most:
        least = speeds.least
        most = speeds.most
        raise OutOfRangeError(f"A walking speed of {speed_m_s:g} m/s is impossible; choose {least:g} to {most:g} m/s.")
    if step_m is not None and not steps[0] <= step_m <= steps[1]:
        raise OutOfRangeError(f"A step of {step_m:g} m is impossible; choose {steps[0]:g} to {steps[1]:g} m.")


def _parameters(
    gait: SynthesisTable, phases: Sequence[ContactPhase], speed_m_s: float | None, step_m: float | None
) -> tuple[Parameter, ...]:
    speeds = gait.speed_m_s
    steps = gait.limits.step_length_m
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
