"""Body plan: what a robot is made of, found in its plain model: up and front, legs, feet, how it stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np

from strut.adoption.foot_finder import FoundFoot, foot_of, leg_length_m
from strut.adoption.foreign_source import ForeignSource
from strut.adoption.front_finder import find_front, words_of
from strut.adoption.leg_check import check_legs
from strut.adoption.leg_finder import FoundLeg, Rest, deepest, rest_in
from strut.adoption.link_tree import LinkTree
from strut.adoption.note import Note, assumed, found, in_a_row
from strut.adoption.stand_finder import STRETCHED_WORDS, search_stand, stands
from strut.errors import NotAdoptedError
from strut.robot import FLOATING, Array

_GOOD_NAMES, _BAD_NAMES = (
    ("stand", "home", "walk", "init", "default", "nominal"),
    ("down", "sit", "lie", "lying", "crouch"),
)
_Y_UP = (np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0)  # the quaternion that puts the y axis of a file upright
_LEAST_JOINTS = 2
_HANDS = {"hand", "finger", "fingertip", "gripper", "wrist", "palm", "thumb", "forearm", "elbow", "arm"}
_FEET = {"foot", "feet", "toe", "ankle", "leg", "calf", "shank", "knee", "paw", "sole", "hoof"}
_ONE_SIDED = 0.18  # of the leg's length: farther from the line between two hips, other legs are missing
_HANGING = 0.2  # of the hips' height: limbs that hang from farther above the centre of mass are arms
_KEYFRAME = "the keyframe"
_DEEPEST = "the deepest that its limbs reach"
_NUMBERS = {1: "one leg", 3: "three legs", 5: "five legs", 6: "six legs", 8: "eight legs"}
_SMALLEST_M, _LARGEST_M = 0.03, 10.0
_LIGHTEST, _HEAVIEST = 0.2, 3e4  # kg over the cube of the height


@dataclass(frozen=True, slots=True)
class BodyPlan:
    """A robot, upright and facing forward.

    Args:
        tree: Its links; the base is posed so that x is forward and z up.
        up: In the axes of the file. Shape (3,).
        forward: Likewise.
        legs: In the order FL, FR, HL, HR, or left, right.
        feet: Of the legs.
        leg_names: Of the legs.
        standing: The posture (nq,), the feet on the floor.
        notes: How it was found.
    """

    tree: LinkTree
    up: Array
    forward: Array
    legs: tuple[FoundLeg, ...]
    feet: tuple[FoundFoot, ...]
    leg_names: tuple[str, ...]
    standing: Array
    notes: tuple[Note, ...]

    @property
    def height_m(self) -> float:
        """How high it is when it stands."""
        return self.tree.height(self.standing)

    @property
    def mass_kg(self) -> float:
        """What it weighs."""
        return float(self.tree.model.body_subtreemass[1])


@dataclass(frozen=True, slots=True)
class _Look:
    """A posture, what the robot rests on in it, and where it came from."""

    tree: LinkTree
    up: str
    qpos: Array
    rest: Rest
    name: str

    @property
    def is_keyframe(self) -> bool:
        return self.name.startswith(_KEYFRAME)


def find_body_plan(model: mujoco.MjModel, source: ForeignSource) -> BodyPlan:
    """Return what a robot is made of; raises NotAdoptedError if it does not stand on two or four legs."""
    _check_weight(model)
    look = _best_look(_looks(model, source))
    _check_size(look.tree, look.qpos)
    check_legs(look.tree, look.rest.legs, source)
    return _faced_forward(look)


def _best_look(looks: Iterator[_Look]) -> _Look:
    """Return the first posture in which a robot rests on legs; a keyframe must hold, or it comes after all others."""
    seen, shaky = [], []
    for look in looks:
        seen.append(look)
        if _is_legged(look):
            feet = [foot_of(look.tree, leg, look.qpos) for leg in look.rest.legs]
            if not look.is_keyframe or not stands(look.tree, look.rest.legs, feet, look.qpos):
                return look
            shaky.append(look)
    if not shaky:
        raise NotAdoptedError(_why_not_legged(seen))
    return shaky[0]


def _looks(model: mujoco.MjModel, source: ForeignSource) -> Iterator[_Look]:
    """Yield postures to look at: the file's by their names, all at zero, mid-range, as deep as it reaches."""
    good = [
        key for key in source.keyframes if _is_called(key.name, _GOOD_NAMES) and not _is_called(key.name, _BAD_NAMES)
    ]
    rest = [key for key in source.keyframes if key not in good and not _is_called(key.name, _BAD_NAMES)]
    for up, quaternion in _ups(model):
        tree = LinkTree(model, quaternion)
        if not len(tree.points.place):
            raise NotAdoptedError("none of its links has a shape, so nobody knows where it touches the floor.")
        for key in good:
            qpos = tree.posture(key.angles)
            yield _Look(tree, up, qpos, rest_in(tree, qpos), f"{_KEYFRAME} {key.name}")
        for name, qpos in (("all joints at zero", tree.zero), ("the middle of all ranges", tree.middle)):
            yield _Look(tree, up, qpos, rest_in(tree, qpos), name)
        for key in rest:
            qpos = tree.posture(key.angles)
            yield _Look(tree, up, qpos, rest_in(tree, qpos), f"{_KEYFRAME} {key.name}")
        if up == "z":
            qpos = deepest(tree)
            yield _Look(tree, up, qpos, rest_in(tree, qpos), _DEEPEST)


def _ups(model: mujoco.MjModel) -> Iterator[tuple[str, Array]]:
    """Yield what may be up: z of the file, z of its base if that lies on its back in the file, and y of the file."""
    as_drawn = np.array(model.qpos0[3:FLOATING])
    yield "z", as_drawn
    if abs(as_drawn[0]) < 0.999:
        yield "z of its base", np.array([1.0, 0.0, 0.0, 0.0])
    quaternion = np.zeros(4)
    mujoco.mju_mulQuat(quaternion, np.array(_Y_UP), as_drawn)
    yield "y", quaternion


def _is_called(name: str, words: tuple[str, ...]) -> bool:
    return any(word in name.lower() for word in words)


def _is_legged(look: _Look) -> bool:
    """Return whether a robot rests on two or four legs that are alike."""
    legs = look.rest.legs
    if look.rest.on_base or len(legs) not in (2, 4) or min(len(leg.joints) for leg in legs) < _LEAST_JOINTS:
        return False
    counts = sorted(len(leg.joints) for leg in legs)
    return counts[-1] - counts[0] <= 1 and not (_are_arms(look) or _has_more_legs(look) or _is_one_sided(look))


def _is_one_sided(look: _Look) -> bool:
    """Return whether the centre of mass of a robot on two legs is far before or behind the line between its hips."""
    tree, legs = look.tree, look.rest.legs
    if len(legs) != 2:
        return False
    centre = tree.com(look.qpos)[:2]
    hips = np.array([tree.data.xanchor[leg.joints[0]][:2] for leg in legs])
    across = hips[0] - hips[1]
    forward = np.array([across[1], -across[0]]) / max(float(np.linalg.norm(across)), 1e-9)
    length = leg_length_m(tree, legs[0])
    return abs(float((centre - hips.mean(axis=0)) @ forward)) > _ONE_SIDED * length


def _has_more_legs(look: _Look) -> bool:
    """Return whether a robot has more limbs like those that it rests on: then this is no way to stand."""
    tree, legs = look.tree, look.rest.legs
    tree.pose(look.qpos)
    limbs = [leg.end for leg in legs]
    taken = {link for leg in legs for link in leg.foot_links}
    others = [link for link in range(1, len(tree.parent)) if link not in tree.parent and link not in taken]
    wanted = [_size_of(tree, limb) for limb in limbs]
    like = [end for end in others if any(_is_like(_size_of(tree, end), size) for size in wanted)]
    return len(like) >= 2


def _size_of(tree: LinkTree, end: int) -> tuple[int, float, float]:
    """Return how many joints lead to a link, how long their way is [m] and what they move weighs [kg]."""
    joints = tree.chain(end)
    anchors = np.array([tree.data.xanchor[joint] for joint in joints])
    length = float(np.linalg.norm(np.diff(anchors, axis=0), axis=1).sum()) if len(joints) > 1 else 0.0
    mass = sum(float(tree.model.body_mass[body]) for link in tree.path(end) for body in tree.bodies[link])
    return len(joints), length, mass


def _is_like(one: tuple[int, float, float], other: tuple[int, float, float]) -> bool:
    return one[0] == other[0] and abs(one[1] - other[1]) < 0.1 * other[1] and abs(one[2] - other[2]) < 0.2 * other[2]


def _are_arms(look: _Look) -> bool:
    """Return whether what a robot rests on are hands by name, or limbs that hang from far above its centre of mass."""
    tree, legs = look.tree, look.rest.legs
    names = [words_of(name) for leg in legs for name in tree.all_names(leg.end)]
    if any(words & _FEET for words in names):
        return False
    if any(words & _HANDS for words in names):
        return True
    centre = float(tree.com(look.qpos)[2])
    floor = float(tree.lowest(look.qpos).min())
    hips = float(np.mean([tree.data.xanchor[leg.joints[0]][2] for leg in legs]))
    return hips - centre > _HANGING * (hips - floor)


def _why_not_legged(looks: Sequence[_Look]) -> str:
    """Return the best reason that postures give why there are no legs: that of the most legs that are alike."""
    upright = [look for look in looks if look.up == "z"]
    legged = [look for look in upright if not look.rest.on_base and look.rest.legs]
    if len(legged) > 1:
        legged = [look for look in legged if look.name != _DEEPEST]
    if len(legged) == 1 and len(upright) > 1 and len(legged[0].rest.legs) < 3 and legged[0].name == _DEEPEST:
        legged = []
    if not legged:
        return "it rests on its base in every posture tried, so it has no legs to walk with."
    best = max(legged, key=lambda look: min(len(leg.joints) for leg in look.rest.legs))
    legs = best.rest.legs
    if min(len(leg.joints) for leg in legs) < _LEAST_JOINTS:
        ends = [best.tree.name(leg.end) for leg in legs if len(leg.joints) < _LEAST_JOINTS]
        return f"it rests on {in_a_row(ends)}, which one joint or none moves: wheels or rollers, not legs."
    number = _NUMBERS.get(len(legs), f"{len(legs)} legs")
    ends = [best.tree.name(leg.end) for leg in legs]
    if _are_arms(best):
        return f"it would stand on its hands ({in_a_row(ends)}): these are arms, and it has no legs."
    if len(legs) in (2, 4):
        return f"the limbs that it rests on ({in_a_row(ends)}) are not alike, so they are no pairs of legs."
    return f"it rests on {number} ({in_a_row(ends)}); strut moves robots with two or four."


def _check_weight(model: mujoco.MjModel) -> None:
    mass = float(model.body_subtreemass[1])
    if not np.isfinite(mass) or mass < 0.01:
        raise NotAdoptedError(
            f"all of it weighs {mass * 1e3:.3g} g; its links need masses before anything can be planned."
        )


def _check_size(tree: LinkTree, qpos: Array) -> None:
    height, mass = tree.height(qpos), float(tree.model.body_subtreemass[1])
    if not _SMALLEST_M <= height <= _LARGEST_M:
        raise NotAdoptedError(
            f"it is {height:.3g} m high, which no legged robot is; is the file in other units than metres?"
        )
    if not _LIGHTEST <= mass / height**3 <= _HEAVIEST:
        raise NotAdoptedError(f"it weighs {mass:.3g} kg at a height of {height:.3g} m; are its masses in kilograms?")


def _faced_forward(look: _Look) -> BodyPlan:
    """Return a legged posture as an anatomy that faces forward and stands."""
    notes = []
    tree, legs = look.tree, look.rest.legs
    feet = [foot_of(tree, leg, look.qpos) for leg in legs]
    front = find_front(tree, legs, feet, look.qpos)
    to_front = np.array([np.cos(-_heading(front.forward) / 2.0), 0.0, 0.0, np.sin(-_heading(front.forward) / 2.0)])
    quaternion = np.zeros(4)
    mujoco.mju_mulQuat(quaternion, to_front, tree.base_quaternion)
    turned = LinkTree(tree.model, quaternion)
    start = np.concatenate([np.zeros(3), quaternion, look.qpos[FLOATING:]])
    standing, how = _stand(turned, legs, feet, start, look.name)
    notes.append(found(f"it stands in {how}."))
    if look.up != "z":
        notes.append(assumed(f"{look.up} is taken as up: in this direction it stands, in the file it does not."))
    notes.append(found(f"its front was told by {front.told_by}."))
    feet = [foot_of(turned, leg, standing) for leg in legs]
    order, names = _ordered(turned, feet, standing)
    floor = min(float(turned.points.heights(turned.pose(standing)).min()), *(_bottom(turned, foot) for foot in feet))
    standing = standing.copy()
    standing[2] = -floor
    to_file = _matrix(model_quaternion(tree)) @ _matrix(quaternion).T
    if any(foot.reduced for foot in feet):
        notes.append(
            assumed("its feet are flat, but its legs have too few joints to keep them so: they are taken as balls.")
        )
    anatomy = BodyPlan(
        turned, np.round(to_file[:, 2], 9), np.round(to_file[:, 0], 9),
        tuple(legs[k] for k in order), tuple(feet[k] for k in order),
        names, standing, tuple(notes),
    )  # fmt: skip
    _check_feet(anatomy)
    return anatomy


def _heading(forward: Array) -> float:
    return float(np.arctan2(forward[1], forward[0]))


def model_quaternion(tree: LinkTree) -> Array:
    """Return how the base is turned in the file. Shape (4,)."""
    return np.array(tree.model.qpos0[3:FLOATING])


def _matrix(quaternion: Array) -> Array:
    flat = np.zeros(9)
    mujoco.mju_quat2Mat(flat, quaternion)
    return flat.reshape(3, 3)


def _stand(
    tree: LinkTree, legs: Sequence[FoundLeg], feet: Sequence[FoundFoot], start: Array, name: str
) -> tuple[Array, str]:
    """Return a posture to stand in and where it is from; raises NotAdoptedError if there is none."""
    why = stands(tree, legs, feet, start)
    if not why:
        return start, name
    found_posture = search_stand(tree, legs, feet, start)
    if found_posture is None and "zero" not in name:
        found_posture = search_stand(tree, legs, feet, tree.zero)
    if found_posture is None and why == STRETCHED_WORDS:
        return start, f"{name}, stretched: its legs have no joints to bend"
    if found_posture is None:
        raise NotAdoptedError(f"no posture was found in which it stands ({name}: {why}).")
    return found_posture, f"a posture that was searched, because {name} does not do: {why}"


def _bottom(tree: LinkTree, foot: FoundFoot) -> float:
    turn = tree.data.xmat[foot.link].reshape(3, 3)
    return float((tree.data.xpos[foot.link] + foot.points @ turn.T)[:, 2].min() - foot.radius_m)


def _ordered(tree: LinkTree, feet: Sequence[FoundFoot], qpos: Array) -> tuple[list[int], tuple[str, ...]]:
    """Return the order of the feet, front before hind and left before right, and their names."""
    data = tree.pose(qpos)
    places = np.array([data.xpos[f.link] + data.xmat[f.link].reshape(3, 3) @ f.points.mean(axis=0) for f in feet])
    order = sorted(range(len(feet)), key=lambda k: -places[k, 1])
    if len(feet) == 2:
        return order, ("left", "right")
    along = sorted(range(len(feet)), key=lambda k: -places[k, 0])
    front, hind = ([k for k in order if k in half] for half in (along[:2], along[2:]))
    return [*front, *hind], ("FL", "FR", "HL", "HR")


def _check_feet(anatomy: BodyPlan) -> None:
    """Raise NotAdoptedError where the feet found do not stand apart on one floor."""
    tree = anatomy.tree
    data = tree.pose(anatomy.standing)
    bottoms = [_bottom(tree, foot) for foot in anatomy.feet]
    length = max(leg_length_m(tree, leg) for leg in anatomy.legs)
    if max(bottoms) - min(bottoms) > 0.05 * length:
        raise NotAdoptedError(
            f"its feet do not stand on one floor: their heights differ by {np.ptp(bottoms) * 1e3:.0f} mm."
        )
    hips = np.array([data.xanchor[leg.joints[0]] for leg in anatomy.legs])
    flat = hips[:, :2] - hips[:, :2].mean(axis=0)
    spread = float(np.ptp(flat[:, 1])) if len(hips) == 2 else float(np.linalg.svd(flat)[1].min())
    if spread < 0.02 * length:
        raise NotAdoptedError(
            "its legs hang in one line from front to back: a model in a plane, which would fall over."
        )


def stand_again(anatomy: BodyPlan) -> BodyPlan:
    """Return an anatomy whose arms have moved with its legs placed under its centre of mass again, if they are not."""
    tree = anatomy.tree
    if not stands(tree, anatomy.legs, anatomy.feet, anatomy.standing):
        return anatomy
    posture = search_stand(tree, anatomy.legs, anatomy.feet, anatomy.standing)
    if posture is None:
        return anatomy
    feet = tuple(foot_of(tree, leg, posture) for leg in anatomy.legs)
    tree.pose(posture)
    posture[2] -= min(float(tree.points.heights(tree.data).min()), *(_bottom(tree, foot) for foot in feet))
    return replace(anatomy, standing=posture, feet=feet)
