"""Self-distance: exact distances between a robot's own bodies along a motion, for any type of geom.

`mj_collision` with a margin would need one call per sample, but it overestimates distances of boxes by up to 20 mm and
misses some pairs. `mj_geomDistance` is exact, as is the closed form for spheres and capsules. Conservative advancement
(Mirtich, 1996) reduces the number of queries: two geoms at distance d cannot meet before the lengths of their paths add
up to d, so one query settles all samples around it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, pairwise, product

import mujoco
import numpy as np
import numpy.typing as npt

from strut.arrays import Array, frozen_mask
from strut.audit import SelfDistance, SelfOverlap
from strut.engines.resting_overlap import MAX_DISTANCE_M, RestingOverlap, find_resting_overlaps
from strut.engines.rigid_body import point_positions, poses
from strut.errors import UnknownNameError
from strut.robot import Robot
from strut.schemas.collision import CollisionTable

Pair = tuple[int, int]
_EPSILON = 1e-12  # a smaller squared length [m2], or square of one [m4], counts as 0
_STRIDES = (64, 16, 4, 1)  # numbers of samples that one query may settle, coarse to fine
_ROUND = (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE)
_UNBOUNDED = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
_NEARLY_TOO_DEEP_M = 0.001  # below the largest depth of an overlap by design: shallower ones are not refined
_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))


@dataclass(frozen=True, slots=True)
class CollisionPairs:
    """The pairs of geoms of a robot's bodies, by how their distance is limited.

    Args:
        clear: Pairs that keep the robot's smallest distance.
        overlapping: Pairs that overlap by design as the robot stands: their overlap is limited to that depth and a
            tolerance.
        joined: Pairs that overlap around one place in which several joints connect their bodies; they are not limited.
        neighbours: Pairs of bodies that one joint connects, which are not limited.
    """

    clear: tuple[Pair, ...]
    overlapping: tuple[RestingOverlap, ...]
    joined: tuple[RestingOverlap, ...]
    neighbours: tuple[tuple[str, str], ...]


def self_distance(robot: Robot, qpos: Array, *, threshold_m: float | None = None) -> SelfDistance | None:
    """Return the smallest distance between a robot's bodies along a motion; None if no pair has to be checked.

    Args:
        robot: Robot with its collision table.
        qpos: Configurations. Shape (T, nq).
        threshold_m: All samples with a smaller distance are reported; the robot's minimum distance if None.
    """
    model = robot.model
    threshold_m = robot.collision.min_distance_m if threshold_m is None else threshold_m
    pairs = collision_pairs(robot)
    if not pairs.clear and not pairs.overlapping:
        return None
    # the base stands still, so that its travel does not count as approach
    base = np.tile(model.qpos0[: robot.base_size], (len(qpos), 1))
    in_base = np.concatenate([base, qpos[:, robot.base_size :]], axis=1)
    geoms = _MovingGeoms(model, *poses(model, "geom", range(model.ngeom), in_base))
    overlap = None
    if pairs.overlapping:
        standing_m = np.array([overlap.distance_m for overlap in pairs.overlapping])
        overlapping = np.array([overlap.geoms for overlap in pairs.overlapping])
        max_m = robot.collision.max_deepening_m
        found = _search(geoms, overlapping, standing_m, -max_m, exact_below_m=_NEARLY_TOO_DEEP_M - max_m)
        resting = pairs.overlapping[found.pair]
        overlap = SelfOverlap(-found.smallest_m, -resting.distance_m, found.sample, resting.bodies, found.near)
    if not pairs.clear:
        return SelfDistance(np.inf, 0, ("", ""), frozen_mask(np.zeros(len(qpos))), overlap)
    found = _search(geoms, np.array(pairs.clear), np.zeros(len(pairs.clear)), threshold_m)
    one, other = (model.body(model.geom_bodyid[geom]).name for geom in pairs.clear[found.pair])
    return SelfDistance(found.smallest_m, found.sample, (one, other), found.near, overlap)


@dataclass(frozen=True, slots=True)
class _Nearest:
    """The smallest distance of some pairs of geoms, its sample and pair, and where any is nearer than a threshold."""

    smallest_m: float
    sample: int
    pair: int
    near: npt.NDArray[np.bool_]


def _search(
    geoms: _MovingGeoms,
    pairs: npt.NDArray[np.int_],
    zero_m: Array,
    threshold_m: float,
    *,
    exact_below_m: float = np.inf,
) -> _Nearest:
    """Return the nearest pair, each distance counted from its own zero. Shapes (n, 2) and (n,).

    A smallest distance above `exact_below_m` is that of some samples only.
    """
    count = geoms.samples
    near = np.zeros(count, dtype=bool)
    smallest_m = np.inf
    sample = 0
    nearest = 0
    starts = np.arange(0, count, _STRIDES[0])
    start = np.tile(starts, len(pairs))
    index = np.repeat(np.arange(len(pairs)), len(starts))
    for stride, finer in pairwise((*_STRIDES, 0)):
        pair = pairs[index]
        middle = np.minimum(start + stride // 2, count - 1)
        stop = np.minimum(start + stride - 1, count - 1)
        approach_m = np.maximum(geoms.max_approach_m(start, middle, pair), geoms.max_approach_m(middle, stop, pair))
        distance_m = geoms.min_distance_m(middle, pair) - zero_m[index]
        first = np.argsort(distance_m)[:1]  # the exact distance of this pair makes most other queries unnecessary
        distance_m[first] = geoms.distance_m(middle[first], pair[first]) - zero_m[index[first]]
        enough_m = min(smallest_m, exact_below_m, float(distance_m[first[0]]))
        queried = distance_m - approach_m < max(threshold_m, enough_m)
        queried[first] = False
        distance_m[queried] = geoms.distance_m(middle[queried], pair[queried]) - zero_m[index[queried]]
        queried[first] = True
        near[middle[queried & (distance_m < threshold_m)]] = True
        smallest = int(np.argmin(np.where(queried, distance_m, np.inf)))
        if distance_m[smallest] < smallest_m:
            smallest_m = float(distance_m[smallest])
            sample = int(middle[smallest])
            nearest = int(index[smallest])
        unsettled = queried & (distance_m - approach_m < max(threshold_m, min(smallest_m, exact_below_m)))
        if finer == 0 or not unsettled.any():
            break
        start = (start[unsettled, None] + np.arange(0, stride, finer)).ravel()
        index = np.repeat(index[unsettled], stride // finer, axis=0)
        is_inside = start < count
        start = start[is_inside]
        index = index[is_inside]
    return _Nearest(smallest_m, sample, nearest, frozen_mask(near))


def collision_pairs(robot: Robot) -> CollisionPairs:
    """Return how the distance of each pair of a robot's geoms is limited.

    Only pairs within one rigid body, or with the body that it hangs on, are never limited. A collision table that names
    overlaps allows no others; with one that does not, all of the standing posture are taken to be by design.
    """
    return _collision_pairs(robot.model, robot.collision, tuple(robot.standing_qpos.tolist()))


@lru_cache(maxsize=16)
def _collision_pairs(model: mujoco.MjModel, table: CollisionTable, standing: tuple[float, ...]) -> CollisionPairs:
    body = model.geom_bodyid.tolist()
    all_pairs = list(combinations(_surfaces(model, table.no_surface), 2))
    pairs = [pair for pair in all_pairs if not _connected(model, *(body[geom] for geom in pair))]
    deep_m = max(0.0, -table.min_distance_m)  # what every pair may overlap
    allowed = find_resting_overlaps(model, np.array(standing), pairs, deeper_than_m=deep_m)
    if table.names_overlaps:
        joined = {frozenset(names) for names in table.joined or ()}
        overlapping = {frozenset(names) for names in table.overlapping or ()}
        allowed = tuple(
            replace(overlap, is_joined=is_joined)
            for overlap in allowed
            if (is_joined := overlap.is_joined and frozenset(overlap.bodies) in joined)
            or frozenset(overlap.bodies) in overlapping
        )
    by_design = {overlap.geoms for overlap in allowed}
    connected = {(body[one], body[other]) for one, other in set(all_pairs) - set(pairs)}
    neighbours = {bodies for bodies in connected if len(set(model.body_weldid[list(bodies)])) > 1}
    return CollisionPairs(
        clear=tuple(pair for pair in pairs if pair not in by_design),
        overlapping=tuple(overlap for overlap in allowed if not overlap.is_joined),
        joined=tuple(overlap for overlap in allowed if overlap.is_joined),
        neighbours=tuple((model.body(one).name, model.body(other).name) for one, other in sorted(neighbours)),
    )


def _surfaces(model: mujoco.MjModel, no_surface: tuple[str, ...]) -> list[int]:
    """Return the geoms that are surfaces of bodies.

    A geom without contacts in a group other than 0 is visual, by the convention of importers.
    """
    is_visual = (model.geom_contype == 0) & (model.geom_conaffinity == 0) & (model.geom_group != 0)
    is_solid = (model.geom_bodyid != 0) & ~is_visual & ~np.isin(model.geom_type, _UNBOUNDED)
    return [int(geom) for geom in np.flatnonzero(is_solid) if model.geom(geom).name not in no_surface]


def _connected(model: mujoco.MjModel, one: int, other: int) -> bool:
    """Return whether two bodies belong to one rigid body, or to a rigid body and its parent."""
    rigid = model.body_weldid
    parent = {body: rigid[model.body_parentid[rigid[body]]] for body in (one, other)}
    return bool(rigid[one] == rigid[other] or parent[one] == rigid[other] or parent[other] == rigid[one])


class _MovingGeoms:
    """The geoms of a model along a motion. Shapes (T, n, 3) and (T, n, 3, 3)."""

    def __init__(self, model: mujoco.MjModel, position: Array, rotation: Array) -> None:
        self._model = model
        self._data = mujoco.MjData(model)
        self._position = position
        self._rotation = rotation.reshape(*rotation.shape[:2], 9)
        self._is_round = np.isin(model.geom_type, _ROUND)
        half_m = np.where(model.geom_type == mujoco.mjtGeom.mjGEOM_CAPSULE, model.geom_size[:, 1], 0.0)
        along = half_m[:, None] * rotation[..., 2]
        self._start = position - along  # ends of the centre lines of spheres and capsules
        self._stop = position + along
        self._travel_m = np.stack([self._travel(geom) for geom in range(model.ngeom)], axis=1)
        self.samples = len(position)

    def distance_m(self, sample: npt.NDArray[np.int_], pair: npt.NDArray[np.int_]) -> Array:
        """Return the distances between the surfaces of pairs of geoms at samples. Shapes (N,), (N, 2) in, (N,) out."""
        distance_m = np.empty(len(sample))
        both_round = self._is_round[pair].all(axis=1)
        at = sample[both_round]
        one, other = pair[both_round].T
        centre_lines = segment_distance(
            self._start[at, one], self._stop[at, one], self._start[at, other], self._stop[at, other]
        )
        distance_m[both_round] = centre_lines - self._model.geom_size[one, 0] - self._model.geom_size[other, 0]
        others = np.flatnonzero(~both_round)
        others = others[np.argsort(sample[others], kind="stable")]
        current_sample = -1
        position = self._data.geom_xpos
        rotation = self._data.geom_xmat
        model = self._model
        data = self._data
        for item, at_sample, geoms in zip(others.tolist(), sample[others].tolist(), pair[others].tolist(), strict=True):
            if at_sample != current_sample:  # all geoms at once: setting two at a time takes longer than measuring
                position[:] = self._position[at_sample]
                rotation[:] = self._rotation[at_sample]
                current_sample = at_sample
            distance_m[item] = mujoco.mj_geomDistance(model, data, *geoms, MAX_DISTANCE_M, None)
        return distance_m

    def min_distance_m(self, sample: npt.NDArray[np.int_], pair: npt.NDArray[np.int_]) -> Array:
        """Return lower bounds of `distance_m`: distances between the geoms' bounding spheres. Shapes as there."""
        between = self._position[sample[:, None], pair]
        return np.asarray(
            np.linalg.norm(between[:, 0] - between[:, 1], axis=1) - self._model.geom_rbound[pair].sum(axis=1)
        )

    def max_approach_m(
        self, start: npt.NDArray[np.int_], stop: npt.NDArray[np.int_], pair: npt.NDArray[np.int_]
    ) -> Array:
        """Return upper bounds of the approach of pairs between samples. Shapes (N,), (N,), (N, 2) in, (N,) out."""
        return np.asarray((self._travel_m[stop[:, None], pair] - self._travel_m[start[:, None], pair]).sum(axis=1))

    def _travel(self, geom: int) -> Array:
        """Return the longest path of any point of a geom since the start [m]. Shape (T,).

        Between two samples no point of a geom moves farther than the farthest corner of its bounding box. Spheres and
        capsules may spin about themselves, so the ends of their centre lines are enough.
        """
        if self._is_round[geom]:
            points = np.stack([self._start[:, geom], self._stop[:, geom]], axis=1)
        else:
            middle, half = self._model.geom_aabb[geom].reshape(2, 3)
            corners = (middle + _CORNERS * half) @ self._rotation[:, geom].reshape(-1, 3, 3).transpose(0, 2, 1)
            points = self._position[:, geom, None] + corners
        step_m = np.linalg.norm(np.diff(points, axis=0), axis=2).max(axis=1)
        return np.concatenate([[0.0], np.cumsum(step_m)])


def capsule_distance(robot: Robot, qpos: Array, first: str, second: str) -> Array:
    """Return the distance between the surfaces of two capsules of a robot [m]. Shape (T, nq) in, (T,) out."""
    capsules = robot.contacts.capsule
    for name in (first, second):
        if name not in capsules:
            raise UnknownNameError("capsule", name, tuple(capsules), f"{robot.name}'s contact.toml")
    both = [capsules[name] for name in (first, second)]
    points = [(capsule.segment, end) for capsule in both for end in (capsule.from_m, capsule.to_m)]
    ends = point_positions(robot.model, points, qpos).transpose(1, 0, 2)
    return np.asarray(segment_distance(*ends) - sum(capsule.radius_m for capsule in both))


def segment_distance(start: Array, stop: Array, other_start: Array, other_stop: Array) -> Array:
    """Return the distance between two straight segments, which may be points. Shapes (T, 3) in, (T,) out.

    Ericson, Real-Time Collision Detection (2005), section 5.1.9: take the point of the first line nearest to the other
    line, then the point of the other segment nearest to it, then the point of the first segment nearest to that.
    """
    along = stop - start
    other = other_stop - other_start
    between = start - other_start
    a = np.vecdot(along, along)
    b = np.vecdot(along, other)
    c = np.vecdot(other, other)
    d = np.vecdot(along, between)
    e = np.vecdot(other, between)
    determinant = a * c - b * b  # 0 for parallel segments, for which any point of the first line will do
    s = np.where(determinant > _EPSILON, np.clip((b * e - c * d) / np.maximum(determinant, _EPSILON), 0.0, 1.0), 0.0)
    t = np.clip((b * s + e) / np.maximum(c, _EPSILON), 0.0, 1.0)
    s = np.clip((b * t - d) / np.maximum(a, _EPSILON), 0.0, 1.0)
    return np.asarray(np.linalg.norm(between + s[:, None] * along - t[:, None] * other, axis=1))
