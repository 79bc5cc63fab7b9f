"""Upper body: trunk, head and arms of a robot whose legs are known, and which of their joints express emotions.

Whether a joint bends the trunk forward, nods, swings an arm or bends an elbow is measured: how the end of the limb
moves when the joint turns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, takewhile
from typing import Literal

import numpy as np

from strut.adoption.anatomy import Anatomy
from strut.adoption.front_finder import split_name
from strut.adoption.link_tree import LinkTree
from strut.arrays import Array

_HEAD_NAMES = {"head", "neck", "skull", "face", "eye", "eyes", "camera"}
_ARM_NAMES = {"arm", "hand", "wrist", "gripper"}
_CENTRAL = 0.1  # of the lateral position of the arms: a limb nearer to the middle is a head
_SIDE = 0.02  # of the height of the links: an arm so far from the middle is a left or a right one
_FINGER = 0.5  # of the length of the common chain: longer chains after it are limbs of their own
_CLEAR = 0.5  # share of a movement that must go in the wanted direction
_ELBOW_PLACE = (0.3, 0.7)  # of the length from shoulder to fingertips: where an elbow is, and no wrist
_BENDING = 0.35  # cosine between a joint's axis and the rest of the arm, above which it twists the arm
_BEND_RAD = 1.0
_MIN_BEND = 1e-3  # of the robot's height: by how much an elbow must bring the fingertips nearer to the shoulder
_BOTH_WAYS = 0.5  # a joint that brings the fingertips so much nearer, relative to its better way, bends both ways
_ABOVE_END = 0.3  # of the robot's height: distance of the point above a limb that shows how it bends
_BELOW_SHOULDER_M = 0.3  # distance of the point below a shoulder that shows how an arm swings
_FORWARD = np.array([1.0, 0.0, 0.0])
LimbKind = Literal["arm", "head", "trunk"]
Effect = Literal["bend the trunk forward", "nod", "swing the arm forward", "bend the elbow"]


@dataclass(frozen=True, slots=True)
class UpperLimb:
    """A limb that is not a leg.

    Args:
        name: Its name in robot.toml.
        kind: Arm, head or trunk.
        joints: From the base outwards, without fingers.
        end: Its last link.
    """

    name: str
    kind: LimbKind
    joints: tuple[int, ...]
    end: int


@dataclass(frozen=True, slots=True)
class ExpressiveJoint:
    """A joint that expresses emotions: its effect, and the sign of the angle that has it."""

    joint: str
    does: Effect
    limb: str
    sign: int


@dataclass(frozen=True, slots=True)
class UpperBody:
    """Everything but the legs: limbs, rigid joints (fingers, toes, tails), and joints that express emotions."""

    limbs: tuple[UpperLimb, ...]
    rigid: tuple[str, ...]
    expressive: tuple[ExpressiveJoint, ...]


def find_upper_body(anatomy: Anatomy, cameras: frozenset[str], immobile: frozenset[str]) -> UpperBody:
    """Return trunk, head and arms. `cameras` are links with a camera, `immobile` joints without an own motor."""
    tree = anatomy.tree
    tree.pose(anatomy.standing)
    leg_joints = set(chain.from_iterable((*leg.joints, *leg.toes) for leg in anatomy.legs))
    ends = _remove_inner_ends(tree, _find_limb_ends(tree, leg_joints), immobile)
    shared_by_legs = chain.from_iterable(leg.shared for leg in anatomy.legs)
    trunk = list(dict.fromkeys((*shared_by_legs, *_find_shared_joints(tree, ends))))
    head = _find_head(tree, ends, cameras, set(trunk))
    taken = {*trunk, *leg_joints, *(joint for joint in tree.hinges if tree.joint_name(joint) in immobile)}
    limbs = []
    if trunk:
        limbs.append(UpperLimb("trunk", "trunk", tuple(trunk), _link_moved_by(tree, trunk[-1])))
    head_joints = () if head is None else _joints_not_taken(tree, head, taken)
    if head_joints:
        limbs.append(UpperLimb("head", "head", head_joints, _link_moved_by(tree, head_joints[-1])))
    arm_ends = [end for end in ends if head not in tree.path(end) and not _is_tail(tree, end)]
    arms = dict.fromkeys(_joints_not_taken(tree, end, taken) for end in arm_ends)
    limbs += _name_arms(tree, [joints for joints in arms if len(joints) > 1])
    toes = set(chain.from_iterable(leg.toes for leg in anatomy.legs))
    used = {*chain.from_iterable(limb.joints for limb in limbs), *leg_joints} - toes
    rigid = tree.joint_names_of(joint for joint in tree.hinges if joint not in used)
    return UpperBody(tuple(limbs), tuple(rigid), tuple(_find_expressive_joints(anatomy, limbs)))


def remeasure_expressive_joints(upper: UpperBody, anatomy: Anatomy) -> UpperBody:
    """Return an upper body whose expressive joints are measured again, after the standing posture has changed."""
    return replace(upper, expressive=tuple(_find_expressive_joints(anatomy, upper.limbs)))


def _find_limb_ends(tree: LinkTree, leg_joints: set[int]) -> list[int]:
    """Return the ends of limbs that are not legs; ends of one limb, such as fingers, become the link they share."""
    ends: list[int] = []
    for leaf in tree.leaves:
        if set(tree.joint_chain(leaf)) & leg_joints:
            continue
        same = next((end for end in ends if _are_one_limb(tree, end, leaf)), None)
        if same is None:
            ends.append(leaf)
        else:
            ends[ends.index(same)] = _shared_path(tree, same, leaf)[-1]
    return ends


def _remove_inner_ends(tree: LinkTree, ends: list[int], immobile: frozenset[str]) -> list[int]:
    """Return the ends without those along the chain to another end, such as shafts of gears."""
    chains = {end: [joint for joint in tree.joint_chain(end) if tree.joint_name(joint) not in immobile] for end in ends}
    outer: list[int] = []
    for end in sorted(ends, key=lambda end: -len(chains[end])):
        if not any(chains[end] == chains[longer][: len(chains[end])] for longer in outer):
            outer.append(end)
    return [end for end in ends if end in outer]


def _are_one_limb(tree: LinkTree, end: int, leaf: int) -> bool:
    """Return whether two ends are fingers of one hand: most joints in common, and short chains after them.

    A part on a head with one joint (an ear, an antenna, a jaw) belongs to it, however long it is.
    """
    path = _shared_path(tree, end, leaf)
    shared = tree.joints_of(path)
    chains = [tree.joint_chain(end), tree.joint_chain(leaf)]
    beyond_m = max(_chain_length_m(tree, joints[max(len(shared) - 1, 0) :]) for joints in chains)
    is_on_head = bool(path) and bool(_link_words(tree, path[-1]) & _HEAD_NAMES)
    is_part_of_head = is_on_head and max(len(joints) for joints in chains) <= len(shared) + 1
    is_short = beyond_m < _FINGER * _chain_length_m(tree, shared)
    return 2 * len(shared) > min(len(joints) for joints in chains) and (is_part_of_head or is_short)


def _chain_length_m(tree: LinkTree, joints: Sequence[int]) -> float:
    """Return the length of a chain from joint to joint; the model must be posed."""
    return float(np.linalg.norm(np.diff(tree.joint_positions(joints), axis=0), axis=1).sum())


def _shared_path(tree: LinkTree, first: int, second: int) -> list[int]:
    """Return the links that the paths to two links have in common."""
    return [one for one, other in zip(tree.path(first), tree.path(second), strict=False) if one == other]


def _find_shared_joints(tree: LinkTree, ends: list[int]) -> list[int]:
    """Return the longest chain of joints that at least two limbs share."""
    shared = [tree.joints_of(_shared_path(tree, first, second)) for first, second in combinations(ends, 2)]
    return max(shared, key=len, default=[])


def _find_head(tree: LinkTree, ends: list[int], cameras: frozenset[str], trunk: set[int]) -> int | None:
    """Return the deepest link that is called head or neck, or has a camera, or is central; None if there is none.

    A head without joints is part of the trunk, and a camera on a wrist is not a head.
    """
    candidates = []  # links that move relative to the trunk and are not on an arm, the deepest last
    for link in set(chain.from_iterable(tree.path(end) for end in ends)):
        words = set().union(*(_link_words(tree, ancestor) for ancestor in tree.path(link)))
        if not set(tree.joint_chain(link)) <= trunk and not words & _ARM_NAMES:
            candidates.append(link)
    candidates.sort(key=lambda link: len(tree.joint_chain(link)))
    by_name = [link for link in candidates if _link_words(tree, link) & _HEAD_NAMES]
    with_camera = [link for link in candidates if cameras & set(tree.body_names(link))]
    return next(reversed(by_name or with_camera or _find_central_limb(tree, ends, trunk)), None)


def _find_central_limb(tree: LinkTree, ends: list[int], trunk: set[int]) -> list[int]:
    """Return the limb in the middle that reaches above where the others begin, if there are at least two others."""
    positions = {
        end: tree.joint_positions([joint for joint in tree.joint_chain(end) if joint not in trunk]) for end in ends
    }
    limbs = sorted((end for end in ends if len(positions[end])), key=lambda end: _lateral_m(positions[end]))
    if len(limbs) < 3 or _lateral_m(positions[limbs[0]]) > _CENTRAL * _lateral_m(positions[limbs[-1]]):
        return []
    shoulder_m = max(float(positions[end][0, 2]) for end in limbs[1:])
    return limbs[:1] if float(positions[limbs[0]][:, 2].max()) > shoulder_m else []


def _lateral_m(positions: Array) -> float:
    """Return the largest lateral distance of positions (n, 3) from the middle."""
    return float(np.abs(positions[:, 1]).max())


def _link_words(tree: LinkTree, link: int) -> set[str]:
    return set().union(*(split_name(name) for name in tree.body_names(link)))


def _joints_not_taken(tree: LinkTree, end: int, taken: set[int]) -> tuple[int, ...]:
    return tuple(joint for joint in tree.joint_chain(end) if joint not in taken)


def _is_tail(tree: LinkTree, end: int) -> bool:
    return any("tail" in split_name(name) for link in tree.path(end) for name in tree.body_names(link))


def _link_moved_by(tree: LinkTree, joint: int) -> int:
    body = int(tree.model.jnt_bodyid[joint])
    return int(tree.link_of_body[body])


def _name_arms(tree: LinkTree, arms: list[tuple[int, ...]]) -> list[UpperLimb]:
    """Return arms, each given by its joints, with names by their side, or with numbers."""
    limbs: list[UpperLimb] = []
    for index, joints in enumerate(arms):
        side = float(tree.data.xanchor[joints[0]][1]) + float(tree.data.xanchor[joints[-1]][1])
        height = max(float(np.ptp(tree.data.xpos[1:, 2])), 1e-6)
        name = ("left_arm" if side > 0 else "right_arm") if abs(side) > _SIDE * height else "arm"
        if name in [limb.name for limb in limbs]:
            name = f"{name}_{index + 1}"
        limbs.append(UpperLimb(name, "arm", joints, _link_moved_by(tree, joints[-1])))
    return limbs


def _find_expressive_joints(anatomy: Anatomy, limbs: Sequence[UpperLimb]) -> list[ExpressiveJoint]:
    """Return the joints that express emotions, by what turning them does in the standing posture."""
    expressive = []
    for limb in limbs:
        if limb.kind == "trunk":
            expressive += _find_forward_joint(anatomy, limb, "bend the trunk forward", _point_above(anatomy, limb))
        elif limb.kind == "head":
            expressive += _find_forward_joint(anatomy, limb, "nod", _point_above(anatomy, limb))
        else:
            expressive += find_swing_joint(anatomy, limb)
            expressive += _find_elbow(anatomy, limb)
    return expressive


def find_swing_joint(anatomy: Anatomy, limb: UpperLimb) -> list[ExpressiveJoint]:
    """Return the joint above the elbow that swings an arm forwards in the standing posture, if there is one."""
    elbow = next(iter(find_bending_joints(anatomy, limb)), None)
    above_elbow = replace(limb, joints=tuple(takewhile(lambda joint: joint != elbow, limb.joints)))
    anatomy.tree.pose(anatomy.standing)
    below_shoulder: Array = anatomy.tree.data.xanchor[limb.joints[0]] - np.array([0.0, 0.0, _BELOW_SHOULDER_M])
    return _find_forward_joint(anatomy, above_elbow, "swing the arm forward", below_shoulder)


def _point_above(anatomy: Anatomy, limb: UpperLimb) -> Array:
    """Return a point (3,) well above a limb's last joint: bending forward moves it forward."""
    data = anatomy.tree.pose(anatomy.standing)
    point: Array = data.xanchor[limb.joints[-1]] + np.array([0.0, 0.0, _ABOVE_END * anatomy.height_m])
    return point


def _find_forward_joint(anatomy: Anatomy, limb: UpperLimb, does: Effect, point: Array) -> list[ExpressiveJoint]:
    """Return the first lateral joint of a limb that moves a point (3,) mostly forwards or backwards, if any."""
    tree = anatomy.tree
    data = tree.pose(anatomy.standing)
    for joint in limb.joints:
        velocity = np.cross(data.xaxis[joint], point - data.xanchor[joint])
        speed = float(np.linalg.norm(velocity))
        forward = float(velocity @ _FORWARD)
        if speed > 1e-6 and abs(forward) > _CLEAR * speed and abs(data.xaxis[joint][1]) > _CLEAR:
            return [ExpressiveJoint(tree.joint_name(joint), does, limb.name, int(np.sign(forward)))]
    return []


def _find_elbow(anatomy: Anatomy, limb: UpperLimb) -> list[ExpressiveJoint]:
    """Return the first joint in the middle of an arm that bends it, with the sign that brings the hand nearer.

    An elbow that bends both ways bends forwards.
    """
    tree = anatomy.tree
    straight = _shoulder_to_fingertips(anatomy, limb, anatomy.standing)
    for joint in find_bending_joints(anatomy, limb):
        nearer_m = []
        forward_m = []
        for sign in (1, -1):
            qpos = anatomy.standing.copy()
            qpos[tree.address(joint)] += _BEND_RAD * sign  # or as far as its limit
            bent = _shoulder_to_fingertips(anatomy, limb, tree.clamp(qpos))
            nearer_m.append(float(np.linalg.norm(straight) - np.linalg.norm(bent)))
            forward_m.append(float(bent[0]))
        if max(nearer_m) > _MIN_BEND * anatomy.height_m:
            gains_m = forward_m if min(nearer_m) > _BOTH_WAYS * max(nearer_m) else nearer_m
            sign = 1 if gains_m[0] > gains_m[1] else -1
            return [ExpressiveJoint(tree.joint_name(joint), "bend the elbow", limb.name, sign)]
    return []


def find_bending_joints(anatomy: Anatomy, limb: UpperLimb) -> list[int]:
    """Return the joints near the middle of an arm, along its length, whose axis is across the rest of the arm."""
    tree = anatomy.tree
    tree.pose(anatomy.standing)
    segments = np.diff([*tree.joint_positions(limb.joints), fingertip_position(anatomy, limb)], axis=0)
    lengths = np.linalg.norm(segments, axis=1)
    along = np.concatenate([[0.0], np.cumsum(lengths)[:-1]]) / max(float(lengths.sum()), 1e-9)
    is_in_middle = (along > _ELBOW_PLACE[0]) & (along < _ELBOW_PLACE[1])
    bends = is_in_middle & (twist_cosines(anatomy, limb) < _BENDING)
    return [limb.joints[index] for index in np.flatnonzero(bends)]


def twist_cosines(anatomy: Anatomy, limb: UpperLimb) -> Array:
    """Return the cosine between each joint's axis and the rest of the limb: 1 twists it, 0 bends it. Shape (n,)."""
    tree = anatomy.tree
    tree.pose(anatomy.standing)
    rest = fingertip_position(anatomy, limb) - tree.joint_positions(limb.joints)
    along = np.abs(np.einsum("ni,ni->n", tree.data.xaxis[list(limb.joints)], rest))
    cosines: Array = along / np.maximum(np.linalg.norm(rest, axis=1), 1e-9)
    return cosines


def fingertip_position(anatomy: Anatomy, limb: UpperLimb) -> Array:
    """Return the point of a limb's last link farthest from its last joint; the model must be posed. Shape (3,)."""
    tree = anatomy.tree
    points = tree.points_of({limb.end}).in_world(tree.data)
    last_joint: Array = tree.data.xanchor[limb.joints[-1]]
    if not len(points):
        return np.array(tree.data.xipos[int(tree.model.jnt_bodyid[limb.joints[-1]])])
    return np.array(points[np.argmax(np.linalg.norm(points - last_joint, axis=1))])


def _shoulder_to_fingertips(anatomy: Anatomy, limb: UpperLimb, qpos: Array) -> Array:
    """Return the vector from the first joint to the fingertips in a configuration. Shape (3,)."""
    data = anatomy.tree.pose(qpos)
    vector: Array = fingertip_position(anatomy, limb) - data.xanchor[limb.joints[0]]
    return vector
