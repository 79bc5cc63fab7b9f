"""Stand finder: a posture in which a robot stands: one of the file's if it holds, else one found by inverse kinematics.

Feet come to rest under the hips, level and flat, with knees that are neither stretched nor folded, and the centre of
mass over them. Legs of one pair become mirror images.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import least_squares

from strut.adoption.foot_finder import FoundFoot
from strut.adoption.leg_finder import FoundLeg
from strut.adoption.link_tree import LinkTree
from strut.arrays import Array

_STRETCH = {2: 0.97, 4: 0.85}  # hip to foot over the longest that the leg reaches, by number of legs
_STRETCHED = {2: 0.988, 4: 0.93}  # a leg nearer to its full length cannot step
_LEVEL = 0.02
_FLAT = 0.985  # of the leg's length; cosine of ten degrees
_OFF_CENTRE = {2: 0.03, 4: 0.15}  # of the leg's length, by number of legs
_MET = 0.03  # of the leg's length: a foot that stays farther from its place is not reached
_ROUNDS = 3
_ROOM = {2: 0.08, 4: 0.25}  # of the leg's length: how far outside its hip a foot may stand, by number of legs
_DOWN = 0.2  # of the leg's length: less below the hip, a foot carries nothing
STRETCHED_WORDS = "its legs are stretched"


@dataclass(frozen=True, slots=True)
class LegStance:
    """A leg in a posture: where its hip and its foot are in world [m], how far it reaches, and how flat its foot is."""

    hip: Array
    foot: Array
    reach_m: float
    flatness: float


def stance_of(tree: LinkTree, leg: FoundLeg, foot: FoundFoot, qpos: Array) -> LegStance:
    """Return how a leg stands in a configuration (nq,)."""
    tree.pose(qpos)
    hip_joint = _hip_joint(tree, leg)
    reach = _reach(tree, leg, foot, qpos, hip_joint)
    data = tree.pose(qpos)
    turn = data.xmat[foot.link].reshape(3, 3)
    hip: Array = data.xanchor[hip_joint].copy()
    return LegStance(hip, _contact(tree, foot), reach, float((turn @ foot.normal)[2]))


def _contact(tree: LinkTree, foot: FoundFoot) -> Array:
    """Return the lowest middle of a foot in world; the model must be posed. Shape (3,)."""
    turn = tree.data.xmat[foot.link].reshape(3, 3)
    place: Array = tree.data.xpos[foot.link] + turn @ foot.middle - [0.0, 0.0, foot.radius_m]
    return place


def _hip_joint(tree: LinkTree, leg: FoundLeg) -> int:
    """Return the joint that swings a leg: the first that turns about the lateral axis, else the first."""
    swings = [joint for joint in leg.joints if abs(tree.data.xaxis[joint][1]) > 0.7]
    return swings[0] if swings else leg.joints[0]


def _reach(tree: LinkTree, leg: FoundLeg, foot: FoundFoot, qpos: Array, hip: int) -> float:
    """Return how far from the hip a foot gets: each joint in turn is put where that is farthest.

    A sole stands flat, so that what counts is how far its ankle gets, and how high that is over the sole.
    """
    sole = foot.kind == "sole"
    joints = list(leg.joints[:-1] if sole else leg.joints)
    low, high = tree.bounds(joints)
    best = qpos.copy()
    farthest = 0.0
    for _ in range(2):
        for joint, least, most in zip(joints, low, high, strict=True):
            for angle in np.linspace(least, most, 41):
                trial = best.copy()
                trial[tree.address(joint)] = angle
                tree.pose(trial)
                end = tree.data.xanchor[leg.joints[-1]] if sole else _contact(tree, foot)
                distance = float(np.linalg.norm(end - tree.data.xanchor[hip]))
                if distance > farthest + 1e-6:
                    farthest = distance
                    best = trial
    return farthest + (_ankle_height(tree, leg, foot) if sole else 0.0)


def _ankle_height(tree: LinkTree, leg: FoundLeg, foot: FoundFoot) -> float:
    """Return how high the last joint of a leg is over its sole."""
    turn = tree.data.xmat[foot.link].reshape(3, 3)
    return abs(float((tree.data.xanchor[leg.joints[-1]] - _contact(tree, foot)) @ (turn @ foot.normal)))


def stands(tree: LinkTree, legs: Sequence[FoundLeg], feet: Sequence[FoundFoot], qpos: Array) -> str:
    """Return why a posture is none to stand in; nothing if it is one."""
    stances = [stance_of(tree, leg, foot, qpos) for leg, foot in zip(legs, feet, strict=True)]
    size = float(np.mean([stance.reach_m for stance in stances]))
    heights = [stance.foot[2] for stance in stances]
    bent = [float(np.linalg.norm(stance.foot - stance.hip)) / stance.reach_m for stance in stances]
    tilted = [f.kind == "sole" and s.flatness < _FLAT for f, s in zip(feet, stances, strict=True)]
    reasons = {
        "its feet are not level": max(heights) - min(heights) > _LEVEL * size,
        "its soles are not flat": any(tilted),
        "its legs reach sideways and not down": min(s.hip[2] - s.foot[2] for s in stances) < _DOWN * size,
        STRETCHED_WORDS: max(bent) > _STRETCHED[len(legs)],
        "its legs are folded": min(bent) < 0.5 * _STRETCH[len(legs)],
        "its centre of mass is not over its feet": np.abs(_com_offset(tree, feet, qpos)).max()
        > _OFF_CENTRE[len(legs)] * size,
    }
    return next((words for words, holds in reasons.items() if holds), "")


def _com_offset(tree: LinkTree, feet: Sequence[FoundFoot], qpos: Array) -> Array:
    """Return the centre of mass from the middle of the feet, on the floor [m]. Shape (2,)."""
    centre = tree.com(qpos)
    middle = np.mean([_contact(tree, foot) for foot in feet], axis=0)
    offset: Array = (centre - middle)[:2]
    return offset


def search_stand(tree: LinkTree, legs: Sequence[FoundLeg], feet: Sequence[FoundFoot], start: Array) -> Array | None:
    """Return a posture to stand in, near `start` (nq,); None if none is found."""
    solver = _StandSolver(tree, legs, feet, start)
    found = None
    for factor in (1.0, 0.93, 0.85, 0.75, 0.6):
        found = solver.solve(factor)
        if found is not None:
            break
    return found


class _StandSolver:
    """Places all feet under their hips, pair by pair."""

    def __init__(self, tree: LinkTree, legs: Sequence[FoundLeg], feet: Sequence[FoundFoot], start: Array) -> None:
        self.tree = tree
        self.legs = legs
        self.feet = feet
        self.start = start
        self.stances = [stance_of(tree, leg, foot, start) for leg, foot in zip(legs, feet, strict=True)]
        self.size = float(np.mean([stance.reach_m for stance in self.stances]))
        data = tree.pose(start)
        self.turns = {foot.link: data.xmat[foot.link].reshape(3, 3).copy() for foot in feet}

    def solve(self, factor: float) -> Array | None:
        """Return a posture with legs bent to a share of the usual; None if a foot does not get there."""
        stretch = factor * _STRETCH[len(self.legs)]
        wide = [self._width(stance) for stance in self.stances]
        drops = [
            np.sqrt(max((stretch * stance.reach_m) ** 2 - (y - stance.hip[1]) ** 2, 1e-6))
            for stance, y in zip(self.stances, wide, strict=True)
        ]
        floor = max(stance.hip[2] - drop for stance, drop in zip(self.stances, drops, strict=True))
        forward = 0.0
        qpos = self.start.copy()
        for _ in range(_ROUNDS):
            for index, stance in enumerate(self.stances):
                target = np.array([stance.hip[0] + forward, wide[index], floor])
                if not self._place(index, target, qpos):
                    return None
            off = _com_offset(self.tree, self.feet, qpos)
            if abs(off[0]) < 0.005 * self.size:
                break
            forward = float(np.clip(forward + off[0], -0.3 * self.size, 0.3 * self.size))
        return qpos

    def _width(self, stance: LegStance) -> float:
        """Return where a foot stands sideways: as it was, but not far from under its hip."""
        outward = float(np.sign(stance.hip[1]) or 1.0)
        room = _ROOM[len(self.legs)] * self.size
        beyond = np.clip(outward * (stance.foot[1] - stance.hip[1]), -0.2 * room, room)
        return float(stance.hip[1] + outward * beyond)

    def _place(self, index: int, target: Array, qpos: Array) -> bool:
        """Write the angles of one leg that reach a place into `qpos`; return whether they do."""
        leg = self.legs[index]
        foot = self.feet[index]
        tree = self.tree
        joints = list(leg.joints)
        places = [tree.address(joint) for joint in joints]
        low, high = tree.bounds(joints)
        twin = self._twin(index)
        best: Array | None = None
        least = np.inf
        for guess in self._guesses(qpos[places], low, high):
            solved = least_squares(
                self._misses, np.clip(guess, low + 1e-6, high - 1e-6), bounds=(low, high), max_nfev=60,
                args=(places, leg, foot, target, qpos.copy(), guess, high - low, twin),
            )  # fmt: skip
            if solved.cost < least - 1e-9:
                best = solved.x
                least = float(solved.cost)
            if least < 2e-4:
                break
        assert best is not None
        qpos[places] = best
        tree.pose(qpos)
        return float(np.linalg.norm(_contact(tree, foot) - target)) < _MET * self.size

    def _guesses(self, now: Array, low: Array, high: Array) -> list[Array]:
        """Return where to start: here, in the middle of the ranges, and at mixed shares of them."""
        rng = np.random.default_rng(1)
        return [now, (low + high) / 2.0, *(low + (high - low) * rng.uniform(0.1, 0.9, (6, len(now))))]

    def _twin(self, index: int) -> int | None:
        """Return the leg already placed that is the mirror image of this one."""
        here = self.stances[index].hip
        for other in range(index):
            there = self.stances[other].hip
            same = abs(there[0] - here[0]) + abs(there[1] + here[1]) + abs(there[2] - here[2])
            if same < 0.08 * self.size and len(self.legs[other].joints) == len(self.legs[index].joints):
                return other
        return None

    def _misses(
        self, angles: Array, places: list[int], leg: FoundLeg, foot: FoundFoot, target: Array, qpos: Array,
        guess: Array, ranges: Array, twin: int | None,
    ) -> Array:  # fmt: skip
        """Return by how much a leg misses its place, flatness, direction, its mirror image and where it started."""
        tree = self.tree
        qpos[places] = angles
        data = tree.pose(qpos)
        misses = [10.0 * (_contact(tree, foot) - target) / self.size, 0.02 * (angles - guess) / ranges]
        turn = data.xmat[foot.link].reshape(3, 3)
        if foot.kind != "ball":
            misses.append(3.0 * (turn @ foot.normal)[:2])
            turned = turn @ self.turns[foot.link].T
            misses.append(0.3 * (turned[:2, 0] - [1.0, 0.0]))  # where its tip points: a foot turned round is no foot
        if twin is not None:
            mirrored = data.xanchor[list(self.legs[twin].joints)] * [1.0, -1.0, 1.0]
            misses.append(((data.xanchor[list(leg.joints)] - mirrored) / self.size).ravel())
        return np.concatenate(misses)
