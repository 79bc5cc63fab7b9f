"""Effort costs: effort, angular momentum, head rotation, torque rate and acceleration, as published or natural."""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.human.anatomy import unsided
from strut.human.problem.criteria import Criteria
from strut.human.problem.gait_options import GaitOptions
from strut.human.table import human_gait
from strut.ocp.node_symbols import NodeSymbols
from strut.ocp.problem import Cost, ImpactCost, LagrangeCost, MeanCost, RateCost
from strut.ocp.sparse_nlp import square
from strut.ocp.symbolic_dynamics import Expression
from strut.robot import BASE, Robot

MOMENTUM = "momentum"  # name of the lifted angular momentum, and of its cost
HEAD_RATE = "head"  # name of the lifted angular velocity of the head, and of its cost
ACCELERATION = "acceleration"


def published_costs(robot: Robot, criteria: Criteria, options: GaitOptions) -> tuple[Cost, ...]:
    """Return the costs of the thesis: effort per metre relative to usual torques, the others per step."""
    actuators = len(robot.joint_names)

    def effort(node: NodeSymbols) -> Expression:
        return square(node.u / node.scales.torque) / (node.parameter["step_length_m"] * actuators)

    return (
        LagrangeCost("effort", criteria.effort, effort),
        LagrangeCost(MOMENTUM, criteria.momentum, lambda node: square(node.lifted[MOMENTUM])),
        LagrangeCost(HEAD_RATE, criteria.head, lambda node: square(node.lifted[HEAD_RATE])),
        RateCost("torque rate", options.smooth * criteria.torque_rate, lambda node: node.u / node.scales.torque),
        MeanCost(ACCELERATION, criteria.acceleration, _accelerations),
    )


def natural_costs(robot: Robot, criteria: Criteria, options: GaitOptions) -> tuple[Cost, ...]:
    """Return costs that are all per metre, so that a step twice as long may cost twice as much.

    Torques are relative to the strength of the joint and cost more the faster it turns, because the force of muscles
    falls with their speed (Hill 1938); a landing costs the square of its impulses.
    """
    table = human_gait(robot).natural_criteria
    strength = joint_strengths(robot)
    actuators = len(robot.joint_names)

    def effort(node: NodeSymbols) -> Expression:
        share = node.u / strength
        fast = node.v[BASE:] / table.fast_rad_s
        return (square(share) + square(share * fast)) / (node.parameter["step_length_m"] * actuators)

    def lifted(name: str) -> LagrangeCost:
        return LagrangeCost(
            name, getattr(criteria, name), lambda node: square(node.lifted[name]) / node.parameter["step_length_m"]
        )

    return (
        LagrangeCost("effort", criteria.effort, effort),
        lifted(MOMENTUM),
        lifted(HEAD_RATE),
        RateCost(
            "torque rate",
            options.smooth * criteria.torque_rate,
            lambda node: node.u / strength / node.parameter["step_length_m"] ** 0.5,
        ),
        # a mean over time; divided by the speed it is per metre
        MeanCost(ACCELERATION, criteria.acceleration, lambda node: _accelerations(node) / node.parameter["speed_m_s"]),
        ImpactCost("landing", table.landing),
    )


def _accelerations(node: NodeSymbols) -> Expression:
    return square(node.a / node.scales.acceleration)


def joint_strengths(robot: Robot) -> Array:
    """Return the torque of each joint that the natural criteria count as 1. Shape (n_joints,).

    It grows with mass times height of the subject.
    """
    table = human_gait(robot).natural_criteria
    subject = robot.subject
    size = subject.mass_kg * subject.height_m / (table.of_mass_kg * table.of_height_m)
    return size * np.array([table.torque_nm[unsided(name)] for name in robot.joint_names])
