"""Front finder: the direction in which a robot faces, from names and positions of its legs, else from its soles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strut.adoption.foot_finder import ImportedFoot, foot_centres
from strut.adoption.leg_finder import ImportedLeg
from strut.adoption.link_tree import LinkTree
from strut.arrays import Array

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SIDE_AND_PART = re.compile(r"^([lr])(?:femur|tibia|foot|hip|knee|ankle|leg|thigh|calf|shin|toe)")  # such as lfemur
_LEFT = {"left", "l", "lf", "lh", "lb", "fl", "hl", "rl", "bl", "lr", "lft", "lleg"}
_RIGHT = {"right", "r", "rf", "rh", "rb", "fr", "hr", "rr", "br", "rgt", "rleg"}
_LEFT_OF_TWO = {"left", "l", "lft", "lleg", "ll"}
_RIGHT_OF_TWO = {"right", "r", "rgt", "rleg", "lr", "rl"}
_FRONT = {"front", "fore", "f", "lf", "rf", "fl", "fr", "forelimb"}
_HIND = {"hind", "rear", "back", "h", "lh", "rh", "hl", "hr", "rl", "rr", "bl", "br", "lb", "rb", "lr", "b"}
_SNAP = 0.94  # cosine of 20 degrees: a direction nearer to an axis of the file means that axis
_MIN_TOE_M = 1e-3  # by which soles must be longer on one side of the ankle


@dataclass(frozen=True, slots=True)
class Front:
    """The direction in which a robot faces, in the axes of the file, and the evidence for it."""

    forward: Array
    evidence: str


def split_name(name: str) -> set[str]:
    """Return the words of a name in lower case: FL_calf and LeftHipPitch are split."""
    words = {word.lower() for word in _WORD.findall(name)}
    return words | {match[1] for word in words if (match := _SIDE_AND_PART.match(word))}


def find_front(tree: LinkTree, legs: Sequence[ImportedLeg], feet: Sequence[ImportedFoot], qpos: Array) -> Front:
    """Return the front of a robot in a configuration (nq,) with its base upright."""
    tree.pose(qpos)
    positions = foot_centres(tree, feet)[:, :2]
    names = [_words_of_leg(tree, leg) for leg in legs]
    left, right = (_LEFT, _RIGHT) if len(legs) == 4 else (_LEFT_OF_TWO, _RIGHT_OF_TWO)
    to_left = _direction_between(positions, names, left, right)
    to_front = _direction_between(positions, names, _FRONT, _HIND) if len(legs) == 4 else None
    if to_left is None and to_front is None:
        if len(legs) == 2:
            return _front_from_soles(tree, legs, positions)
        return Front(np.array([1.0, 0.0, 0.0]), "the x axis of the file, because names and shapes give no direction")
    if to_left is None:
        assert to_front is not None
        return Front(_snap_to_axis(to_front), "the names of its front and hind legs")
    forward = np.array([to_left[1], -to_left[0]])
    if to_front is not None and forward @ to_front < 0.0:  # front and hind are mistaken less often than left and right
        return Front(_snap_to_axis(to_front), "the names of its front and hind legs, against those of its sides")
    return Front(_snap_to_axis(forward), "the names of its left and right legs")


def _words_of_leg(tree: LinkTree, leg: ImportedLeg) -> set[str]:
    bodies = tree.model.jnt_bodyid[list(leg.joints)]
    names = [*tree.joint_names_of(leg.joints), *(str(tree.model.body(int(body)).name) for body in bodies)]
    return set().union(*(split_name(name) for name in names))


def _direction_between(positions: Array, names: list[set[str]], to: set[str], away: set[str]) -> Array | None:
    """Return the unit vector from the legs named `away` to the legs named `to`; None unless half have either name.

    A word that all legs have in common (r for roll) is ignored. Shape (2,).
    """
    common = set.intersection(*names)
    is_to = np.array([bool((words - common) & to) for words in names])
    is_away = np.array([bool((words - common) & away) for words in names])
    if (is_to == is_away).any() or is_to.sum() != is_away.sum():
        return None
    difference: Array = positions[is_to].mean(axis=0) - positions[is_away].mean(axis=0)
    distance = float(np.linalg.norm(difference))
    return difference / distance if distance > 1e-6 else None


def _front_from_soles(tree: LinkTree, legs: Sequence[ImportedLeg], positions: Array) -> Front:
    """Return the front of a biped: across the line between its feet, towards the longer part of its soles."""
    across = positions[0] - positions[1]
    forward = np.array([across[1], -across[0]]) / np.linalg.norm(across)
    ankles = tree.joint_positions([leg.joints[-1] for leg in legs])[:, :2]
    toes_m = float(((positions - ankles) @ forward).sum())
    if abs(toes_m) > _MIN_TOE_M:
        return Front(_snap_to_axis(forward * np.sign(toes_m)), "its soles, which are longer in front of the ankle")
    sign = 1.0 if forward[0] >= 0.0 else -1.0
    return Front(_snap_to_axis(forward * sign), "the line between its feet and the axes of the file")


def _snap_to_axis(direction: Array) -> Array:
    """Return a ground-plane direction (2,) in space (3,): the axis of the file that it is close to, if any."""
    forward = np.array([direction[0], direction[1], 0.0])
    forward /= np.linalg.norm(forward)
    axis = int(np.argmax(np.abs(forward)))
    if abs(forward[axis]) > _SNAP:
        forward = np.where(np.arange(3) == axis, np.sign(forward[axis]), 0.0)
    return forward
