"""Foot finder: what a leg stands on: a ball, a line or a sole, fitted to the lowest surface of its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from strut.adoption.leg_finder import FoundLeg
from strut.adoption.link_tree import LinkTree
from strut.adoption.shape_points import ShapePoints
from strut.arrays import Array

FootKind = Literal["ball", "line", "sole"]
NEAR_LOWEST = 0.06  # of the foot's span: what is lower belongs to the contact
_FOOT_HEIGHT = 0.10  # of the leg's length: the foot of a link that is a whole shank
_BALL_SPAN = 0.08
_LINE_WIDTH = 0.03  # of the leg's length: longer is a line, wider a sole
_SOLE_JOINTS = {2: 4, 4: 5}  # by number of legs: fewer cannot keep a sole flat while the body moves
_MOST_CORNERS = 8
_LEAST_RADIUS_M = 0.004
_CONE = np.array(  # directions up to 60 degrees off straight up
    [
        [np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)]
        for tilt in np.radians([6.0, 12.0, 18.0, 24.0, 30.0, 36.0, 42.0, 48.0, 54.0, 60.0])
        for turn in np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    ]
)


@dataclass(frozen=True, slots=True)
class FoundFoot:
    """A foot as it stands.

    Args:
        kind: Ball, line or sole.
        link: Body that it belongs to.
        points: Corners, ends of the line or centre of the ball, in the body's frame [m]. Shape (n, 3).
        radius_m: Of the ball or the edge; 0 for a sole.
        normal: What points up in the body's frame when it stands flat. Shape (3,).
        reduced: Whether the surface is larger than a ball, but the leg has too few joints to use it.
    """

    kind: FootKind
    link: int
    points: Array
    radius_m: float
    normal: Array
    reduced: bool = False

    @property
    def middle(self) -> Array:
        """The middle of its points in the body's frame, as far from the first as from the last. Shape (3,)."""
        return np.asarray((self.points.min(axis=0) + self.points.max(axis=0)) / 2.0)


def foot_places(tree: LinkTree, feet: Sequence[FoundFoot]) -> Array:
    """Return the middle of feet in world; the model must be posed. Shape (n, 3)."""
    return np.array([_foot_place(tree, foot) for foot in feet])


def _foot_place(tree: LinkTree, foot: FoundFoot) -> Array:
    turn = tree.data.xmat[foot.link].reshape(3, 3)
    place: Array = tree.data.xpos[foot.link] + turn @ foot.middle
    return place


def leg_length_m(tree: LinkTree, leg: FoundLeg) -> float:
    """Return the length of a leg along its joints and on to its lowest point; the model must be posed."""
    points = tree.points_of(set(leg.foot_links))
    lowest = points.in_world(tree.data)[np.argmin(points.heights(tree.data))]
    way = np.diff(np.array([*tree.anchors(leg.joints), lowest]), axis=0)
    return float(np.linalg.norm(way, axis=1).sum())


def feet_of(tree: LinkTree, legs: Sequence[FoundLeg], qpos: Array) -> tuple[FoundFoot, ...]:
    """Return the feet of all legs in a configuration (nq,) in which they stand."""
    return tuple(_foot_of(tree, leg, qpos, _SOLE_JOINTS.get(len(legs), max(_SOLE_JOINTS.values()))) for leg in legs)


def _foot_of(tree: LinkTree, leg: FoundLeg, qpos: Array, sole_joints: int) -> FoundFoot:
    """Return the foot of a leg; with fewer joints than those it is no sole."""
    tree.pose(qpos)
    length = leg_length_m(tree, leg)
    points = tree.points_of(set(leg.foot_links))
    places = points.in_world(tree.data)
    heights = points.heights(tree.data)
    low = heights < heights.min() + _FOOT_HEIGHT * length
    span = float(np.ptp(places[low][:, :2], axis=0).max())
    near = heights < heights.min() + max(NEAR_LOWEST * span, 1e-4)
    corners = places[near].copy()
    corners[:, 2] = heights[near]
    long, wide = _extents(corners[:, :2])
    body = _body_of(points, near)
    to_body = tree.data.xmat[body].reshape(3, 3).T.copy()  # a view would turn with the next posture
    normal = to_body[:, 2]
    fits_sole = len(leg.joints) >= sole_joints
    if fits_sole and (tilted := _tilted_sole(points, places, span, long * wide)) is not None:
        normal = to_body @ tilted
        heights = places @ tilted - points.radius
        near = heights < heights.min() + max(NEAR_LOWEST * span, 1e-4)
        corners = places[near] - np.outer(heights[near] - heights.min() + points.radius[near], tilted)
        long, wide = _extents(corners @ _level_axes(tilted).T)
    if long < _BALL_SPAN * length or not fits_sole:
        centre, radius = _ball(points, places, heights, low, length)
        in_body = to_body @ (centre - tree.data.xpos[body])
        return FoundFoot("ball", body, in_body[None], radius, normal, reduced=long >= _BALL_SPAN * length)
    outline = _line(corners) if wide < _LINE_WIDTH * length else _outline(corners)
    kind: FootKind = "line" if len(outline) == 2 else "sole"
    if normal @ to_body[:, 2] > 1.0 - 1e-9:
        outline[:, 2] = heights.min()
    return FoundFoot(kind, body, (outline - tree.data.xpos[body]) @ to_body.T, 0.0, normal)


def _tilted_sole(points: ShapePoints, places: Array, span: float, area: float) -> Array | None:
    """Return the upward normal of the largest flat side of a foot that does not lie flat yet (3,); None if it does.

    Directions around straight up are tried; of each, what lies near the lowest surface makes a patch.
    """
    best: float = 1.3 * area
    normal: Array | None = None
    for direction in _CONE:
        heights = places @ direction - points.radius
        near = heights < heights.min() + NEAR_LOWEST * span
        if near.sum() < 3:
            continue
        long, wide = _extents(places[near] @ _level_axes(direction).T)
        if long * wide > best * 1.02:
            best = long * wide
            normal = direction
    if normal is None:
        return None
    for _ in range(3):  # the plane through the patch tells the direction better than the cone's grid
        heights = places @ normal - points.radius
        near = heights < heights.min() + NEAR_LOWEST * span
        patch = places[near] - np.outer(points.radius[near], normal)
        fitted: Array = np.linalg.svd(patch - patch.mean(axis=0), full_matrices=False)[2][-1]
        fitted = np.asarray(fitted * np.sign(fitted @ normal))
        if fitted @ normal < 0.9 or len(patch) < 3:
            break
        normal = fitted
    return normal


def _level_axes(normal: Array) -> Array:
    """Return two directions square to a normal. Shape (2, 3)."""
    first = np.cross(normal, [0.0, 1.0, 0.0])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(normal, first)])


def _body_of(points: ShapePoints, near: np.ndarray) -> int:
    """Return the body with most of the points that touch."""
    bodies, counts = np.unique(points.body[near], return_counts=True)
    return int(bodies[np.argmax(counts)])


def _extents(flat: Array) -> tuple[float, float]:
    """Return length and width of points on the floor (n, 2) along their main directions."""
    if len(flat) < 2:
        return 0.0, 0.0
    centred = flat - flat.mean(axis=0)
    _, _, axes = np.linalg.svd(centred, full_matrices=False) if len(flat) > 1 else (None, None, np.eye(2))
    spans = sorted((float(np.ptp(centred @ axis)) for axis in axes), reverse=True)
    return spans[0], spans[1] if len(spans) > 1 else 0.0


def _ball(points: ShapePoints, places: Array, heights: Array, low: np.ndarray, length: float) -> tuple[Array, float]:
    """Return centre and radius of the ball that a foot is, or nearly is."""
    lowest = int(np.argmin(heights))
    if points.radius[lowest] > 0.0:
        same = (points.radius > 0.0) & (heights < heights[lowest] + 1e-4)
        return places[same].mean(axis=0), float(points.radius[lowest])
    foot = places[low]
    width = min(float(np.ptp(foot[:, 0])), float(np.ptp(foot[:, 1])))
    radius = float(np.clip(width / 2.0, _LEAST_RADIUS_M, 0.06 * length))
    near = heights < heights.min() + 0.1 * radius + 1e-5
    middle = (places[near].min(axis=0) + places[near].max(axis=0)) / 2.0
    return np.array([middle[0], middle[1], heights.min() + radius]), radius


def _line(corners: Array) -> Array:
    """Return the two ends of a narrow contact. Shape (2, 3)."""
    centred = corners - corners.mean(axis=0)
    axis = np.linalg.svd(centred[:, :2], full_matrices=False)[2][0]
    along = centred[:, :2] @ axis
    middle = corners.mean(axis=0)
    ends = np.array([middle, middle])
    ends[:, :2] += np.outer([along.min(), along.max()], axis)
    return ends


def _outline(corners: Array) -> Array:
    """Return the corners of a sole: the convex hull of what touches, with few corners. Shape (n, 3)."""
    try:
        hull: Array = corners[ConvexHull(corners[:, :2]).vertices]
    except QhullError:
        return _line(corners)
    while len(hull) > _MOST_CORNERS:
        before = np.roll(hull, 1, axis=0)
        after = np.roll(hull, -1, axis=0)
        left = (hull - before)[:, :2]
        right = (after - hull)[:, :2]
        hull = np.delete(hull, int(np.argmin(np.abs(left[:, 0] * right[:, 1] - left[:, 1] * right[:, 0]))), axis=0)
    return hull
