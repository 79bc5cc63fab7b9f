"""Upper body: trunk, head and arms of a robot whose legs are known, and which of their joints show a feeling.

Which joint bends the trunk forward, nods, swings an arm or bends an elbow is measured: how the end moves when it turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, takewhile
from typing import Literal

import numpy as np

from strut.adoption.body_plan import BodyPlan
from strut.adoption.front_finder import words_of
from strut.adoption.link_tree import LinkTree
from strut.arrays import Array

_HEADS = {"head", "neck", "skull", "face", "eye", "eyes", "camera"}
_ARMS = {"arm", "hand", "wrist", "gripper"}
_MIDDLE = 0.1  # of how far aside the arms are: nearer to the middle is in the middle
_CLEAR = 0.5  # of a turn's speed that must go the right way
_MIDDLE_OF_ARM = (0.3, 0.7)  # of the way from the shoulder to the fingertips: where an elbow is, and no wrist
_ALONG = 0.35  # cosine between a joint's axis and the rest of the arm above which it rather twists than bends it
_BEND_RAD = 1.0
_BOTH_WAYS = (
    0.5  # of what the better way brings the hand nearer: a joint whose other way brings so much bends both ways
)
LimbKind = Literal["arm", "head", "trunk"]


@dataclass(frozen=True, slots=True)
class UpperLimb:
    """A limb that is no leg.

    Args:
        name: For the folder.
        kind: What it is.
        joints: From the base outwards, without fingers.
        end: Its last link.
    """

    name: str
    kind: LimbKind
    joints: tuple[int, ...]
    end: int


@dataclass(frozen=True, slots=True)
class ExpressiveJoint:
    """A joint that shows a feeling: which, what a positive share does, and the sign of the angle that does it."""

    joint: str
    does: Literal["bend the trunk forward", "nod", "swing the arm forward", "bend the elbow"]
    limb: str
    sign: int


@dataclass(frozen=True, slots=True)
class UpperBody:
    """All that is no leg: limbs, joints that stay rigid (fingers, toes, tails), and joints that show a feeling."""

    limbs: tuple[UpperLimb, ...]
    rigid: tuple[str, ...]
    expressive: tuple[ExpressiveJoint, ...]


def find_upper_body(anatomy: BodyPlan, cameras: frozenset[str], passive: frozenset[str]) -> UpperBody:
    """Return trunk, head and arms; `cameras` are links that carry one, `passive` joints that cannot be moved."""
    tree = anatomy.tree
    tree.pose(anatomy.standing)
    in_legs = set(chain.from_iterable((*leg.joints, *leg.toes) for leg in anatomy.legs))
    shared = chain.from_iterable(leg.shared for leg in anatomy.legs)
    ends = _outermost(tree, _limb_ends(tree, in_legs), passive)
    trunk = list(dict.fromkeys((*shared, *_common(tree, ends))))
    head = _head(tree, ends, cameras, set(trunk))
    not_free = {*trunk, *in_legs, *(joint for joint in tree.hinges if tree.joint_name(joint) in passive)}
    limbs = [*_trunk_limb(tree, trunk), *_head_limb(tree, head, not_free)]
    limbs += _named_arms(tree, _arms(tree, [end for end in ends if head not in tree.path(end)], not_free))
    used = {*chain.from_iterable(limb.joints for limb in limbs), *in_legs} - set(_toes(anatomy))
    rigid = tree.names_of(joint for joint in tree.hinges if joint not in used)
    return UpperBody(tuple(limbs), tuple(rigid), tuple(_expressive(anatomy, limbs)))


def measured_again(upper: UpperBody, anatomy: BodyPlan) -> UpperBody:
    """Return an upper body with what its joints do measured anew, as the robot stands now: its arms have moved."""
    return replace(upper, expressive=tuple(_expressive(anatomy, upper.limbs)))


def _toes(anatomy: BodyPlan) -> list[int]:
    return list(chain.from_iterable(leg.toes for leg in anatomy.legs))


def _trunk_limb(tree: LinkTree, joints: list[int]) -> list[UpperLimb]:
    return [UpperLimb("trunk", "trunk", tuple(joints), _moved_by(tree, joints[-1]))] if joints else []


def _head_limb(tree: LinkTree, head: int | None, not_free: set[int]) -> list[UpperLimb]:
    joints = () if head is None else _free_joints(tree, head, not_free)
    return [UpperLimb("head", "head", joints, _moved_by(tree, joints[-1]))] if joints else []


def _arms(tree: LinkTree, ends: list[int], not_free: set[int]) -> list[tuple[int, tuple[int, ...]]]:
    """Return last link and joints of limbs of two joints and more that are no tails."""
    arms = [_free_joints(tree, end, not_free) for end in ends if not _is_tail(tree, end)]
    return [(_moved_by(tree, joints[-1]), joints) for joints in dict.fromkeys(arms) if len(joints) > 1]


def _limb_ends(tree: LinkTree, in_legs: set[int]) -> list[int]:
    """Return where limbs that are no legs end; of ends that share more than half of their way, where they part."""
    ends: list[int] = []
    for leaf in tree.leaves:
        if set(tree.chain(leaf)) & in_legs:
            continue
        same = next((end for end in ends if _is_same_limb(tree, end, leaf)), None)
        if same is None:
            ends.append(leaf)
        else:
            ends[ends.index(same)] = _shared_path(tree, same, leaf)[-1]
    return ends


def _outermost(tree: LinkTree, ends: list[int], passive: frozenset[str]) -> list[int]:
    """Return the ends without those that sit along the way to another, such as shafts of gears."""
    ways = {end: [joint for joint in tree.chain(end) if tree.joint_name(joint) not in passive] for end in ends}
    order = sorted(ends, key=lambda end: -len(ways[end]))
    kept: list[int] = []
    for end in order:
        if not any(ways[end] == ways[longer][: len(ways[end])] for longer in kept):
            kept.append(end)
    return [end for end in ends if end in kept]


def _is_same_limb(tree: LinkTree, end: int, leaf: int) -> bool:
    """Return whether two ends are fingers of one hand: most joints in common, and short ways after them.

    What hangs on a head by one joint (ears, antennas, a jaw) is part of it, however long.
    """
    path = _shared_path(tree, end, leaf)
    shared = tree.joints_of(path)
    ways = [tree.chain(end), tree.chain(leaf)]
    beyond = max(_length_m(tree, way[max(len(shared) - 1, 0) :]) for way in ways)
    on_head = bool(path) and bool(_link_words(tree, path[-1]) & _HEADS) and max(map(len, ways)) <= len(shared) + 1
    return 2 * len(shared) > min(map(len, ways)) and (on_head or beyond < 0.5 * _length_m(tree, shared))


def _length_m(tree: LinkTree, joints: Sequence[int]) -> float:
    """Return how long the way along joints is; the model must be posed."""
    return float(np.linalg.norm(np.diff(tree.anchors(joints), axis=0), axis=1).sum())


def _shared_path(tree: LinkTree, first: int, second: int) -> list[int]:
    return [one for one, other in zip(tree.path(first), tree.path(second), strict=False) if one == other]


def _common(tree: LinkTree, ends: list[int]) -> list[int]:
    """Return the joints that the upper limbs share: of those, the longest way that at least two have in common."""
    ways = [tree.joints_of(_shared_path(tree, one, other)) for one, other in combinations(ends, 2)]
    return max(ways, key=len, default=[])


def _head(tree: LinkTree, ends: list[int], cameras: frozenset[str], trunk: set[int]) -> int | None:
    """Return the deepest link that is called head or neck, or that carries a camera; None if there is none.

    A head that is bolted to the trunk is the trunk, and a camera on a wrist is no face.
    """
    moving = _not_on_arms(tree, ends, trunk)
    called = [link for link in moving if _link_words(tree, link) & _HEADS]
    seeing = [link for link in moving if cameras & set(tree.all_names(link))]
    return next(reversed(called or seeing or _central(tree, ends, trunk)), None)


def _not_on_arms(tree: LinkTree, ends: list[int], trunk: set[int]) -> list[int]:
    """Return the links of limbs that move against the trunk and are on no arm, the deepest last."""
    links = set(chain.from_iterable(map(tree.path, ends)))
    moving = [link for link in links if not set(tree.chain(link)) <= trunk and not _way_words(tree, link) & _ARMS]
    return sorted(moving, key=lambda link: len(tree.chain(link)))


def _central(tree: LinkTree, ends: list[int], trunk: set[int]) -> list[int]:
    """Return the limb in the middle that reaches above where the others begin, where there are at least two others."""
    ways = {end: tree.anchors([joint for joint in tree.chain(end) if joint not in trunk]) for end in ends}
    limbs = sorted((end for end in ends if len(ways[end])), key=lambda end: _aside_m(ways[end]))
    if len(limbs) < 3 or _aside_m(ways[limbs[0]]) > _MIDDLE * _aside_m(ways[limbs[-1]]):
        return []
    shoulder_m = max(float(ways[end][0, 2]) for end in limbs[1:])
    return limbs[:1] if float(ways[limbs[0]][:, 2].max()) > shoulder_m else []


def _aside_m(places: Array) -> float:
    """Return how far from the middle the farthest of some places is. Shape (n, 3)."""
    return float(np.abs(places[:, 1]).max())


def _link_words(tree: LinkTree, link: int) -> set[str]:
    return set().union(*map(words_of, tree.all_names(link)))


def _way_words(tree: LinkTree, link: int) -> set[str]:
    """Return the words of the names of all links on the way to a link."""
    return set().union(*(_link_words(tree, other) for other in tree.path(link)))


def _free_joints(tree: LinkTree, end: int, not_free: set[int]) -> tuple[int, ...]:
    return tuple(joint for joint in tree.chain(end) if joint not in not_free)


def _is_tail(tree: LinkTree, end: int) -> bool:
    return any("tail" in words_of(name) for link in tree.path(end) for name in tree.all_names(link))


def _moved_by(tree: LinkTree, joint: int) -> int:
    return tree.link_of_body[int(tree.model.jnt_bodyid[joint])]


def _named_arms(tree: LinkTree, arms: list[tuple[int, tuple[int, ...]]]) -> list[UpperLimb]:
    """Return arms called after their side, or numbered."""
    named: list[UpperLimb] = []
    for index, (end, joints) in enumerate(arms):
        side = float(tree.data.xanchor[joints[0]][1]) + float(tree.data.xanchor[joints[-1]][1])
        reach = max(float(np.ptp(tree.data.xpos[1:, 2])), 1e-6)
        name = ("left_arm" if side > 0 else "right_arm") if abs(side) > 0.02 * reach else "arm"
        if name in [limb.name for limb in named]:
            name = f"{name}_{index + 1}"
        named.append(UpperLimb(name, "arm", joints, end))
    return named


def _expressive(anatomy: BodyPlan, limbs: Sequence[UpperLimb]) -> list[ExpressiveJoint]:
    """Return the joints that show a feeling, by what turning them does in the standing posture."""
    found = []
    for limb in limbs:
        if limb.kind == "trunk":
            found += _strongest(anatomy, limb, "bend the trunk forward", _tip(anatomy, limb), np.array([1.0, 0.0, 0.0]))
        elif limb.kind == "head":
            found += _strongest(anatomy, limb, "nod", _tip(anatomy, limb), np.array([1.0, 0.0, 0.0]))
        else:
            found += arm_swing(anatomy, limb)
            found += _elbow(anatomy, limb)
    return found


def arm_swing(anatomy: BodyPlan, limb: UpperLimb) -> list[ExpressiveJoint]:
    """Return the joint that swings an arm forwards in the standing posture, if one above the elbow does."""
    elbow = next(iter(bending_joints(anatomy, limb)), None)
    shoulder = replace(limb, joints=tuple(takewhile(lambda joint: joint != elbow, limb.joints)))
    return _strongest(anatomy, shoulder, "swing the arm forward", _hand(anatomy, limb), np.array([1.0, 0.0, 0.0]))


def _tip(anatomy: BodyPlan, limb: UpperLimb) -> Array:
    """Return a point well above a limb's end: what bends forward moves it forward."""
    data = anatomy.tree.pose(anatomy.standing)
    point: Array = data.xanchor[limb.joints[-1]] + np.array([0.0, 0.0, 0.3 * anatomy.height_m])
    return point


def _hand(anatomy: BodyPlan, limb: UpperLimb) -> Array:
    """Return a point well below the shoulder: what swings the arm forward moves it forward."""
    anatomy.tree.pose(anatomy.standing)
    place: Array = anatomy.tree.data.xanchor[limb.joints[0]] - np.array([0.0, 0.0, 0.3])
    return place


def _strongest(
    anatomy: BodyPlan, limb: UpperLimb, does: Literal["bend the trunk forward", "nod", "swing the arm forward"],
    point: Array, way: Array,
) -> list[ExpressiveJoint]:  # fmt: skip
    """Return the first joint of a limb whose turn moves a point mostly one way, with the sign that does."""
    data = anatomy.tree.pose(anatomy.standing)
    tree = anatomy.tree
    for joint in limb.joints:
        speed = np.cross(data.xaxis[joint], point - data.xanchor[joint])
        size = float(np.linalg.norm(speed))
        along = float(speed @ way)
        if size > 1e-6 and abs(along) > _CLEAR * size and abs(data.xaxis[joint][1]) > _CLEAR:
            return [ExpressiveJoint(tree.joint_name(joint), does, limb.name, int(np.sign(along)))]
    return []


def _elbow(anatomy: BodyPlan, limb: UpperLimb) -> list[ExpressiveJoint]:
    """Return the first joint in the middle of an arm that bends it, with the sign that brings the hand nearer.

    Where both would, an elbow bends forwards.
    """
    tree = anatomy.tree
    straight = _reach(anatomy, limb, anatomy.standing)
    for joint in bending_joints(anatomy, limb):
        nearer_m = []
        ahead_m = []
        for sign in (1, -1):
            qpos = anatomy.standing.copy()
            qpos[tree.address(joint)] += _BEND_RAD * sign  # or as far as it goes
            bent = _reach(anatomy, limb, tree.clamped(qpos))
            nearer_m.append(float(np.linalg.norm(straight) - np.linalg.norm(bent)))
            ahead_m.append(float(bent[0]))
        if max(nearer_m) > 1e-3 * anatomy.height_m:
            gains = ahead_m if min(nearer_m) > _BOTH_WAYS * max(nearer_m) else nearer_m
            return [
                ExpressiveJoint(tree.joint_name(joint), "bend the elbow", limb.name, 1 if gains[0] > gains[1] else -1)
            ]
    return []


def bending_joints(anatomy: BodyPlan, limb: UpperLimb) -> list[int]:
    """Return the joints near the middle of an arm, by the way along it, whose axis lies across what hangs on them."""
    tree = anatomy.tree
    tree.pose(anatomy.standing)
    anchors = tree.anchors(limb.joints)
    tips = fingertips(anatomy, limb)
    ways = np.linalg.norm(np.diff([*anchors, tips], axis=0), axis=1)
    share = np.concatenate([[0.0], np.cumsum(ways)[:-1]]) / max(float(ways.sum()), 1e-9)
    middle = (share > _MIDDLE_OF_ARM[0]) & (share < _MIDDLE_OF_ARM[1])
    bends = middle & (twist_shares(anatomy, limb) < _ALONG)
    return [limb.joints[place] for place in np.flatnonzero(bends)]


def twist_shares(anatomy: BodyPlan, limb: UpperLimb) -> Array:
    """Return the cosine between each joint's axis and what hangs on it: 1 twists it, 0 bends it. Shape (n_joints,)."""
    tree = anatomy.tree
    tree.pose(anatomy.standing)
    rest = fingertips(anatomy, limb) - tree.anchors(limb.joints)
    along = np.abs(np.einsum("ni,ni->n", tree.data.xaxis[list(limb.joints)], rest))
    shares: Array = along / np.maximum(np.linalg.norm(rest, axis=1), 1e-9)
    return shares


def fingertips(anatomy: BodyPlan, limb: UpperLimb) -> Array:
    """Return the point of an arm's last link that is farthest from its last joint, as it is posed. Shape (3,)."""
    tree = anatomy.tree
    points = tree.points_of({limb.end}).in_world(tree.data)
    anchor: Array = tree.data.xanchor[limb.joints[-1]]
    if not len(points):
        return np.array(tree.data.xipos[int(tree.model.jnt_bodyid[limb.joints[-1]])])
    return np.array(points[np.argmax(np.linalg.norm(points - anchor, axis=1))])


def _reach(anatomy: BodyPlan, limb: UpperLimb, qpos: Array) -> Array:
    """Return where the fingertips are from the shoulder. Shape (3,)."""
    data = anatomy.tree.pose(qpos)
    way: Array = fingertips(anatomy, limb) - data.xanchor[limb.joints[0]]
    return way
