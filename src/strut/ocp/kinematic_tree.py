"""Kinematic tree: bodies and joints of a robot as numbers, read from MJCF, for recursions over its joints.

Conventions as in MuJoCo: of a free joint, q is position and quaternion wxyz, v is the linear velocity in world axes and
the angular velocity in body axes. A tree whose base is turned into angles has three slides and three hinges instead.
Springs, dampers, tendons and closed loops are included; a model with any other force is refused. A joint may follow
another in a fixed ratio: it is part of the recursion and has no coordinate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Literal

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.engines.rigid_body import compile_model
from strut.errors import BadTableError, UnknownNameError
from strut.ocp.tree_elements import Anchor, Closure, Tendon, read_closures, read_tendons, renumbered

JointKind = Literal["free", "ball", "slide", "hinge"]
_KIND: dict[int, JointKind] = {0: "free", 1: "ball", 2: "slide", 3: "hinge"}
VELOCITIES = {"free": 6, "ball": 3, "slide": 1, "hinge": 1}
BASE_AXES = ("TX", "TY", "TZ", "RY", "RX", "RZ")  # the order in which an angle base applies them


@dataclass(frozen=True, slots=True, eq=False)
class TreeJoint:
    """One joint of the recursion: how its frame moves against that of the parent step. Arrays of shape (3,), (3, 3).

    Args:
        name: Of the joint.
        kind: Of the joint.
        parent: Index of the parent step; -1 is the world.
        offset_m: The joint's anchor in the parent's frame.
        rotation: Constant rotation from this frame, at zero angle, to the parent's.
        axis: Of a hinge or slide, in its own frame.
        reference: Value of q in the configuration of the model file.
        q_index: First of its entries in q.
        v_index: First of its entries in v.
        armature: Rotor inertia added to each of its velocities.
        damping: Torque against each of its velocities.
        stiffness: Of its spring.
        spring_rest: Values of q at which the spring rests. Shape (1,), (4,) or (7,).
        follows: Whether the coordinate at `q_index` is another joint's, and this one `shift` + `ratio` times it.
        ratio: See `follows`.
        shift: See `follows`.
        mass_kg: Of all bodies fixed to this frame.
        com_m: Their centre of mass in this frame.
        inertia_kg_m2: Their inertia about it, in the axes of this frame.
    """

    name: str
    kind: JointKind
    parent: int
    offset_m: Array
    rotation: Array
    axis: Array
    reference: float
    q_index: int
    v_index: int
    armature: Array
    damping: Array
    stiffness: float
    spring_rest: Array
    follows: bool = False
    ratio: float = 1.0
    shift: float = 0.0
    mass_kg: float = 0.0
    com_m: Array = field(default_factory=lambda: np.zeros(3))
    inertia_kg_m2: Array = field(default_factory=lambda: np.zeros((3, 3)))


@dataclass(frozen=True, slots=True, eq=False)
class Welded:
    """Bodies welded to the world: total mass and centre of mass in world. Shape (3,)."""

    mass_kg: float
    com_m: Array


@dataclass(frozen=True, slots=True, eq=False)
class KinematicTree:
    """All joints in order of the recursion, and the joint frame to which every named body is fixed."""

    name: str
    steps: tuple[TreeJoint, ...]
    bodies: dict[str, Anchor]
    welded: Welded
    gravity_m_s2: Array
    nq: int
    nv: int
    tendons: tuple[Tendon, ...] = ()
    closures: tuple[Closure, ...] = ()

    def body(self, name: str) -> Anchor:
        """Return the frame of the body called `name`."""
        if name not in self.bodies:
            raise UnknownNameError(f"body of {self.name}", name, tuple(self.bodies), "its model file")
        return self.bodies[name]

    @property
    def velocity_names(self) -> tuple[str, ...]:
        """A name for every entry of v."""
        names: list[str] = []
        for step in self._leading:
            count = VELOCITIES[step.kind]
            names += [step.name] if count == 1 else [f"{step.name}_{index}" for index in range(count)]
        return tuple(names)

    @property
    def velocity_units(self) -> tuple[str, ...]:
        """The unit of every entry of v times a second: m or rad."""
        turning = {"free": (False,) * 3 + (True,) * 3, "ball": (True,) * 3, "slide": (False,), "hinge": (True,)}
        return tuple("rad" if turns else "m" for step in self._leading for turns in turning[step.kind])

    @property
    def _leading(self) -> list[TreeJoint]:
        """The joints with coordinates of their own."""
        return [step for step in self.steps if not step.follows]

    @property
    def mass_kg(self) -> float:
        """Total mass, including bodies welded to the world."""
        return float(sum(step.mass_kg for step in self.steps)) + self.welded.mass_kg


@lru_cache(maxsize=16)
def read_tree(model: mujoco.MjModel | str, *, angle_base: bool = False) -> KinematicTree:
    """Return the tree of a compiled model.

    Args:
        model: Compiled, or MJCF text.
        angle_base: Replace a floating base by slides along x, y, z and hinges about y, x, z, so that every coordinate
            is a plain number and q has as many entries as v.
    """
    model = compile_model(model)
    name = model.names[: model.names.index(b"\0")].decode()
    _refuse_other_forces(name, model)
    steps: list[TreeJoint] = []
    placements = [Anchor(-1, np.zeros(3), np.eye(3))]
    for body in range(1, model.nbody):
        placements.append(_add_body(model, body, placements, steps))
        index = placements[-1].step
        if model.body_mass[body] > 0.0 and index >= 0:
            steps[index] = _with_mass(steps[index], model, body, placements[-1])
    joint_step = {int(model.jnt_dofadr[joint]): joint for joint in range(model.njnt)}
    step_of = {joint_step[step.v_index]: index for index, step in enumerate(steps)}
    tendons = read_tendons(model, placements.__getitem__, step_of.__getitem__)
    tree = KinematicTree(
        name,
        tuple(steps),
        {model.body(body).name: placements[body] for body in range(1, model.nbody)},
        _welded(model, placements),
        model.opt.gravity.copy(),
        model.nq,
        model.nv,
        tendons,
        read_closures(model, placements.__getitem__, step_of.__getitem__, tendons),
    )
    return _with_angle_base(tree) if angle_base else tree


def _refuse_other_forces(name: str, model: mujoco.MjModel) -> None:
    """Raise BadTableError if the model has forces that the recursion does not include."""
    there = {
        "limits, rotors or friction in tendons": model.tendon_limited.any()
        or model.tendon_armature.any()
        or model.tendon_frictionloss.any(),
        "flexible bodies": model.nflex,
        "plugins": model.nplugin,
        "springs that are not linear": model.jnt_stiffnesspoly.any() or model.tendon_stiffnesspoly.any(),
        "damping that is not linear": model.dof_dampingpoly.any() or model.tendon_dampingpoly.any(),
        "friction in joints (frictionloss)": model.dof_frictionloss.any(),
        "rotors or damping in actuators": model.actuator_armature.any() or model.actuator_damping.any(),
        "bodies held against gravity (gravcomp)": model.ngravcomp,
        "a surrounding fluid (density, viscosity)": model.opt.density > 0.0 or model.opt.viscosity > 0.0,
        "gravity switched off": model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY,
    }
    found = [what for what, present in there.items() if present]
    if found:
        raise BadTableError(
            f"{name}: the dynamics of a model with {' and '.join(found)} are not known here; "
            "take it out of the model file, or give its force as a torque or an external force."
        )


def _welded(model: mujoco.MjModel, placements: list[Anchor]) -> Welded:
    fixed = [body for body in range(1, model.nbody) if placements[body].step < 0]
    mass = float(model.body_mass[fixed].sum())
    places = [placements[body].offset_m + placements[body].rotation @ model.body_ipos[body] for body in fixed]
    return Welded(mass, model.body_mass[fixed] @ np.array(places) / mass if mass > 0.0 else np.zeros(3))


def _add_body(model: mujoco.MjModel, body: int, placements: list[Anchor], steps: list[TreeJoint]) -> Anchor:
    parent = placements[model.body_parentid[body]]
    offset = parent.offset_m + parent.rotation @ model.body_pos[body]
    rotation = parent.rotation @ Rotation.from_quat(model.body_quat[body], scalar_first=True).as_matrix()
    index = parent.step
    anchor = np.zeros(3)
    start = model.body_jntadr[body]
    count = model.body_jntnum[body]
    for joint in range(start, start + count):
        kind = _KIND[int(model.jnt_type[joint])]
        turns = kind in {"hinge", "ball"}
        new_anchor = model.jnt_pos[joint].copy() if turns else np.zeros(3)
        if kind == "free":
            offset = np.zeros(3)
            rotation = np.eye(3)
        dof = int(model.jnt_dofadr[joint])
        width = VELOCITIES[kind]
        start_q = int(model.jnt_qposadr[joint])
        steps.append(
            TreeJoint(
                name=model.joint(joint).name,
                kind=kind,
                parent=index,
                offset_m=offset + rotation @ (new_anchor - anchor),
                rotation=rotation,
                axis=model.jnt_axis[joint].copy(),
                reference=float(model.qpos0[start_q]) if width == 1 else 0.0,
                q_index=start_q,
                v_index=dof,
                armature=model.dof_armature[dof : dof + width].copy(),
                damping=model.dof_damping[dof : dof + width].copy(),
                stiffness=float(model.jnt_stiffness[joint]),
                spring_rest=model.qpos_spring[start_q : start_q + width + (width > 1)].copy(),
            )
        )
        index = len(steps) - 1
        anchor = new_anchor
        offset = np.zeros(3)
        rotation = np.eye(3)
    if count:
        return Anchor(index, -anchor, np.eye(3))
    return Anchor(index, offset, rotation)


def _with_mass(step: TreeJoint, model: mujoco.MjModel, body: int, place: Anchor) -> TreeJoint:
    """Return the step with one more body fixed to it (parallel-axis theorem about the common centre of mass)."""
    mass = float(model.body_mass[body])
    com = place.offset_m + place.rotation @ model.body_ipos[body]
    axes = place.rotation @ Rotation.from_quat(model.body_iquat[body], scalar_first=True).as_matrix()
    inertia = axes @ np.diag(model.body_inertia[body]) @ axes.T
    total = step.mass_kg + mass
    centre = (step.mass_kg * step.com_m + mass * com) / total
    moved = (
        step.inertia_kg_m2
        + step.mass_kg * _about(step.com_m - centre)
        + np.where(np.abs(inertia) < 1e-15, 0.0, inertia)  # exact zeros keep the symbolic expressions short
        + mass * _about(com - centre)
    )
    return replace(step, mass_kg=total, com_m=centre, inertia_kg_m2=moved)


def _about(arm: Array) -> Array:
    return np.asarray(arm @ arm * np.eye(3) - np.outer(arm, arm))


_MASSLESS: dict[str, Any] = {"mass_kg": 0.0, "com_m": np.zeros(3), "inertia_kg_m2": np.zeros((3, 3))}


def _check_angle_base(tree: KinematicTree) -> None:
    if not tree.steps or tree.steps[0].kind != "free" or any(step.kind in {"free", "ball"} for step in tree.steps[1:]):
        raise BadTableError(f"{tree.name}: only a model with one floating base and hinges or slides can use angles.")
    base = tree.steps[0]
    if base.armature.any() or base.damping.any() or base.stiffness:
        raise BadTableError(
            f"{tree.name}: the floating base has a rotor (armature), damping or a spring, which angles cannot carry."
        )


def _with_angle_base(tree: KinematicTree) -> KinematicTree:
    _check_angle_base(tree)
    base = tree.steps[0]
    chain = [
        replace(
            base,
            name=f"{base.name}_{axis}",
            kind="slide" if axis[0] == "T" else "hinge",
            parent=index - 1,
            axis=np.eye(3)["XYZ".index(axis[1])],
            q_index=index,
            v_index=index,
            armature=np.zeros(1),
            damping=np.zeros(1),
            spring_rest=np.zeros(1),
            **(_MASSLESS if index < 5 else {}),  # the last of the chain is the body
        )
        for index, axis in enumerate(BASE_AXES)
    ]

    def later(index: int) -> int:
        return index + 5 if index >= 0 else -1

    rest = [replace(step, parent=later(step.parent), q_index=step.q_index - 1) for step in tree.steps[1:]]
    bodies = {name: replace(place, step=later(place.step)) for name, place in tree.bodies.items()}
    tendons = tuple(renumbered(tendon, later) for tendon in tree.tendons)
    closures = tuple(renumbered(closure, later) for closure in tree.closures)
    return replace(tree, steps=(*chain, *rest), bodies=bodies, nq=tree.nq - 1, tendons=tendons, closures=closures)


def with_followers(tree: KinematicTree, followers: Mapping[str, tuple[str | None, float, float]]) -> KinematicTree:
    """Return a tree in which joints follow others: fewer coordinates, the same bodies, and no force between the two.

    Args:
        tree: Of hinges and slides alone (`angle_base`).
        followers: By name: the joint that leads (None if it is locked), the ratio, and what is added.
    """
    _check_followers(tree, followers)
    free = [step.name for step in tree.steps if step.name not in followers]
    steps = []
    for step in tree.steps:
        leader, ratio, shift = followers.get(step.name, (step.name, 1.0, 0.0))
        index = 0 if leader is None else free.index(leader)
        own: dict[str, Any] = {"q_index": index, "v_index": index, "shift": shift}
        own["ratio"] = 0.0 if leader is None else ratio
        steps.append(replace(step, follows=step.name in followers, **own))
    return replace(tree, steps=tuple(steps), nq=len(free), nv=len(free))


def _check_followers(tree: KinematicTree, followers: Mapping[str, tuple[str | None, float, float]]) -> None:
    names = [step.name for step in tree.steps]
    leaders = {leader for leader, _, _ in followers.values()} - {None}
    for name in {*followers, *leaders}.difference(names):
        raise UnknownNameError(f"joint of {tree.name}", str(name), tuple(names), "its model file")
    if tree.nq != tree.nv or leaders.intersection(followers):
        raise BadTableError(f"{tree.name}: joints can follow only free joints, in a tree without quaternions.")
