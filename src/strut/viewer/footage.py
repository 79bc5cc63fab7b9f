"""Footage: the visible parts of a motion at chosen samples: body, support polygon, spots on the ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.balance.polygon import Polygon
from strut.balance.support import supports
from strut.engines.rigid_body import foot_contact_points, foot_positions, point_masses
from strut.errors import BadMotionError, BadTableError, OutOfRangeError
from strut.maths.rotation import headings_of
from strut.models.solid_mesh import MAX_FACES_DRAWN, simplify_solids
from strut.models.solids import MIN_OPACITY, Solid, solid_poses, solids
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.camera import AZIMUTH_RAD, ELEVATION_RAD, FACE_ELEVATION_RAD, FACE_RAD
from strut.viewer.eyes import eye_poses, eye_solids, looks_at
from strut.viewer.receipt_text import labels_of
from strut.viewer.stick_figure import stick_poses, sticks

MIN_OPACITY_SHARE = 0.5  # of that of the most opaque part: fainter parts model collisions and would hide the body
Look = Literal["solid", "stick"]
Spot = Literal["centre of mass", "centre of pressure"]


@dataclass(frozen=True, slots=True, eq=False)
class Footage:
    """The visible parts of a motion at F samples.

    Args:
        time_s: Shape (F,).
        base_in_world: Shape (F, 3).
        solids: The n visible parts.
        centre_in_world: Their centres. Shape (F, n, 3).
        solid_to_world: Their rotations. Shape (F, n, 3, 3).
        polygons: Support polygon of each sample, None without contact or with contacts on a line. Length F.
        spots: Marks on the ground, if known. Shape (F, 2) each.
    """

    time_s: Array
    base_in_world: Array
    solids: tuple[Solid, ...]
    centre_in_world: Array
    solid_to_world: Array
    polygons: tuple[Polygon | None, ...]
    spots: Mapping[Spot, Array]

    def corners_in_world(self, frames: slice = slice(None)) -> Array:
        """Return the corners of boxes around the parts in some frames, by default all F. Shape (F, 8 * n, 3)."""
        in_part = _box_corners(self.solids)
        corners = in_part @ np.swapaxes(self.solid_to_world[frames], -1, -2) + self.centre_in_world[frames, :, None]
        return np.asarray(corners.reshape(len(corners), -1, 3))

    def without_marks(self) -> Footage:
        """Return the footage without support polygons and spots on the ground."""
        return replace(self, polygons=(None,) * len(self.polygons), spots={})

    def spots_at(self, frame: int) -> dict[Spot, Array]:
        """Return the marks on the ground in one frame. Shape (2,) each."""
        return {name: point[frame] for name, point in self.spots.items()}


@lru_cache(maxsize=16)
def _box_corners(solids: tuple[Solid, ...]) -> Array:
    """Return the corners of a box around each of n parts, in its frame. Shape (n, 8, 3)."""
    bounds_m = np.array([solid.bounds_m for solid in solids])
    return np.stack([bounds_m[:, [x, y, z], [0, 1, 2]] for x in (0, 1) for y in (0, 1) for z in (0, 1)], axis=1)


def tells_story(motion: Motion) -> bool:
    """Return whether a motion is a keyframe animation or a sequence, which is shown from its beginning to its end."""
    return bool({"animation", "sequence", "show", "title"} & motion.meta.keys())  # other motions have no title


@dataclass(frozen=True, slots=True, eq=False)
class SideBySide:
    """Motions that are shown together, with the robot of each; raises BadMotionError if they do not fit.

    Args:
        motions: The motions.
        robots: The robot of each.
        look: Bodies, or stick figures.
        names: Names of motions with the same emotion and robot, for instance those of their files.
    """

    motions: Sequence[Motion]
    robots: Sequence[Robot]
    look: Look = "solid"
    names: Sequence[str] | None = None

    def __post_init__(self) -> None:
        if not self.motions:
            raise BadMotionError("There is no motion to show; give at least one.")
        if self.look not in get_args(Look):
            raise OutOfRangeError(f"The look is '{self.look}'; choose {' or '.join(get_args(Look))}.")
        if self.names is not None and len(self.names) != len(self.motions):
            raise BadMotionError(f"{len(self.motions)} motions came with {len(self.names)} names; give one for each.")
        if len(self.motions) != len(self.robots):
            counts = f"{len(self.motions)} motions came with {len(self.robots)} robots"
            raise BadMotionError(f"{counts}; give one robot for each motion.")
        for motion, robot in self.pairs:
            size = robot.base_size + len(robot.joint_names)
            if motion.robot != robot.name or motion.joint_names != robot.joint_names or motion.qpos.shape[1] != size:
                raise BadMotionError(
                    f"A motion of {motion.robot} with {motion.qpos.shape[1]} coordinates does not fit {robot.name}, "
                    f"which has {size}; load the robot that the motion names."
                )

    @property
    def pairs(self) -> list[tuple[Motion, Robot]]:
        """The motions with their robots."""
        return list(zip(self.motions, self.robots, strict=True))

    @property
    def labels(self) -> list[str]:
        """Names of the motions, all different."""
        return labels_of(self.motions, self.names)

    @property
    def longest_s(self) -> float:
        """Duration of the longest motion."""
        return max(motion.duration_s for motion in self.motions)

    @property
    def are_people(self) -> bool:
        """Whether all are human models, whose walks are shown as a row of poses."""
        return all(robot.tables.subject is not None for robot in self.robots)

    @property
    def tells_story(self) -> bool:
        """Whether one is a keyframe animation or a sequence of commands."""
        return any(map(tells_story, self.motions))

    @property
    def tells_by_eyes(self) -> bool:
        """Whether it is a keyframe animation of a robot with eyes."""
        return self.tells_story and any(robot.tables.eyes for robot in self.robots)

    @property
    def azimuth_rad(self) -> float:
        """Azimuth of the camera: expressive eyes face it, and a busy right hand does not hide the face."""
        if self.tells_by_eyes:
            return -FACE_RAD if np.mean([_turned_rad(*pair) for pair in self.pairs]) > 0.0 else FACE_RAD
        busy = [task.get("hand") for motion in self.motions if isinstance(task := motion.meta.get("task"), dict)]
        return -AZIMUTH_RAD if "right" in busy else AZIMUTH_RAD

    @property
    def elevation_rad(self) -> float:
        """Elevation of the camera."""
        return FACE_ELEVATION_RAD if self.tells_by_eyes else ELEVATION_RAD


def frame_times_s(duration_s: float, frames_per_s: float) -> Array:
    """Return the times of the frames of a film, evenly from 0 to before its end. Shape (F,)."""
    for name, value in (("duration", duration_s), ("frame rate", frames_per_s)):
        if not (np.isfinite(value) and value > 0.0):
            raise OutOfRangeError(f"The {name} of a film is {value:g}; it must be a number above 0.")
    return np.arange(max(1, round(duration_s * frames_per_s))) / frames_per_s


def nearest_samples(motion: Motion, time_s: Array) -> npt.NDArray[np.intp]:
    """Return the samples nearest to times since the start, the last one for later times. Shape (F,) in and out."""
    if not np.isfinite(time_s).all():
        raise OutOfRangeError("A time to show is not a number; give seconds since the start.")
    wanted = motion.time_s[0] + np.asarray(time_s)
    after = np.clip(np.searchsorted(motion.time_s, wanted), 1, len(motion.time_s) - 1)
    before = after - 1
    early = wanted - motion.time_s[before] <= motion.time_s[after] - wanted
    return np.asarray(np.where(early, before, after))


def footage(
    motion: Motion,
    robot: Robot,
    samples: npt.NDArray[np.intp],
    *,
    look: Look = "solid",
    most_faces: int = MAX_FACES_DRAWN,
) -> Footage:
    """Return the footage of samples (F,), as a body or as its stick figure.

    The meshes of the body have at most `most_faces` faces together.
    """
    qpos = motion.qpos[samples]
    if look == "solid":
        parts, centre, rotation = _body(motion, robot, samples, most_faces)
    else:
        parts = sticks(robot)
        centre, rotation = stick_poses(robot, qpos)
    min_opacity = max([MIN_OPACITY, *(MIN_OPACITY_SHARE * solid.color[3] for solid in parts)])
    visible = [index for index, solid in enumerate(parts) if solid.color[3] >= min_opacity]
    if not visible:
        raise BadTableError(f"{robot.name} has no visible part; give its body some geometry.")
    spots: dict[Spot, Array] = {}
    if robot.feet:
        spots["centre of mass"] = centre_of_mass(robot, qpos)[:, :2]
    if motion.cop_in_world is not None:
        spots["centre of pressure"] = motion.cop_in_world[samples]
    return Footage(
        time_s=motion.time_s[samples],
        base_in_world=_base_in_world(robot, qpos),
        solids=tuple(parts[index] for index in visible),
        centre_in_world=centre[:, visible],
        solid_to_world=rotation[:, visible],
        polygons=support_polygons(motion, robot, samples),
        spots=spots,
    )


SolidPoses = tuple[tuple[Solid, ...], Array, Array]  # n solids, their centres (F, n, 3) and rotations (F, n, 3, 3)


def _body(motion: Motion, robot: Robot, samples: npt.NDArray[np.intp], most_faces: int) -> SolidPoses:
    """Return the parts of a body, and its eyes, if any, with the expressions of the motion."""
    qpos = motion.qpos[samples]
    eyes = robot.tables.eyes
    parts = simplify_solids(solids(robot), most_faces)
    centre, rotation = solid_poses(robot, qpos)
    if eyes is None:
        return parts, centre, rotation
    looks = looks_at(motion.meta, motion.time_s[samples] - motion.time_s[0])
    eye_centre, eye_rotation = eye_poses(robot, eyes, qpos, looks)
    together = np.concatenate([centre, eye_centre], axis=1), np.concatenate([rotation, eye_rotation], axis=1)
    return parts + eye_solids(eyes), *together


def support_polygons(motion: Motion, robot: Robot, samples: npt.NDArray[np.intp]) -> tuple[Polygon | None, ...]:
    """Return the support polygons of samples (F,), None without contact or with contacts on a line."""
    contact = motion.contact[samples][:, list(robot.point_feet)]
    points = foot_contact_points(robot, motion.qpos[samples])
    polygons: list[Polygon | None] = []
    for support in supports(contact, points):
        polygons += [support.polygon] * (support.stop - support.first)
    return tuple(polygons)


def _base_in_world(robot: Robot, qpos: Array) -> Array:
    """Return the position of a floating base, of a platform, or the origin. Shape (F, nq) in, (F, 3) out."""
    known = 3 if robot.floats else min(2, robot.base_size)
    return np.pad(qpos[:, :known], ((0, 0), (0, 3 - known)))


def _turned_rad(motion: Motion, robot: Robot) -> float:
    """Return the mean heading of a floating base relative to its first one."""
    heading = np.unwrap(headings_of(motion.qpos[:, 3:7])) if robot.floats else np.zeros(1)
    return float((heading - heading[0]).mean())


def centre_of_mass(robot: Robot, qpos: Array) -> Array:
    """Return the centre of mass in world. Shape (T, nq) in, (T, 3) out."""
    masses = point_masses(robot, qpos)
    return np.asarray(np.einsum("n,tni->ti", masses.mass_kg, masses.centre_in_world) / masses.mass_kg.sum())


def mid_swing_sample(motion: Motion, robot: Robot) -> int:
    """Return a sample near the middle at which a foot is highest, or the middle for robots without feet.

    It is the first foot if that swings there, so that several motions are shown in the same phase.
    """
    middle = len(motion.time_s) // 2
    span = max(1, len(motion.time_s) // 8)
    near = np.arange(max(0, middle - span), min(len(motion.time_s), middle + span))
    if not robot.feet:
        return middle
    height_m = foot_positions(robot, motion.qpos[near])[..., 2]
    swings = bool((~motion.contact[near, 0]).any())
    return int(near[np.argmax(height_m[:, 0] if swings else height_m.max(axis=1))])
