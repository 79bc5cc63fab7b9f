"""Pinocchio as an independent oracle, seen through our conventions. Only tests import it."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheel for this system")


@lru_cache(maxsize=4)
def oracle_model(mjcf):
    """Return Pinocchio's own reading of the same MJCF text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        path.write_text(mjcf, encoding="utf-8")
        return pin.buildModelFromMJCF(str(path))


def base_rotation(qpos):
    """Return base_to_world. Shape (..., nq) in, (..., 3, 3) out."""
    return Rotation.from_quat(np.asarray(qpos)[..., 3:7], scalar_first=True).as_matrix()


def oracle_q(qpos):
    """Move the base quaternion from our wxyz to Pinocchio's xyzw. Shape (..., nq) in and out."""
    return np.concatenate([qpos[..., :3], qpos[..., 4:7], qpos[..., 3:4], qpos[..., 7:]], axis=-1)


def oracle_v(qvel, base_to_world):
    """Rotate the base's linear velocity from world axes (ours) to base axes (theirs). Shape (..., nv)."""
    linear_in_base = np.einsum("...ji,...j->...i", base_to_world, qvel[..., :3])
    return np.concatenate([linear_in_base, qvel[..., 3:]], axis=-1)


def oracle_a(qvel, qacc, base_to_world):
    """Turn our acceleration into theirs: the linear part is the rate of the velocity in base axes. Shape (..., nv)."""
    linear = np.einsum("...ji,...j->...i", base_to_world, qacc[..., :3])
    linear_velocity = np.einsum("...ji,...j->...i", base_to_world, qvel[..., :3])
    linear = linear - np.cross(qvel[..., 3:6], linear_velocity)
    return np.concatenate([linear, qacc[..., 3:]], axis=-1)


def our_force(tau, base_to_world):
    """Rotate the base's force from base axes (theirs) to world axes (ours). Shape (..., nv)."""
    return np.concatenate([np.einsum("...ij,...j->...i", base_to_world, tau[..., :3]), tau[..., 3:]], axis=-1)


def random_states(robot, count, rng):
    """Return qpos, qvel and qacc of a robot thrown about. Shapes (count, nq), (count, nv), (count, nv)."""
    joints = rng.uniform(robot.joint_lower_rad, robot.joint_upper_rad, (count, len(robot.joint_names)))
    quaternion = Rotation.random(count, rng=rng).as_quat(scalar_first=True)
    qpos = np.concatenate([rng.normal(size=(count, 3)), quaternion, joints], axis=1)
    return qpos, rng.normal(size=(count, joints.shape[1] + 6)), rng.normal(size=(count, joints.shape[1] + 6))
