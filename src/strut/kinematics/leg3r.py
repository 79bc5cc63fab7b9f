"""The 3R leg in closed form: hip abduction, hip pitch and a knee parallel to it; a ball foot, whose tilt is not asked.

Abduction turns the plane of hip pitch and knee until the foot lies in it; there the leg is a triangle of thigh and
shin. Points of that plane are complex numbers, third axis plus i times first: a turn about the pitch axis is exp(i q).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.kinematics.leg_chain import ChainLeg, LegChain, LegPlacement

_PARALLEL = 1e-6  # how far axes may be off parallel or square
_INSIDE = 1.0 - 1e-9  # of the longest span: a straight leg has no knee to turn


@dataclass(frozen=True, slots=True, eq=False)
class Leg3R(ChainLeg):
    """Geometry of one leg.

    Args:
        axes: Abduction axis, pitch axis and their cross product, as rows in the body. Shape (3, 3).
        pitch_m: From the abduction axis' anchor to the plane's origin, along those axes. Shape (3,).
        aside_m: How far the foot's plane is beside the abduction axis.
        thigh: In its plane, at zero.
        shin: Likewise.
        turns: 1 where the knee turns as the hip pitch does, else -1.
        bend: Sign of the triangle: which way the knee points.
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
        abduction, foot = self._in_plane(foot_in_body)
        span_m = np.asarray(np.abs(foot))
        shortest, longest = self.reach_m
        reached = np.clip(span_m, shortest / _INSIDE, longest * _INSIDE)
        cosine = (reached**2 - abs(self.thigh) ** 2 - abs(self.shin) ** 2) / (2.0 * abs(self.thigh) * abs(self.shin))
        knee = self.bend * np.arccos(np.clip(cosine, -1.0, 1.0)) - np.angle(self.shin / self.thigh)
        pitch = np.angle(foot) - np.angle(self.thigh + np.exp(1j * knee) * self.shin)
        joints = _near_middle(np.stack([abduction, pitch, self.turns * knee], axis=-1), self.chain)
        return LegPlacement(joints, span_m, np.maximum(span_m - longest, shortest - span_m))

    def knee_in_body(self, foot_in_body: Array) -> Array:
        """Return where the knee is. Shape (..., 3) in and out."""
        found = self.place_foot(foot_in_body, np.eye(3), np.zeros(np.shape(foot_in_body)[:-1]))
        return self.chain.forward(found.joints_rad)[2][..., 2, :]

    def _in_plane(self, foot_in_body: Array) -> tuple[Array, Array]:
        """Return the abduction, and the foot in the plane that it turns, seen from the hip pitch. Shape (...) each."""
        first, second, third = np.moveaxis((foot_in_body - self.chain.offset_m[0]) @ self.axes.T, -1, 0)
        below = -np.sqrt(np.maximum(second**2 + third**2 - self.aside_m**2, 0.0))
        abduction = np.arctan2(third, second) - np.arctan2(below, self.aside_m)
        return abduction, (below - self.pitch_m[2]) + 1j * (first - self.pitch_m[0])


def leg_3r(chain: LegChain, knee_sign: int | None) -> Leg3R | None:
    """Return the closed form of a chain, or None if it is no such leg.

    Of the two ways to bend the knee the one is taken whose joints keep their limits under a foot straight below; where
    both do, `knee_sign` says: 1 is forwards, -1 backwards, and None is backwards, as most such robots stand.
    """
    if len(chain.axis) != 3:
        return None
    foot, _, places, axes = chain.forward(np.zeros(3))
    parallel = float(axes[1] @ axes[2])
    if abs(abs(parallel) - 1.0) > _PARALLEL or abs(axes[0] @ axes[1]) > _PARALLEL:
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
    wanted = -1 if knee_sign is None else knee_sign

    def cost(leg: Leg3R) -> tuple[float, bool]:
        joints = leg.place_foot(below, np.eye(3), np.zeros(())).joints_rad
        beyond = np.maximum(joints - chain.upper_rad, chain.lower_rad - joints).max()
        forward = leg.knee_in_body(below)[0] - (places[1][0] + below[0]) / 2.0
        return max(float(beyond), 0.0), bool(np.sign(forward) != wanted)

    return min(both, key=cost)


def _near_middle(joints_rad: Array, chain: LegChain) -> Array:
    """Return the same angles, each in the turn nearest to the middle of its range. Shape (..., n)."""
    middle = (chain.lower_rad + chain.upper_rad) / 2.0
    return np.asarray(joints_rad - 2.0 * np.pi * np.round((joints_rad - middle) / (2.0 * np.pi)))
