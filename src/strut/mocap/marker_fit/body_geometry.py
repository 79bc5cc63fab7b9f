"""Body geometry: forward kinematics of a human model for all frames at once, with segment lengths as parameters.

Coordinates are those of Felis' thesis (2015): pelvis TX, TY, TZ, RY, RX, RZ, then the rotations of every joint about
y, x, z in turn. Derivatives of points with respect to coordinates and lengths are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.errors import BadTableError
from strut.models.person import both_sides, on_side
from strut.models.segment_robot import Segment, segments_of
from strut.schemas.segments import SegmentBody

_AXIS = {"RX": 0, "RY": 1, "RZ": 2}
AXES = "xyz"


@dataclass(frozen=True, slots=True, eq=False)
class BodyGeometry:
    """A tree of segments.

    Args:
        segments: Names; a parent comes before its children.
        parents: Index of each segment's parent; -1 for the root. Shape (S,).
        first_dof: First coordinate of each segment's joint; its rotations follow each other. Shape (S,).
        axes: Axes of each joint's rotations in order of application: 0, 1, 2 for x, y, z.
        dof_names: Names of all coordinates.
        length_names: Names of all lengths.
        origins: Position of each joint in the frame of its parent is origins @ lengths. Shape (S, 3, L).
        default_shares: Each length as a share of the body height. Shape (L,).
    """

    segments: tuple[str, ...]
    parents: tuple[int, ...]
    first_dof: tuple[int, ...]
    axes: tuple[tuple[int, ...], ...]
    dof_names: tuple[str, ...]
    length_names: tuple[str, ...]
    origins: Array
    default_shares: Array

    @property
    def n_dof(self) -> int:
        """Number of coordinates."""
        return len(self.dof_names)

    def chain(self, segment: int) -> list[int]:
        """Return a segment and its ancestors up to the root."""
        segments = []
        while segment >= 0:
            segments.append(segment)
            segment = self.parents[segment]
        return segments

    def moved_by(self, segment: int) -> npt.NDArray[np.bool_]:
        """Return which coordinates move a segment. Shape (n_dof,)."""
        mask = np.zeros(self.n_dof, dtype=bool)
        mask[:3] = True
        for link in self.chain(segment):
            mask[self.first_dof[link] : self.first_dof[link] + len(self.axes[link])] = True
        return mask


@dataclass(frozen=True, slots=True, eq=False)
class BodyPose:
    """All frames of a body.

    Args:
        origin_m: Origins of the segments in world. Shape (T, S, 3).
        rotation: From each segment to world. Shape (T, S, 3, 3).
        axis: Rotation axis of each coordinate in world; zero for translations. Shape (T, n_dof, 3).
        pivot_m: A point on that axis. Shape (T, n_dof, 3).
    """

    origin_m: Array
    rotation: Array
    axis: Array
    pivot_m: Array


def body_geometry(body: SegmentBody) -> BodyGeometry:
    """Return the tree of a table of segments, with left and right sides in the order of the compiled model."""
    shares = both_sides(body, body.length_share)
    segments = segments_of(body)
    dofs = [dof for segment in segments for dof, _ in segment.joints]
    if [dof[-2:] for dof in dofs[:3]] != ["TX", "TY", "TZ"]:
        raise BadTableError(f"{body.title}: the first segment must be the root, which floats.")
    axes = [_rotation_axes(segment) for segment in segments]
    return BodyGeometry(
        segments=tuple(segment.name for segment in segments),
        parents=_parents(segments),
        first_dof=tuple((3 + np.cumsum([0, *map(len, axes[:-1])])).tolist()),
        axes=tuple(axes),
        dof_names=tuple(dofs),
        length_names=tuple(shares),
        origins=np.stack([_origin(segment, list(shares)) for segment in segments]),
        default_shares=np.array([*shares.values()]),
    )


def _rotation_axes(segment: Segment) -> tuple[int, ...]:
    """Return the rotation axes of a joint in order of application: 0, 1, 2 for x, y, z."""
    return tuple(_AXIS[axis] for _, axis in segment.joints if axis in _AXIS)


def _parents(segments: Sequence[Segment]) -> tuple[int, ...]:
    """Return the index of each segment's parent; -1 for the root."""
    index = {segment.name: place for place, segment in enumerate(segments)}
    return tuple(index.get(segment.parent or "", -1) for segment in segments)


def _origin(segment: Segment, lengths: list[str]) -> Array:
    """Return the position of a joint in its parent per length; y is mirrored on the right. Shape (3, L)."""
    origin = np.zeros((3, len(lengths)))
    for axis, shares in segment.table.origin.items():
        for length, share in shares.items():
            origin[AXES.index(axis), lengths.index(on_side(length, segment.side))] += share
    origin[1] *= -1.0 if segment.side == "Right" else 1.0
    return origin


def pose_body(body: BodyGeometry, q: Array, lengths_m: Array) -> BodyPose:
    """Return origins and rotations of all segments. Shapes (T, n_dof) and (L,)."""
    frames = len(q)
    count = len(body.segments)
    origin = np.empty((frames, count, 3))
    rotation = np.empty((frames, count, 3, 3))
    axis = np.zeros((frames, body.n_dof, 3))
    pivot = np.zeros((frames, body.n_dof, 3))
    offsets = body.origins @ lengths_m
    sine = np.sin(q)
    cosine = np.cos(q)
    for index, parent in enumerate(body.parents):
        if parent < 0:
            to_world = np.broadcast_to(np.eye(3), (frames, 3, 3))
            origin[:, index] = q[:, :3]
        else:
            to_world = rotation[:, parent]
            origin[:, index] = origin[:, parent] + to_world @ offsets[index]
        for dof, about in enumerate(body.axes[index], start=body.first_dof[index]):
            axis[:, dof] = to_world[..., about]
            pivot[:, dof] = origin[:, index]
            to_world = _rotate_about(to_world, about, sine[:, dof], cosine[:, dof])
        rotation[:, index] = to_world
    return BodyPose(origin, rotation, axis, pivot)


def _rotate_about(to_world: Array, about: int, sine: Array, cosine: Array) -> Array:
    """Return rotations after a further one about one of their own axes. Shapes (T, 3, 3), (T,), (T,)."""
    first = (about + 1) % 3
    second = (about + 2) % 3
    result = to_world.copy()
    sine = sine[:, None]
    cosine = cosine[:, None]
    result[..., first] = cosine * to_world[..., first] + sine * to_world[..., second]
    result[..., second] = cosine * to_world[..., second] - sine * to_world[..., first]
    return result


@dataclass(frozen=True, slots=True, eq=False)
class BodyPoints:
    """Points fixed to segments: index of the segment, and position in its frame [m]. Shapes (n,) and (n, 3)."""

    segment: npt.NDArray[np.intp]
    local_m: Array


def body_points(body: BodyGeometry, positions: Sequence[tuple[str, Sequence[float]]]) -> BodyPoints:
    """Return points from names of segments and positions in their frames."""
    unknown = {segment for segment, _ in positions} - set(body.segments)
    if unknown:
        raise BadTableError(f"The body has no segment {', '.join(sorted(unknown))}.")
    index = np.array([body.segments.index(segment) for segment, _ in positions], dtype=np.intp)
    return BodyPoints(index, np.array([at for _, at in positions], dtype=np.float64).reshape(-1, 3))


def place_points(pose: BodyPose, points: BodyPoints) -> Array:
    """Return points in world. Shape (T, n, 3)."""
    offset = np.einsum("tnij,nj->tni", pose.rotation[:, points.segment], points.local_m)
    return np.asarray(pose.origin_m[:, points.segment] + offset)


def point_jacobian(body: BodyGeometry, pose: BodyPose, points: BodyPoints, positions: Array) -> Array:
    """Return derivatives of points with respect to coordinates.

    Args:
        body: The tree.
        pose: From `pose_body`.
        points: On segments.
        positions: In world, from `place_points`. Shape (T, n, 3).

    Returns:
        Shape (T, n, 3, n_dof).
    """
    jacobian = np.zeros((*positions.shape, body.n_dof))
    jacobian[..., 0, 0] = jacobian[..., 1, 1] = jacobian[..., 2, 2] = 1.0
    for segment in np.unique(points.segment):
        own = np.flatnonzero(points.segment == segment)
        dofs = np.flatnonzero(body.moved_by(int(segment)))[3:]
        arm = positions[:, own, None] - pose.pivot_m[:, None, dofs]  # (T, own, dofs, 3)
        axis = pose.axis[:, None, dofs]
        for row in range(3):
            first = (row + 1) % 3
            second = (row + 2) % 3
            cross = axis[..., first] * arm[..., second] - axis[..., second] * arm[..., first]
            jacobian[:, own[:, None], row, dofs[None]] = cross
    return jacobian


def length_jacobian(body: BodyGeometry, pose: BodyPose, points: BodyPoints) -> Array:
    """Return derivatives of points with respect to lengths. Shape (T, n, 3, L)."""
    per_segment = np.zeros((len(pose.origin_m), len(body.segments), 3, len(body.length_names)))
    for index, parent in enumerate(body.parents):
        if parent >= 0:
            per_segment[:, index] = per_segment[:, parent] + pose.rotation[:, parent] @ body.origins[index]
    return per_segment[:, points.segment]


def lengths_array(body: BodyGeometry, lengths_m: Mapping[str, float]) -> Array:
    """Return lengths in the order of the body. Shape (L,)."""
    return np.array([lengths_m[name] for name in body.length_names])
