"""Joint order: the orders in which programs list the joints and bodies of a robot.

MuJoCo lists bodies depth first: a whole leg, then the next one. PhysX, the engine of Isaac Lab, lists them breadth
first: the first links of all limbs, then the second ones.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from strut.arrays import Index
from strut.errors import OutOfRangeError
from strut.robot import Robot

JointOrder = Literal["depth-first", "breadth-first"]
JOINT_ORDERS: tuple[JointOrder, ...] = get_args(JointOrder)
_NAMES: dict[str, JointOrder] = {
    "depth-first": "depth-first",
    "mujoco": "depth-first",
    "breadth-first": "breadth-first",
    "isaac": "breadth-first",
}


def known_order(name: str) -> JointOrder:
    """Return an order by its name, or by the name of a program; raises OutOfRangeError with all names."""
    if name not in _NAMES:
        raise OutOfRangeError(f"The order of joints is '{name}'; it is one of {', '.join(_NAMES)}.")
    return _NAMES[name]


def body_order(robot: Robot, order: JointOrder) -> Index:
    """Return the bodies of a robot, without the world, as indices from 0 in the order of its model. Shape (n,)."""
    bodies = np.arange(1, robot.model.nbody)
    if order == "breadth-first":
        depth = np.zeros(robot.model.nbody, dtype=int)
        for body in bodies:
            depth[body] = depth[robot.model.body_parentid[body]] + 1
        bodies = bodies[np.argsort(depth[bodies], kind="stable")]
    return np.asarray(bodies - 1, dtype=np.intp)


def joint_order(robot: Robot, order: JointOrder) -> Index:
    """Return the joints of a robot in an order, as indices into its `joint_names`. Shape (n_joints,)."""
    body_of_joint = [int(robot.model.jnt_bodyid[robot.model.joint(name).id]) - 1 for name in robot.joint_names]
    rank = np.argsort(body_order(robot, order))
    return np.asarray(np.argsort(rank[body_of_joint], kind="stable"), dtype=np.intp)
