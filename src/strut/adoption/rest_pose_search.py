"""Rest pose search: tries one posture after the other until a robot rests on two or four legs that are alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import mujoco
import numpy as np

from strut.adoption.foot_finder import FoundFoot, feet_of, leg_length_m
from strut.adoption.front_finder import words_of
from strut.adoption.leg_finder import Rest, deepest, rest_in
from strut.adoption.link_tree import LinkTree
from strut.adoption.note import list_names
from strut.adoption.robot_source import ImportedSource, Keyframe
from strut.adoption.stand_finder import stands
from strut.arrays import Array
from strut.errors import NotAdoptedError
from strut.robot import FLOATING

_GOOD_NAMES = ("stand", "home", "walk", "init", "default", "nominal")
_BAD_NAMES = ("down", "sit", "lie", "lying", "crouch")
_Y_UP = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)  # the quaternion that puts the y axis of a file upright
_LEAST_JOINTS = 2
_HANDS = {"hand", "finger", "fingertip", "gripper", "wrist", "palm", "thumb", "forearm", "elbow", "arm"}
_FEET = {"foot", "feet", "toe", "ankle", "leg", "calf", "shank", "knee", "paw", "sole", "hoof", "wheel"}
_ONE_SIDED = 0.18  # of the leg's length: farther from the line between two hips, other legs are missing
_HANGING = 0.2  # of the hips' height: limbs that hang from farther above the centre of mass are arms
_HANGING_BODY = 0.15  # of the leg's length: a body that hangs lower under its hips is upside down
_KEYFRAME = "the keyframe"
_DEEPEST = "the deepest that its limbs reach"
_NUMBERS = {1: "one leg", 3: "three legs", 5: "five legs", 6: "six legs", 8: "eight legs"}


@dataclass(frozen=True, slots=True)
class RestPose:
    """A posture, what the robot rests on in it, and where it came from.

    Args:
        tree: The robot.
        up: Which axis is upright.
        qpos: The posture. Shape (nq,).
        rest: What it rests on.
        name: Where the posture is from.
    """

    tree: LinkTree
    up: str
    qpos: Array
    rest: Rest
    name: str

    @property
    def is_keyframe(self) -> bool:
        """Whether the file remembers this posture."""
        return self.name.startswith(_KEYFRAME)

    @property
    def joint_counts(self) -> list[int]:
        """How many joints each leg has, fewest first; one 0 if there are no legs."""
        return sorted(len(leg.joints) for leg in self.rest.legs) or [0]

    @property
    def ends(self) -> list[str]:
        """The links that it rests on."""
        return [self.tree.name(leg.end) for leg in self.rest.legs]

    def feet(self) -> tuple[FoundFoot, ...]:
        """Return its feet in this posture."""
        return feet_of(self.tree, self.rest.legs, self.qpos)

    def hips(self) -> Array:
        """Return where its legs begin in world. Shape (n, 3)."""
        self.tree.pose(self.qpos)
        return self.tree.anchors([leg.joints[0] for leg in self.rest.legs])

    def holds(self) -> bool:
        """Return whether the robot stands in this posture as it is."""
        return not stands(self.tree, self.rest.legs, self.feet(), self.qpos)


def find_rest_pose(model: mujoco.MjModel, source: ImportedSource) -> RestPose:
    """Return the first posture in which a robot rests on legs; a keyframe must hold, or it comes after all others.

    Raises NotAdoptedError with the reason if there is none.
    """
    seen = []
    shaky = []
    for pose in _candidates(model, source):
        seen.append(pose)
        if not _is_legged(pose):
            continue
        if not pose.is_keyframe or pose.holds():
            return pose
        shaky.append(pose)
    if not shaky:
        raise NotAdoptedError(_why_not_legged(seen))
    return shaky[0]


def _candidates(model: mujoco.MjModel, source: ImportedSource) -> Iterator[RestPose]:
    """Yield postures to try: the file's by their names, all at zero, mid-range, as deep as it reaches."""
    for up, quaternion in _ups(model):
        tree = LinkTree(model, quaternion)
        if not len(tree.points.place):
            raise NotAdoptedError("none of its links has a shape, so nobody knows where it touches the floor.")
        for name, qpos in _postures(tree, source.keyframes, up):
            yield RestPose(tree, up, qpos, rest_in(tree, qpos), name)


def _postures(tree: LinkTree, keyframes: Sequence[Keyframe], up: str) -> Iterator[tuple[str, Array]]:
    """Yield postures with their names, likely ones first."""
    upright = [key for key in keyframes if not _is_called(key, _BAD_NAMES)]
    yield from _of_keys(tree, [key for key in upright if _is_called(key, _GOOD_NAMES)])
    yield "all joints at zero", tree.zero
    yield "the middle of all ranges", tree.middle
    yield from _of_keys(tree, [key for key in upright if not _is_called(key, _GOOD_NAMES)])
    if up == "z":
        yield _DEEPEST, deepest(tree)


def _of_keys(tree: LinkTree, keyframes: Sequence[Keyframe]) -> Iterator[tuple[str, Array]]:
    for key in keyframes:
        yield f"{_KEYFRAME} {key.name}", tree.posture(key.angles)


def _is_called(key: Keyframe, words: tuple[str, ...]) -> bool:
    return any(word in key.name.lower() for word in words)


def _ups(model: mujoco.MjModel) -> Iterator[tuple[str, Array]]:
    """Yield what may be up: z of the file, z of its base if that lies on its back in the file, and y of the file."""
    as_drawn = np.array(model.qpos0[3:FLOATING])
    yield "z", as_drawn
    if abs(as_drawn[0]) < 0.999:
        yield "z of its base", np.array([1.0, 0.0, 0.0, 0.0])
    quaternion = np.zeros(4)
    mujoco.mju_mulQuat(quaternion, np.array(_Y_UP), as_drawn)
    yield "y", quaternion


def _is_legged(pose: RestPose) -> bool:
    """Return whether a robot rests on two or four legs that are alike."""
    fewest = pose.joint_counts[0]
    most = pose.joint_counts[-1]
    if len(pose.rest.legs) not in (2, 4) or fewest < _LEAST_JOINTS or most > fewest + 1:
        return False
    return not any(doubt(pose) for doubt in (_are_arms, _has_more_legs, _is_one_sided, _hangs_down))


def _is_one_sided(pose: RestPose) -> bool:
    """Return whether the centre of mass of a robot on two legs is far before or behind the line between its hips."""
    hips = pose.hips()[:, :2]
    across = hips[0] - hips[1]
    forward = np.array([across[1], -across[0]]) / max(float(np.linalg.norm(across)), 1e-9)
    centre = pose.tree.com(pose.qpos)[:2]
    off = abs(float((centre - hips.mean(axis=0)) @ forward))
    return len(hips) == 2 and off > _ONE_SIDED * leg_length_m(pose.tree, pose.rest.legs[0])


def _hangs_down(pose: RestPose) -> bool:
    """Return whether what is no leg hangs below the hips: then it is upside down."""
    tree = pose.tree
    in_legs = chain.from_iterable(tree.path(leg.end)[-len(leg.joints) :] for leg in pose.rest.legs)
    bodies = list(set(range(1, tree.model.nbody)) - tree.bodies_of(set(in_legs)))
    hips = pose.hips()[:, 2].mean()
    masses = tree.model.body_mass[bodies]
    centre = float(masses @ tree.data.xipos[bodies][:, 2] / masses.sum())
    return bool(hips - centre > _HANGING_BODY * leg_length_m(tree, pose.rest.legs[0]))


def _has_more_legs(pose: RestPose) -> bool:
    """Return whether a robot has more limbs like those that it rests on: then this is no way to stand."""
    tree = pose.tree
    legs = pose.rest.legs
    tree.pose(pose.qpos)
    taken = set(chain.from_iterable(leg.foot_links for leg in legs))
    others = [_size_of(tree, link) for link in tree.leaves if link not in taken]
    own = [_size_of(tree, leg.end) for leg in legs]
    return sum(_is_like_any(other, own) for other in others) >= 2


def _size_of(tree: LinkTree, end: int) -> Array:
    """Return how many joints lead to a link, how long their way is [m] and what they move weighs [kg]. Shape (3,)."""
    joints = tree.chain(end)
    bodies = list(tree.bodies_of(tree.path(end)))
    length = np.linalg.norm(np.diff(tree.anchors(joints), axis=0), axis=1).sum()
    return np.array([len(joints), length, tree.model.body_mass[bodies].sum()])


def _is_like_any(size: Array, others: Sequence[Array]) -> bool:
    return any((np.abs(size - other) <= other * [0.0, 0.1, 0.2]).all() for other in others)


def _are_arms(pose: RestPose) -> bool:
    """Return whether what a robot rests on are hands by name, or limbs that hang from far above its centre of mass."""
    names = chain.from_iterable(pose.tree.all_names(leg.end) for leg in pose.rest.legs)
    words = set().union(*map(words_of, names))
    if words & (_FEET | _HANDS):
        return not words & _FEET
    hips = float(pose.hips()[:, 2].mean())
    centre = float(pose.tree.com(pose.qpos)[2])
    floor = float(pose.tree.lowest(pose.qpos).min())
    return hips - centre > _HANGING * (hips - floor)


def _why_not_legged(poses: Sequence[RestPose]) -> str:
    """Return the best reason that postures give why there are no legs: that of the most joints."""
    legged = _telling(poses)
    if not legged:
        bare = (
            ""
            if _shaped_links(poses)
            else "; hardly any of its links has a shape, so it may have legs that nobody sees"
        )
        return f"it rests on its base in every posture tried, so it has no legs to walk with{bare}."
    best = max(legged, key=lambda pose: pose.joint_counts[0])
    number = len(best.rest.legs)
    ends = list_names(best.ends)
    if best.joint_counts[0] < _LEAST_JOINTS:
        return f"it rests on {ends}, of which one joint or none moves some: wheels or rollers, not legs."
    if _are_arms(best):
        return f"it would stand on its hands ({ends}): these are arms, and it has no legs."
    if number in (2, 4):
        return f"the limbs that it rests on ({ends}) are not alike, so they are no pairs of legs."
    return f"it rests on {_NUMBERS.get(number, f'{number} legs')} ({ends}); strut moves robots with two or four."


def _shaped_links(poses: Sequence[RestPose]) -> bool:
    """Return whether at least a third of the links that joints move have a shape."""
    model = poses[0].tree.model
    moved = {int(body) for body in model.jnt_bodyid}
    return 3 * len(moved & {int(body) for body in model.geom_bodyid}) >= len(moved)


def _telling(poses: Sequence[RestPose]) -> list[RestPose]:
    """Return the postures that tell something about legs; the deepest alone says little about one or two of them."""
    legged = [pose for pose in poses if pose.up == "z" and pose.rest.legs]
    drawn = [pose for pose in legged if pose.name != _DEEPEST]
    return drawn or [pose for pose in legged if len(pose.rest.legs) > 2]
