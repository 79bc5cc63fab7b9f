"""Leg check: legs that strut cannot move are refused with the reason: slides, loops, passive joints, wheels.

Joints that legs can do without are held instead: wheels of four legs, and hips of a pair that one motor turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from strut.adoption.leg_finder import FoundLeg
from strut.adoption.link_tree import LinkTree
from strut.adoption.robot_source import ImportedSource
from strut.errors import NotAdoptedError

_LEAST_LEFT = {2: 5, 4: 3}  # joints of a leg that steps, by number of legs


def joints_to_hold(tree: LinkTree, legs: Sequence[FoundLeg], source: ImportedSource) -> dict[str, str]:
    """Return joints of legs that are better held where they are, and why, as the end of a sentence.

    These are wheels at the ends of four legs, and first joints of legs of which one follows another: where enough
    joints are left to step with.
    """
    wheels = [leg for leg in legs if len(legs) > 2 and _ends_in_wheel(tree, leg)]
    held = dict.fromkeys(_following_hips(tree, legs, source), "one motor turns both")
    held |= dict.fromkeys(tree.names_of(leg.joints[-1] for leg in wheels), "they are wheels, taken as braked")
    left = [len(set(tree.names_of(leg.joints)) - held.keys()) for leg in legs]
    return held if min(left) >= _LEAST_LEFT[len(legs)] else {}


def _following_hips(tree: LinkTree, legs: Sequence[FoundLeg], source: ImportedSource) -> list[str]:
    """Return the first joints of legs that follow that of another leg, and those that they follow."""
    first = tree.names_of(leg.joints[0] for leg in legs)
    pairs = [pair for pair in source.coupled.items() if set(pair) <= set(first)]
    return list(chain.from_iterable(pairs))


def check_legs(tree: LinkTree, legs: Sequence[FoundLeg], source: ImportedSource) -> None:
    """Raise NotAdoptedError where a leg has slides, loops, passive or coupled joints or wheels."""
    for leg in legs:
        links = set(tree.path(leg.end)) | leg.foot_links
        names = set(chain.from_iterable(map(tree.all_names, links)))
        _check_no_slide(names, source)
        _check_no_loop(names, source)
        _check_driven(tree.names_of(leg.joints), source)
        _check_no_wheel(tree, leg)


def _check_no_slide(names: set[str], source: ImportedSource) -> None:
    slides = [joint for joint, link in source.sliding.items() if link in names]
    if slides:
        raise NotAdoptedError(f"the joint {slides[0]} of a leg slides; strut moves legs with hinges only.")


def _check_no_loop(names: set[str], source: ImportedSource) -> None:
    loops = [pair for pair in source.loops if names & set(pair)]
    if loops:
        words = " and ".join(loops[0])
        raise NotAdoptedError(f"a leg has a closed loop: {words} are held together; strut moves open chains only.")


def _check_driven(joints: list[str], source: ImportedSource) -> None:
    driven = "which is part of a leg; strut needs every leg joint driven by itself."
    if passive := source.passive.intersection(joints):
        raise NotAdoptedError(f"no motor moves the joint {min(passive)}, {driven}")
    if coupled := set(source.coupled).intersection(joints):
        raise NotAdoptedError(f"the joint {min(coupled)} follows another, {driven}")


def _check_no_wheel(tree: LinkTree, leg: FoundLeg) -> None:
    if _ends_in_wheel(tree, leg):
        raise NotAdoptedError(f"its legs end in wheels ({tree.name(leg.end)}); strut moves feet that stand.")


def _ends_in_wheel(tree: LinkTree, leg: FoundLeg) -> bool:
    """Return whether a leg ends in something round that turns without end about a level axis."""
    joint = leg.joints[-1]
    low, high = tree.bounds([joint])
    turns_on = not tree.model.jnt_limited[joint] or high[0] - low[0] >= 2.0 * np.pi
    return bool(turns_on and abs(tree.data.xaxis[joint][2]) < 0.5 and _is_round(tree, leg))


def _is_round(tree: LinkTree, leg: FoundLeg) -> bool:
    """Return whether the end of a leg reaches about as far from its last joint in all directions around its axis."""
    axis = tree.data.xaxis[leg.joints[-1]]
    anchor = tree.data.xanchor[leg.joints[-1]]
    points = tree.points_of(set(leg.foot_links))
    away = points.in_world(tree.data) - anchor
    across = away - np.outer(away @ axis, axis)
    size = float((np.linalg.norm(across, axis=1) + points.radius).max())
    first = np.cross(axis, [0.3, 0.5, 0.8])
    first /= np.linalg.norm(first)
    angles = np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)[:, None]
    around = np.cos(angles) * first + np.sin(angles) * np.cross(axis, first)
    reaches = (across @ around.T + points.radius[:, None]).max(axis=0)
    return bool(reaches.min() > 0.85 * size)
