"""Leg solver: inverse kinematics of one leg, in closed form for 7R and 3R legs, numeric for all others."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol

from strut.arrays import Array
from strut.errors import BadTableError
from strut.kinematics.leg3r import Leg3R, leg_3r
from strut.kinematics.leg_chain import LegChain, LegPlacement, leg_chains
from strut.kinematics.mounted_leg import MountedLeg, leg_7r
from strut.kinematics.numeric_leg import NumericLeg
from strut.robot import Robot


class LegSolver(Protocol):
    """Inverse kinematics of one leg, over any leading shape: feet (..., 3) and rotations (..., 3, 3) in the body.

    `knee_rad` (...) rotates the knee about the line from hip to ankle if the leg has a redundant joint.
    """

    @property
    def name(self) -> str:
        """Name of the leg."""

    @property
    def reach_m(self) -> tuple[float, float]:
        """Shortest and longest span."""

    def body_fixed_knee(self, foot_in_body: Array, foot_to_body: Array, knee_rad: Array) -> Array:
        """Return the body-fixed knee angle, to hold while the foot moves, from that of a key pose. Shape (...)."""

    def place_foot(self, foot_in_body: Array, foot_to_body: Array, knee_rad: Array) -> LegPlacement:
        """Return the joint angles for a foot, with span and excess."""


@lru_cache(maxsize=16)
def leg_solvers(robot: Robot) -> tuple[LegSolver, ...]:
    """Return a solver for each leg in the order of the feet; raises BadTableError for a robot without legs."""
    if not robot.legs:
        raise BadTableError(
            f"{robot.name} has no feet: name them in its robot.toml, "
            'such as [foot.LF] link = "the last link" radius_m = 0.02.'
        )
    gait = robot.tables.gait
    signs: Mapping[str, int] = {} if gait is None else gait.knee_sign
    return tuple(_select_solver(chain, signs.get(chain.name)) for chain in leg_chains(robot))


def _select_solver(chain: LegChain, knee_sign: int | None) -> LegSolver:
    """Return the closed form that fits a chain, else the numeric solver."""
    closed_form: MountedLeg | Leg3R | None = leg_7r(chain, knee_sign or 1) or leg_3r(chain, knee_sign)
    return closed_form if closed_form is not None else NumericLeg(chain)
