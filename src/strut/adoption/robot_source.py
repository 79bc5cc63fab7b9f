"""Foreign source: which part of a description is the robot, what drives it, and its keyframes and cameras."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from strut.adoption.described_model import DescribedModel
from strut.adoption.drive_finder import find_drives
from strut.adoption.note import Note, list_names
from strut.adoption.plain_model import hinges_of, joint_name, link_name
from strut.arrays import Array
from strut.errors import NotAdoptedError
from strut.plumbing.number_text import format_count

_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)
_BALL = int(mujoco.mjtJoint.mjJNT_BALL)
_SLIDE = int(mujoco.mjtJoint.mjJNT_SLIDE)
_FREE = int(mujoco.mjtJoint.mjJNT_FREE)
_HOLDING = (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD))
_LEAST_RANGE_RAD = 0.03  # from stop to stop: less leaves nothing between the margins that limits are kept by
_MOST_TILT = 0.87  # cosine of 30 degrees: a base that is turned further does not stand


@dataclass(frozen=True, slots=True)
class Keyframe:
    """A posture that the file remembers: angles by hinge [rad]."""

    name: str
    angles: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ImportedSource:
    """Where the robot is in a description.

    Args:
        root: The body that becomes its floating base.
        sliding: Joints that slide, with their link.
        coupled: Hinges that follow others, and which.
        locked: Hinges that an equality holds in place, or that can hardly turn.
        passive: Hinges that no motor moves, though others have motors.
        loops: Pairs of links that an equality holds together: closed loops.
        keyframes: In the order of the file.
        cameras: Links that carry a camera.
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


def find_robot(described: DescribedModel) -> ImportedSource:
    """Return which part of a description is the robot; raises NotAdoptedError if none is."""
    model = described.model
    notes: list[Note] = []
    root = _root(model, notes)
    inside = _below(model, root)
    joints = _joints_on(model, inside - {root})
    if not joints:
        raise NotAdoptedError("nothing in it moves: it has no joints below its base.")
    _tell_balls(model, joints, notes)
    drives = find_drives(model, joints, notes)
    stuck = _stuck(model, joints, notes)
    return ImportedSource(
        root,
        _sliding(model, joints),
        drives.coupled | described.coupled,
        drives.locked | stuck,
        drives.passive - stuck,
        _loops(model, inside),
        _keyframes(model, root, joints),
        frozenset(link_name(model, int(body)) for body in model.cam_bodyid if body in inside - {root}),
        _excluded(model),
        tuple(notes),
    )


def _sliding(model: mujoco.MjModel, joints: list[int]) -> dict[str, str]:
    slides = [joint for joint in joints if model.jnt_type[joint] == _SLIDE]
    return {joint_name(model, joint): link_name(model, int(model.jnt_bodyid[joint])) for joint in slides}


def _stuck(model: mujoco.MjModel, joints: list[int], notes: list[Note]) -> frozenset[str]:
    """Return the hinges that can hardly turn, as some files write what is fixed."""
    limited = [joint for joint in joints if model.jnt_limited[joint] and model.jnt_type[joint] == _HINGE]
    stuck = [joint_name(model, joint) for joint in limited if _is_stuck(model, joint)]
    if stuck:
        words = (
            f"[joint|joints] ({list_names(stuck)}) [turns|turn] by less than {_LEAST_RANGE_RAD:g} rad: taken as rigid."
        )
        notes.append(Note.assumption(format_count(len(stuck), words)))
    return frozenset(stuck)


def _is_stuck(model: mujoco.MjModel, joint: int) -> bool:
    """Return whether a hinge hardly turns from where it is drawn; one that is held elsewhere must get there."""
    low, high = model.jnt_range[joint]
    drawn = model.qpos0[model.jnt_qposadr[joint]]
    return bool(high - low < _LEAST_RANGE_RAD and low - _LEAST_RANGE_RAD < drawn < high + _LEAST_RANGE_RAD)


def _tell_balls(model: mujoco.MjModel, joints: list[int], notes: list[Note]) -> None:
    balls = [joint_name(model, joint) for joint in joints if model.jnt_type[joint] == _BALL]
    if balls:
        notes.append(
            Note.assumption(
                format_count(len(balls), f"ball [joint|joints] ({list_names(balls)}): three hinges are taken for each.")
            )
        )


def _joints_on(model: mujoco.MjModel, bodies: set[int]) -> list[int]:
    joints: list[int] = np.flatnonzero(np.isin(model.jnt_bodyid, list(bodies))).tolist()
    return joints


def _below(model: mujoco.MjModel, root: int) -> set[int]:
    """Return a body and all that hang on it."""
    inside = {root}
    for body in range(root + 1, model.nbody):  # parents come before their children
        if model.body_parentid[body] in inside:
            inside.add(body)
    return inside


def _root(model: mujoco.MjModel, notes: list[Note]) -> int:
    """Return the body that is the robot's base: what floats, or the first of a fixed tree that weighs or branches."""
    tops = (np.flatnonzero(model.body_parentid[1:] == 0) + 1).tolist()
    if not tops:
        raise NotAdoptedError("it holds no bodies, so there is nothing to move.")
    top = _only_robot(model, tops)
    free = model.jnt_bodyid[model.jnt_type == _FREE].tolist()
    floating = max(free, key=lambda body: _joints_below(model, body), default=0)
    if floating and _joints_below(model, floating) > 0.5 * _joints_below(model, top):
        return int(floating)
    root, held = _unwrapped(model, top)
    _judge_base(model, held, notes)
    return root


def _only_robot(model: mujoco.MjModel, tops: list[int]) -> int:
    """Return the body with most joints below it; raises NotAdoptedError if another has about as many."""
    moving = np.array([_joints_below(model, body) for body in tops])
    alike = int((moving >= np.maximum(0.8 * moving.max(), 1)).sum())
    if alike > 1:
        raise NotAdoptedError(f"it holds {alike} robots; give a file with one.")
    return tops[int(np.argmax(moving))]


def _unwrapped(model: mujoco.MjModel, root: int) -> tuple[int, list[int]]:
    """Return the first body that is more than a wrapper around another, and the joints that hold it."""
    held = _joints_on(model, {root})
    while _is_wrapper(model, root, held):
        root = int(np.flatnonzero(model.body_parentid == root)[0])
        held += _joints_on(model, {root})
    return root, held


def _is_wrapper(model: mujoco.MjModel, root: int, held: list[int]) -> bool:
    """Return whether a body holds one other and nothing else; after six joints the base is free."""
    children = np.flatnonzero(model.body_parentid == root)
    is_empty = not model.body_geomnum[root] or model.body_mass[root] < 1e-3
    return len(children) == 1 and is_empty and not (len(held) >= 6 and model.body_jntnum[children[0]])


def _joints_below(model: mujoco.MjModel, body: int) -> int:
    joints = _joints_on(model, _below(model, body))
    return int((model.jnt_type[joints] != _FREE).sum())


def _judge_base(model: mujoco.MjModel, held: list[int], notes: list[Note]) -> None:
    """Tell that a base is set free; refuse one that can move in a plane only."""
    kinds = [int(model.jnt_type[joint]) for joint in held]
    slides = kinds.count(_SLIDE)
    turns = kinds.count(_HINGE) + 3 * kinds.count(_BALL)
    if not kinds:
        notes.append(
            Note.assumption("its base is fixed to the world in the file: it is set free, or nothing could walk.")
        )
    elif (slides, turns) == (3, 3):
        notes.append(Note.assumption("its base moves by three slides and three hinges: a free base takes their place."))
    elif slides:
        words = f"its base can only slide along {slides} and turn about {turns} axes"
        raise NotAdoptedError(f"{words}: a model in a plane, which cannot stand in the real world.")
    else:
        notes.append(Note.assumption(f"its base turns on {turns} hinges fixed to the world: it is set free."))


def _loops(model: mujoco.MjModel, inside: set[int]) -> tuple[tuple[str, str], ...]:
    """Return pairs of links that are held together."""
    held = np.flatnonzero(np.isin(model.eq_type, _HOLDING))
    pairs = [_held_bodies(model, int(index)) for index in held]
    return tuple((link_name(model, one), link_name(model, other)) for one, other in pairs if {one, other} <= inside)


def _held_bodies(model: mujoco.MjModel, equality: int) -> tuple[int, int]:
    first = int(model.eq_obj1id[equality])
    second = int(model.eq_obj2id[equality])
    if int(model.eq_objtype[equality]) == int(mujoco.mjtObj.mjOBJ_SITE):
        return int(model.site_bodyid[first]), int(model.site_bodyid[second])
    return first, second


def _excluded(model: mujoco.MjModel) -> tuple[tuple[str, str], ...]:
    pairs = [(int(sign) >> 16, int(sign) & 0xFFFF) for sign in model.exclude_signature]
    return tuple((link_name(model, first), link_name(model, second)) for first, second in pairs)


def _keyframes(model: mujoco.MjModel, root: int, joints: list[int]) -> tuple[Keyframe, ...]:
    """Return the postures of a file in which its base is upright; ants of the field keep theirs as a custom number."""
    upright = [frame for frame in (*_keys(model), *_numerics(model)) if _is_upright(model, root, frame[1])]
    return tuple(Keyframe(name, _angles(model, qpos, joints)) for name, qpos in upright)


def _keys(model: mujoco.MjModel) -> list[tuple[str, Array]]:
    return [(str(model.key(index).name) or f"key {index}", model.key_qpos[index]) for index in range(model.nkey)]


def _numerics(model: mujoco.MjModel) -> list[tuple[str, Array]]:
    fitting = np.flatnonzero(model.numeric_size == model.nq)
    starts = model.numeric_adr[fitting]
    return [
        (str(model.numeric(int(index)).name), model.numeric_data[start : start + model.nq])
        for index, start in zip(fitting, starts, strict=True)
    ]


def _is_upright(model: mujoco.MjModel, root: int, qpos: Array) -> bool:
    turn = _base_turn(model, root, qpos) @ _base_turn(model, root, model.qpos0).T
    return bool(turn[2, 2] > _MOST_TILT)


def _base_turn(model: mujoco.MjModel, root: int, qpos: Array) -> Array:
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    turn: Array = data.xmat[root].reshape(3, 3)
    return turn


def _angles(model: mujoco.MjModel, qpos: Array, joints: list[int]) -> dict[str, float]:
    """Return the angles of hinges; of ball joints their rotation vector, which three hinges nearly reach."""
    angles: dict[str, float] = {}
    for joint in joints:
        start = int(model.jnt_qposadr[joint])
        names = hinges_of(model, joint)
        if model.jnt_type[joint] == _BALL:
            vector = np.zeros(3)
            mujoco.mju_quat2Vel(vector, qpos[start : start + 4], 1.0)
            angles |= dict(zip(names, vector.tolist(), strict=True))
        elif names:
            angles[names[0]] = float(qpos[start])
    return angles


def dropped_note(source: ImportedSource) -> tuple[Note, ...]:
    """Return notes about joints outside the legs that are taken as rigid."""
    notes = []
    if source.sliding:
        notes.append(
            Note.assumption(
                f"{len(source.sliding)} sliding joints ({list_names(list(source.sliding))}) are taken as rigid."
            )
        )
    if source.loops:
        pairs = [f"{first} to {second}" for first, second in source.loops]
        notes.append(
            Note.fault(f"links are held together outside the legs ({list_names(pairs)}): these loops are left open.")
        )
    return tuple(notes)
