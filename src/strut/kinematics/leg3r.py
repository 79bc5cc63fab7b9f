"""Closed-form inverse kinematics of a 3R leg: hip abduction, hip pitch and a knee parallel to the pitch; a ball foot.

Abduction turns the plane of hip pitch and knee until it contains the foot. In that plane, thigh, shin and the line from
hip to foot form a triangle, solved by the law of cosines. Points of the plane are complex numbers, third axis plus i
times first axis, so that a rotation by q about the pitch axis is a factor exp(i q). The foot's tilt is not controlled.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.kinematics.leg_chain import ChainLeg, LegChain, LegPlacement

_AXIS_TOLERANCE = 1e-6  # error of the cosines between axes that should be parallel or perpendicular
_INSIDE = 1.0 - 1e-9  # share of the longest span that is used: the knee of a straight leg has no derivative


@dataclass(frozen=True, slots=True, eq=False)
class Leg3R(ChainLeg):
    """Geometry of one leg.

    Args:
        chain: The joints from base to foot.
        axes: Abduction axis, pitch axis and their cross product, as rows in the body. Shape (3, 3).
        pitch_m: From the anchor of the abduction axis to the plane's origin, along those axes. Shape (3,).
        aside_m: Distance of the leg's plane from the abduction axis.
        thigh: Thigh at zero angles, in the plane [m].
        shin: Shin at zero angles, in the plane [m].
        turns: 1 if the knee axis points along the hip pitch axis, -1 if against it.
        bend: Sign of the triangle, which selects one of the two knee solutions.
    """

    axes: Array
    pitch_m: Array
    aside_m: float
    thigh: complex
    shin: complex
    turns: int
    bend: int

    @property
    def reach_m(self) -> tuple[float, float]:
        """Shortest and longest span from hip pitch to foot."""
        return abs(abs(self.thigh) - abs(self.shin)), abs(self.thigh) + abs(self.shin)

    def place_foot(self, foot_in_body: Array, foot_to_body: Array, knee_rad: Array) -> LegPlacement:  # noqa: ARG002
        """Return abduction, pitch and knee. Shapes (..., 3), (..., 3, 3), (...) in, (..., 3) out."""
        first, second, third = np.moveaxis((foot_in_body - self.chain.offset_m[0]) @ self.axes.T, -1, 0)
        below = -np.sqrt(np.maximum(second**2 + third**2 - self.aside_m**2, 0.0))
        abduction = np.arctan2(third, second) - np.arctan2(below, self.aside_m)
        foot = (below - self.pitch_m[2]) + 1j * (first - self.pitch_m[0])  # from the hip pitch, in the plane
        span_m = np.asarray(np.abs(foot))
        shortest, longest = self.reach_m
        reached = np.clip(span_m, shortest / _INSIDE, longest * _INSIDE)
        cosine = (reached**2 - abs(self.thigh) ** 2 - abs(self.shin) ** 2) / (2.0 * abs(self.thigh) * abs(self.shin))
        knee = self.bend * np.arccos(np.clip(cosine, -1.0, 1.0)) - np.angle(self.shin / self.thigh)
        pitch = np.angle(foot) - np.angle(self.thigh + np.exp(1j * knee) * self.shin)
        joints = np.stack([abduction, pitch, self.turns * knee], axis=-1)
        middle = (self.chain.lower_rad + self.chain.upper_rad) / 2.0
        joints -= 2.0 * np.pi * np.round((joints - middle) / (2.0 * np.pi))  # the turn nearest to the joints' ranges
        return LegPlacement(joints, span_m, np.maximum(span_m - longest, shortest - span_m))

    def knee_in_body(self, foot_in_body: Array) -> Array:
        """Return the position of the knee for a foot position. Shape (..., 3) in and out."""
        placement = self.place_foot(foot_in_body, np.eye(3), np.zeros(np.shape(foot_in_body)[:-1]))
        return self.chain.forward(placement.joints_rad)[2][..., 2, :]


def leg_3r(chain: LegChain, knee_sign: int | None) -> Leg3R | None:
    """Return the closed form of a chain, or None if its geometry differs.

    Of the two knee solutions, the one that keeps the joint limits with the foot straight below is taken. If both do,
    `knee_sign` decides: 1 is forward, -1 backward; None is backward, as most such robots stand.
    """
    if len(chain.axis) != 3:
        return None
    foot, _, places, axes = chain.forward(np.zeros(3))
    parallel = float(axes[1] @ axes[2])
    if abs(abs(parallel) - 1.0) > _AXIS_TOLERANCE or abs(axes[0] @ axes[1]) > _AXIS_TOLERANCE:
        return None
    basis = np.stack([axes[0], axes[1], np.cross(axes[0], axes[1])])
    hip, thigh, shin = (basis @ (b - a) for a, b in ((places[0], places[1]), (places[1], places[2]), (places[2], foot)))
    both = [
        Leg3R(
            chain=chain,
            axes=basis,
            pitch_m=hip,
            aside_m=float(hip[1] + thigh[1] + shin[1]),
            thigh=complex(thigh[2], thigh[0]),
            shin=complex(shin[2], shin[0]),
            turns=1 if parallel > 0.0 else -1,
            bend=bend,
        )
        for bend in (1, -1)
    ]
    if basis[2, 2] < 0.0 or min(abs(both[0].thigh), abs(both[0].shin)) == 0.0:
        return None
    below = chain.offset_m[0] + [0.0, both[0].aside_m * basis[1, 1], hip[2] - 0.75 * both[0].reach_m[1]]
    preferred_sign = -1 if knee_sign is None else knee_sign

    def cost(leg: Leg3R) -> tuple[float, bool]:
        joints = leg.place_foot(below, np.eye(3), np.zeros(())).joints_rad
        excess = np.maximum(joints - chain.upper_rad, chain.lower_rad - joints).max()
        forward = leg.knee_in_body(below)[0] - (places[1][0] + below[0]) / 2.0
        return max(float(excess), 0.0), bool(np.sign(forward) != preferred_sign)

    return min(both, key=cost)
