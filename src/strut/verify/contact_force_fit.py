"""Contact force fit: the ground forces that best explain a movement, and the wrench that they leave unexplained.

The ground does not pull, and friction limits its forces sideways: each force is a non-negative combination of
directions on the rim of the friction cone, so the fit is a non-negative least-squares problem (Lawson and Hanson,
1974). The unactuated floating base has the largest weight; if a load can be shared in several ways, small torques
decide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import nnls

from strut.arrays import Array
from strut.engines.inverse_dynamics import ContactDemand
from strut.robot import BASE, Robot

RIM = 16  # directions on the rim of a cone: the cone is at most 2 % too narrow
LEVER_M = 0.1  # a moment weighs as much as the force that causes it at this distance
CALM = 1e-3  # [N] a torque at its limit weighs as much as this unexplained force


@dataclass(frozen=True, slots=True, eq=False)
class ContactForceFit:
    """The fit of every sample.

    Args:
        force_n: Of the ground at each point, in world. Shape (T, n, 3).
        torque_nm: Joint torques that the movement needs besides. Shape (T, n_joints).
        rest: Unexplained force [N] and moment [N m] on the floating base. Shape (T, 6).
    """

    force_n: Array
    torque_nm: Array
    rest: Array


def fit_contact_forces(
    robot: Robot, demand: ContactDemand, touches: npt.NDArray[np.bool_], *, friction: float
) -> ContactForceFit:
    """Return the ground forces that explain a demand best.

    Args:
        robot: Its torque limits scale the torques.
        demand: The generalised forces that the movement needs.
        touches: Which points touch the ground. Shape (T, n).
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
