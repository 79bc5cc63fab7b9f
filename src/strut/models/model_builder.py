"""Model builder: build a MuJoCo specification of floor, bodies, hinges with servos, inertias, shapes and frames.

All forms of `robot.toml` (limbs, chains, segments, a URDF or MJCF file) use it, and it compiles each body once.
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
_ROLLING_FRICTION = (0.005, 0.0001)  # torsional and rolling friction [m]; the defaults of MuJoCo
_TRIANGLE = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # order of the entries in MuJoCo's fullinertia
_GEOM = {
    "box": mujoco.mjtGeom.mjGEOM_BOX,
    "sphere": mujoco.mjtGeom.mjGEOM_SPHERE,
    "capsule": mujoco.mjtGeom.mjGEOM_CAPSULE,
}
Body = Any  # mujoco.MjsBody, a name that the package does not export


class ModelBuilder:
    """Builds one model, whose bodies touch the floor and nothing else.

    Args:
        name: Name of the model.
        friction: Friction coefficient of the floor.
        timestep_s: Time step of the simulation.
        spec: A specification to extend; an empty one if None.
    """

    def __init__(
        self, name: str, friction: float, *, timestep_s: float = 0.002, spec: mujoco.MjSpec | None = None
    ) -> None:
        self.spec = mujoco.MjSpec() if spec is None else spec
        self.spec.modelname = name
        self.spec.compiler.degree = self.spec.compiler.degree and spec is not None  # a file keeps its own angle unit
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
        """Add a body at a position (3,) and rotation (3, 3) in its parent, or in world."""
        body = (self.spec.worldbody if parent is None else parent).add_body(name=name, pos=position_m)
        if rotation is not None:
            body.quat = quaternion(rotation)
        return body

    def hinge(
        self, body: Body, name: str, axis: Sequence[float] | Array, bounds: Sequence[float], servo: Servo
    ) -> None:
        """Add a hinge with a position servo, about an axis (3,) in the body frame, between bounds (2,) [rad]."""
        joint = body.add_joint(name=name, type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis, range=bounds)
        self.drive(joint, servo)

    def drive(self, joint: Any, servo: Servo) -> None:
        """Add the position servo of a hinge."""
        joint.armature = servo.armature_kg_m2
        self.speed_limit[joint.name] = servo.speed_limit_rad_s
        stiffness = servo.stiffness_nm_rad
        damping = servo.damping_nm_s_rad
        self.servo(joint.name, limit=servo.torque_limit_nm, stiffness=stiffness, damping=damping)

    def platform(self, body: Body, forces: Sequence[float], sags: Sequence[float], settle_s: float) -> None:
        """Let a body move along x and y and turn about z; `sags` are the position errors at full force."""
        slide = mujoco.mjtJoint.mjJNT_SLIDE
        turn = mujoco.mjtJoint.mjJNT_HINGE
        for name, kind, axis, force, sag in zip(
            PLATFORM_JOINTS, (slide, slide, turn), np.eye(3), forces, sags, strict=True
        ):
            body.add_joint(name=name, type=kind, axis=axis)
            self.servo(name, limit=force, stiffness=force / sag, damping=force / sag * settle_s)

    def set_inertia(self, body: Body, mass_kg: float, com_m: Sequence[float] | Array, inertia_kg_m2: Array) -> None:
        """Set mass, centre of mass (3,) and inertia (3, 3) about it, in body axes."""
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
        """Add a visible shape: a capsule between two points (6,), or a box or ball about one (3,); half sizes [m]."""
        shape = body.add_geom(name=name, type=_GEOM[kind], rgba=color, mass=0.0)
        shape.size = [*size_m, *[0.0] * (3 - len(size_m))]
        if kind == "capsule":
            shape.fromto = points_m
        else:
            shape.pos = points_m
        shape.contype = int(touches_ground)
        shape.conaffinity = 0

    def draw(self, body: Body, shape: Shape, origin_m: Sequence[float] | Array = ORIGIN) -> None:
        """Add a shape of a table, given in axes in which the origin of the body is `origin_m` (3,)."""
        points = np.concatenate([np.subtract(getattr(shape, field), origin_m) for field in shape.place_fields])
        size = np.array(shape.size_m) / 2.0 if shape.kind == "box" else np.array([shape.radius_m])
        self.shape(body, shape.kind, points, size, shape.color, touches_ground=shape.touches_ground)

    def servo(self, joint: str, *, limit: float, stiffness: float, damping: float) -> None:
        """Add a position servo to a joint; limits are torques of hinges and forces of slides."""
        servo = self.spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        servo.set_to_position(kp=stiffness, kv=damping)
        servo.forcerange = [-limit, limit]

    def frame(self, body: Body, name: str, position_m: Sequence[float] | Array, rotation: Array | None = None) -> None:
        """Add a named frame to a body: position (3,) and axes (3, 3)."""
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
        """Compile the robot; its joints are those with a speed limit, in the order of the model."""
        for first, second in tables.collision.named:
            if self.spec.body(first) is None or self.spec.body(second) is None:
                raise BadTableError(f"{name}: collision.toml names {first} and {second}; one of them is not a body.")
        try:
            model = self.spec.compile()
        except ValueError as error:
            raise BadTableError(f"{name}: MuJoCo cannot build this body: {' '.join(str(error).split())}") from error
        joints = [model.joint(index) for index in range(model.njnt) if model.joint(index).name in self.speed_limit]
        if model.nq != base_size + len(joints):
            raise BadTableError(
                f"{name}: the model has coordinates other than those of its base and its driven hinges."
            )
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

    def floating_base(self, name: str, joint: str, height_m: float) -> Body:
        """Add a free-floating body above the origin."""
        body = self.body(name, [0.0, 0.0, height_m])
        body.add_freejoint(name=joint)
        return body


def quaternion(rotation: Array) -> Array:
    """Return the quaternion wxyz of a rotation, computed by MuJoCo. Shape (3, 3) in, (4,) out."""
    quaternion = np.empty(4)
    mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(rotation, dtype=float).reshape(9))
    return quaternion


def rotation_matrix(wxyz: Array) -> Array:
    """Return the rotation of a quaternion wxyz, computed by MuJoCo. Shape (4,) in, (3, 3) out."""
    matrix = np.empty(9)
    mujoco.mju_quat2Mat(matrix, np.asarray(wxyz, dtype=float))
    return matrix.reshape(3, 3)
