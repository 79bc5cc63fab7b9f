"""Model builder: a MuJoCo specification in the making. Floor, bodies, hinges with servos, matter, shapes and frames.

Whatever describes a body (limbs, chains, segments, a file of others) ends here, and is compiled once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np

from strut.arrays import Array
from strut.errors import BadTableError
from strut.models.fingerprint import fingerprint
from strut.models.limbs import find_limbs
from strut.robot import Foot, Limb, Robot
from strut.schemas.fields import ORIGIN, Servo, Shape
from strut.schemas.folder import Tables

FLOOR = "floor"
PLATFORM_JOINTS = ("platform_x", "platform_y", "platform_yaw")
_ROLLING_FRICTION = (0.005, 0.0001)  # about the normal [m] and of rolling [m]
_TRIANGLE = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # the order of a full inertia
_GEOM = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
}
Body = Any  # mujoco.MjsBody, of which the package exports no name


class ModelBuilder:
    """A model that is being built. Bodies touch the floor and nothing else.

    Args:
        name: Of the model.
        friction: Of the floor.
        timestep_s: Of the simulation.
        spec: A specification of others to build on; an empty one if None.
    """

    def __init__(
        self, name: str, friction: float, *, timestep_s: float = 0.002, spec: mujoco.MjSpec | None = None
    ) -> None:
        self.spec = mujoco.MjSpec() if spec is None else spec
        self.spec.modelname = name
        self.spec.compiler.degree = self.spec.compiler.degree and spec is not None  # others keep their unit
        self.spec.option.timestep = timestep_s
        self.spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self.friction = friction
        self.speed_limit: dict[str, float] = {}
        floor = self.spec.worldbody.add_geom(name=FLOOR, type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 0.05])
        floor.contype = 0
        floor.conaffinity = 1
        floor.priority = 1
        floor.friction = [friction, *_ROLLING_FRICTION]

    def body(
        self, name: str, position_m: Sequence[float] | Array, parent: Body = None, rotation: Array | None = None
    ) -> Body:
        """Return a new body at a place (3,) and rotation (3, 3) of its parent, or of the world."""
        body = (self.spec.worldbody if parent is None else parent).add_body(name=name, pos=position_m)
        if rotation is not None:
            body.quat = quaternion(rotation)
        return body

    def hinge(
        self, body: Body, name: str, axis: Sequence[float] | Array, bounds: Sequence[float], servo: Servo
    ) -> None:
        """Let a position servo turn a body about an axis (3,) of its own, between bounds (2,) [rad]."""
        joint = body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis, range=bounds)
        self.drive(joint, servo)

    def drive(self, joint: Any, servo: Servo) -> None:
        """Let a position servo drive a hinge."""
        joint.armature = servo.armature_kg_m2
        self.speed_limit[joint.name] = servo.speed_limit_rad_s
        stiffness = servo.stiffness_nm_rad
        damping = servo.damping_nm_s_rad
        self.servo(joint.name, limit=servo.torque_limit_nm, stiffness=stiffness, damping=damping)

    def platform(self, body: Body, forces: Sequence[float], sags: Sequence[float], settle_s: float) -> None:
        """Let a body drive along x and y and turn about z, with full force at each sag."""
        slide = mujoco.mjtJoint.mjJNT_SLIDE
        turn = mujoco.mjtJoint.mjJNT_HINGE
        for name, kind, axis, force, sag in zip(
            PLATFORM_JOINTS, (slide, slide, turn), np.eye(3), forces, sags, strict=True
        ):
            body.add_joint(name=name, type=kind, axis=axis)
            self.servo(name, limit=force, stiffness=force / sag, damping=force / sag * settle_s)

    def matter(self, body: Body, mass_kg: float, com_m: Sequence[float] | Array, inertia_kg_m2: Array) -> None:
        """Give a body its mass and its inertia about the centre of mass, in the body's axes, shape (3, 3)."""
        body.mass = mass_kg
        body.ipos = com_m
        body.explicitinertial = True
        if np.count_nonzero(inertia_kg_m2 - np.diag(np.diag(inertia_kg_m2))):
            body.fullinertia = [inertia_kg_m2[i, j] for i, j in _TRIANGLE]
        else:
            body.inertia = np.diag(inertia_kg_m2)

    def shape(
        self,
        body: Body,
        kind: str,
        points_m: Sequence[float] | Array,
        size_m: Sequence[float] | Array,
        color: Sequence[float],
        *,
        name: str = "",
        touches_ground: bool = True,
    ) -> None:
        """Add what people see: a capsule between two points (6,), or a box or ball about one (3,); half sizes [m]."""
        shape = body.add_geom(name=name, type=_GEOM[kind], rgba=color, mass=0.0)
        shape.size = [*size_m, *[0.0] * (3 - len(size_m))]
        if kind == "capsule":
            shape.fromto = points_m
        else:
            shape.pos = points_m
        shape.contype = int(touches_ground)
        shape.conaffinity = 0

    def draw(self, body: Body, shape: Shape, origin_m: Sequence[float] | Array = ORIGIN) -> None:
        """Add a shape of a table, which is given where the body's origin is at `origin_m` (3,)."""
        points = np.concatenate([np.subtract(getattr(shape, field), origin_m) for field in shape.place_fields])
        size = np.array(shape.size_m) / 2.0 if shape.kind == "box" else np.array([shape.radius_m])
        self.shape(body, shape.kind, points, size, shape.color, touches_ground=shape.touches_ground)

    def servo(self, joint: str, *, limit: float, stiffness: float, damping: float) -> None:
        """Let a position servo drive a joint; torques for hinges, forces for slides."""
        servo = self.spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=stiffness, kv=damping)
        servo.forcerange = [-limit, limit]

    def frame(self, body: Body, name: str, position_m: Sequence[float] | Array, rotation: Array | None = None) -> None:
        """Name a point (3,) of a body, with axes (3, 3) of its own."""
        site = body.add_site(name=name, pos=position_m)
        if rotation is not None:
            site.quat = quaternion(rotation)

    def robot(
        self,
        name: str,
        title: str,
        tables: Tables,
        *,
        base_size: int,
        feet: Sequence[Foot] = (),
        limbs: tuple[Limb, ...] = (),
    ) -> Robot:
        """Return the compiled robot; its joints are those with a speed limit, in the order of the model."""
        self._exclude(name, tables.collision.excluded)
        try:
            model = self.spec.compile()
        except ValueError as error:
            raise BadTableError(f"{name}: MuJoCo cannot build this body: {' '.join(str(error).split())}") from error
        joints = [model.joint(index) for index in range(model.njnt) if model.joint(index).name in self.speed_limit]
        if model.nq != base_size + len(joints):
            raise BadTableError(f"{name}: has coordinates that no joint of ours moves.")
        names = tuple(joint.name for joint in joints)
        ranges = np.reshape([joint.range for joint in joints], (-1, 2))
        return Robot(
            name=name,
            title=title,
            model=model,
            joint_names=names,
            joint_lower_rad=ranges[:, 0],
            joint_upper_rad=ranges[:, 1],
            joint_speed_limit_rad_s=np.array([self.speed_limit[joint] for joint in names]),
            torque_limit_nm=np.array([model.actuator(joint).forcerange[1] for joint in names]),
            feet=tuple(feet),
            mass_kg=float(model.body_mass.sum()),
            friction=self.friction,
            base_size=base_size,
            fingerprint=fingerprint(model),
            tables=tables,
            limbs=limbs or find_limbs(model, names, feet, tables.chains),
        )

    def _exclude(self, name: str, pairs: Sequence[tuple[str, str]]) -> None:
        """Leave pairs of bodies out of what may collide."""
        for one, other in pairs:
            if self.spec.body(one) is None or self.spec.body(other) is None:
                raise BadTableError(f"{name}: collision.toml excludes {one} and {other}, and one is no body of it.")
            self.spec.add_exclude(bodyname1=one, bodyname2=other)

    def floating_base(self, name: str, joint: str, height_m: float) -> Body:
        """Return a new body that floats above the middle of the floor."""
        body = self.body(name, [0.0, 0.0, height_m])
        body.add_freejoint(name=joint)
        return body


def quaternion(rotation: Array) -> Array:
    """Return the quaternion wxyz of a rotation as MuJoCo itself computes it. Shape (3, 3) in, (4,) out."""
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(rotation, dtype=float).reshape(9))
    return quaternion


def rotation_matrix(wxyz: Array) -> Array:
    """Return the rotation of a quaternion wxyz as MuJoCo itself computes it. Shape (4,) in, (3, 3) out."""
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(wxyz, dtype=float))
    return matrix.reshape(3, 3)
