"""Tree elements: tendons and closed loops between the bodies of a tree, read from MJCF as numbers.

Tendons with springs and dampers, and equalities: points that stay together (connect), bodies that are one (weld),
joints that follow others, tendons that keep a length (a rod is a tendon between two sites that does). Equalities that
are switched off at the start are left out; all others hold exactly, not softly as in a simulation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.errors import BadTableError


@dataclass(frozen=True, slots=True, eq=False)
class Anchor:
    """A frame fixed to a step of the recursion, -1 is the world. Shapes (3,) and (3, 3)."""

    step: int
    offset_m: Array
    rotation: Array


AnchorOf = Callable[[int], Anchor]  # of a body by its number


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """A straight piece of a tendon between two anchors; its length counts divided by a pulley's divisor."""

    first: Anchor
    second: Anchor
    divisor: float


@dataclass(frozen=True, slots=True, eq=False)
class Tendon:
    """A length as a function of the coordinates, with a spring and a damper along it.

    Args:
        name: Of the tendon.
        joints: Steps and coefficients of a fixed tendon, whose length is a sum of coordinates.
        stretches: Pieces of a spatial tendon.
        length_0: In the configuration of the model file.
        stiffness: In N/m, or N m/rad of a sum of angles.
        slack: Between these two lengths the spring rests. Shape (2,).
        damping: Of the rate of its length.
    """

    name: str
    joints: tuple[tuple[int, float], ...]
    stretches: tuple[Stretch, ...]
    length_0: float
    stiffness: float
    slack: Array
    damping: float


@dataclass(frozen=True, slots=True, eq=False)
class PointClosure:
    """Two points that stay together: three rows."""

    name: str
    first: Anchor
    second: Anchor


@dataclass(frozen=True, slots=True, eq=False)
class FrameClosure:
    """Two frames that stay together: six rows."""

    name: str
    first: Anchor
    second: Anchor


@dataclass(frozen=True, slots=True, eq=False)
class JointClosure:
    """A joint that follows another by a polynomial of its coordinate from the file's pose; -1 for none. Shape (5,)."""

    name: str
    follower: int
    leader: int
    zero: tuple[float, float]
    polynomial: Array


@dataclass(frozen=True, slots=True, eq=False)
class TendonClosure:
    """A tendon whose length from the file's pose follows that of another, or stays. Shape (5,)."""

    name: str
    follower: Tendon
    leader: Tendon | None
    polynomial: Array


Closure = PointClosure | FrameClosure | JointClosure | TendonClosure
T = TypeVar("T", Tendon, Stretch, Closure)


def read_tendons(model: mujoco.MjModel, anchor_of: AnchorOf, step_of: Callable[[int], int]) -> tuple[Tendon, ...]:
    """Return the tendons of a model; raises BadTableError for tendons that wrap around bodies."""
    return tuple(_tendon(model, number, anchor_of, step_of) for number in range(model.ntendon))


def _tendon(model: mujoco.MjModel, number: int, anchor_of: AnchorOf, step_of: Callable[[int], int]) -> Tendon:
    start = int(model.tendon_adr[number])
    count = int(model.tendon_num[number])
    joints = list[tuple[int, float]]()
    stretches = list[Stretch]()
    divisor = 1.0
    before = None
    for wrap in range(start, start + count):
        kind = model.wrap_type[wrap]
        thing = int(model.wrap_objid[wrap])
        value = float(model.wrap_prm[wrap])
        if kind == mujoco.mjtWrap.mjWRAP_JOINT:
            joints.append((step_of(thing), value))
        elif kind == mujoco.mjtWrap.mjWRAP_PULLEY:
            divisor = value
            before = None
        elif kind == mujoco.mjtWrap.mjWRAP_SITE:
            here = _on_site(model, thing, anchor_of)
            if before is not None:
                stretches.append(Stretch(before, here, divisor))
            before = here
        else:
            raise BadTableError(
                f"Tendon {model.tendon(number).name} wraps around a body; only straight pieces are known."
            )
    return Tendon(
        model.tendon(number).name,
        tuple(joints),
        tuple(stretches),
        float(model.tendon_length0[number]),
        float(model.tendon_stiffness[number]),
        model.tendon_lengthspring[number].copy(),
        float(model.tendon_damping[number]),
    )


def _on_site(model: mujoco.MjModel, site: int, anchor_of: AnchorOf) -> Anchor:
    turn = Rotation.from_quat(model.site_quat[site], scalar_first=True).as_matrix()
    return _moved(anchor_of(int(model.site_bodyid[site])), model.site_pos[site], turn)


def _moved(anchor: Anchor, offset_m: Array, rotation: Array) -> Anchor:
    return Anchor(anchor.step, anchor.offset_m + anchor.rotation @ offset_m, anchor.rotation @ rotation)


def read_closures(
    model: mujoco.MjModel, anchor_of: AnchorOf, step_of: Callable[[int], int], tendons: tuple[Tendon, ...]
) -> tuple[Closure, ...]:
    """Return the equalities of a model that hold from the start."""
    found: list[Closure] = []
    for number in np.flatnonzero(model.eq_active0):
        kind = mujoco.mjtEq(model.eq_type[number])
        data = model.eq_data[number]
        name = model.equality(int(number)).name or f"equality {number + 1}"
        one = int(model.eq_obj1id[number])
        other = int(model.eq_obj2id[number])
        if kind in {mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtEq.mjEQ_WELD}:
            found.append(_fixed(model, int(number), name, anchor_of))
        elif kind == mujoco.mjtEq.mjEQ_JOINT:
            zero = [float(model.qpos0[model.jnt_qposadr[joint]]) if joint >= 0 else 0.0 for joint in (one, other)]
            leader = step_of(other) if other >= 0 else -1
            found.append(JointClosure(name, step_of(one), leader, (zero[0], zero[1]), data[:5].copy()))
        elif kind == mujoco.mjtEq.mjEQ_TENDON:
            found.append(TendonClosure(name, tendons[one], tendons[other] if other >= 0 else None, data[:5].copy()))
        else:
            raise BadTableError(f"{name}: equalities of flexible bodies are not known here; take it out of the model.")
    return tuple(found)


def _fixed(model: mujoco.MjModel, number: int, name: str, anchor_of: AnchorOf) -> Closure:
    """Return a connect or a weld, between bodies or between sites."""
    one = int(model.eq_obj1id[number])
    other = int(model.eq_obj2id[number])
    data = model.eq_data[number]
    welded = model.eq_type[number] == mujoco.mjtEq.mjEQ_WELD
    kind = FrameClosure if welded else PointClosure
    if model.eq_objtype[number] == mujoco.mjtObj.mjOBJ_SITE:
        return kind(name, _on_site(model, one, anchor_of), _on_site(model, other, anchor_of))
    first = anchor_of(one)
    second = anchor_of(other)
    if not welded:
        return PointClosure(name, _moved(first, data[:3], np.eye(3)), _moved(second, data[3:6], np.eye(3)))
    turn = Rotation.from_quat(data[6:10], scalar_first=True).as_matrix()
    return FrameClosure(name, _moved(first, data[3:6], turn), _moved(second, data[:3], np.eye(3)))


def renumbered(element: T, later: Callable[[int], int]) -> T:
    """Return a tendon or closure with renumbered steps."""
    changes: dict[str, Any] = {}
    for part in fields(element):
        value = getattr(element, part.name)
        if isinstance(value, Anchor):
            changes[part.name] = replace(value, step=later(value.step))
        elif isinstance(value, Tendon):
            changes[part.name] = renumbered(value, later)
        elif part.name in {"follower", "leader"} and isinstance(value, int):
            changes[part.name] = later(value)
    if isinstance(element, Tendon):
        changes["joints"] = tuple((later(step), share) for step, share in element.joints)
        changes["stretches"] = tuple(renumbered(piece, later) for piece in element.stretches)
    return replace(element, **changes)
