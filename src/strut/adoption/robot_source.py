"""Robot source: the part of a description that is the robot, what drives it, and its keyframes and cameras."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from strut.adoption.description import RobotDescription
from strut.adoption.drive_finder import find_drives
from strut.adoption.note import Note, list_names
from strut.adoption.plain_model import hinge_names, joint_name, link_name
from strut.adoption.robot_name import is_named, normalize_name
from strut.arrays import Array
from strut.errors import NotAdoptedError
from strut.plumbing.number_text import format_count

_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)
_BALL = int(mujoco.mjtJoint.mjJNT_BALL)
_SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)
_FREE = int(mujoco.mjtJoint.mjJNT_FREE)
_HOLDING = (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD))
_MIN_RANGE_RAD = 0.03  # of a joint: a smaller range leaves nothing between the margins at its limits
_MIN_UPRIGHT = 0.87  # cosine of 30 degrees: a base tilted further does not stand
_FLOATING_SHARE = 0.5  # of the joints: a floating body with more of them is the base
_SIMILAR_SHARE = 0.8  # of the joints of the largest robot: a body with so many is another robot
_EMPTY_KG = 1e-3  # a body with less mass may be a wrapper


@dataclass(frozen=True, slots=True)
class Keyframe:
    """A posture in the file: angles by hinge [rad]."""

    name: str
    angles: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class RobotSource:
    """Where the robot is in a description.

    Args:
        root: The body that becomes its floating base.
        sliding: Names of sliding joints, each with the name of its link.
        coupled: Names of hinges that follow another joint, each with the name of that joint.
        locked: Hinges that an equality holds in place, or with hardly any range.
        passive: Hinges without a motor, if others have motors.
        loops: Pairs of links that an equality holds together: closed loops.
        keyframes: In the order of the file.
        cameras: Links with a camera.
        excluded: Pairs of links that do not collide.
        notes: What was assumed.
    """

    root: int
    sliding: Mapping[str, str]
    coupled: Mapping[str, str]
    locked: frozenset[str]
    passive: frozenset[str]
    loops: tuple[tuple[str, str], ...]
    keyframes: tuple[Keyframe, ...]
    cameras: frozenset[str]
    excluded: tuple[tuple[str, str], ...]
    notes: tuple[Note, ...]


def find_robot_source(description: RobotDescription, name: str = "") -> RobotSource:
    """Return which part of a description is the robot; of several, the one whose base has the name.

    Raises NotAdoptedError if none is.
    """
    model = description.model
    notes: list[Note] = []
    root = _find_root(model, name, notes)
    bodies = _subtree(model, root)
    joints = _joints_on(model, bodies - {root})
    if not joints:
        raise NotAdoptedError("nothing in it moves: it has no joints below its base.")
    balls = [joint_name(model, joint) for joint in joints if model.jnt_type[joint] == _BALL]
    if balls:
        text = format_count(len(balls), f"ball [joint|joints] ({list_names(balls)})")
        notes.append(Note.assumption(f"{text}: each becomes three hinges."))
    drives = find_drives(model, joints, notes)
    stuck = _find_stuck(model, joints, notes)
    slides = [joint for joint in joints if model.jnt_type[joint] == _SLIDE]
    excluded = [(int(signature) >> 16, int(signature) & 0xFFFF) for signature in model.exclude_signature]
    return RobotSource(
        root=root,
        sliding={joint_name(model, joint): link_name(model, int(model.jnt_bodyid[joint])) for joint in slides},
        coupled=drives.coupled | description.coupled,
        locked=drives.locked | stuck,
        passive=drives.passive - stuck,
        loops=_find_loops(model, bodies),
        keyframes=_find_keyframes(model, root, joints),
        cameras=frozenset(link_name(model, int(body)) for body in model.cam_bodyid if body in bodies - {root}),
        excluded=tuple((link_name(model, first), link_name(model, second)) for first, second in excluded),
        notes=tuple(notes),
    )


def notes_on_rigid_parts(source: RobotSource) -> tuple[Note, ...]:
    """Return notes about slides and loops outside the legs, which are taken as rigid or left open."""
    notes = []
    if source.sliding:
        text = format_count(len(source.sliding), "sliding [joint|joints]")
        is_rigid = "is" if len(source.sliding) == 1 else "are"
        notes.append(Note.assumption(f"{text} ({list_names(list(source.sliding))}) {is_rigid} taken as rigid."))
    if source.loops:
        pairs = [f"{first} to {second}" for first, second in source.loops]
        notes.append(Note.fault(f"closed loops outside the legs are left open: {list_names(pairs)}."))
    return tuple(notes)


def _find_stuck(model: mujoco.MjModel, joints: list[int], notes: list[Note]) -> frozenset[str]:
    """Return the hinges with hardly any range around their angle in the file: some files write fixed joints so.

    A hinge with a small range elsewhere is not among them: it must move there.
    """
    stuck = []
    for joint in joints:
        if not model.jnt_limited[joint] or model.jnt_type[joint] != _HINGE:
            continue
        lower, upper = model.jnt_range[joint]
        in_file = model.qpos0[model.jnt_qposadr[joint]]
        if upper - lower < _MIN_RANGE_RAD and lower - _MIN_RANGE_RAD < in_file < upper + _MIN_RANGE_RAD:
            stuck.append(joint_name(model, joint))
    if stuck:
        has = "has" if len(stuck) == 1 else "have"
        text = format_count(len(stuck), f"[joint|joints] ({list_names(stuck)}) {has} a range")
        notes.append(Note.assumption(f"{text} below {_MIN_RANGE_RAD:g} rad: taken as rigid."))
    return frozenset(stuck)


def _joints_on(model: mujoco.MjModel, bodies: set[int]) -> list[int]:
    joints: list[int] = np.flatnonzero(np.isin(model.jnt_bodyid, list(bodies))).tolist()
    return joints


def _subtree(model: mujoco.MjModel, root: int) -> set[int]:
    """Return a body and all its descendants."""
    inside = {root}
    for body in range(root + 1, model.nbody):  # parents come before their children
        if model.body_parentid[body] in inside:
            inside.add(body)
    return inside


def _find_root(model: mujoco.MjModel, name: str, notes: list[Note]) -> int:
    """Return the body that is the robot's base: a floating body, or the first of a fixed tree that is no wrapper."""
    tops = (np.flatnonzero(model.body_parentid[1:] == 0) + 1).tolist()
    if not tops:
        raise NotAdoptedError("it holds no bodies, so there is nothing to move.")
    joint_counts = np.array([_count_joints(model, body) for body in tops])
    top = tops[int(np.argmax(joint_counts))]
    is_similar = joint_counts >= np.maximum(_SIMILAR_SHARE * joint_counts.max(), 1)
    robots = [body for body, similar in zip(tops, is_similar, strict=True) if similar]
    if len(robots) > 1:
        chosen = [body for body in robots if is_named(link_name(model, body), name)]
        if len(chosen) != 1:
            names = [link_name(model, body) for body in robots]
            raise NotAdoptedError(
                f"it holds {len(robots)} robots ({list_names(names)}); choose one with --name "
                f"{normalize_name(names[0])}, or give a file with one."
            )
        top = chosen[0]
    inside = _subtree(model, top)
    free = [body for body in model.jnt_bodyid[model.jnt_type == _FREE].tolist() if body in inside]
    floating = max(free, key=lambda body: _count_joints(model, body), default=0)
    if floating and _count_joints(model, floating) > _FLOATING_SHARE * _count_joints(model, top):
        return int(floating)
    root = top
    base_joints = _joints_on(model, {root})
    while _is_wrapper(model, root, base_joints):
        root = int(np.flatnonzero(model.body_parentid == root)[0])
        base_joints += _joints_on(model, {root})
    _check_base(model, base_joints, notes)
    return root


def _count_joints(model: mujoco.MjModel, body: int) -> int:
    """Return the number of joints on a body and its descendants, without free joints."""
    joints = _joints_on(model, _subtree(model, body))
    return int((model.jnt_type[joints] != _FREE).sum())


def _is_wrapper(model: mujoco.MjModel, root: int, base_joints: list[int]) -> bool:
    """Return whether a body is empty and has one child. After six joints the base can move freely, so it ends there."""
    children = np.flatnonzero(model.body_parentid == root)
    is_empty = not model.body_geomnum[root] or model.body_mass[root] < _EMPTY_KG
    return len(children) == 1 and is_empty and not (len(base_joints) >= 6 and model.body_jntnum[children[0]])


def _check_base(model: mujoco.MjModel, base_joints: list[int], notes: list[Note]) -> None:
    """Add a note that a base is set free; raise NotAdoptedError if it belongs to a planar model."""
    kinds = [int(model.jnt_type[joint]) for joint in base_joints]
    slides = kinds.count(_SLIDE)
    rotations = kinds.count(_HINGE) + 3 * kinds.count(_BALL)
    if not kinds:
        notes.append(
            Note.assumption("its base is fixed to the world in the file: it is set free, so that it can walk.")
        )
    elif (slides, rotations) == (3, 3):
        notes.append(Note.assumption("its base moves by three slides and three hinges: a free joint replaces them."))
    elif slides:
        raise NotAdoptedError(
            f"its base can only slide along {slides} and rotate about {rotations} axes: a planar model, which cannot "
            "stand in three dimensions."
        )
    else:
        notes.append(Note.assumption(f"its base is on {rotations} hinges fixed to the world: it is set free."))


def _find_loops(model: mujoco.MjModel, bodies: set[int]) -> tuple[tuple[str, str], ...]:
    """Return pairs of links of the robot that an equality holds together."""
    loops = []
    for equality in np.flatnonzero(np.isin(model.eq_type, _HOLDING)):
        first = int(model.eq_obj1id[equality])
        second = int(model.eq_obj2id[equality])
        if int(model.eq_objtype[equality]) == int(mujoco.mjtObj.mjOBJ_SITE):
            first = int(model.site_bodyid[first])
            second = int(model.site_bodyid[second])
        if {first, second} <= bodies:
            loops.append((link_name(model, first), link_name(model, second)))
    return tuple(loops)


def _find_keyframes(model: mujoco.MjModel, root: int, joints: list[int]) -> tuple[Keyframe, ...]:
    """Return the postures of a file in which the base is upright.

    They are keyframes, and custom numbers of the length of qpos: the ant models of reinforcement learning use these.
    """
    postures = [(str(model.key(index).name) or f"key {index}", model.key_qpos[index]) for index in range(model.nkey)]
    for index in np.flatnonzero(model.numeric_size == model.nq):
        start = model.numeric_adr[index]
        postures.append((str(model.numeric(int(index)).name), model.numeric_data[start : start + model.nq]))
    return tuple(
        Keyframe(name, _hinge_angles(model, qpos, joints)) for name, qpos in postures if _is_upright(model, root, qpos)
    )


def _is_upright(model: mujoco.MjModel, root: int, qpos: Array) -> bool:
    rotation = _base_rotation(model, root, qpos) @ _base_rotation(model, root, model.qpos0).T
    return bool(rotation[2, 2] > _MIN_UPRIGHT)


def _base_rotation(model: mujoco.MjModel, root: int, qpos: Array) -> Array:
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    rotation: Array = data.xmat[root].reshape(3, 3)
    return rotation


def _hinge_angles(model: mujoco.MjModel, qpos: Array, joints: list[int]) -> dict[str, float]:
    """Return the angles of hinges; of a ball joint its rotation vector, which its three hinges reach approximately."""
    angles: dict[str, float] = {}
    for joint in joints:
        address = int(model.jnt_qposadr[joint])
        names = hinge_names(model, joint)
        if model.jnt_type[joint] == _BALL:
            rotation_vector = np.zeros(3)
            mujoco.mju_quat2Vel(rotation_vector, qpos[address : address + 4], 1.0)
            angles |= dict(zip(names, rotation_vector.tolist(), strict=True))
        elif names:
            angles[names[0]] = float(qpos[address])
    return angles
