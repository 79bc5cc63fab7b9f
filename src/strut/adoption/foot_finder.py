"""Foot finder: fits a ball, a line or a sole to the lowest surface at the end of a leg."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from strut.adoption.leg_finder import ImportedLeg
from strut.adoption.link_tree import LinkTree
from strut.adoption.shape_points import ShapePoints
from strut.arrays import Array

FootKind = Literal["ball", "line", "sole"]
NEAR_LOWEST = 0.06  # of the foot's span: surface lower than this belongs to the contact
_MIN_CONTACT_HEIGHT_M = 1e-4  # of a foot without any span
_FOOT_HEIGHT = 0.10  # of the leg's length: what is higher is shank, where foot and shank are one link
_BALL_SPAN = 0.08  # of the leg's length: a longer contact is a line or a sole
_LINE_WIDTH = 0.03  # of the leg's length: a wider contact is a sole
_MAX_BALL_RADIUS = 0.06  # of the leg's length
_MIN_BALL_RADIUS_M = 0.004
_SOLE_JOINTS = {2: 4, 4: 5}  # joints with which a leg can keep a sole flat while the body moves, by number of legs
_MAX_CORNERS = 8  # of a sole
_LARGER = 1.3  # a tilted sole counts only if its area is so much larger than that of the flat contact
_STILL_LARGER = 1.02  # by which a further direction must enlarge the area: avoids switching between equal directions
_SAME_SIDE = 0.9  # cosine between a direction and the plane fitted to its contact
_FITS = 3  # rounds of fitting the plane, which is more accurate than the grid of directions
_DIRECTIONS_NEAR_UP = np.array(  # up to 60 degrees from vertical
    [
        [np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)]
        for tilt in np.radians([6.0, 12.0, 18.0, 24.0, 30.0, 36.0, 42.0, 48.0, 54.0, 60.0])
        for turn in np.linspace(0.0, 2.0 * np.pi, 16, endpoint=False)
    ]
)


@dataclass(frozen=True, slots=True)
class ImportedFoot:
    """A foot of an imported robot.

    Args:
        kind: Ball, line or sole.
        link: Index of its body.
        points: Centre of the ball, ends of the line or corners of the sole, in the body's frame [m]. Shape (n, 3).
        radius_m: Of the ball; 0 for a line or a sole.
        normal: Direction that points up when the foot stands flat, in the body's frame. Shape (3,).
        reduced: Whether it is a line or a sole that is taken as a ball because the leg has too few joints.
    """

    kind: FootKind
    link: int
    points: Array
    radius_m: float
    normal: Array
    reduced: bool = False

    @property
    def centre(self) -> Array:
        """The centre of the bounding box of its points in the body's frame. Shape (3,)."""
        return np.asarray((self.points.min(axis=0) + self.points.max(axis=0)) / 2.0)


def foot_centres(tree: LinkTree, feet: Sequence[ImportedFoot]) -> Array:
    """Return the centres of feet in world; the model must be posed. Shape (n, 3)."""
    return np.array(
        [tree.data.xpos[foot.link] + tree.data.xmat[foot.link].reshape(3, 3) @ foot.centre for foot in feet]
    )


def leg_length_m(tree: LinkTree, leg: ImportedLeg) -> float:
    """Return the length of a leg along its joints and on to its lowest point; the model must be posed."""
    points = tree.points_of(set(leg.foot_links))
    lowest = points.in_world(tree.data)[np.argmin(points.heights(tree.data))]
    segments = np.diff(np.array([*tree.joint_positions(leg.joints), lowest]), axis=0)
    return float(np.linalg.norm(segments, axis=1).sum())


def fit_feet(tree: LinkTree, legs: Sequence[ImportedLeg], qpos: Array) -> tuple[ImportedFoot, ...]:
    """Return the feet of all legs in a configuration (nq,) in which the robot stands."""
    sole_joints = _SOLE_JOINTS.get(len(legs), max(_SOLE_JOINTS.values()))
    return tuple(_fit_foot(tree, leg, qpos, can_be_sole=len(leg.joints) >= sole_joints) for leg in legs)


def _fit_foot(tree: LinkTree, leg: ImportedLeg, qpos: Array, *, can_be_sole: bool) -> ImportedFoot:
    tree.pose(qpos)
    length = leg_length_m(tree, leg)
    points = tree.points_of(set(leg.foot_links))
    positions = points.in_world(tree.data)
    heights = points.heights(tree.data)
    in_foot = heights < heights.min() + _FOOT_HEIGHT * length
    span = float(np.ptp(positions[in_foot][:, :2], axis=0).max())
    contact_height = max(NEAR_LOWEST * span, _MIN_CONTACT_HEIGHT_M)
    in_contact = heights < heights.min() + contact_height
    corners = positions[in_contact].copy()
    corners[:, 2] = heights[in_contact]
    long, wide = _extents(corners[:, :2])
    bodies, counts = np.unique(points.body[in_contact], return_counts=True)
    body = int(bodies[np.argmax(counts)])
    to_body = tree.data.xmat[body].reshape(3, 3).T.copy()  # a view would change with the next posture
    normal = to_body[:, 2]
    if can_be_sole and (tilted := _find_tilted_sole(points, positions, span, long * wide)) is not None:
        normal = to_body @ tilted
        heights = positions @ tilted - points.radius
        in_contact = heights < heights.min() + contact_height
        above = heights[in_contact] - heights.min() + points.radius[in_contact]
        corners = positions[in_contact] - np.outer(above, tilted)
        long, wide = _extents(corners @ _axes_across(tilted).T)
    if long < _BALL_SPAN * length or not can_be_sole:
        centre, radius = _fit_ball(points, positions, heights, in_foot, length)
        in_body = to_body @ (centre - tree.data.xpos[body])
        return ImportedFoot("ball", body, in_body[None], radius, normal, reduced=long >= _BALL_SPAN * length)
    outline = _fit_line(corners) if wide < _LINE_WIDTH * length else _fit_outline(corners)
    kind: FootKind = "line" if len(outline) == 2 else "sole"
    is_flat = normal @ to_body[:, 2] > 1.0 - 1e-9
    if is_flat:
        outline[:, 2] = heights.min()
    return ImportedFoot(kind, body, (outline - tree.data.xpos[body]) @ to_body.T, 0.0, normal)


def _find_tilted_sole(points: ShapePoints, positions: Array, span: float, flat_area: float) -> Array | None:
    """Return the upward normal (3,) of the largest flat side of a foot; None if the foot lies on it already.

    For each direction near vertical, the contact is the surface that is lowest in that direction.
    """
    largest_area: float = _LARGER * flat_area
    normal: Array | None = None
    for direction in _DIRECTIONS_NEAR_UP:
        heights = positions @ direction - points.radius
        in_contact = heights < heights.min() + NEAR_LOWEST * span
        if in_contact.sum() < 3:
            continue
        long, wide = _extents(positions[in_contact] @ _axes_across(direction).T)
        if long * wide > largest_area * _STILL_LARGER:
            largest_area = long * wide
            normal = direction
    if normal is None:
        return None
    for _ in range(_FITS):
        heights = positions @ normal - points.radius
        in_contact = heights < heights.min() + NEAR_LOWEST * span
        contact = positions[in_contact] - np.outer(points.radius[in_contact], normal)
        fitted: Array = np.linalg.svd(contact - contact.mean(axis=0), full_matrices=False)[2][-1]
        fitted = np.asarray(fitted * np.sign(fitted @ normal))
        if fitted @ normal < _SAME_SIDE or len(contact) < 3:
            break
        normal = fitted
    return normal


def _axes_across(normal: Array) -> Array:
    """Return two unit vectors perpendicular to a normal. Shape (2, 3)."""
    first = np.cross(normal, [0.0, 1.0, 0.0])
    first /= np.linalg.norm(first)
    return np.array([first, np.cross(normal, first)])


def _extents(points: Array) -> tuple[float, float]:
    """Return length and width of points (n, 2) along their principal axes."""
    if len(points) < 2:
        return 0.0, 0.0
    centred = points - points.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2]
    extents = sorted((float(np.ptp(centred @ axis)) for axis in axes), reverse=True)
    return extents[0], extents[1] if len(extents) > 1 else 0.0


def _fit_ball(
    points: ShapePoints, positions: Array, heights: Array, in_foot: np.ndarray, leg_length: float
) -> tuple[Array, float]:
    """Return centre (3,) and radius of the ball nearest to a foot."""
    lowest = int(np.argmin(heights))
    if points.radius[lowest] > 0.0:
        lowest_balls = (points.radius > 0.0) & (heights < heights[lowest] + 1e-4)
        return positions[lowest_balls].mean(axis=0), float(points.radius[lowest])
    foot = positions[in_foot]
    width = min(float(np.ptp(foot[:, 0])), float(np.ptp(foot[:, 1])))
    radius = float(np.clip(width / 2.0, _MIN_BALL_RADIUS_M, _MAX_BALL_RADIUS * leg_length))
    near_lowest = heights < heights.min() + 0.1 * radius + 1e-5
    centre = (positions[near_lowest].min(axis=0) + positions[near_lowest].max(axis=0)) / 2.0
    return np.array([centre[0], centre[1], heights.min() + radius]), radius


def _fit_line(corners: Array) -> Array:
    """Return the two ends of a narrow contact. Shape (2, 3)."""
    centre = corners.mean(axis=0)
    centred = corners - centre
    axis = np.linalg.svd(centred[:, :2], full_matrices=False)[2][0]
    along = centred[:, :2] @ axis
    ends = np.array([centre, centre])
    ends[:, :2] += np.outer([along.min(), along.max()], axis)
    return ends


def _fit_outline(corners: Array) -> Array:
    """Return the corners of a sole: the convex hull of the contact with few corners. Shape (n, 3)."""
    try:
        hull: Array = corners[ConvexHull(corners[:, :2]).vertices]
    except QhullError:
        return _fit_line(corners)
    while len(hull) > _MAX_CORNERS:  # remove the corner whose triangle with its neighbours is smallest
        to_previous = (hull - np.roll(hull, 1, axis=0))[:, :2]
        to_next = (np.roll(hull, -1, axis=0) - hull)[:, :2]
        areas = np.abs(to_previous[:, 0] * to_next[:, 1] - to_previous[:, 1] * to_next[:, 0])
        hull = np.delete(hull, int(np.argmin(areas)), axis=0)
    return hull
