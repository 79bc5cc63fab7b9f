"""Pinocchio as an independent oracle for any MJCF text, seen through our conventions. Only tests import it.

Its own reader of MJCF knows one root, no `ref` and no composed joints off-centre; trees with these are built by hand.
"""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel on this platform")

FREE = 0
BALL = 1
SLIDE = 2


def pinocchio_model(mjcf):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.xml"
        path.write_text(mjcf, "utf-8")
        return pin.buildModelFromMJCF(str(path))


def to_pinocchio(qpos):
    """Move the base quaternion from wxyz to xyzw."""
    return np.concatenate([qpos[:3], qpos[4:7], qpos[3:4], qpos[7:]])


def placed(translation, quaternion):
    return pin.SE3(Rotation.from_quat(quaternion, scalar_first=True).as_matrix(), np.array(translation))


def built_by_hand(model):
    """Return the tree of a compiled MuJoCo model, joint by joint; rotors of floating bases are left out."""
    made = pin.Model()
    homes = [(0, pin.SE3.Identity())]
    made.gravity.linear = model.opt.gravity.copy()
    for body in range(1, model.nbody):
        parent, frame = homes[model.body_parentid[body]]
        frame = frame * placed(model.body_pos[body], model.body_quat[body])
        for joint in range(model.body_jntadr[body], model.body_jntadr[body] + model.body_jntnum[body]):
            kind = model.jnt_type[joint]
            axis = model.jnt_axis[joint]
            anchor = pin.SE3(np.eye(3), np.zeros(3) if kind in {FREE, SLIDE} else model.jnt_pos[joint].copy())
            own = {
                FREE: pin.JointModelFreeFlyer(),
                BALL: pin.JointModelSpherical(),
                SLIDE: pin.JointModelPrismaticUnaligned(axis),
            }.get(kind, pin.JointModelRevoluteUnaligned(axis))
            place = pin.SE3.Identity() if kind == FREE else frame * anchor
            parent = made.addJoint(parent, own, place, f"j{joint}")
            frame = anchor.inverse()
        inertia = pin.Inertia(float(model.body_mass[body]), np.zeros(3), np.diag(model.body_inertia[body]))
        made.appendBodyToJoint(parent, inertia, frame * placed(model.body_ipos[body], model.body_iquat[body]))
        made.addFrame(pin.Frame(model.body(body).name, parent, frame, pin.FrameType.BODY))
        homes.append((parent, frame))
    return made


def state_of(model, qpos):
    """Return q of the tree built by hand, and T with v = T qvel: linear velocities of floating bases in their axes."""
    q = qpos.copy()
    turn = np.eye(model.nv)
    for kind, at, dof in zip(model.jnt_type, model.jnt_qposadr, model.jnt_dofadr, strict=True):
        if kind in {FREE, BALL}:
            first = at + 3 if kind == FREE else at
            q[first : first + 4] = np.roll(qpos[first : first + 4], -1)
            if kind == FREE:
                turn[dof : dof + 3, dof : dof + 3] = Rotation.from_quat(q[first : first + 4]).as_matrix().T
        else:
            q[at] -= model.qpos0[at]
    return q, turn


def acceleration_of(model, turn, qvel, qacc):
    """Return the accelerations of the tree built by hand: those of a floating base in axes that turn with it."""
    v = turn @ qvel
    a = turn @ qacc
    for kind, dof in zip(model.jnt_type, model.jnt_dofadr, strict=True):
        if kind == FREE:
            a[dof : dof + 3] -= np.cross(v[dof + 3 : dof + 6], v[dof : dof + 3])
    return a
