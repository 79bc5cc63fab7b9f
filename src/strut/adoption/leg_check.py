"""Leg check: legs that strut cannot move are refused with the reason: slides, loops, passive joints, wheels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strut.adoption.foreign_source import ForeignSource
from strut.adoption.leg_finder import Leg
from strut.adoption.link_tree import LinkTree
from strut.errors import NotAdoptedError


def check_legs(tree: LinkTree, legs: Sequence[Leg], source: ForeignSource) -> None:
    """Raise NotAdoptedError where a leg has slides, loops, passive or coupled joints or wheels."""
    for leg in legs:
        links = {*tree.path(leg.end)} | leg.foot_links
        names = {name for link in links for name in tree.all_names(link)}
        for joint, link in source.sliding.items():
            if link in names:
                raise NotAdoptedError(f"the joint {joint} of a leg slides; strut moves legs with hinges only.")
        for first, second in source.loops:
            if first in names or second in names:
                raise NotAdoptedError(
                    f"a leg has a closed loop: {first} and {second} are held together; strut moves open chains only."
                )
        joints = [tree.joint_name(joint) for joint in leg.joints]
        for what, which in (("no motor moves", source.passive), ("follows", source.coupled)):
            if bad := [joint for joint in joints if joint in which]:
                words = (
                    f"{what} the joint {bad[0]}" if which is source.passive else f"the joint {bad[0]} {what} another"
                )
                raise NotAdoptedError(f"{words}, which is part of a leg; strut needs every leg joint driven by itself.")
        _check_no_wheel(tree, leg)


def _check_no_wheel(tree: LinkTree, leg: Leg) -> None:
    """Raise NotAdoptedError if a leg ends in something round that turns without end about a level axis."""
    joint = leg.joints[-1]
    low, high = tree.model.jnt_range[joint]
    if tree.model.jnt_limited[joint] and high - low < 2.0 * np.pi:
        return
    axis, anchor = tree.data.xaxis[joint], tree.data.xanchor[joint]
    points = tree.points_of(set(leg.foot_links))
    away = points.in_world(tree.data) - anchor
    across = away - np.outer(away @ axis, axis)
    size = float((np.linalg.norm(across, axis=1) + points.radius).max())
    first = np.cross(axis, [0.3, 0.5, 0.8])
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    around = [
        np.cos(angle) * first + np.sin(angle) * second for angle in np.linspace(0.0, 2.0 * np.pi, 8, endpoint=False)
    ]
    reaches = [float((across @ direction + points.radius).max()) for direction in around]
    if abs(axis[2]) < 0.5 and min(reaches) > 0.85 * size:
        raise NotAdoptedError(f"its legs end in wheels ({tree.name(leg.end)}); strut moves feet that stand.")
