"""Drive finder: which joints of a description motors move, which follow others, and which are held in place."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import mujoco
import numpy as np

from strut.adoption.note import Note, list_names
from strut.adoption.plain_model import hinges_of, joint_name
from strut.plumbing.number_text import format_count

_ON_JOINT = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
_ON_TENDON = int(mujoco.mjtTrn.mjTRN_TENDON)
_EQUAL_JOINTS = int(mujoco.mjtEq.mjEQ_JOINT)
_OVER_JOINT = int(mujoco.mjtWrap.mjWRAP_JOINT)
_OVER_SITE = int(mujoco.mjtWrap.mjWRAP_SITE)


@dataclass(frozen=True, slots=True)
class Drives:
    """Hinges that follow others, and which; that are held in place; that no motor moves though others have motors."""

    coupled: dict[str, str]
    locked: frozenset[str]
    passive: frozenset[str]


def find_drives(model: mujoco.MjModel, joints: list[int], notes: list[Note]) -> Drives:
    """Return how joints are driven; what was assumed is added to the notes."""
    driven = _driven(model, notes)
    pairs = _equal_joints(model)
    tied = [_shaft_first(model, pair, driven) for pair in pairs if min(pair) >= 0]
    moved = _moved_through_gears(model, tied, driven, notes)
    locked = _hinges(model, [first for first, second in pairs if second < 0])
    passive = _hinges(model, [joint for joint in joints if joint not in moved]) if driven else frozenset[str]()
    coupled = {name: leader for follower, leads in tied for name, leader in _hinge_pairs(model, follower, leads)}
    return Drives(coupled, locked, passive - locked)


def _hinge_pairs(model: mujoco.MjModel, follower: int, leader: int) -> list[tuple[str, str]]:
    return [(name, joint_name(model, leader)) for name in hinges_of(model, follower)]


def _moved_through_gears(
    model: mujoco.MjModel, tied: list[tuple[int, int]], driven: set[int], notes: list[Note]
) -> set[int]:
    """Return the joints that motors move, with what they drive through gears in place of their shafts."""
    geared = dict(pair for pair in tied if _is_shaft(model, *pair, driven))
    if geared:
        words = format_count(len(geared), "[motor drives|motors drive] through gears")
        shafts = list_names([joint_name(model, shaft) for shaft in geared])
        notes.append(Note.assumption(f"{words} ({shafts}): what they move is driven directly."))
    return (driven | set(geared.values())) - set(geared)


def _hinges(model: mujoco.MjModel, joints: list[int]) -> frozenset[str]:
    return frozenset(chain.from_iterable(hinges_of(model, joint) for joint in joints))


def _equal_joints(model: mujoco.MjModel) -> list[tuple[int, int]]:
    """Return pairs of joints that an equality ties together; the second is -1 where it ties one to a number."""
    tied = np.flatnonzero(model.eq_type == _EQUAL_JOINTS)
    return list(zip(model.eq_obj1id[tied].tolist(), model.eq_obj2id[tied].tolist(), strict=True))


def _shaft_first(model: mujoco.MjModel, pair: tuple[int, int], driven: set[int]) -> tuple[int, int]:
    """Return follower and leader of two tied joints: a motor's own shaft follows what it drives through a gear."""
    first, second = pair
    if _is_shaft(model, second, first, driven):
        return second, first
    return first, second


def _is_shaft(model: mujoco.MjModel, shaft: int, other: int, driven: set[int]) -> bool:
    """Return whether a joint is a motor's shaft that carries nothing, and the other has no motor of its own."""
    body = int(model.jnt_bodyid[shaft])
    carries = bool((model.body_parentid == body).any())
    return shaft in driven and other not in driven and not carries


def _driven(model: mujoco.MjModel, notes: list[Note]) -> set[int]:
    """Return the joints that motors move; none if the file has no motors at all."""
    if not model.nu:
        notes.append(Note.assumption("the file names no motors: every joint is taken as driven."))
        return set()
    targets = model.actuator_trnid[:, 0]
    tendons = targets[model.actuator_trntype == _ON_TENDON].tolist()
    if tendons:
        words = format_count(len(tendons), "[motor pulls|motors pull] tendons or muscles")
        notes.append(Note.assumption(f"{words}: strut gives each joint a motor of its own."))
    pulled = chain.from_iterable(_pulled(model, tendon) for tendon in tendons)
    return {*targets[np.isin(model.actuator_trntype, _ON_JOINT)].tolist(), *pulled}


def _pulled(model: mujoco.MjModel, tendon: int) -> set[int]:
    """Return the joints that a tendon moves: those it names, or all between the links that it runs over."""
    wraps = slice(int(model.tendon_adr[tendon]), int(model.tendon_adr[tendon] + model.tendon_num[tendon]))
    kinds = model.wrap_type[wraps]
    targets = model.wrap_objid[wraps]
    ways = [_way(model, int(body)) for body in model.site_bodyid[targets[kinds == _OVER_SITE]]]
    between = set[int]().union(*ways) - ways[0].intersection(*ways) if ways else set[int]()
    return {*targets[kinds == _OVER_JOINT].tolist(), *np.flatnonzero(np.isin(model.jnt_bodyid, list(between))).tolist()}


def _way(model: mujoco.MjModel, body: int) -> set[int]:
    """Return a body and all that it hangs on."""
    way = set()
    while body:
        way.add(body)
        body = int(model.body_parentid[body])
    return way
