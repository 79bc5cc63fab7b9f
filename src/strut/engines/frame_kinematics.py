"""Frame kinematics: poses and Jacobians of a robot's named frames, for controllers that run tick by tick.

Jacobians have one column per velocity coordinate; their rows are linear, then angular velocity, in world axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import poses
from strut.errors import UnknownNameError
from strut.robot import Robot


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Pose and Jacobian of a frame; the next call of `FrameKinematics.move` overwrites the arrays.

    Args:
        position_m: In world. Shape (3,).
        rotation: Of the frame to world, row by row. Shape (9,).
        jacobian: Shape (6, nv).
    """

    position_m: Array
    rotation: Array
    jacobian: Array


class FrameKinematics:
    """Poses and Jacobians of some frames of a robot. Owns its memory: use one instance per thread."""

    def __init__(self, robot: Robot, frames: Sequence[str]) -> None:
        self._model = robot.model
        self._data = mujoco.MjData(self._model)
        self._sites = [site_id(robot, frame) for frame in frames]
        self._qpos = self._data.qpos
        self.frames = tuple(
            Frame(self._data.site_xpos[site], self._data.site_xmat[site], np.zeros((6, self._model.nv)))
            for site in self._sites
        )
        self._rows = [
            (site, frame.jacobian[:3], frame.jacobian[3:]) for site, frame in zip(self._sites, self.frames, strict=True)
        ]

    def move(self, qpos: Array) -> None:
        """Update `frames` to a configuration. Shape (nq,)."""
        self._qpos[:] = qpos
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        for site, linear, angular in self._rows:
            mujoco.mj_jacSite(self._model, self._data, linear, angular, site)


def acceleration_scale(robot: Robot) -> Array:
    """Return torque limit over inertia of each coordinate at the zero pose. Shape (nv,).

    This is the acceleration that one drive alone can give, without gravity and coupling; every coordinate must be
    driven.
    """
    model = robot.model
    effort = np.full(model.nv, np.inf)
    for drive in range(model.nu):
        effort[model.jnt_dofadr[model.actuator_trnid[drive, 0]]] = model.actuator_forcerange[drive, 1]
    return np.asarray(effort / model.dof_M0)


def frame_names(robot: Robot) -> tuple[str, ...]:
    """Return the names of the robot's frames."""
    model = robot.model
    return tuple(model.site(index).name for index in range(model.nsite))


def site_id(robot: Robot, frame: str) -> int:
    """Return the MuJoCo site of a frame; raises UnknownNameError."""
    known = frame_names(robot)
    if frame not in known:
        raise UnknownNameError("frame", frame, known, f"The robot.toml of {robot.name}")
    return known.index(frame)


def frame_poses(robot: Robot, frame: str, qpos: Array) -> tuple[Array, Array]:
    """Return the pose of a frame along a motion. Shape (T, nq) in; positions (T, 3) and rotations (T, 3, 3) out."""
    position, rotation = poses(robot.model, "site", [site_id(robot, frame)], qpos)
    return position[:, 0], rotation[:, 0]
