"""Leg check: legs with slides, loops, passive joints or wheels are refused with the reason.

Joints that a leg does not need are held in place instead: wheels of four legs, and hips of which one motor turns two.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from strut.adoption.leg_finder import ImportedLeg
from strut.adoption.link_tree import LinkTree
from strut.adoption.robot_source import RobotSource
from strut.errors import NotAdoptedError

_MIN_JOINTS = {2: 5, 4: 3}  # joints that a leg needs for a step, by number of legs
_HORIZONTAL = 0.5  # largest vertical part of the unit axis of a wheel
_ROUND = 0.85  # smallest over largest radius of a wheel
_DIRECTIONS = 8  # in which the radius of a wheel is measured


def find_held_joints(tree: LinkTree, legs: Sequence[ImportedLeg], source: RobotSource) -> dict[str, str]:
    """Return the joints of legs that are held in place, each with the reason.

    These are wheels at the ends of four legs, and first joints of legs of which one follows another. No joint is held
    if too few would be left for a step.
    """
    wheeled = [leg for leg in legs if len(legs) > 2 and _ends_in_wheel(tree, leg)]
    held = dict.fromkeys(_coupled_hips(tree, legs, source), "one motor turns both")
    held |= dict.fromkeys(tree.joint_names_of(leg.joints[-1] for leg in wheeled), "these are wheels, taken as braked")
    left = [len(set(tree.joint_names_of(leg.joints)) - held.keys()) for leg in legs]
    return held if min(left) >= _MIN_JOINTS[len(legs)] else {}


def _coupled_hips(tree: LinkTree, legs: Sequence[ImportedLeg], source: RobotSource) -> list[str]:
    """Return the first joints of legs that follow the first joint of another leg, and those that they follow."""
    first_joints = tree.joint_names_of(leg.joints[0] for leg in legs)
    pairs = [pair for pair in source.coupled.items() if set(pair) <= set(first_joints)]
    return list(chain.from_iterable(pairs))


def check_legs(tree: LinkTree, legs: Sequence[ImportedLeg], source: RobotSource) -> None:
    """Raise NotAdoptedError if a leg has slides, loops, passive or coupled joints, or wheels."""
    for leg in legs:
        links = set(tree.path(leg.end)) | leg.foot_links
        bodies = set(chain.from_iterable(tree.body_names(link) for link in links))
        joints = tree.joint_names_of(leg.joints)
        slides = [joint for joint, body in source.sliding.items() if body in bodies]
        if slides:
            raise NotAdoptedError(f"the leg joint {slides[0]} slides; strut moves legs with hinges only.")
        loops = [pair for pair in source.loops if bodies & set(pair)]
        if loops:
            pair = " and ".join(loops[0])
            raise NotAdoptedError(f"a leg is a closed loop: {pair} are held together; strut moves open chains only.")
        if passive := source.passive.intersection(joints):
            raise NotAdoptedError(
                f"no motor moves the leg joint {min(passive)}; strut needs a motor at every leg joint."
            )
        if coupled := set(source.coupled).intersection(joints):
            raise NotAdoptedError(
                f"the leg joint {min(coupled)} follows another joint; strut needs a motor at every leg joint."
            )
        if _ends_in_wheel(tree, leg):
            raise NotAdoptedError(f"its legs end in wheels ({tree.link_name(leg.end)}); strut moves feet that stand.")


def _ends_in_wheel(tree: LinkTree, leg: ImportedLeg) -> bool:
    """Return whether a leg ends in something round that turns without end about a horizontal axis."""
    joint = leg.joints[-1]
    lower, upper = tree.bounds([joint])
    is_endless = not tree.model.jnt_limited[joint] or upper[0] - lower[0] >= 2.0 * np.pi
    return bool(is_endless and abs(tree.data.xaxis[joint][2]) < _HORIZONTAL and _is_round(tree, leg))


def _is_round(tree: LinkTree, leg: ImportedLeg) -> bool:
    """Return whether the end of a leg has about the same radius in all directions around its last joint."""
    axis = tree.data.xaxis[leg.joints[-1]]
    centre = tree.data.xanchor[leg.joints[-1]]
    points = tree.points_of(set(leg.foot_links))
    offset = points.in_world(tree.data) - centre
    radial = offset - np.outer(offset @ axis, axis)
    max_radius_m = float((np.linalg.norm(radial, axis=1) + points.radius).max())
    first = np.cross(axis, [0.3, 0.5, 0.8])  # any direction across the axis
    first /= np.linalg.norm(first)
    angles = np.linspace(0.0, 2.0 * np.pi, _DIRECTIONS, endpoint=False)[:, None]
    directions = np.cos(angles) * first + np.sin(angles) * np.cross(axis, first)
    radii_m = (radial @ directions.T + points.radius[:, None]).max(axis=0)
    return bool(radii_m.min() > _ROUND * max_radius_m)
