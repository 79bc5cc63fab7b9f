"""Leg chain: the hinges of one leg from base to foot as transforms, and the data types of all leg solvers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.maths.rotation import rotation_about
from strut.robot import Limb, Robot


@dataclass(frozen=True, slots=True, eq=False)
class LegChain:
    """A chain of n hinges. Frame k is at hinge k before it turns; the last frame is the foot's.

    Args:
        name: Name of the leg.
        offset_m: Positions of the frames, each in the previous frame, the first in the base. Shape (n + 1, 3).
        turn: Rotations of the frames, each to the previous frame. Shape (n + 1, 3, 3).
        axis: Hinge axes in their frames. Shape (n, 3).
        lower_rad: Joint limits. Shape (n,).
        upper_rad: Joint limits. Shape (n,).
    """

    name: str
    offset_m: Array
    turn: Array
    axis: Array
    lower_rad: Array
    upper_rad: Array

    @property
    def length_m(self) -> float:
        """Total length of the links from the first hinge to the foot."""
        return float(np.linalg.norm(self.offset_m[1:], axis=1).sum())

    def forward(self, joints_rad: Array) -> tuple[Array, Array, Array, Array]:
        """Return the poses of foot and hinges in the base (forward kinematics).

        Args:
            joints_rad: Shape (..., n).

        Returns:
            Foot position (..., 3) and rotation (..., 3, 3); hinge positions and axes (..., n, 3).
        """
        shape = joints_rad.shape[:-1]
        position = np.zeros((*shape, 3))
        rotation = np.broadcast_to(np.eye(3), (*shape, 3, 3))
        hinges = []
        axes = []
        for k in range(len(self.axis)):
            position = position + rotation @ self.offset_m[k]
            rotation = rotation @ self.turn[k]
            hinges.append(position)
            axes.append(rotation @ self.axis[k])
            rotation = rotation @ rotation_about(self.axis[k], joints_rad[..., k])
        foot = position + rotation @ self.offset_m[-1]
        foot_rotation = rotation @ self.turn[-1]
        return foot, foot_rotation, np.stack(hinges, axis=-2), np.stack(axes, axis=-2)


@dataclass(frozen=True, slots=True, eq=False)
class LegPlacement:
    """Solution of a leg's inverse kinematics, over any leading shape.

    Args:
        joints_rad: Joint angles; a leg that cannot reach its foot stretches towards it. Shape (..., n).
        span_m: Distance that the leg must span. Shape (...).
        excess_m: Distance of the target beyond the leg's reach, negative within it. Shape (...).
    """

    joints_rad: Array
    span_m: Array
    excess_m: Array


@dataclass(frozen=True, slots=True, eq=False)
class ChainLeg:
    """Base of leg solvers without a redundant joint for the knee."""

    chain: LegChain

    @property
    def name(self) -> str:
        """Name of the leg."""
        return self.chain.name

    def body_fixed_knee(self, foot_in_body: Array, foot_to_body: Array, knee_rad: Array) -> Array:  # noqa: ARG002
        """Return the knee angle unchanged: this leg has no redundant joint. Shape (...)."""
        return np.asarray(knee_rad)


@lru_cache(maxsize=16)
def leg_chains(robot: Robot) -> tuple[LegChain, ...]:
    """Return the chains of a robot's legs in the order of its feet."""
    return tuple(_chain(robot, leg) for leg in robot.legs)


def _chain(robot: Robot, leg: Limb) -> LegChain:
    """Read the chain of one leg from the robot's model."""
    model = robot.model
    foot = robot.model.site(leg.frame)
    path = [int(foot.bodyid[0])]
    while model.body_parentid[path[0]] != 0:
        path.insert(0, int(model.body_parentid[path[0]]))
    position = np.zeros(3)
    rotation = np.eye(3)
    offsets = []
    rotations = []
    axes = []
    columns = []
    for body in path[1:]:
        position = position + rotation @ model.body_pos[body]
        rotation = rotation @ _rotation(model.body_quat[body])
        for joint in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
            anchor = model.jnt_pos[joint]
            offsets.append(position + rotation @ anchor)
            rotations.append(rotation)
            axes.append(model.jnt_axis[joint].copy())
            columns.append(robot.joint_names.index(model.joint(joint).name))
            position = -anchor
            rotation = np.eye(3)
    offsets.append(position + rotation @ foot.pos)
    rotations.append(rotation @ _rotation(foot.quat))
    lower = robot.joint_lower_rad[columns]
    upper = robot.joint_upper_rad[columns]
    return LegChain(leg.name, np.array(offsets), np.array(rotations), np.array(axes), lower, upper)


def _rotation(quaternion: Array) -> Array:
    return np.asarray(Rotation.from_quat(quaternion, scalar_first=True).as_matrix())
