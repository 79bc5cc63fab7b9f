"""Leg chain: the joints of one leg from the base to its foot, as plain transforms, and what every leg solver shares."""

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
    """A chain of n hinges. Frame k is where hinge k is, before it turns; the last frame is that of the foot.

    Args:
        name: Of the leg.
        offset_m: From the base, or from the hinge before, to each hinge and to the foot. Shape (n + 1, 3).
        turn: Likewise, rotations. Shape (n + 1, 3, 3).
        axis: Of the hinges, in their own frames. Shape (n, 3).
        lower_rad: Shape (n,).
        upper_rad: Shape (n,).
    """

    name: str
    offset_m: Array
    turn: Array
    axis: Array
    lower_rad: Array
    upper_rad: Array

    @property
    def length_m(self) -> float:
        """Of all links from the first hinge on."""
        return float(np.linalg.norm(self.offset_m[1:], axis=1).sum())

    def forward(self, joints_rad: Array) -> tuple[Array, Array, Array, Array]:
        """Return foot and hinges in the base.

        Args:
            joints_rad: Shape (..., n).

        Returns:
            Foot position (..., 3) and rotation (..., 3, 3); hinge positions and axes (..., n, 3).
        """
        shape = joints_rad.shape[:-1]
        place = np.zeros((*shape, 3))
        turn = np.broadcast_to(np.eye(3), (*shape, 3, 3))
        places = []
        axes = []
        for k in range(len(self.axis)):
            place = place + turn @ self.offset_m[k]
            turn = turn @ self.turn[k]
            places.append(place)
            axes.append(turn @ self.axis[k])
            turn = turn @ rotation_about(self.axis[k], joints_rad[..., k])
        foot = place + turn @ self.offset_m[-1]
        foot_turn = turn @ self.turn[-1]
        return foot, foot_turn, np.stack(places, axis=-2), np.stack(axes, axis=-2)


@dataclass(frozen=True, slots=True, eq=False)
class LegPlacement:
    """How a leg places a foot, over any leading shape.

    Args:
        joints_rad: Joint angles; where the leg cannot reach its foot it stretches towards it. Shape (..., n).
        span_m: What the leg would have to span. Shape (...).
        excess_m: By how much it falls short, negative where it reaches. Shape (...).
    """

    joints_rad: Array
    span_m: Array
    excess_m: Array


@dataclass(frozen=True, slots=True, eq=False)
class ChainLeg:
    """A leg with a chain of joints, none of which is to spare for the knee."""

    chain: LegChain

    @property
    def name(self) -> str:
        """Of the leg."""
        return self.chain.name

    def body_fixed_knee(self, foot_in_body: Array, foot_to_body: Array, knee_rad: Array) -> Array:  # noqa: ARG002
        """Return the knee angle as it is: this leg has no joint to spare for it. Shape (...)."""
        return np.asarray(knee_rad)


@lru_cache(maxsize=16)
def leg_chains(robot: Robot) -> tuple[LegChain, ...]:
    """Return the chains of a robot's legs in the order of its feet."""
    return tuple(_chain(robot, leg) for leg in robot.legs)


def _chain(robot: Robot, leg: Limb) -> LegChain:
    model = robot.model
    foot = robot.model.site(leg.frame)
    path = [int(foot.bodyid[0])]
    while model.body_parentid[path[0]] != 0:
        path.insert(0, int(model.body_parentid[path[0]]))
    place = np.zeros(3)
    turn = np.eye(3)
    offsets = []
    turns = []
    axes = []
    columns = []
    for body in path[1:]:
        place = place + turn @ model.body_pos[body]
        turn = turn @ _rotation(model.body_quat[body])
        for joint in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
            anchor = model.jnt_pos[joint]
            offsets.append(place + turn @ anchor)
            turns.append(turn)
            axes.append(model.jnt_axis[joint].copy())
            columns.append(robot.joint_names.index(model.joint(joint).name))
            place = -anchor
            turn = np.eye(3)
    offsets.append(place + turn @ foot.pos)
    turns.append(turn @ _rotation(foot.quat))
    lower = robot.joint_lower_rad[columns]
    upper = robot.joint_upper_rad[columns]
    return LegChain(leg.name, np.array(offsets), np.array(turns), np.array(axes), lower, upper)


def _rotation(quaternion: Array) -> Array:
    return np.asarray(Rotation.from_quat(quaternion, scalar_first=True).as_matrix())
