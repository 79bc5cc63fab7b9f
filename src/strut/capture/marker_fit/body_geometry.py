"""Body geometry: a human model's kinematics for all frames at once, with its lengths as parameters.

Coordinates are those of the thesis: pelvis TX, TY, TZ, RY, RX, RZ, then every joint's rotations about y, x, z in turn.
Points and their derivatives by coordinates, lengths and own places are exact; a test compares them with MuJoCo and with
finite differences.
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
        origins: Place of each joint in its parent's frame, per length: origin = origins @ lengths. Shape (S, 3, L).
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
        """Return a segment and all that carry it, outermost first."""
        found = []
        while segment >= 0:
            found.append(segment)
            segment = self.parents[segment]
        return found

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
        origin_m: Of segments, in world. Shape (T, S, 3).
        rotation: Of segments to world. Shape (T, S, 3, 3).
        axis: Of each coordinate's rotation in world; zero for translations. Shape (T, n_dof, 3).
        pivot_m: A point on that axis. Shape (T, n_dof, 3).
    """

    origin_m: Array
    rotation: Array
    axis: Array
    pivot_m: Array


def body_geometry(body: SegmentBody) -> BodyGeometry:
    """Return the tree of a table of segments; both sides are made, in the order of the compiled model."""
    shares = both_sides(body, body.length_share)
    segments = segments_of(body)
    dofs = [dof for segment in segments for dof, _ in segment.joints]
    if [dof[-2:] for dof in dofs[:3]] != ["TX", "TY", "TZ"]:
        raise BadTableError(f"{body.title}: the first segment must be the root, which floats.")
    axes = [_turns(segment) for segment in segments]
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


def _turns(segment: Segment) -> tuple[int, ...]:
    """Return the axes of a joint's rotations in order of application: 0, 1, 2 for x, y, z."""
    return tuple(_AXIS[axis] for _, axis in segment.joints if axis in _AXIS)


def _parents(segments: Sequence[Segment]) -> tuple[int, ...]:
    """Return the index of each segment's parent; -1 for the root."""
    index = {segment.name: place for place, segment in enumerate(segments)}
    return tuple(index.get(segment.parent or "", -1) for segment in segments)


def _origin(segment: Segment, lengths: list[str]) -> Array:
    """Return a joint's place in its parent's frame, per length; y mirrored on the right. Shape (3, L)."""
    origin = np.zeros((3, len(lengths)))
    for axis, shares in segment.table.origin.items():
        for length, share in shares.items():
            origin[AXES.index(axis), lengths.index(on_side(length, segment.side))] += share
    origin[1] *= -1.0 if segment.side == "Right" else 1.0
    return origin


def pose_body(body: BodyGeometry, q: Array, lengths_m: Array) -> BodyPose:
    """Return all frames of a body. Shapes (T, n_dof) and (L,)."""
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
        turn = np.broadcast_to(np.eye(3), (frames, 3, 3)) if parent < 0 else rotation[:, parent]
        origin[:, index] = q[:, :3] if parent < 0 else origin[:, parent] + turn @ offsets[index]
        for place, about in enumerate(body.axes[index]):
            dof = body.first_dof[index] + place
            axis[:, dof] = turn[..., about]
            pivot[:, dof] = origin[:, index]
            turn = _turned(turn, about, sine[:, dof], cosine[:, dof])
        rotation[:, index] = turn
    return BodyPose(origin, rotation, axis, pivot)


def _turned(turn: Array, about: int, sine: Array, cosine: Array) -> Array:
    """Return a rotation followed by another about one of its own axes. Shapes (T, 3, 3), (T,), (T,)."""
    first = (about + 1) % 3
    second = (about + 2) % 3
    result = turn.copy()
    sine = sine[:, None]
    cosine = cosine[:, None]
    result[..., first] = cosine * turn[..., first] + sine * turn[..., second]
    result[..., second] = cosine * turn[..., second] - sine * turn[..., first]
    return result


@dataclass(frozen=True, slots=True, eq=False)
class BodyPoints:
    """Points fixed to segments: which segment, and where in its frame [m]. Shapes (n,) and (n, 3)."""

    segment: npt.NDArray[np.intp]
    local_m: Array


def body_points(body: BodyGeometry, places: Sequence[tuple[str, Sequence[float]]]) -> BodyPoints:
    """Return points from names of segments and places in their frames."""
    unknown = {segment for segment, _ in places} - set(body.segments)
    if unknown:
        raise BadTableError(f"The body has no segment {', '.join(sorted(unknown))}.")
    index = np.array([body.segments.index(segment) for segment, _ in places], dtype=np.intp)
    return BodyPoints(index, np.array([place for _, place in places], dtype=np.float64).reshape(-1, 3))


def place_points(pose: BodyPose, points: BodyPoints) -> Array:
    """Return points in world. Shape (T, n, 3)."""
    turned = np.einsum("tnij,nj->tni", pose.rotation[:, points.segment], points.local_m)
    return np.asarray(pose.origin_m[:, points.segment] + turned)


def point_jacobian(body: BodyGeometry, pose: BodyPose, points: BodyPoints, places: Array) -> Array:
    """Return derivatives of points by coordinates. Places (T, n, 3) as from `place_points`; (T, n, 3, n_dof) out."""
    jacobian = np.zeros((*places.shape, body.n_dof))
    jacobian[..., 0, 0] = jacobian[..., 1, 1] = jacobian[..., 2, 2] = 1.0
    for segment in np.unique(points.segment):
        own = np.flatnonzero(points.segment == segment)
        dofs = np.flatnonzero(body.moved_by(int(segment)))[3:]
        arm = places[:, own, None] - pose.pivot_m[:, None, dofs]  # (T, own, dofs, 3)
        axis = pose.axis[:, None, dofs]
        for row in range(3):
            first = (row + 1) % 3
            second = (row + 2) % 3
            moved = axis[..., first] * arm[..., second] - axis[..., second] * arm[..., first]
            jacobian[:, own[:, None], row, dofs[None]] = moved
    return jacobian


def length_jacobian(body: BodyGeometry, pose: BodyPose, points: BodyPoints) -> Array:
    """Return derivatives of points by lengths. Shape (T, n, 3, L)."""
    per_segment = np.zeros((len(pose.origin_m), len(body.segments), 3, len(body.length_names)))
    for index, parent in enumerate(body.parents):
        if parent >= 0:
            per_segment[:, index] = per_segment[:, parent] + pose.rotation[:, parent] @ body.origins[index]
    return per_segment[:, points.segment]


def lengths_array(body: BodyGeometry, lengths_m: Mapping[str, float]) -> Array:
    """Return lengths in the order of the body. Shape (L,)."""
    return np.array([lengths_m[name] for name in body.length_names])
