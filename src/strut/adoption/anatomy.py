"""Anatomy: what an imported robot is made of: its up and front direction, legs, feet and standing posture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import mujoco
import numpy as np

from strut.adoption.foot_finder import ImportedFoot, fit_feet, foot_centres, leg_length_m
from strut.adoption.front_finder import find_front
from strut.adoption.leg_check import check_legs
from strut.adoption.leg_finder import ImportedLeg
from strut.adoption.link_tree import LinkTree
from strut.adoption.note import Note
from strut.adoption.rest_pose_search import PostureOrigin, RestPose, find_rest_pose
from strut.adoption.robot_source import RobotSource
from strut.adoption.standing_posture import StandingFault, find_standing_fault, search_standing_posture
from strut.arrays import Array
from strut.errors import NotAdoptedError
from strut.robot import FLOATING

_MIN_HEIGHT_M = 0.03
_MAX_HEIGHT_M = 10.0
_MIN_MASS_KG = 0.01
_MIN_DENSITY_KG_M3 = 0.2  # mass over the cube of the height
_MAX_DENSITY_KG_M3 = 3e4
_LEVEL = 0.05  # of the leg's length: largest difference between the heights of feet
_MIN_HIP_SPREAD = 0.02  # of the leg's length: nearer to one line, the legs are those of a planar model


@dataclass(frozen=True, slots=True)
class Anatomy:
    """The parts of a robot, upright and facing forward.

    Args:
        tree: Its kinematic tree, with a base quaternion by which x is forward and z up.
        up: Up direction in the axes of the file. Shape (3,).
        forward: Forward direction in the axes of the file. Shape (3,).
        legs: In the order FL, FR, HL, HR, or left, right.
        feet: In the order of the legs.
        leg_names: In the same order.
        standing: Standing posture, with the feet on the floor. Shape (nq,).
        notes: How these were found.
    """

    tree: LinkTree
    up: Array
    forward: Array
    legs: tuple[ImportedLeg, ...]
    feet: tuple[ImportedFoot, ...]
    leg_names: tuple[str, ...]
    standing: Array
    notes: tuple[Note, ...]
    height_m: float = field(init=False)  # in the standing posture

    def __post_init__(self) -> None:
        object.__setattr__(self, "height_m", self.tree.height(self.standing))

    @property
    def mass_kg(self) -> float:
        """The mass of the robot."""
        return float(self.tree.model.body_subtreemass[1])

    @property
    def kind(self) -> str:
        """`quadruped` or `biped`."""
        return "quadruped" if len(self.legs) == 4 else "biped"


def find_plausible_rest_pose(model: mujoco.MjModel, source: RobotSource) -> RestPose:
    """Return a posture in which a robot rests on legs.

    Raises NotAdoptedError if there is none, or if mass and height cannot be in kilograms and metres.
    """
    mass_kg = float(model.body_subtreemass[1])
    if not np.isfinite(mass_kg) or mass_kg < _MIN_MASS_KG:
        raise NotAdoptedError(f"all of it weighs {mass_kg * 1e3:.3g} g; give its links their masses.")
    pose = find_rest_pose(model, source)
    height_m = pose.tree.height(pose.qpos)
    if not _MIN_HEIGHT_M <= height_m <= _MAX_HEIGHT_M:
        raise NotAdoptedError(f"it is {height_m:.3g} m high, which no legged robot is; is the file in metres?")
    if not _MIN_DENSITY_KG_M3 <= mass_kg / height_m**3 <= _MAX_DENSITY_KG_M3:
        raise NotAdoptedError(
            f"it weighs {mass_kg:.3g} kg at a height of {height_m:.3g} m; are its masses in kilograms?"
        )
    return pose


def find_anatomy(pose: RestPose, source: RobotSource) -> Anatomy:
    """Return the anatomy of a robot from its rest pose; raises NotAdoptedError if strut cannot move its legs."""
    tree = pose.tree
    legs = pose.support.legs
    check_legs(tree, legs, source)
    front = find_front(tree, legs, pose.feet(), pose.qpos)
    half_heading = -float(np.arctan2(front.forward[1], front.forward[0])) / 2.0
    to_front = np.array([np.cos(half_heading), 0.0, 0.0, np.sin(half_heading)])
    quaternion = np.zeros(4)
    mujoco.mju_mulQuat(quaternion, to_front, tree.base_quaternion)
    facing_front = LinkTree(tree.model, quaternion)
    initial_guess = np.concatenate([np.zeros(3), quaternion, pose.qpos[FLOATING:]])
    standing, origin = _find_standing(facing_front, pose, initial_guess)
    feet = fit_feet(facing_front, legs, standing)
    order, names = _order_legs(facing_front, feet, standing)
    to_file = _rotation_matrix(tree.model.qpos0[3:FLOATING]) @ _rotation_matrix(quaternion).T
    notes = [Note.finding(f"it stands in {origin}.")]
    if pose.up != "z":
        notes.append(Note.assumption(f"{pose.up} is taken as up: the robot stands that way, and not with z up."))
    if any(foot.reduced for foot in feet):
        notes.append(
            Note.assumption("its feet are flat, but its legs have too few joints to keep them so: taken as balls.")
        )
    notes.append(Note.finding(f"its front follows from {front.evidence}."))
    anatomy = Anatomy(
        tree=facing_front,
        up=np.round(to_file[:, 2], 9),
        forward=np.round(to_file[:, 0], 9),
        legs=tuple(legs[index] for index in order),
        feet=tuple(feet[index] for index in order),
        leg_names=names,
        standing=_put_on_floor(facing_front, feet, standing),
        notes=tuple(notes),
    )
    _check_feet(anatomy)
    return anatomy


def restore_balance(anatomy: Anatomy) -> Anatomy:
    """Return an anatomy whose arms have moved with its feet under its centre of mass again, if they no longer are."""
    tree = anatomy.tree
    if find_standing_fault(tree, anatomy.legs, anatomy.feet, anatomy.standing) is None:
        return anatomy
    posture = search_standing_posture(tree, anatomy.legs, anatomy.feet, anatomy.standing)
    if posture is None:
        return anatomy
    feet = fit_feet(tree, anatomy.legs, posture)
    return replace(anatomy, standing=_put_on_floor(tree, feet, posture), feet=feet)


def _find_standing(tree: LinkTree, pose: RestPose, initial_guess: Array) -> tuple[Array, str]:
    """Return a standing posture (nq,) and its origin in words; raises NotAdoptedError if there is none."""
    legs = pose.support.legs
    feet = pose.feet()
    fault = find_standing_fault(tree, legs, feet, initial_guess)
    if fault is None:
        return initial_guess, pose.name
    posture = search_standing_posture(tree, legs, feet, initial_guess)
    if posture is None and pose.origin is not PostureOrigin.ZERO:
        posture = search_standing_posture(tree, legs, feet, tree.zero_posture)
    if posture is not None:
        return posture, f"a posture found by search ({pose.name}: {fault})"
    if fault is StandingFault.STRETCHED:
        return initial_guess, f"{pose.name}, stretched: its legs have no joints to bend"
    raise NotAdoptedError(f"no posture was found in which it stands ({pose.name}: {fault}).")


def _put_on_floor(tree: LinkTree, feet: Sequence[ImportedFoot], qpos: Array) -> Array:
    """Return a configuration (nq,) raised or lowered until the lowest point is on the floor."""
    lowest = float(tree.points.heights(tree.pose(qpos)).min())
    on_floor = qpos.copy()
    on_floor[2] -= min(lowest, *_foot_heights(tree, feet))
    return on_floor


def _foot_heights(tree: LinkTree, feet: Sequence[ImportedFoot]) -> list[float]:
    """Return the lowest height of each foot [m]; the model must be posed."""
    heights = []
    for foot in feet:
        rotation = tree.data.xmat[foot.link].reshape(3, 3)
        points = tree.data.xpos[foot.link] + foot.points @ rotation.T
        heights.append(float(points[:, 2].min() - foot.radius_m))
    return heights


def _rotation_matrix(quaternion: Array) -> Array:
    flat = np.zeros(9)
    mujoco.mju_quat2Mat(flat, quaternion)
    return flat.reshape(3, 3)


def _order_legs(tree: LinkTree, feet: Sequence[ImportedFoot], qpos: Array) -> tuple[list[int], tuple[str, ...]]:
    """Return the order of the legs, front before hind and left before right, and their names."""
    tree.pose(qpos)
    x, y, _ = foot_centres(tree, feet).T
    if len(feet) == 2:
        return np.argsort(-y).tolist(), ("left", "right")
    is_hind = np.argsort(np.argsort(-x)) >= 2
    return np.lexsort((-y, is_hind)).tolist(), ("FL", "FR", "HL", "HR")


def _check_feet(anatomy: Anatomy) -> None:
    """Raise NotAdoptedError if the feet are not level, or the legs are in one line."""
    tree = anatomy.tree
    tree.pose(anatomy.standing)
    difference_m = float(np.ptp(_foot_heights(tree, anatomy.feet)))
    length_m = leg_length_m(tree, anatomy.legs[0])
    if difference_m > _LEVEL * length_m:
        raise NotAdoptedError(f"its feet are not on one floor: their heights differ by {difference_m * 1e3:.0f} mm.")
    hips = tree.joint_positions([leg.joints[0] for leg in anatomy.legs])[:, :2]
    centred = hips - hips.mean(axis=0)
    spread = float(np.ptp(centred[:, 1])) if len(hips) == 2 else float(np.linalg.svd(centred)[1].min())
    if spread < _MIN_HIP_SPREAD * length_m:
        raise NotAdoptedError("its legs are in one line from front to back: a planar model, which would fall over.")
