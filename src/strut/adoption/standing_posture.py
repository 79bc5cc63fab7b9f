"""Standing posture: judges whether a robot stands in a posture, and finds one by inverse kinematics if it does not.

In a found posture the feet are under the hips, level and flat; the knees are neither stretched nor folded, and the
centre of mass is over the feet. The legs of a pair are mirror images.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.optimize import least_squares

from strut.adoption.foot_finder import ImportedFoot
from strut.adoption.leg_finder import ImportedLeg
from strut.adoption.link_tree import LinkTree
from strut.arrays import Array

# Lengths below are shares of the reach of a leg; tables are by number of legs.
_STRETCH = {2: 0.97, 4: 0.85}  # distance from hip to foot that is searched for
_MAX_STRETCH = {2: 0.988, 4: 0.93}  # a leg nearer to its full length cannot step
_MIN_STRETCH = 0.5  # of _STRETCH: a shorter leg is folded
_LEVEL = 0.02  # largest difference between the heights of feet
_FLAT = 0.985  # cosine of ten degrees between a sole and the floor
_MAX_COM_OFFSET = {2: 0.03, 4: 0.15}  # of the centre of mass from the centre of the feet
_REACHED = 0.03  # a foot farther from its target has not reached it
_MIN_DROP = 0.2  # a foot less far below its hip carries nothing
_OUTWARD_ROOM = {2: 0.08, 4: 0.25}  # how far outside its hip a foot may stand
_INWARD_SHARE = 0.2  # of the outward room: how far inside its hip a foot may stand
_MAX_SHIFT = 0.3  # by which the feet move forwards or backwards under the centre of mass
_CENTRED = 0.005  # offset of the centre of mass at which the feet stay
_SAME_PLACE = 0.08  # distance between a hip and the mirror image of another at which their legs are a pair
_ROUNDS = 3  # of moving the feet under the centre of mass
_BENDS = (1.0, 0.93, 0.85, 0.75, 0.6)  # factors on _STRETCH, tried in this order
_REACH_ANGLES = 41  # per joint, in the search for the reach of a leg
_REACH_ROUNDS = 2
_LATERAL = 0.7  # smallest lateral part of the unit axis of a hip that swings the leg
_SOLVED = 2e-4  # least-squares cost at which no further initial guess is tried
_RANDOM_GUESSES = 6


class StandingFault(StrEnum):
    """Why a robot does not stand in a posture; each completes a sentence."""

    NOT_LEVEL = "its feet are not level"
    NOT_FLAT = "its soles are not flat"
    SIDEWAYS = "its legs reach sideways and not down"
    STRETCHED = "its legs are stretched"
    FOLDED = "its legs are folded"
    OFF_CENTRE = "its centre of mass is not over its feet"


@dataclass(frozen=True, slots=True)
class LegStance:
    """A leg in a posture.

    Args:
        hip: Position of the hip in world [m]. Shape (3,).
        foot: Position of the contact in world [m]. Shape (3,).
        reach_m: Largest distance from the hip that the foot can have.
        flatness: Cosine of the angle between the foot's normal and vertical.
    """

    hip: Array
    foot: Array
    reach_m: float
    flatness: float


def find_standing_fault(
    tree: LinkTree, legs: Sequence[ImportedLeg], feet: Sequence[ImportedFoot], qpos: Array
) -> StandingFault | None:
    """Return why a robot does not stand in a configuration (nq,); None if it stands."""
    stances = [_leg_stance(tree, leg, foot, qpos) for leg, foot in zip(legs, feet, strict=True)]
    reach = float(np.mean([stance.reach_m for stance in stances]))
    heights = [stance.foot[2] for stance in stances]
    drops = [stance.hip[2] - stance.foot[2] for stance in stances]
    stretch = [float(np.linalg.norm(stance.foot - stance.hip)) / stance.reach_m for stance in stances]
    sole_flatness = [stance.flatness for foot, stance in zip(feet, stances, strict=True) if foot.kind == "sole"]
    com_offset = np.abs(_com_offset(tree, feet, qpos)).max()
    is_present = {
        StandingFault.NOT_LEVEL: max(heights) - min(heights) > _LEVEL * reach,
        StandingFault.NOT_FLAT: min(sole_flatness, default=1.0) < _FLAT,
        StandingFault.SIDEWAYS: min(drops) < _MIN_DROP * reach,
        StandingFault.STRETCHED: max(stretch) > _MAX_STRETCH[len(legs)],
        StandingFault.FOLDED: min(stretch) < _MIN_STRETCH * _STRETCH[len(legs)],
        StandingFault.OFF_CENTRE: com_offset > _MAX_COM_OFFSET[len(legs)] * reach,
    }
    return next((fault for fault in StandingFault if is_present[fault]), None)


def search_standing_posture(
    tree: LinkTree, legs: Sequence[ImportedLeg], feet: Sequence[ImportedFoot], initial_guess: Array
) -> Array | None:
    """Return a configuration near `initial_guess` (nq,) in which the robot stands; None if none is found."""
    solver = _StandingSolver(tree, legs, feet, initial_guess)
    for bend in _BENDS:
        posture = solver.solve(bend * _STRETCH[len(legs)])
        if posture is not None:
            return posture
    return None


def _leg_stance(tree: LinkTree, leg: ImportedLeg, foot: ImportedFoot, qpos: Array) -> LegStance:
    """Return how a leg stands in a configuration (nq,)."""
    tree.pose(qpos)
    swinging = [joint for joint in leg.joints if abs(tree.data.xaxis[joint][1]) > _LATERAL]
    hip_joint = swinging[0] if swinging else leg.joints[0]
    reach = _reach(tree, leg, foot, qpos, hip_joint)
    data = tree.pose(qpos)
    rotation = data.xmat[foot.link].reshape(3, 3)
    hip: Array = data.xanchor[hip_joint].copy()
    return LegStance(hip, _contact(tree, foot), reach, float((rotation @ foot.normal)[2]))


def _contact(tree: LinkTree, foot: ImportedFoot) -> Array:
    """Return the centre of a foot's contact in world; the model must be posed. Shape (3,)."""
    rotation = tree.data.xmat[foot.link].reshape(3, 3)
    position: Array = tree.data.xpos[foot.link] + rotation @ foot.centre - [0.0, 0.0, foot.radius_m]
    return position


def _reach(tree: LinkTree, leg: ImportedLeg, foot: ImportedFoot, qpos: Array, hip: int) -> float:
    """Return the largest distance of a foot from the hip: each joint in turn moves to where it is largest.

    A sole stands flat, so its reach is that of the ankle plus the height of the ankle over the sole.
    """
    is_sole = foot.kind == "sole"
    joints = list(leg.joints[:-1] if is_sole else leg.joints)
    lower, upper = tree.bounds(joints)
    best = qpos.copy()
    reach = 0.0
    for _ in range(_REACH_ROUNDS):
        for joint, low, high in zip(joints, lower, upper, strict=True):
            for angle in np.linspace(low, high, _REACH_ANGLES):
                candidate = best.copy()
                candidate[tree.address(joint)] = angle
                tree.pose(candidate)
                end = tree.data.xanchor[leg.joints[-1]] if is_sole else _contact(tree, foot)
                distance = float(np.linalg.norm(end - tree.data.xanchor[hip]))
                if distance > reach + 1e-6:
                    reach = distance
                    best = candidate
    if not is_sole:
        return reach
    rotation = tree.data.xmat[foot.link].reshape(3, 3)
    ankle_to_sole = tree.data.xanchor[leg.joints[-1]] - _contact(tree, foot)
    return reach + abs(float(ankle_to_sole @ (rotation @ foot.normal)))


def _com_offset(tree: LinkTree, feet: Sequence[ImportedFoot], qpos: Array) -> Array:
    """Return the horizontal offset of the centre of mass from the centre of the feet [m]. Shape (2,)."""
    com = tree.com(qpos)
    centre = np.mean([_contact(tree, foot) for foot in feet], axis=0)
    offset: Array = (com - centre)[:2]
    return offset


class _StandingSolver:
    """Inverse kinematics that puts every foot under its hip."""

    def __init__(
        self, tree: LinkTree, legs: Sequence[ImportedLeg], feet: Sequence[ImportedFoot], initial_guess: Array
    ) -> None:
        self.tree = tree
        self.legs = legs
        self.feet = feet
        self.initial_guess = initial_guess
        self.stances = [_leg_stance(tree, leg, foot, initial_guess) for leg, foot in zip(legs, feet, strict=True)]
        self.reach = float(np.mean([stance.reach_m for stance in self.stances]))
        data = tree.pose(initial_guess)
        self.initial_rotations = {foot.link: data.xmat[foot.link].reshape(3, 3).copy() for foot in feet}

    def solve(self, stretch: float) -> Array | None:
        """Return a configuration with legs of a given stretch; None if a foot does not reach its target."""
        lateral = [self._lateral_target(stance) for stance in self.stances]
        drops = [
            np.sqrt(max((stretch * stance.reach_m) ** 2 - (y - stance.hip[1]) ** 2, 1e-6))
            for stance, y in zip(self.stances, lateral, strict=True)
        ]
        floor = max(stance.hip[2] - drop for stance, drop in zip(self.stances, drops, strict=True))
        shift = 0.0
        qpos = self.initial_guess.copy()
        for _ in range(_ROUNDS):
            for index, stance in enumerate(self.stances):
                target = np.array([stance.hip[0] + shift, lateral[index], floor])
                if not self._place_foot(index, target, qpos):
                    return None
            offset = _com_offset(self.tree, self.feet, qpos)
            if abs(offset[0]) < _CENTRED * self.reach:
                break
            shift = float(np.clip(shift + offset[0], -_MAX_SHIFT * self.reach, _MAX_SHIFT * self.reach))
        return qpos

    def _lateral_target(self, stance: LegStance) -> float:
        """Return the lateral position of a foot: as in the initial guess, but not far from under its hip."""
        outward = float(np.sign(stance.hip[1]) or 1.0)
        room = _OUTWARD_ROOM[len(self.legs)] * self.reach
        beyond = np.clip(outward * (stance.foot[1] - stance.hip[1]), -_INWARD_SHARE * room, room)
        return float(stance.hip[1] + outward * beyond)

    def _place_foot(self, index: int, target: Array, qpos: Array) -> bool:
        """Write the angles of one leg with its foot at a target (3,) into `qpos`; return whether it gets there."""
        leg = self.legs[index]
        foot = self.feet[index]
        tree = self.tree
        joints = list(leg.joints)
        addresses = tree.addresses(joints)
        lower, upper = tree.bounds(joints)
        mirror_image = self._mirror_image(index)
        best: Array | None = None
        lowest_cost = np.inf
        for guess in self._guesses(qpos[addresses], lower, upper):
            solution = least_squares(
                self._residuals, np.clip(guess, lower + 1e-6, upper - 1e-6), bounds=(lower, upper), max_nfev=60,
                args=(addresses, leg, foot, target, qpos.copy(), guess, upper - lower, mirror_image),
            )  # fmt: skip
            if solution.cost < lowest_cost - 1e-9:
                best = solution.x
                lowest_cost = float(solution.cost)
            if lowest_cost < _SOLVED:
                break
        assert best is not None
        qpos[addresses] = best
        tree.pose(qpos)
        return float(np.linalg.norm(_contact(tree, foot) - target)) < _REACHED * self.reach

    def _guesses(self, current: Array, lower: Array, upper: Array) -> list[Array]:
        """Return initial guesses: the current angles, the middle of the ranges, and random angles."""
        rng = np.random.default_rng(1)
        random = lower + (upper - lower) * rng.uniform(0.1, 0.9, (_RANDOM_GUESSES, len(current)))
        return [current, (lower + upper) / 2.0, *random]

    def _mirror_image(self, index: int) -> int | None:
        """Return the leg, already placed, whose hip is the mirror image of this leg's hip."""
        hip = self.stances[index].hip
        for other in range(index):
            other_hip = self.stances[other].hip
            distance = abs(other_hip[0] - hip[0]) + abs(other_hip[1] + hip[1]) + abs(other_hip[2] - hip[2])
            if distance < _SAME_PLACE * self.reach and len(self.legs[other].joints) == len(self.legs[index].joints):
                return other
        return None

    def _residuals(
        self, angles: Array, addresses: list[int], leg: ImportedLeg, foot: ImportedFoot, target: Array, qpos: Array,
        guess: Array, ranges: Array, mirror_image: int | None,
    ) -> Array:  # fmt: skip
        """Return the residuals of a leg: target, initial guess, flatness and heading of the foot, mirror image."""
        tree = self.tree
        qpos[addresses] = angles
        data = tree.pose(qpos)
        residuals = [10.0 * (_contact(tree, foot) - target) / self.reach, 0.02 * (angles - guess) / ranges]
        rotation = data.xmat[foot.link].reshape(3, 3)
        if foot.kind != "ball":
            residuals.append(3.0 * (rotation @ foot.normal)[:2])
            from_initial = rotation @ self.initial_rotations[foot.link].T
            residuals.append(0.3 * (from_initial[:2, 0] - [1.0, 0.0]))  # or a foot could point backwards
        if mirror_image is not None:
            mirrored = data.xanchor[list(self.legs[mirror_image].joints)] * [1.0, -1.0, 1.0]
            residuals.append(((data.xanchor[list(leg.joints)] - mirrored) / self.reach).ravel())
        return np.concatenate(residuals)
