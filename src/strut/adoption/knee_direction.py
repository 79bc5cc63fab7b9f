"""Knee direction: whether the knees of a left and a right leg bend the same way."""

from __future__ import annotations

import numpy as np

from strut.adoption.anatomy import Anatomy
from strut.adoption.foot_finder import foot_centres
from strut.adoption.note import Note
from strut.robot import FLOATING

_LATERAL = 0.7  # smallest lateral part of the unit axis of a knee
_BENT_RAD = 0.2  # a knee bent less in the middle of its range bends both ways


def notes_on_knees(anatomy: Anatomy) -> list[Note]:
    """Return a note for every pair of legs whose knees bend opposite ways in the middle of their ranges."""
    notes = []
    for left, right in zip(range(0, len(anatomy.legs), 2), range(1, len(anatomy.legs), 2), strict=True):
        knees = [_find_knee(anatomy, leg) for leg in (left, right)]
        if None in knees:
            continue
        (first, first_bend), (second, second_bend) = (knee for knee in knees if knee is not None)
        if min(abs(first_bend), abs(second_bend)) < _BENT_RAD or first_bend * second_bend > 0.0:
            continue
        words = [_describe(anatomy, *knee) for knee in ((first, first_bend), (second, second_bend))]
        notes.append(
            Note.fault(
                f"the knees of its left and right {_place(anatomy, left)} bend opposite ways: {words[0]}, {words[1]}; "
                "if it is not built so, correct the axis and the range of one."
            )
        )
    return notes


def _place(anatomy: Anatomy, leg: int) -> str:
    return "leg" if len(anatomy.legs) == 2 else ("front leg", "hind leg")[leg // 2]


def _find_knee(anatomy: Anatomy, index: int) -> tuple[int, float] | None:
    """Return the knee of a leg, and how far it is bent in the middle of its range [rad]: forwards if positive.

    The knee is the second of the joints that turn about the lateral axis.
    """
    tree = anatomy.tree
    leg = anatomy.legs[index]
    tree.pose(anatomy.standing)
    lateral = [joint for joint in leg.joints if abs(tree.data.xaxis[joint][1]) > _LATERAL]
    if len(lateral) < 2:
        return None
    hip, knee = lateral[:2]
    lower, upper = tree.bounds([knee])
    qpos = anatomy.standing.copy()
    qpos[3:FLOATING] = tree.base_quaternion
    qpos[tree.address(knee)] = (lower[0] + upper[0]) / 2.0
    tree.pose(qpos)
    end = tree.data.xanchor[lateral[2]] if len(lateral) > 2 else foot_centres(tree, anatomy.feet)[index]
    thigh = tree.data.xanchor[knee] - tree.data.xanchor[hip]
    shank = end - tree.data.xanchor[knee]
    cross = thigh[2] * shank[0] - thigh[0] * shank[2]  # about the lateral axis: a shank that swings back is negative
    return knee, -float(np.arctan2(cross, thigh[0] * shank[0] + thigh[2] * shank[2]))


def _describe(anatomy: Anatomy, knee: int, bend_rad: float) -> str:
    lower, upper = anatomy.tree.bounds([knee])
    way = "forwards" if bend_rad > 0.0 else "backwards"
    return f"{anatomy.tree.joint_name(knee)} {way} ({lower[0]:.2f} to {upper[0]:.2f} rad)"
