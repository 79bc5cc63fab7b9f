"""Rest pose search: tries postures until the robot rests on two or four legs that are alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain

import mujoco
import numpy as np

from strut.adoption.foot_finder import ImportedFoot, fit_feet, leg_length_m
from strut.adoption.front_finder import split_name
from strut.adoption.leg_finder import NEAR_FLOOR, RestSupport, find_lowest_posture, find_support, lift_links
from strut.adoption.link_tree import LinkTree
from strut.adoption.note import list_names
from strut.adoption.robot_source import Keyframe, RobotSource
from strut.adoption.standing_posture import find_standing_fault
from strut.arrays import Array
from strut.errors import NotAdoptedError
from strut.robot import FLOATING

_STANDING_NAMES = ("stand", "home", "walk", "init", "default", "nominal")
_LYING_NAMES = ("down", "sit", "lie", "lying", "crouch")
_Y_UP = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)  # quaternion that turns the y axis of a file upright
_IDENTITY_W = 0.999  # smallest |w| of a base quaternion that counts as no rotation
_MIN_JOINTS = 2  # of a leg
_FEWEST_OF_FOUR = 3  # joints of each of four limbs that are taken as legs although others touch the floor
_HANDS = {"hand", "finger", "fingertip", "gripper", "wrist", "palm", "thumb", "forearm", "elbow", "arm"}
_FEET = {"foot", "feet", "toe", "ankle", "leg", "calf", "shank", "knee", "paw", "sole", "hoof", "wheel"}
_ONE_SIDED = 0.18  # of the leg's length: a centre of mass farther from the line between two hips needs other legs
_HANGING = 0.2  # of the hips' height: limbs attached farther above the centre of mass are arms
_HANGING_BODY = 0.15  # of the leg's length: a body that is lower under its hips is upside down
_SIMILAR = [0.0, 0.1, 0.2]  # relative difference in joints, length and mass between limbs that are alike
_MIN_SHAPED = 1 / 3  # share of the links that need a shape before missing legs are credible
_NUMBERS = {1: "one leg", 3: "three legs", 5: "five legs", 6: "six legs", 8: "eight legs"}


class PostureOrigin(StrEnum):
    """Where a posture comes from."""

    KEYFRAME = "the keyframe"
    ZERO = "all joints at zero"
    MID_RANGE = "all joints in the middle of their range"
    LOWEST = "the lowest posture of its limbs"


@dataclass(frozen=True, slots=True)
class RestPose:
    """A posture and what the robot rests on in it.

    Args:
        tree: The kinematic tree.
        up: The axis that is upright: `z` or `y` of the file, or `z of its base`.
        qpos: The configuration. Shape (nq,).
        support: What the robot rests on.
        origin: Where the posture comes from.
        name: The same in words, with the name of a keyframe.
    """

    tree: LinkTree
    up: str
    qpos: Array
    support: RestSupport
    origin: PostureOrigin
    name: str

    @property
    def joint_counts(self) -> list[int]:
        """The number of joints of each leg in ascending order; [0] if there are no legs."""
        return sorted(len(leg.joints) for leg in self.support.legs) or [0]

    @property
    def end_names(self) -> list[str]:
        """The names of the links on which the robot rests."""
        return [self.tree.link_name(leg.end) for leg in self.support.legs]

    def feet(self) -> tuple[ImportedFoot, ...]:
        """Return the feet in this posture."""
        return fit_feet(self.tree, self.support.legs, self.qpos)

    def hips(self) -> Array:
        """Return the positions of the first leg joints in world. Shape (n, 3)."""
        self.tree.pose(self.qpos)
        return self.tree.joint_positions([leg.joints[0] for leg in self.support.legs])

    def is_standing(self) -> bool:
        """Return whether the robot stands in this posture."""
        return find_standing_fault(self.tree, self.support.legs, self.feet(), self.qpos) is None


def find_rest_pose(model: mujoco.MjModel, source: RobotSource) -> RestPose:
    """Return the first posture in which the robot rests on legs.

    A keyframe in which the robot rests on legs but does not stand is the last resort. Raises NotAdoptedError with the
    reason if there is no such posture.
    """
    tried = []
    not_standing = []
    for pose in _candidates(model, source):
        tried.append(pose)
        if not _is_legged(pose):
            continue
        if pose.origin is not PostureOrigin.KEYFRAME or pose.is_standing():
            return pose
        not_standing.append(pose)
    if not not_standing:
        if (lifted := _lift_other_limbs(tried)) is not None:
            return lifted
        raise NotAdoptedError(_why_not_legged(tried))
    return not_standing[0]


def _lift_other_limbs(poses: Sequence[RestPose]) -> RestPose | None:
    """Return a posture of a robot on four legs whose tail or arms are lifted off the floor; None if there is none.

    Four limbs that are alike, of at least three joints, are the legs.
    """
    for pose in poses:
        if pose.up != "z" or pose.origin is not PostureOrigin.ZERO:
            continue
        tree = pose.tree
        legs = _four_alike(pose)
        if not legs:
            continue
        in_legs = set(chain.from_iterable(tree.joint_chain(link) for link in legs))
        floor_m = float(tree.lowest_heights(pose.qpos)[legs].min()) + NEAR_FLOOR * tree.height(pose.qpos)
        others = [link for link in tree.leaves if link not in legs and not in_legs & set(tree.joint_chain(link))]
        qpos, lifted = lift_links(tree, others, pose.qpos, floor_m)
        name = f"{pose.name}, with {list_names([tree.link_name(link) for link in lifted])} lifted off the floor"
        found = RestPose(tree, pose.up, qpos, find_support(tree, qpos), pose.origin, name)
        if lifted and _is_legged(found) and len(found.support.legs) == 4:
            return found
    return None


def _four_alike(pose: RestPose) -> list[int]:
    """Return the end links of the only four limbs that are alike and have three joints or more."""
    tree = pose.tree
    tree.pose(pose.qpos)
    sizes = {link: _limb_size(tree, link) for link in tree.leaves if len(tree.joint_chain(link)) >= _FEWEST_OF_FOUR}
    groups = {
        tuple(other for other in sizes if (np.abs(sizes[other] - size) <= size * _SIMILAR).all())
        for size in sizes.values()
    }
    fours = [group for group in groups if len(group) == 4]
    return list(fours[0]) if len(fours) == 1 else []


def _candidates(model: mujoco.MjModel, source: RobotSource) -> Iterator[RestPose]:
    """Yield postures to try for each axis that may be upright."""
    for up, quaternion in _upright_axes(model):
        tree = LinkTree(model, quaternion)
        if not len(tree.points.position):
            raise NotAdoptedError("no link has a shape, so contacts with the floor are unknown; add collision shapes.")
        for origin, name, qpos in _postures(tree, source.keyframes, up):
            yield RestPose(tree, up, qpos, find_support(tree, qpos), origin, name)


def _postures(tree: LinkTree, keyframes: Sequence[Keyframe], up: str) -> Iterator[tuple[PostureOrigin, str, Array]]:
    """Yield postures with their origin and name, likely ones first."""
    possible = [key for key in keyframes if not _has_word(key, _LYING_NAMES)]
    standing = [key for key in possible if _has_word(key, _STANDING_NAMES)]
    others = [key for key in possible if not _has_word(key, _STANDING_NAMES)]
    for key in standing:
        yield PostureOrigin.KEYFRAME, f"{PostureOrigin.KEYFRAME} {key.name}", tree.posture(key.angles)
    yield PostureOrigin.ZERO, str(PostureOrigin.ZERO), tree.zero_posture
    yield PostureOrigin.MID_RANGE, str(PostureOrigin.MID_RANGE), tree.mid_range_posture
    for key in others:
        yield PostureOrigin.KEYFRAME, f"{PostureOrigin.KEYFRAME} {key.name}", tree.posture(key.angles)
    if up == "z":
        yield PostureOrigin.LOWEST, str(PostureOrigin.LOWEST), find_lowest_posture(tree)


def _has_word(key: Keyframe, words: tuple[str, ...]) -> bool:
    return any(word in key.name.lower() for word in words)


def _upright_axes(model: mujoco.MjModel) -> Iterator[tuple[str, Array]]:
    """Yield the axes that may be upright, with the base quaternion for each: z of the file, z of the base, y."""
    in_file = np.array(model.qpos0[3:FLOATING])
    yield "z", in_file
    if abs(in_file[0]) < _IDENTITY_W:
        yield "z of its base", np.array([1.0, 0.0, 0.0, 0.0])
    quaternion = np.zeros(4)
    mujoco.mju_mulQuat(quaternion, np.array(_Y_UP), in_file)
    yield "y", quaternion


def _is_legged(pose: RestPose) -> bool:
    """Return whether a robot rests on two or four legs that are alike."""
    fewest = pose.joint_counts[0]
    most = pose.joint_counts[-1]
    if len(pose.support.legs) not in (2, 4) or fewest < _MIN_JOINTS or most > fewest + 1:
        return False
    return not (_rests_on_arms(pose) or _has_more_legs(pose) or _is_one_sided(pose) or _is_upside_down(pose))


def _rests_on_arms(pose: RestPose) -> bool:
    """Return whether a robot rests on hands, by name, or on limbs attached far above its centre of mass."""
    names = chain.from_iterable(pose.tree.body_names(leg.end) for leg in pose.support.legs)
    words = set().union(*(split_name(name) for name in names))
    if words & (_FEET | _HANDS):
        return not words & _FEET
    hips = float(pose.hips()[:, 2].mean())
    com = float(pose.tree.com(pose.qpos)[2])
    floor = float(pose.tree.lowest_heights(pose.qpos).min())
    return hips - com > _HANGING * (hips - floor)


def _has_more_legs(pose: RestPose) -> bool:
    """Return whether a robot has two or more limbs in the air like those on which it rests."""
    tree = pose.tree
    legs = pose.support.legs
    tree.pose(pose.qpos)
    in_legs = set(chain.from_iterable(leg.foot_links for leg in legs))
    others = [_limb_size(tree, link) for link in tree.leaves if link not in in_legs]
    own = [_limb_size(tree, leg.end) for leg in legs]
    return sum(any((np.abs(other - size) <= size * _SIMILAR).all() for size in own) for other in others) >= 2


def _limb_size(tree: LinkTree, end: int) -> Array:
    """Return the number of joints, the length [m] and the mass [kg] of the chain to a link. Shape (3,)."""
    joints = tree.joint_chain(end)
    bodies = list(tree.bodies_of(tree.path(end)))
    length = np.linalg.norm(np.diff(tree.joint_positions(joints), axis=0), axis=1).sum()
    return np.array([len(joints), length, tree.model.body_mass[bodies].sum()])


def _is_one_sided(pose: RestPose) -> bool:
    """Return whether the centre of mass of a robot on two legs is far from the line between its hips."""
    hips = pose.hips()[:, :2]
    across = hips[0] - hips[1]
    forward = np.array([across[1], -across[0]]) / max(float(np.linalg.norm(across)), 1e-9)
    com = pose.tree.com(pose.qpos)[:2]
    offset = abs(float((com - hips.mean(axis=0)) @ forward))
    return len(hips) == 2 and offset > _ONE_SIDED * leg_length_m(pose.tree, pose.support.legs[0])


def _is_upside_down(pose: RestPose) -> bool:
    """Return whether the centre of mass of everything but the legs is far below the hips."""
    tree = pose.tree
    in_legs = chain.from_iterable(tree.path(leg.end)[-len(leg.joints) :] for leg in pose.support.legs)
    bodies = list(set(range(1, tree.model.nbody)) - tree.bodies_of(set(in_legs)))
    hips = pose.hips()[:, 2].mean()
    masses = tree.model.body_mass[bodies]
    com = float(masses @ tree.data.xipos[bodies][:, 2] / masses.sum())
    return bool(hips - com > _HANGING_BODY * leg_length_m(tree, pose.support.legs[0]))


def _why_not_legged(poses: Sequence[RestPose]) -> str:
    """Return why none of the postures has legs, from the posture whose legs have most joints."""
    legged = [pose for pose in poses if pose.up == "z" and pose.support.legs]
    informative = [pose for pose in legged if pose.origin is not PostureOrigin.LOWEST]
    if not informative:  # in the lowest posture, any one or two limbs could be legs
        informative = [pose for pose in legged if len(pose.support.legs) > 2]
    if not informative:
        bare = ""
        if not _has_shapes(poses):
            bare = "; most links have no shape, so legs may be missing: add collision shapes"
        return f"it rests on its base in every posture tried, so it has no legs to walk with{bare}."
    best = max(informative, key=lambda pose: pose.joint_counts[0])
    count = len(best.support.legs)
    ends = list_names(best.end_names)
    if best.joint_counts[0] < _MIN_JOINTS:
        return f"it rests on {ends}, some of them moved by one joint or none: these are wheels or rollers, not legs."
    if _rests_on_arms(best):
        return f"it would stand on its hands ({ends}): these are arms, and it has no legs."
    if count in (2, 4):
        return f"the limbs on which it rests ({ends}) are not alike, so they are not pairs of legs."
    return f"it rests on {_NUMBERS.get(count, f'{count} legs')} ({ends}); strut moves robots with two or four."


def _has_shapes(poses: Sequence[RestPose]) -> bool:
    """Return whether at least a third of the moving bodies have a shape."""
    model = poses[0].tree.model
    moving = {int(body) for body in model.jnt_bodyid}
    return len(moving & {int(body) for body in model.geom_bodyid}) >= _MIN_SHAPED * len(moving)
