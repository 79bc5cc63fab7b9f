"""Front finder: which way a robot faces, from what its limbs are called and where they are; else from its soles."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strut.adoption.foot_finder import FoundFoot, foot_places
from strut.adoption.leg_finder import FoundLeg
from strut.adoption.link_tree import LinkTree
from strut.arrays import Array

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_GLUED = re.compile(r"^([lr])(?:femur|tibia|foot|hip|knee|ankle|leg|thigh|calf|shin|toe)")
_LEFT = {"left", "l", "lf", "lh", "lb", "fl", "hl", "rl", "bl", "lr", "lft", "lleg"}
_RIGHT = {"right", "r", "rf", "rh", "rb", "fr", "hr", "rr", "br", "rgt", "rleg"}
_LEFT_OF_TWO = {"left", "l", "lft", "lleg", "ll"}
_RIGHT_OF_TWO = {"right", "r", "rgt", "rleg", "lr", "rl"}
_FRONT = {"front", "fore", "f", "lf", "rf", "fl", "fr", "forelimb"}
_HIND = {"hind", "rear", "back", "h", "lh", "rh", "hl", "hr", "rl", "rr", "bl", "br", "lb", "rb", "lr", "b"}
_SNAP = 0.94  # cosine of 20 degrees: nearer to an axis of the file, that axis is meant


@dataclass(frozen=True, slots=True)
class Front:
    """Where a robot's front is in the axes of the file, and how it was told."""

    forward: Array
    told_by: str


def words_of(name: str) -> set[str]:
    """Return the words of a name in small letters: FL_calf and LeftHipPitch are taken apart."""
    words = {word.lower() for word in _WORD.findall(name)}
    return words | {match[1] for word in words if (match := _GLUED.match(word))}


def find_front(tree: LinkTree, legs: Sequence[FoundLeg], feet: Sequence[FoundFoot], qpos: Array) -> Front:
    """Return where the front is; `tree` must be posed upright, in whose world axes the answer is."""
    tree.pose(qpos)
    places = foot_places(tree, feet)[:, :2]
    named = [_words(tree, leg) for leg in legs]
    left, right = (_LEFT, _RIGHT) if len(legs) == 4 else (_LEFT_OF_TWO, _RIGHT_OF_TWO)
    sideways = _difference(places, named, left, right)
    along = _difference(places, named, _FRONT, _HIND) if len(legs) == 4 else None
    if sideways is None and along is None:
        return _front_without_names(tree, legs, places)
    return _front_by_names(sideways, along)


def _front_by_names(sideways: Array | None, along: Array | None) -> Front:
    """Return the front by where left is, or by where the front legs are, which counts more where they differ."""
    if sideways is None:
        assert along is not None
        return Front(_snapped(along), "the names of its front and hind legs")
    forward = np.array([sideways[1], -sideways[0]])
    if along is not None and forward @ along < 0.0:
        return Front(_snapped(along), "the names of its front and hind legs, against those of its sides")
    return Front(_snapped(forward), "the names of its left and right legs")


def _front_without_names(tree: LinkTree, legs: Sequence[FoundLeg], places: Array) -> Front:
    if len(legs) == 2:
        return _front_of_soles(tree, legs, places)
    return Front(np.array([1.0, 0.0, 0.0]), "the x axis of the file, for want of anything better")


def _words(tree: LinkTree, leg: FoundLeg) -> set[str]:
    bodies = tree.model.jnt_bodyid[list(leg.joints)]
    names = [*tree.names_of(leg.joints), *(str(tree.model.body(int(body)).name) for body in bodies)]
    return set().union(*map(words_of, names))


def _difference(places: Array, named: list[set[str]], yes: set[str], no: set[str]) -> Array | None:
    """Return the mean place of legs called one way less that of those called the other (2,); None if not half and half.

    A word that all legs have in common (r for roll) tells nothing.
    """
    common = set.intersection(*named)
    is_one, is_other = (np.array([bool((words - common) & called) for words in named]) for called in (yes, no))
    if (is_one == is_other).any() or is_one.sum() != is_other.sum():
        return None
    difference: Array = places[is_one].mean(axis=0) - places[is_other].mean(axis=0)
    size = float(np.linalg.norm(difference))
    return difference / size if size > 1e-6 else None


def _front_of_soles(tree: LinkTree, legs: Sequence[FoundLeg], places: Array) -> Front:
    """Return the front of a biped: square to the line between its feet, towards the longer part of its soles."""
    across = places[0] - places[1]
    forward = np.array([across[1], -across[0]]) / np.linalg.norm(across)
    ankles = tree.anchors([leg.joints[-1] for leg in legs])[:, :2]
    toes = float(((places - ankles) @ forward).sum())
    if abs(toes) > 1e-3:
        return Front(_snapped(forward * np.sign(toes)), "its soles, which are longer before the ankle")
    side = 1.0 if forward[0] >= 0.0 else -1.0
    return Front(_snapped(forward * side), "the line between its feet and the axes of the file")


def _snapped(flat: Array) -> Array:
    direction = np.array([flat[0], flat[1], 0.0])
    direction /= np.linalg.norm(direction)
    axis = int(np.argmax(np.abs(direction)))
    if abs(direction[axis]) > _SNAP:
        direction = np.where(np.arange(3) == axis, np.sign(direction[axis]), 0.0)
    return direction
