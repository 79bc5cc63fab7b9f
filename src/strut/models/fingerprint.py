"""Fingerprint: a hash of a compiled body without its appearance; a motion stores that of its body."""

from __future__ import annotations

import hashlib

import mujoco
import numpy as np

from strut.arrays import Array

_DIGITS = 9  # significant digits: the last ones may differ between compilers
_JOINT = ("jnt_type", "jnt_bodyid", "jnt_pos", "jnt_axis", "jnt_range", "jnt_limited", "jnt_stiffness")
_DOF = ("dof_armature", "dof_damping", "dof_frictionloss")
_GEOM = ("geom_type", "geom_bodyid", "geom_contype", "geom_conaffinity", "geom_condim", "geom_size", "geom_pos")
_SITE = ("site_bodyid", "site_pos")
_ACTUATOR = ("actuator_trnid", "actuator_gear", "actuator_gainprm", "actuator_biasprm", "actuator_forcerange")


def fingerprint(model: mujoco.MjModel) -> str:
    """Return a hash of positions, masses, inertias, joints, collision shapes, frames and servos of a compiled model.

    It does not depend on colours, nor on shapes without mass and collisions.
    """
    touches = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    parts: list[Array] = [
        model.body_parentid,
        model.body_pos,
        _matrices(model.body_quat),
        model.body_mass,
        model.body_ipos,
        _inertias(model),
        model.opt.timestep,
        model.opt.gravity,
    ]
    parts += [getattr(model, name) for name in (*_JOINT, *_DOF, *_SITE, *_ACTUATOR)]
    parts += [getattr(model, name)[touches] for name in (*_GEOM, "geom_friction")]
    parts += [_matrices(model.geom_quat[touches]), _matrices(model.site_quat)]
    text = "\n".join([*_names(model), *(_rounded(part) for part in parts)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _names(model: mujoco.MjModel) -> list[str]:
    joints = [model.joint(index).name for index in range(model.njnt)]
    return [*joints, *(model.site(index).name for index in range(model.nsite))]


def _matrices(quaternion: Array) -> Array:
    """Return rotation matrices; unlike quaternions, they are the same for q and -q. Shape (n, 4) in, (n, 9) out."""
    matrices = np.empty((len(quaternion), 9))
    for matrix, row in zip(matrices, quaternion, strict=True):
        mujoco.mju_quat2Mat(matrix, row)
    return matrices


def _inertias(model: mujoco.MjModel) -> Array:
    """Return inertias in body axes, which do not depend on the compiler's choice of principal axes. Shape (n, 9)."""
    turn = _matrices(model.body_iquat).reshape(-1, 3, 3)
    return np.asarray(turn @ (model.body_inertia[:, :, None] * turn.transpose(0, 2, 1))).reshape(-1, 9)


def _rounded(values: Array | float) -> str:
    """Return numbers as text, rounded to 1e-12 and to the significant digits."""
    rounded = np.round(np.ravel(np.asarray(values, dtype=float)), 12) + 0.0
    return " ".join(f"{value:.{_DIGITS}g}" for value in rounded.tolist())
