"""USD: the body of a robot that moves, for Isaac Sim, Omniverse, Houdini and Blender. Needs `usd-core`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from strut.errors import MissingExtraError
from strut.formats.robot_track import omitted_beside_poses
from strut.models.catalogue import robot_of
from strut.models.rig import BonePart, bone_parts, build_rig
from strut.models.solid_mesh import solid_mesh
from strut.motion import Motion


class UsdWriter:
    """Writes one Xform per link with its meshes, z up and in metres, and the angle of its joint in radians."""

    ending = ".usd"

    def encode(self, motion: Motion) -> bytes:
        """Return the scene as a binary file; one time code is one sample."""
        try:
            from pxr import Gf, Sdf, Usd, UsdGeom  # noqa: PLC0415 -- an optional extra
        except ImportError as error:
            raise MissingExtraError("exchange", "usd-core") from error
        motion.check_even()
        robot = robot_of(motion, needs_feet=False)
        rig = build_rig(robot)
        parts = bone_parts(rig, robot)
        place_m, turn = rig.frames(motion.qpos)
        quaternion = Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_quat(scalar_first=True).reshape(*turn.shape[:2], 4)
        last = len(motion.time_s) - 1
        stage = Usd.Stage.CreateInMemory()
        UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
        stage.SetTimeCodesPerSecond(last / motion.duration_s)
        stage.SetStartTimeCode(0)
        stage.SetEndTimeCode(last)
        root = UsdGeom.Xform.Define(stage, "/robot")
        stage.SetDefaultPrim(root.GetPrim())
        root.GetPrim().SetCustomDataByKey("robot", motion.robot)
        for bone, name in enumerate(rig.names):
            link = UsdGeom.Xform.Define(stage, f"/robot/link_{bone:03d}")  # names of joints may be no identifiers
            link.GetPrim().SetDisplayName(name)
            moves = link.AddTranslateOp()
            turns = link.AddOrientOp(UsdGeom.XformOp.PrecisionDouble)
            angle = None
            if bone > 0:
                angle = link.GetPrim().CreateAttribute("strut:joint_rad", Sdf.ValueTypeNames.Double)
            for sample in range(last + 1):
                moves.Set(Gf.Vec3d(*place_m[sample, bone].tolist()), sample)
                turns.Set(Gf.Quatd(*quaternion[sample, bone].tolist()), sample)
                if angle is not None:
                    angle.Set(float(motion.joint_angles_rad[sample, bone - 1]), sample)
            for number, part in enumerate(part for part in parts if part.bone == bone):
                _add_mesh(UsdGeom.Mesh.Define(stage, f"{link.GetPath()}/mesh_{number}"), part)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "motion.usdc"
            stage.Export(str(path))
            return path.read_bytes()

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format cannot store."""
        return omitted_beside_poses(motion)


def _add_mesh(mesh: Any, part: BonePart) -> None:
    """Fill a mesh with the triangles of a part in the axes of its link."""
    triangles = solid_mesh(part.solid)
    mesh.CreatePointsAttr(part.vertices_m(triangles).astype(np.float32))
    mesh.CreateFaceVertexIndicesAttr(triangles.faces.ravel().astype(np.int32))
    mesh.CreateFaceVertexCountsAttr(np.full(len(triangles.faces), 3, dtype=np.int32))
    mesh.CreateSubdivisionSchemeAttr("none")
    mesh.CreateDisplayColorAttr(np.array([part.solid.color[:3]], dtype=np.float32))


WRITER = UsdWriter()
