"""Rig as GLB: bones as nodes with meshes, a motion as an animation; written and read with pygltflib.

glTF has y up: a node above the base turns our z there. Bones have the names of the rig; a node `eyes` slides with the
expression. Files that Blender writes are read: bones anywhere below an armature, sampled animations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pygltflib as gltf
from scipy.spatial.transform import Rotation, Slerp

from strut.animation.animation_frames import FRAMES_PER_S
from strut.animation.rig_movement import (
    EYES_BONE,
    RigMovement,
    check_bones,
    expressions,
    motion_of_rig,
    slider_m,
)
from strut.arrays import Array
from strut.errors import RigFileError
from strut.formats.robot_track import MAX_RATE_HZ, omitted_beside_poses
from strut.maths.sampling import interpolate_columns
from strut.models.catalogue import as_robot, robot_of
from strut.models.rig import BonePart, Rig, bone_parts, build_rig
from strut.models.solid_mesh import solid_mesh
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.eyes import expression_times

Y_UP = Rotation.from_euler("x", -90.0, degrees=True)  # rotation from z up, as here, to y up, as in GLB
Z_UP = Y_UP.inv().as_matrix()
SAME_S = 1e-4  # files have times in single precision
MAGIC = b"glTF"
MAX_FRAMES = 1_000_000  # of an animation: eleven hours at 25 a second


class RigGlbWriter:
    """Writes a motion as a body that other programs display and animate."""

    ending = ".glb"

    def encode(self, motion: Motion) -> bytes:
        """Return the file."""
        robot = robot_of(motion)
        rig = build_rig(robot)
        file = _Writer()
        file.add_bones(rig, bone_parts(rig, robot))
        place, turn = rig.frames(motion.qpos)
        time_s = motion.time_s - motion.time_s[0]
        file.animate(rig, time_s, place, turn, slider_m(expression_times(motion.meta), time_s))
        return file.bytes(motion)

    def omitted(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format cannot store."""
        return omitted_beside_poses(motion)


@dataclass(slots=True)
class _Writer:
    """Collects nodes, accessors and their bytes."""

    file: Any = field(default_factory=lambda: gltf.GLTF2(asset=gltf.Asset(generator="strut")))
    blob: bytearray = field(default_factory=bytearray)

    def accessor(self, values: npt.NDArray[Any], kind: str) -> int:
        """Add numbers and return their accessor."""
        integers = values.dtype.kind in "iu"
        packed = np.ascontiguousarray(values, dtype=np.uint32 if integers else np.float32)
        self.file.bufferViews.append(gltf.BufferView(buffer=0, byteOffset=len(self.blob), byteLength=packed.nbytes))
        self.blob += packed.tobytes()
        flat = packed.reshape(len(packed), -1)
        self.file.accessors.append(
            gltf.Accessor(
                bufferView=len(self.file.bufferViews) - 1,
                componentType=gltf.UNSIGNED_INT if integers else gltf.FLOAT,
                count=len(packed),
                type=kind,
                min=flat.min(axis=0).tolist(),
                max=flat.max(axis=0).tolist(),
            )
        )
        return len(self.file.accessors) - 1

    def add_bones(self, rig: Rig, parts: Sequence[BonePart]) -> None:
        """Add a node that converts z up to y up, and the bones below it in the order of the rig."""
        up = Y_UP.as_quat().tolist()
        self.file.nodes.append(gltf.Node(name=rig.robot, rotation=up, children=[1]))
        for bone, name in enumerate(rig.names):
            offset_m, turn = rig.local(bone)
            children = [k + 1 for k, parent in enumerate(rig.parents) if parent == bone]
            if bone == 0:
                children.append(len(rig.names) + 1)
            node = gltf.Node(
                name=name,
                translation=offset_m.tolist(),
                rotation=Rotation.from_matrix(turn).as_quat().tolist(),
                children=children,
                mesh=self.mesh(name, [part for part in parts if part.bone == bone]),
            )
            self.file.nodes.append(node)
        self.file.nodes.append(gltf.Node(name=EYES_BONE, translation=[0.0, 0.0, 0.0]))
        self.file.scenes.append(gltf.Scene(nodes=[0]))
        self.file.scene = 0

    def mesh(self, name: str, parts: Sequence[BonePart]) -> int | None:
        """Add the parts on a bone as one mesh and return its number; None if there are none."""
        if not parts:
            return None
        primitives = []
        for part in parts:
            triangles = solid_mesh(part.solid)
            color = part.solid.color
            corners = part.vertices_m(triangles)[
                triangles.faces
            ]  # separate vertices for each face, so that edges are not smoothed
            normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
            normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
            attributes = gltf.Attributes(
                POSITION=self.accessor(corners.reshape(-1, 3), gltf.VEC3),
                NORMAL=self.accessor(np.repeat(normal, 3, axis=0), gltf.VEC3),
            )
            surface = gltf.PbrMetallicRoughness(baseColorFactor=list(color), metallicFactor=0.1, roughnessFactor=0.6)
            self.file.materials.append(gltf.Material(pbrMetallicRoughness=surface))
            primitives.append(gltf.Primitive(attributes=attributes, material=len(self.file.materials) - 1))
        self.file.meshes.append(gltf.Mesh(name=name, primitives=primitives))
        return len(self.file.meshes) - 1

    def animate(self, rig: Rig, time_s: Array, place: Array, turn: Array, slider: Array) -> None:
        """Add a motion: position of the base, rotations of all bones, slider of the eyes. Shapes as in `Rig.frames`."""
        times = self.accessor(time_s[:, None], gltf.SCALAR)
        movement = gltf.Animation(name="motion")
        curves = [(1, "translation", place[:, 0], "LINEAR"), (len(rig.names) + 1, "translation", None, "STEP")]
        for bone, parent in enumerate(rig.parents):
            local = turn[:, bone] if parent < 0 else np.swapaxes(turn[:, parent], 1, 2) @ turn[:, bone]
            quaternion = Rotation.from_matrix(local).as_quat()
            sign = np.where(np.sum(quaternion[1:] * quaternion[:-1], axis=1) < 0.0, -1.0, 1.0)
            quaternion[1:] *= np.cumprod(sign)[
                :, None
            ]  # q and -q are the same rotation; interpolation needs equal signs
            curves.append((bone + 1, "rotation", quaternion, "LINEAR"))
        for node, path, values, between in curves:
            numbers = np.column_stack([slider, 0.0 * slider, 0.0 * slider]) if values is None else values
            output = self.accessor(numbers, gltf.VEC4 if path == "rotation" else gltf.VEC3)
            movement.samplers.append(gltf.AnimationSampler(input=times, output=output, interpolation=between))
            target = gltf.AnimationChannelTarget(node=node, path=path)
            movement.channels.append(gltf.AnimationChannel(sampler=len(movement.samplers) - 1, target=target))
        self.file.animations.append(movement)

    def bytes(self, motion: Motion) -> bytes:
        """Return the whole file."""
        labels = {key: motion.meta[key] for key in ("emotion", "title") if key in motion.meta}
        self.file.asset.extras = {"robot": motion.robot, **labels}
        self.file.buffers.append(gltf.Buffer(byteLength=len(self.blob)))
        self.file.set_binary_blob(bytes(self.blob))
        return b"".join(self.file.save_to_bytes())


class RigGlbReader:
    """Reads the one animation of a robot's rig."""

    endings = (".glb",)
    returns = Motion

    def recognizes(self, head: bytes) -> bool:
        """Return whether a file begins like a GLB file."""
        return head.startswith(MAGIC)

    def read(self, content: bytes, path: Path, *, robot: Robot | str, rate_hz: float = FRAMES_PER_S) -> Motion:
        """Return the motion; raises RigFileError if the file is damaged or has no rig of the robot.

        Args:
            content: Of the file.
            path: Of the file.
            robot: The robot that moves.
            rate_hz: Samples per second of the motion.
        """
        if not 0.0 < rate_hz <= MAX_RATE_HZ:
            raise RigFileError(path, f"cannot have {rate_hz:g} samples per second.")
        if not content.startswith(MAGIC):
            raise RigFileError(path, "is not a GLB file: it does not begin with glTF.")
        body = as_robot(robot)
        rig = build_rig(body)
        try:
            file = gltf.GLTF2.load_from_bytes(content)
            movement = _Animation(file, file.binary_blob() or b"", path).movement(rig, rate_hz)
        except RigFileError:
            raise
        except Exception as error:  # pygltflib and numpy raise errors of many types for damaged files
            raise RigFileError(
                path, f"is damaged and cannot be read as GLB ({type(error).__name__}: {error})."
            ) from error
        return motion_of_rig(body, rig, movement, path)


@dataclass(frozen=True, slots=True)
class _Animation:
    """Reads the animation in one file."""

    file: Any
    blob: bytes
    path: Path

    def movement(self, rig: Rig, rate_hz: float) -> RigMovement:
        names = {node.name: index for index, node in enumerate(self.file.nodes)}
        check_bones(rig, names, self.path)
        curves, last_s = self.curves(self.animation(set(names.values())))
        if not last_s * rate_hz < MAX_FRAMES:
            raise RigFileError(self.path, f"holds an animation of {last_s:.3g} s, which is too long.")
        time_s = np.arange(int(np.floor(last_s * rate_hz + 1e-6)) + 1) / rate_hz
        if len(time_s) < 2:
            raise RigFileError(self.path, f"holds an animation of {last_s:.2f} s, which is too short.")
        to_world = self.globals(curves, time_s)
        frames = Z_UP @ np.stack([to_world[names[name]][:, :3] for name in rig.names], axis=1)
        unit = np.linalg.norm(frames[..., :3], axis=-2, keepdims=True)
        eyes = np.zeros(len(time_s))
        if EYES_BONE in names:
            eyes = self.local(names[EYES_BONE], curves, time_s)[:, 0, 3]
        return RigMovement(time_s, frames[..., 3], frames[..., :3] / unit, expressions(eyes))

    def animation(self, nodes: set[int]) -> Any:
        """Return the only animation that moves any nodes."""
        moving = [a for a in self.file.animations if any(c.target.node in nodes for c in a.channels)]
        if len(moving) != 1:
            found = ", ".join(animation.name or "without a name" for animation in moving) or "none"
            raise RigFileError(self.path, f"must hold one animation of the rig, and holds {len(moving)} ({found}).")
        return moving[0]

    def curves(self, animation: Any) -> tuple[dict[tuple[int, str], tuple[Array, Array, str]], float]:
        """Return times, values and interpolation of each moved node and path, times from 0; and the last time."""
        curves: dict[tuple[int, str], tuple[Array, Array, str]] = {}
        for channel in animation.channels:
            sampler = animation.samplers[channel.sampler]
            between = sampler.interpolation or "LINEAR"
            if between not in ("LINEAR", "STEP"):
                raise RigFileError(self.path, f"holds curves of the kind {between}; export the animation sampled.")
            values = (self.numbers(sampler.input)[:, 0], self.numbers(sampler.output), between)
            curves[channel.target.node, channel.target.path] = values
        first_s = min(times[0] for times, _, _ in curves.values())
        shifted = {key: (times - first_s, values, kind) for key, (times, values, kind) in curves.items()}
        return shifted, max(float(times[-1]) for times, _, _ in shifted.values())

    def numbers(self, accessor: int) -> Array:
        """Return the numbers of an accessor. Shape (n, columns)."""
        about = self.file.accessors[accessor]
        columns = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[about.type]
        if about.componentType != gltf.FLOAT:
            raise RigFileError(self.path, "holds animated numbers that are no floats; export it without compression.")
        view = self.file.bufferViews[about.bufferView]
        start = (view.byteOffset or 0) + (about.byteOffset or 0)
        values = np.frombuffer(self.blob, dtype="<f4", count=about.count * columns, offset=start)
        return np.array(values, dtype=np.float64).reshape(-1, columns)

    def globals(self, curves: Mapping[tuple[int, str], tuple[Array, Array, str]], time_s: Array) -> dict[int, Array]:
        """Return the transforms of all nodes to the file's world. Shape (T, 4, 4) each."""
        parents = {child: index for index, node in enumerate(self.file.nodes) for child in node.children or []}
        local = {index: self.local(index, curves, time_s) for index in range(len(self.file.nodes))}
        found: dict[int, Array] = {}

        def transform(node: int) -> Array:
            if node not in found:
                found[node] = transform(parents[node]) @ local[node] if node in parents else local[node]
            return found[node]

        return {node: transform(node) for node in local}

    def local(self, node: int, curves: Mapping[tuple[int, str], tuple[Array, Array, str]], time_s: Array) -> Array:
        """Return a node's transform to its parent. Shape (T, 4, 4)."""
        about = self.file.nodes[node]
        found = np.tile(np.eye(4), (len(time_s), 1, 1))
        if about.matrix is not None:
            found[:] = np.array(about.matrix).reshape(4, 4).T
            return found
        still = {"translation": (0.0, 0.0, 0.0), "rotation": (0.0, 0.0, 0.0, 1.0), "scale": (1.0, 1.0, 1.0)}
        values = {}
        for path, usual in still.items():
            rest = np.array(getattr(about, path) or usual, dtype=np.float64)
            values[path] = _at(curves.get((node, path), (np.zeros(1), rest[None], "STEP")), time_s, path)
        found[:, :3, :3] = Rotation.from_quat(values["rotation"]).as_matrix() * values["scale"][:, None, :]
        found[:, :3, 3] = values["translation"]
        return found


def _at(curve: tuple[Array, Array, str], time_s: Array, path: str) -> Array:
    """Return the values of a curve at instants. Shape (T, columns)."""
    times, values, between = curve
    inside = np.clip(time_s, times[0], times[-1])
    if between == "STEP" or len(times) == 1:
        return np.asarray(values[np.searchsorted(times, inside + SAME_S, side="right") - 1])
    if path == "rotation":
        return np.asarray(Slerp(times, Rotation.from_quat(values))(inside).as_quat())
    return interpolate_columns(inside, times, values)


READER = RigGlbReader()
WRITER = RigGlbWriter()
