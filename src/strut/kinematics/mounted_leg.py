"""Mounted 7R legs: closed-form inverse kinematics in the body frame, with body-fixed knee angles."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.errors import BadTableError
from strut.kinematics.leg7r import (
    Leg,
    clamp_to_reach,
    knee_position,
    knee_reference_direction,
    leg_forward,
    leg_inverse,
    reach_excess,
)
from strut.kinematics.leg_chain import ChainLeg, LegChain, LegPlacement, leg_chains
from strut.maths.rotation import turn_angle
from strut.robot import Robot


@dataclass(frozen=True, slots=True, eq=False)
class MountedLeg(ChainLeg):
    """A 7R leg mounted on a body."""

    leg: Leg

    @property
    def hip_in_body(self) -> Array:
        """Intersection of the three hip axes. Shape (3,)."""
        return np.asarray(self.chain.offset_m[0])

    @property
    def hip_to_body(self) -> Array:
        """Rotation from the hip frame to the body. Shape (3, 3)."""
        return np.asarray(self.chain.turn[0])

    @property
    def ankle_in_foot(self) -> Array:
        """From the centre of the foot's ball to the ankle. Shape (3,)."""
        return np.asarray(-self.chain.offset_m[-1])

    @property
    def reach_m(self) -> tuple[float, float]:
        """Shortest and longest span from hip to ankle."""
        return self.leg.reach_m

    def ankle_in_hip(self, foot_in_body: Array, foot_to_body: Array) -> Array:
        """Return the ankle position for a foot pose. Shapes (..., 3), (..., 3, 3) in, (..., 3) out."""
        ankle_in_body = foot_in_body + foot_to_body @ self.ankle_in_foot
        return np.asarray((ankle_in_body - self.hip_in_body) @ self.hip_to_body)

    def body_fixed_knee(self, foot_in_body: Array, foot_to_body: Array, knee_rad: Array) -> Array:
        """Return the body-fixed knee angle of a pose whose knee angle is given in the published reference.

        The published reference rotates with the hip-ankle line and makes the knee swing quickly where that line
        approaches joint 1's axis. The angle is converted once, at the pose, so that the knee keeps its direction.
        Shapes (..., 3), (..., 3, 3), (...) in, (...) out.
        """
        ankle = clamp_to_reach(self.leg, self.ankle_in_hip(foot_in_body, foot_to_body))
        knee = knee_position(self.leg, ankle, knee_rad, reference="published")
        line = ankle / np.linalg.norm(ankle, axis=-1, keepdims=True)
        zero = knee_reference_direction(self.leg, ankle, reference="body")
        return turn_angle(zero, knee, line)

    def place_foot(self, foot_in_body: Array, foot_to_body: Array, knee_rad: Array) -> LegPlacement:
        """Return the joint angles; `knee_rad` is body-fixed. Shapes (..., 3), (..., 3, 3), (...) in, (..., 7) out."""
        ankle = self.ankle_in_hip(foot_in_body, foot_to_body)
        reached = clamp_to_reach(self.leg, ankle)
        joints = leg_inverse(self.leg, reached, self.hip_to_body.T @ foot_to_body, knee_rad, reference="body")
        return LegPlacement(joints, np.asarray(np.linalg.norm(ankle, axis=-1)), reach_excess(self.leg, ankle))


def mounted_legs(robot: Robot) -> tuple[MountedLeg, ...]:
    """Return the legs of a robot that has 7R legs only, in the order of its feet; else raise BadTableError."""
    signs = robot.gait.knee_sign
    legs = [leg_7r(chain, signs.get(chain.name, 1)) for chain in leg_chains(robot)]
    if any(leg is None for leg in legs):
        raise BadTableError(f"{robot.name} has legs that are not 7R: use `leg_solvers`, which accepts any leg.")
    return tuple(leg for leg in legs if leg is not None)


def leg_7r(chain: LegChain, knee_sign: int) -> MountedLeg | None:
    """Return the closed form of a chain if its forward kinematics agree with those of a 7R leg, else None."""
    if len(chain.axis) != 7:
        return None
    thigh_m, shin_m = (float(np.linalg.norm(chain.offset_m[k])) for k in (3, 5))
    hip_to_body = chain.turn[0]
    leg = Leg(chain.name, thigh_m, shin_m, knee_sign, (float(hip_to_body[0, 0]), *map(float, hip_to_body[0, 1:])))  # type: ignore[arg-type]
    mounted = MountedLeg(chain, leg)
    joints_rad = np.random.default_rng(0).uniform(-2.0, 2.0, (3, 7))
    foot, foot_to_body, _, _ = chain.forward(joints_rad)
    ankle, foot_to_hip, _ = leg_forward(leg, joints_rad)
    same_ankle = np.allclose(mounted.ankle_in_hip(foot, foot_to_body), ankle, atol=1e-9)
    same_rotation = np.allclose(hip_to_body @ foot_to_hip, foot_to_body, atol=1e-9)
    return mounted if same_ankle and same_rotation else None
