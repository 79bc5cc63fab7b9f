"""Live view: one robot in a scene of the browser, placed by its configuration; the floor moves below it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.models.rig import bone_parts, build_rig
from strut.models.solid_mesh import solid_mesh
from strut.models.solids import Solid
from strut.plumbing.page_access import PageAccess
from strut.robot import Robot
from strut.viewer.camera import view_axes
from strut.viewer.eyes import eye_poses, eye_solids, looks_at
from strut.viewer.floor import grid_step_m
from strut.viewer.lanes import VIEW_RAD
from strut.viewer.scene import Scene

FROM_RAD = np.deg2rad([-35.0, 16.0])  # azimuth and elevation
DISTANCE_PER_SIZE = 4.2  # of the camera from the robot, over the size of the robot
FLOOR_PER_SIZE = 14.0  # size of the floor over that of the robot
SECTION_CELLS = 5.0  # period of the grid, in cells


class LiveView:
    """A robot in a scene. `show` moves it."""

    def __init__(
        self, robot: Robot, *, host: str = "127.0.0.1", port: int = 0, access: PageAccess | None = None
    ) -> None:
        """Open the scene; port 0 takes any free one, and `access` is as in `Scene`. Raises CannotListenError."""
        self._robot = robot
        self._rig = build_rig(robot)
        self._scene = Scene(host=host, port=port, title=f"strut: {robot.name}", panel=False, access=access)
        size_m = float(np.ptp(self._rig.start_m, axis=0).max())
        self._cell_m = grid_step_m(2.0 * size_m)
        for bone in range(len(self._rig.names)):
            self._scene.add_frame(f"/bone_{bone}")
        for number, part in enumerate(bone_parts(self._rig, robot)):
            self._add(f"/bone_{part.bone}/part_{number}", part.solid, part.vertices_m(solid_mesh(part.solid)))
        if robot.tables.eyes is not None:
            for number, solid in enumerate(eye_solids(robot.tables.eyes)):
                self._scene.add_frame(f"/eye_{number}")
                self._add(f"/eye_{number}/part", solid, solid_mesh(solid).vertices)
        middle = np.array([0.0, 0.0, 0.5 * size_m])
        self._scene.look(
            eye_in_world=middle - DISTANCE_PER_SIZE * size_m * view_axes(*FROM_RAD)[2],
            target_in_world=middle,
            view_rad=VIEW_RAD,
        )
        self._scene.add_ground(middle_in_world=np.zeros(2), size_m=FLOOR_PER_SIZE * size_m, cell_m=self._cell_m)
        self.show(self._rig.qpos, {}, 0.0)

    @property
    def port(self) -> int:
        """The port it listens on."""
        return self._scene.port

    def close(self) -> None:
        """Stop listening."""
        self._scene.close()

    def show(self, qpos: Array, meta: Mapping[str, Any], since_s: float) -> None:
        """Show a configuration (nq,), with the eyes of `meta` at a time since its start."""
        place, turn = self._rig.frames(qpos[None])
        aside = np.array([*place[0, 0, :2], 0.0])
        wxyz = Rotation.from_matrix(turn[0]).as_quat(scalar_first=True)
        with self._scene.at_once():
            for bone in range(len(self._rig.names)):
                self._scene.place(f"/bone_{bone}", place[0, bone] - aside, wxyz[bone])
            if self._robot.tables.eyes is not None:
                looks = looks_at(meta, np.array([since_s]))
                centre, rotation = eye_poses(self._robot, self._robot.tables.eyes, qpos[None], looks)
                for number, turned in enumerate(Rotation.from_matrix(rotation[0])):
                    self._scene.place(f"/eye_{number}", centre[0, number] - aside, turned.as_quat(scalar_first=True))
            section_m = SECTION_CELLS * self._cell_m
            self._scene.place("/ground", -np.remainder(aside + section_m / 2.0, section_m) + section_m / 2.0)

    def _add(self, name: str, solid: Solid, vertices: Array) -> None:
        red, green, blue, opacity = solid.color
        smooth = solid.kind not in ("box", "cylinder")
        faces = solid_mesh(solid).faces
        self._scene.add_mesh(name, vertices, faces, color=(red, green, blue), opacity=opacity, smooth=smooth)
