"""Foreign source: which part of a description is the robot, what drives it, and its keyframes and cameras."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from strut.adoption.described_model import DescribedModel
from strut.adoption.note import Note, assumed, fault, listed
from strut.adoption.plain_model import hinges_of, joint_name, link_name
from strut.errors import NotAdoptedError
from strut.robot import Array

_HINGE, _BALL = int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_BALL)
_SLIDE, _FREE = int(mujoco.mjtJoint.mjJNT_SLIDE), int(mujoco.mjtJoint.mjJNT_FREE)
_MOST_TILT = 0.87  # cosine of 30 degrees: a base that is turned further does not stand


@dataclass(frozen=True, slots=True)
class Keyframe:
    """A posture that the file remembers: angles by hinge [rad]."""

    name: str
    angles: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ForeignSource:
    """Where the robot is in a description.

    Args:
        root: The body that becomes its floating base.
        sliding: Joints that slide, with their link.
        coupled: Hinges that follow others.
        locked: Hinges that an equality holds in place.
        passive: Hinges that no motor moves, though others have motors.
        loops: Pairs of links that an equality holds together: closed loops.
        keyframes: In the order of the file.
        cameras: Links that carry a camera.
        excluded: Pairs of links that do not collide.
        notes: What was assumed.
    """

    root: int
    sliding: Mapping[str, str]
    coupled: frozenset[str]
    locked: frozenset[str]
    passive: frozenset[str]
    loops: tuple[tuple[str, str], ...]
    keyframes: tuple[Keyframe, ...]
    cameras: frozenset[str]
    excluded: tuple[tuple[str, str], ...]
    notes: tuple[Note, ...]


def find_robot(described: DescribedModel) -> ForeignSource:
    """Return which part of a description is the robot; raises NotAdoptedError if none is."""
    model = described.model
    notes: list[Note] = []
    root = _root(model, notes)
    inside = _below(model, root)
    joints = [joint for joint in range(model.njnt) if model.jnt_bodyid[joint] in inside - {root}]
    if not joints:
        raise NotAdoptedError("nothing in it moves: it has no joints below its base.")
    sliding = {
        joint_name(model, j): link_name(model, int(model.jnt_bodyid[j])) for j in joints if model.jnt_type[j] == _SLIDE
    }
    balls = [joint_name(model, joint) for joint in joints if model.jnt_type[joint] == _BALL]
    if balls:
        notes.append(assumed(f"{len(balls)} ball joints ({listed(balls)}) are taken as three hinges each."))
    driven = _driven(model, notes)
    coupled, locked = _joint_equalities(model, driven, notes)
    undriven = [name for joint in joints if driven and joint not in driven for name in hinges_of(model, joint)]
    return ForeignSource(
        root,
        sliding,
        coupled | described.coupled,
        locked,
        frozenset(undriven) - locked,
        _loops(model, inside),
        _keyframes(model, root, joints),
        frozenset(link_name(model, int(body)) for body in model.cam_bodyid if body in inside - {root}),
        _excluded(model),
        tuple(notes),
    )


def _below(model: mujoco.MjModel, root: int) -> set[int]:
    """Return a body and all that hang on it."""
    inside = {root}
    for body in range(root + 1, model.nbody):  # parents come before their children
        if model.body_parentid[body] in inside:
            inside.add(body)
    return inside


def _root(model: mujoco.MjModel, notes: list[Note]) -> int:
    """Return the body that is the robot's base: what floats, or the first of a fixed tree that weighs or branches."""
    tops = [body for body in range(1, model.nbody) if model.body_parentid[body] == 0]
    if not tops:
        raise NotAdoptedError("it holds no bodies, so there is nothing to move.")
    free = [int(model.jnt_bodyid[joint]) for joint in range(model.njnt) if model.jnt_type[joint] == _FREE]
    moving = {body: _joints_below(model, body) for body in (*free, *tops)}
    floating = max(free, key=lambda body: moving[body], default=None)
    root = max(tops, key=lambda body: moving[body])
    others = [body for body in tops if body != root and moving[body] >= 0.8 * moving[root] > 0]
    if others:
        raise NotAdoptedError(f"it holds {len(others) + 1} robots; give a file with one.")
    if floating is not None and moving[floating] > 0.5 * moving[root]:
        return floating
    held: list[int] = []
    while True:
        held += range(model.body_jntadr[root], model.body_jntadr[root] + model.body_jntnum[root])
        children = np.flatnonzero(model.body_parentid == root)
        is_wrapper = len(children) == 1 and (not model.body_geomnum[root] or model.body_mass[root] < 1e-3)
        if not is_wrapper or _is_leg_like(model, held, int(children[0])):
            break
        root = int(children[0])
    _judge_base(model, held, notes)
    return root


def _is_leg_like(model: mujoco.MjModel, held: list[int], child: int) -> bool:
    """Return whether the joints of the only child no longer belong to the base: it has its six already."""
    return len(held) >= 6 and bool(model.body_jntnum[child])


def _joints_below(model: mujoco.MjModel, body: int) -> int:
    inside = _below(model, body)
    return sum(1 for joint in range(model.njnt) if model.jnt_bodyid[joint] in inside and model.jnt_type[joint] != _FREE)


def _judge_base(model: mujoco.MjModel, held: list[int], notes: list[Note]) -> None:
    """Tell that a base is set free; refuse one that can move in a plane only."""
    kinds = [int(model.jnt_type[joint]) for joint in held]
    slides, turns = kinds.count(_SLIDE), kinds.count(_HINGE) + 3 * kinds.count(_BALL)
    if not kinds:
        notes.append(assumed("its base is fixed to the world in the file: it is set free, or nothing could walk."))
    elif (slides, turns) == (3, 3):
        notes.append(assumed("its base moves by three slides and three hinges: a free base takes their place."))
    elif slides:
        words = f"its base can only slide along {slides} and turn about {turns} axes"
        raise NotAdoptedError(f"{words}: a model in a plane, which cannot stand in the real world.")
    else:
        notes.append(assumed(f"its base turns on {turns} hinges fixed to the world: it is set free."))


def _joint_equalities(
    model: mujoco.MjModel, driven: set[int], notes: list[Note]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return hinges that follow others and hinges that are held in place.

    Where a motor's own shaft drives a joint through a gear, the joint counts as `driven` and the shaft as follower.
    """
    coupled: set[str] = set()
    locked: set[str] = set()
    geared = []
    for index in range(model.neq):
        if int(model.eq_type[index]) != int(mujoco.mjtEq.mjEQ_JOINT):
            continue
        first, second = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
        if second < 0:
            locked |= set(hinges_of(model, first))
            continue
        follower, leader = (second, first) if first in driven and second not in driven else (first, second)
        bodies = [int(model.jnt_bodyid[joint]) for joint in (follower, leader)]
        is_shaft = bodies[1] not in _chain(model, bodies[0]) and not (model.body_parentid == bodies[1]).any()
        if leader in driven and follower not in driven and is_shaft:
            driven.discard(leader)
            driven.add(follower)
            follower = leader
            geared.append(joint_name(model, leader))
        coupled |= set(hinges_of(model, follower))
    if geared:
        notes.append(
            assumed(f"{len(geared)} motors drive through gears ({listed(geared)}): what they move is driven directly.")
        )
    return frozenset(coupled), frozenset(locked)


def _loops(model: mujoco.MjModel, inside: set[int]) -> tuple[tuple[str, str], ...]:
    """Return pairs of links that are held together."""
    loops = []
    for index in range(model.neq):
        if int(model.eq_type[index]) not in (int(mujoco.mjtEq.mjEQ_CONNECT), int(mujoco.mjtEq.mjEQ_WELD)):
            continue
        first, second = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
        if int(model.eq_objtype[index]) == int(mujoco.mjtObj.mjOBJ_SITE):
            first, second = (int(model.site_bodyid[site]) for site in (first, second))
        if {first, second} <= inside:
            loops.append((link_name(model, first), link_name(model, second)))
    return tuple(loops)


def _driven(model: mujoco.MjModel, notes: list[Note]) -> set[int]:
    """Return the joints that motors move; none if the file has no motors at all."""
    if not model.nu:
        notes.append(assumed("the file names no motors: every joint is taken as driven."))
        return set()
    driven: set[int] = set()
    by_tendon = 0
    for motor in range(model.nu):
        kind, target = int(model.actuator_trntype[motor]), int(model.actuator_trnid[motor, 0])
        if kind in (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT)):
            driven.add(target)
        elif kind == int(mujoco.mjtTrn.mjTRN_TENDON):
            by_tendon += 1
            driven |= _pulled(model, target)
    if by_tendon:
        notes.append(assumed(f"{by_tendon} motors pull tendons or muscles: strut gives each joint a motor of its own."))
    return driven


def _pulled(model: mujoco.MjModel, tendon: int) -> set[int]:
    """Return the joints that a tendon moves: those it names, or all between the links that it runs over."""
    start, count = int(model.tendon_adr[tendon]), int(model.tendon_num[tendon])
    joints: set[int] = set()
    bodies: list[int] = []
    for wrap in range(start, start + count):
        kind, target = int(model.wrap_type[wrap]), int(model.wrap_objid[wrap])
        if kind == int(mujoco.mjtWrap.mjWRAP_JOINT):
            joints.add(target)
        elif kind == int(mujoco.mjtWrap.mjWRAP_SITE):
            bodies.append(int(model.site_bodyid[target]))
    chains = [_chain(model, body) for body in bodies]
    if chains:
        shared = set.intersection(*chains)
        joints |= {j for j in range(model.njnt) if model.jnt_bodyid[j] in set.union(*chains) - shared}
    return joints


def _chain(model: mujoco.MjModel, body: int) -> set[int]:
    chain = set()
    while body:
        chain.add(body)
        body = int(model.body_parentid[body])
    return chain


def _excluded(model: mujoco.MjModel) -> tuple[tuple[str, str], ...]:
    pairs = [(int(sign) >> 16, int(sign) & 0xFFFF) for sign in model.exclude_signature]
    return tuple((link_name(model, first), link_name(model, second)) for first, second in pairs)


def _keyframes(model: mujoco.MjModel, root: int, joints: list[int]) -> tuple[Keyframe, ...]:
    """Return the postures of a file in which its base is upright; ants of the field keep theirs as a custom number."""
    frames = [(str(model.key(index).name) or f"key {index}", model.key_qpos[index]) for index in range(model.nkey)]
    for index in range(model.nnumeric):
        start, size = int(model.numeric_adr[index]), int(model.numeric_size[index])
        if size == model.nq:
            frames.append((str(model.numeric(index).name), model.numeric_data[start : start + size]))
    data = mujoco.MjData(model)
    found = []
    for name, qpos in frames:
        data.qpos[:] = model.qpos0
        mujoco.mj_kinematics(model, data)
        before = data.xmat[root].reshape(3, 3).copy()
        data.qpos[:] = qpos
        mujoco.mj_kinematics(model, data)
        turn = data.xmat[root].reshape(3, 3) @ before.T
        if turn[2, 2] > _MOST_TILT:
            found.append(Keyframe(name, _angles(model, qpos, joints)))
    return tuple(found)


def _angles(model: mujoco.MjModel, qpos: Array, joints: list[int]) -> dict[str, float]:
    """Return the angles of hinges; of ball joints their rotation vector, which three hinges nearly reach."""
    angles: dict[str, float] = {}
    for joint in joints:
        start, names = int(model.jnt_qposadr[joint]), hinges_of(model, joint)
        if model.jnt_type[joint] == _BALL:
            vector = np.zeros(3)
            mujoco.mju_quat2Vel(vector, qpos[start : start + 4], 1.0)
            angles |= dict(zip(names, vector.tolist(), strict=True))
        elif names:
            angles[names[0]] = float(qpos[start])
    return angles


def dropped_note(source: ForeignSource) -> tuple[Note, ...]:
    """Return notes about joints outside the legs that are taken as rigid."""
    notes = []
    if source.sliding:
        notes.append(
            assumed(f"{len(source.sliding)} sliding joints ({listed(list(source.sliding))}) are taken as rigid.")
        )
    if source.loops:
        pairs = [f"{first} to {second}" for first, second in source.loops]
        notes.append(fault(f"links are held together outside the legs ({listed(pairs)}): these loops are left open."))
    return tuple(notes)
