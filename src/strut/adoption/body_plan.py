"""Body plan: what a robot is made of, found in its plain model: up and front, legs, feet, how it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import mujoco
import numpy as np

from strut.adoption.foot_finder import FoundFoot, feet_of, foot_places, leg_length_m
from strut.adoption.front_finder import find_front
from strut.adoption.leg_check import check_legs
from strut.adoption.leg_finder import FoundLeg
from strut.adoption.link_tree import LinkTree
from strut.adoption.note import Note
from strut.adoption.rest_pose_search import RestPose, find_rest_pose
from strut.adoption.robot_source import ImportedSource
from strut.adoption.stand_finder import STRETCHED_WORDS, search_stand, stands
from strut.arrays import Array
from strut.errors import NotAdoptedError
from strut.robot import FLOATING

_SMALLEST_M = 0.03
_LARGEST_M = 10.0
_LIGHTEST = 0.2
_HEAVIEST = 3e4  # kg over the cube of the height


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
    height_m: float = field(init=False)  # of the robot as it stands

    def __post_init__(self) -> None:
        object.__setattr__(self, "height_m", self.tree.height(self.standing))

    @property
    def mass_kg(self) -> float:
        """What it weighs."""
        return float(self.tree.model.body_subtreemass[1])


def inspect_at_rest(model: mujoco.MjModel, source: ImportedSource) -> RestPose:
    """Return a posture in which a robot rests on legs; raises NotAdoptedError if there is none."""
    _check_weight(model)
    pose = find_rest_pose(model, source)
    _check_size(pose.tree, pose.qpos)
    return pose


def body_plan(pose: RestPose, source: ImportedSource) -> BodyPlan:
    """Return what a robot is made of; raises NotAdoptedError if its legs are none that strut moves."""
    check_legs(pose.tree, pose.rest.legs, source)
    return _faced_forward(pose)


def _check_weight(model: mujoco.MjModel) -> None:
    mass = float(model.body_subtreemass[1])
    if not np.isfinite(mass) or mass < 0.01:
        raise NotAdoptedError(
            f"all of it weighs {mass * 1e3:.3g} g; its links need masses before anything can be planned."
        )


def _check_size(tree: LinkTree, qpos: Array) -> None:
    height = tree.height(qpos)
    mass = float(tree.model.body_subtreemass[1])
    if not _SMALLEST_M <= height <= _LARGEST_M:
        raise NotAdoptedError(
            f"it is {height:.3g} m high, which no legged robot is; is the file in other units than metres?"
        )
    if not _LIGHTEST <= mass / height**3 <= _HEAVIEST:
        raise NotAdoptedError(f"it weighs {mass:.3g} kg at a height of {height:.3g} m; are its masses in kilograms?")


def _faced_forward(pose: RestPose) -> BodyPlan:
    """Return a legged posture as a body plan that faces forward and stands."""
    tree = pose.tree
    legs = pose.rest.legs
    front = find_front(tree, legs, pose.feet(), pose.qpos)
    to_front = np.array([np.cos(-_heading(front.forward) / 2.0), 0.0, 0.0, np.sin(-_heading(front.forward) / 2.0)])
    quaternion = np.zeros(4)
    mujoco.mju_mulQuat(quaternion, to_front, tree.base_quaternion)
    turned = LinkTree(tree.model, quaternion)
    start = np.concatenate([np.zeros(3), quaternion, pose.qpos[FLOATING:]])
    standing, how = _stand(turned, legs, pose.feet(), start, pose.name)
    feet = feet_of(turned, legs, standing)
    order, names = _ordered(turned, feet, standing)
    to_file = _matrix(model_quaternion(tree)) @ _matrix(quaternion).T
    notes = [
        Note.finding(f"it stands in {how}."),
        *_turned_notes(pose, feet),
        Note.finding(f"its front was told by {front.told_by}."),
    ]
    plan = BodyPlan(
        turned, np.round(to_file[:, 2], 9), np.round(to_file[:, 0], 9),
        tuple(map(legs.__getitem__, order)), tuple(map(feet.__getitem__, order)),
        names, _on_the_floor(turned, feet, standing), tuple(notes),
    )  # fmt: skip
    _check_feet(plan)
    return plan


def _turned_notes(pose: RestPose, feet: Sequence[FoundFoot]) -> list[Note]:
    notes = []
    if pose.up != "z":
        notes.append(
            Note.assumption(f"{pose.up} is taken as up: in this direction it stands, in the file it does not.")
        )
    if any(foot.reduced for foot in feet):
        words = "its feet are flat, but its legs have too few joints to keep them so"
        notes.append(Note.assumption(f"{words}: they are taken as balls."))
    return notes


def _on_the_floor(tree: LinkTree, feet: Sequence[FoundFoot], qpos: Array) -> Array:
    """Return a configuration (nq,) lifted or lowered until the lowest point is on the floor."""
    lowest = float(tree.points.heights(tree.pose(qpos)).min())
    placed = qpos.copy()
    placed[2] -= min(lowest, *_bottoms(tree, feet))
    return placed


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


def _bottoms(tree: LinkTree, feet: Sequence[FoundFoot]) -> list[float]:
    """Return the lowest height of each foot; the model must be posed."""
    return [_bottom(tree, foot) for foot in feet]


def _bottom(tree: LinkTree, foot: FoundFoot) -> float:
    turn = tree.data.xmat[foot.link].reshape(3, 3)
    return float((tree.data.xpos[foot.link] + foot.points @ turn.T)[:, 2].min() - foot.radius_m)


def _ordered(tree: LinkTree, feet: Sequence[FoundFoot], qpos: Array) -> tuple[list[int], tuple[str, ...]]:
    """Return the order of the feet, front before hind and left before right, and their names."""
    tree.pose(qpos)
    x, y, _ = foot_places(tree, feet).T
    if len(feet) == 2:
        return np.argsort(-y).tolist(), ("left", "right")
    is_hind = np.argsort(np.argsort(-x)) >= 2
    return np.lexsort((-y, is_hind)).tolist(), ("FL", "FR", "HL", "HR")


def _check_feet(plan: BodyPlan) -> None:
    """Raise NotAdoptedError where the feet found do not stand apart on one floor."""
    tree = plan.tree
    tree.pose(plan.standing)
    apart = float(np.ptp(_bottoms(tree, plan.feet)))
    length = leg_length_m(tree, plan.legs[0])
    if apart > 0.05 * length:
        raise NotAdoptedError(f"its feet do not stand on one floor: their heights differ by {apart * 1e3:.0f} mm.")
    hips = np.array([tree.data.xanchor[leg.joints[0]][:2] for leg in plan.legs])
    flat = hips - hips.mean(axis=0)
    spread = float(np.ptp(flat[:, 1])) if len(hips) == 2 else float(np.linalg.svd(flat)[1].min())
    if spread < 0.02 * length:
        words = "its legs hang in one line from front to back"
        raise NotAdoptedError(f"{words}: a model in a plane, which would fall over.")


def stand_again(anatomy: BodyPlan) -> BodyPlan:
    """Return an anatomy whose arms have moved with its legs placed under its centre of mass again, if they are not."""
    tree = anatomy.tree
    if not stands(tree, anatomy.legs, anatomy.feet, anatomy.standing):
        return anatomy
    posture = search_stand(tree, anatomy.legs, anatomy.feet, anatomy.standing)
    if posture is None:
        return anatomy
    feet = feet_of(tree, anatomy.legs, posture)
    return replace(anatomy, standing=_on_the_floor(tree, feet, posture), feet=feet)
