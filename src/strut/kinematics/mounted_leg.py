"""Mounted legs: where 7R legs are fixed to a body, and their knee angles seen from the body."""

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
    """A 7R leg that is fixed to a body."""

    leg: Leg

    @property
    def hip_in_body(self) -> Array:
        """Where the three hip joints meet. Shape (3,)."""
        return np.asarray(self.chain.offset_m[0])

    @property
    def hip_to_body(self) -> Array:
        """Orientation of the hip frame. Shape (3, 3)."""
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
        """Return where the ankle must be for a foot. Shapes (..., 3), (..., 3, 3) in, (..., 3) out."""
        ankle_in_body = foot_in_body + foot_to_body @ self.ankle_in_foot
        return np.asarray((ankle_in_body - self.hip_in_body) @ self.hip_to_body)

    def body_fixed_knee(self, foot_in_body: Array, foot_to_body: Array, knee_rad: Array) -> Array:
        """Return the body-fixed knee angle of a pose whose knee angle is given in the published reference.

        The published reference turns with the hip-ankle line and whips the knee where that line nears joint 1's axis.
        Converted once at the pose and held, the knee stays where the pose has it. Shapes (..., 3), (..., 3, 3), (...).
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
    """Return the legs of a robot whose legs all are 7R, in the order of its feet."""
    signs = robot.gait.knee_sign
    legs = [leg_7r(chain, signs.get(chain.name, 1)) for chain in leg_chains(robot)]
    if any(leg is None for leg in legs):
        raise BadTableError(f"{robot.name} does not stand on 7R legs.")
    return tuple(leg for leg in legs if leg is not None)


def leg_7r(chain: LegChain, knee_sign: int) -> MountedLeg | None:
    """Return the closed form of a chain if its forward kinematics are those of a 7R leg, else None."""
    if len(chain.axis) != 7:
        return None
    thigh_m, shin_m = (float(np.linalg.norm(chain.offset_m[k])) for k in (3, 5))
    hip_to_body = chain.turn[0]
    leg = Leg(chain.name, thigh_m, shin_m, knee_sign, (float(hip_to_body[0, 0]), *map(float, hip_to_body[0, 1:])))  # type: ignore[arg-type]
    mounted = MountedLeg(chain, leg)
    tried = np.random.default_rng(0).uniform(-2.0, 2.0, (3, 7))
    foot, foot_turn, _, _ = chain.forward(tried)
    ankle, own_turn, _ = leg_forward(leg, tried)
    same = np.allclose(mounted.ankle_in_hip(foot, foot_turn), ankle, atol=1e-9)
    return mounted if same and np.allclose(hip_to_body @ own_turn, foot_turn, atol=1e-9) else None
