"""Contact force fit: which forces at the points that touch explain a movement, and what they leave over.

The ground pushes and does not pull, and sideways no more than friction allows: every push is a sum of directions on
the rim of the friction cone, none of them with a negative share, so that finding them is a least-squares problem
without negative unknowns (Lawson and Hanson, 1974). What nobody drives, the floating base, counts most; where points
share a load in more than one way, small torques decide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

from strut.arrays import Array
from strut.engines.inverse_dynamics import ContactDemand
from strut.robot import BASE, Robot

RIM = 16  # directions on the rim of a cone: at worst 2 % of the friction are given away
LEVER_M = 0.1  # a moment counts as much as the force that has it at this distance
CALM = 1e-3  # a torque at its limit counts as much as this many newtons that nothing explains


@dataclass(frozen=True, slots=True, eq=False)
class ContactForceFit:
    """How the ground explains a movement, per sample.

    Args:
        force_n: Of the ground at each point, in world. Shape (T, n, 3).
        torque_nm: What the joints have to do besides. Shape (T, n_joints).
        rest: Force [N] and moment [N m] on the floating base that nothing explains. Shape (T, 6).
    """

    force_n: Array
    torque_nm: Array
    rest: Array


def fit_contact_forces(
    robot: Robot, demand: ContactDemand, touches: npt.NDArray[np.bool_], *, friction: float
) -> ContactForceFit:
    """Return the pushes of the ground that explain a demand best.

    Args:
        robot: Gives torque limits.
        demand: What is needed.
        touches: Which points touch. Shape (T, n).
        friction: Of the ground.
    """
    turn = 2.0 * np.pi * np.arange(RIM) / RIM
    rim = np.stack([friction * np.cos(turn), friction * np.sin(turn), np.ones(RIM)], axis=1)
    weight = np.concatenate([np.ones(3), np.full(3, 1.0 / LEVER_M), CALM / robot.torque_limit_nm])
    pushes = np.einsum("rc,tpcv->tprv", rim, demand.jacobian)
    force = np.zeros(demand.place_in_world.shape)
    rest = demand.force.copy()
    for k, row in enumerate(touches):
        columns = pushes[k, row].reshape(-1, len(weight)).T
        if columns.shape[1]:
            share, _ = nnls(columns * weight[:, None], demand.force[k] * weight)
            rest[k] -= columns @ share
            force[k, row] = share.reshape(-1, RIM) @ rim
    return ContactForceFit(force, rest[:, BASE:], rest[:, :BASE])
