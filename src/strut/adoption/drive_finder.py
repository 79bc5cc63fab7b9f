"""Drive finder: which joints of a description motors move, which follow others, and which are held in place."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import mujoco
import numpy as np

from strut.adoption.note import Note, list_names
from strut.adoption.plain_model import hinge_names, joint_name
from strut.plumbing.number_text import format_count

_ON_JOINT = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
_ON_TENDON = int(mujoco.mjtTrn.mjTRN_TENDON)
_EQUAL_JOINTS = int(mujoco.mjtEq.mjEQ_JOINT)
_OVER_JOINT = int(mujoco.mjtWrap.mjWRAP_JOINT)
_OVER_SITE = int(mujoco.mjtWrap.mjWRAP_SITE)


@dataclass(frozen=True, slots=True)
class Drives:
    """How the hinges of a robot are driven.

    Args:
        coupled: Hinges that follow another joint, each with its leader.
        locked: Hinges that an equality holds in place.
        passive: Hinges without a motor; none if the file has no motors at all.
    """

    coupled: dict[str, str]
    locked: frozenset[str]
    passive: frozenset[str]


def find_drives(model: mujoco.MjModel, joints: list[int], notes: list[Note]) -> Drives:
    """Return how joints are driven; adds what was assumed to the notes."""
    motorized = _find_motorized(model, notes)
    equalities = np.flatnonzero(model.eq_type == _EQUAL_JOINTS)
    pairs = list(zip(model.eq_obj1id[equalities].tolist(), model.eq_obj2id[equalities].tolist(), strict=True))
    locked = _hinge_names_of(model, [first for first, second in pairs if second < 0])
    couplings = [_follower_and_leader(model, pair, motorized) for pair in pairs if min(pair) >= 0]
    geared = {shaft: driven for shaft, driven in couplings if _is_motor_shaft(model, shaft, driven, motorized)}
    if geared:
        text = format_count(len(geared), "[motor drives|motors drive] through gears")
        shafts = list_names([joint_name(model, shaft) for shaft in geared])
        notes.append(Note.assumption(f"{text} ({shafts}): each is taken as a motor at the joint that it moves."))
    moved = (motorized | set(geared.values())) - set(geared)
    passive = (
        _hinge_names_of(model, [joint for joint in joints if joint not in moved]) if motorized else frozenset[str]()
    )
    coupled = {
        name: joint_name(model, leader) for follower, leader in couplings for name in hinge_names(model, follower)
    }
    return Drives(coupled, locked, passive - locked)


def _hinge_names_of(model: mujoco.MjModel, joints: list[int]) -> frozenset[str]:
    return frozenset(chain.from_iterable(hinge_names(model, joint) for joint in joints))


def _follower_and_leader(model: mujoco.MjModel, pair: tuple[int, int], motorized: set[int]) -> tuple[int, int]:
    """Return the follower and the leader of two coupled joints: a motor shaft follows the joint that it drives."""
    first, second = pair
    if _is_motor_shaft(model, second, first, motorized):
        return second, first
    return first, second


def _is_motor_shaft(model: mujoco.MjModel, shaft: int, other: int, motorized: set[int]) -> bool:
    """Return whether a joint is a motor's shaft that carries no link, while the other joint has no motor."""
    body = int(model.jnt_bodyid[shaft])
    has_children = bool((model.body_parentid == body).any())
    return shaft in motorized and other not in motorized and not has_children


def _find_motorized(model: mujoco.MjModel, notes: list[Note]) -> set[int]:
    """Return the joints that motors move; none if the file has no motors at all."""
    if not model.nu:
        notes.append(Note.assumption("the file has no motors: every joint is taken as driven."))
        return set()
    targets = model.actuator_trnid[:, 0]
    tendons = targets[model.actuator_trntype == _ON_TENDON].tolist()
    if tendons:
        text = format_count(len(tendons), "[motor pulls|motors pull] tendons or muscles")
        notes.append(Note.assumption(f"{text}: strut gives each joint a motor of its own."))
    by_tendon = chain.from_iterable(_joints_of_tendon(model, tendon) for tendon in tendons)
    return {*targets[np.isin(model.actuator_trntype, _ON_JOINT)].tolist(), *by_tendon}


def _joints_of_tendon(model: mujoco.MjModel, tendon: int) -> set[int]:
    """Return the joints that a tendon moves: those that it names, and all between the links of its sites."""
    wraps = slice(int(model.tendon_adr[tendon]), int(model.tendon_adr[tendon] + model.tendon_num[tendon]))
    kinds = model.wrap_type[wraps]
    targets = model.wrap_objid[wraps]
    paths = [_path_to(model, int(body)) for body in model.site_bodyid[targets[kinds == _OVER_SITE]]]
    between = set[int]().union(*paths) - paths[0].intersection(*paths) if paths else set[int]()
    return {*targets[kinds == _OVER_JOINT].tolist(), *np.flatnonzero(np.isin(model.jnt_bodyid, list(between))).tolist()}


def _path_to(model: mujoco.MjModel, body: int) -> set[int]:
    """Return a body and all its ancestors except the world."""
    path = set()
    while body:
        path.add(body)
        body = int(model.body_parentid[body])
    return path
