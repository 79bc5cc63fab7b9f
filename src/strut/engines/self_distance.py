"""Distances between a robot's own bodies, from the geoms of its model: exact, for any type of geom.

`mj_collision` with a margin would be one call a sample, but sees boxes up to 20 mm too far apart and misses some;
`mj_geomDistance` is exact, and so is the closed form for spheres and capsules. Conservative advancement (Mirtich, 1996)
keeps the looks few: two geoms that are d apart cannot meet before their ways add up to d, so one look settles all
samples around it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise, product

import mujoco
import numpy as np
import numpy.typing as npt

from strut.arrays import Array, frozen_mask
from strut.audit import SelfDistance
from strut.engines.rigid_body import point_positions, poses
from strut.errors import UnknownNameError
from strut.robot import Robot

Pair = tuple[int, int]
_NOTHING = 1e-12  # a squared length or its square that is as good as 0
_POSTURES = 32  # random ones; what overlaps in all of them does so by design
_FARTHEST_M = 1e3  # no robot is larger
_STRIDES = (64, 16, 4, 1)  # samples that one look may settle
_ROUND = (mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CAPSULE)
_UNBOUNDED = (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
_CORNERS = np.array(list(product((-1.0, 1.0), repeat=3)))


@dataclass(frozen=True, slots=True)
class CollisionPairs:
    """The pairs of geoms that are looked at, and the pairs of bodies that are not, though no joint connects them.

    Args:
        checked: Pairs of geoms.
        always: Bodies that overlap in every posture: neighbours across several joints in one place.
        at_rest: Bodies of which geoms overlap in the model's own posture; other geoms of them may still be checked.
    """

    checked: tuple[Pair, ...]
    always: tuple[tuple[str, str], ...]
    at_rest: tuple[tuple[str, str], ...]


def self_distance(robot: Robot, qpos: Array, *, threshold_m: float | None = None) -> SelfDistance | None:
    """Return how near a robot's bodies come to each other; None for a robot of which no two bodies can meet.

    Args:
        robot: Whose bodies.
        qpos: Configurations. Shape (T, nq).
        threshold_m: Distance below which every sample is found; the least that the robot allows if None.
    """
    model = robot.model
    table = robot.collision
    threshold_m = table.least_distance_m if threshold_m is None else threshold_m
    pairs = np.array(collision_pairs(model, table.no_surface).checked)
    if not len(pairs):
        return None
    held = np.concatenate([np.tile(model.qpos0[: robot.base_size], (len(qpos), 1)), qpos[:, robot.base_size :]], axis=1)
    geoms = _MovingGeoms(model, *poses(model, "geom", range(model.ngeom), held))  # as the base sees them
    near = np.zeros(len(qpos), dtype=bool)
    smallest_m = np.inf
    sample = 0
    nearest = pairs[0]
    starts = np.arange(0, len(qpos), _STRIDES[0])
    start = np.tile(starts, len(pairs))
    pair = np.repeat(pairs, len(starts), axis=0)
    for stride, finer in pairwise((*_STRIDES, 0)):
        middle, stop = (np.minimum(start + step, len(qpos) - 1) for step in (stride // 2, stride - 1))
        way_m = np.maximum(geoms.way_m(start, middle, pair), geoms.way_m(middle, stop, pair))
        apart_m = geoms.least_distance_m(middle, pair)
        first = np.argsort(apart_m)[:1]  # how near these two really are spares a look at most of the others
        apart_m[first] = geoms.distance_m(middle[first], pair[first])
        looked = apart_m - way_m < max(threshold_m, min(smallest_m, float(apart_m[first[0]])))
        looked[first] = False
        apart_m[looked] = geoms.distance_m(middle[looked], pair[looked])
        looked[first] = True
        near[middle[looked & (apart_m < threshold_m)]] = True
        least = int(np.argmin(np.where(looked, apart_m, np.inf)))
        if apart_m[least] < smallest_m:
            smallest_m = float(apart_m[least])
            sample = int(middle[least])
            nearest = pair[least]
        left = looked & (apart_m - way_m < max(threshold_m, smallest_m))
        if finer == 0 or not left.any():
            break
        start = (start[left, None] + np.arange(0, stride, finer)).ravel()
        pair = np.repeat(pair[left], stride // finer, axis=0)
        start, pair = start[start < len(qpos)], pair[start < len(qpos)]
    bodies = tuple(model.body(model.geom_bodyid[geom]).name for geom in nearest)
    return SelfDistance(smallest_m, sample, (bodies[0], bodies[1]), frozen_mask(near))


@lru_cache(maxsize=16)
def collision_pairs(model: mujoco.MjModel, no_surface: tuple[str, ...] = ()) -> CollisionPairs:
    """Return which geoms of a model are looked at.

    Not those of one rigid body or of its parent, nor pairs that the model excludes, nor what overlaps by design.
    """
    body = model.geom_bodyid.tolist()
    pairs = _candidates(model, no_surface)
    always = _always_overlapping(model, pairs)
    pairs = [(one, other) for one, other in pairs if (body[one], body[other]) not in always]
    own = model.key_qpos if model.nkey else model.qpos0[None]
    at_rest = {pair for posture in own for pair in _overlapping(model, posture, pairs)}
    return CollisionPairs(
        checked=tuple(pair for pair in pairs if pair not in at_rest),
        always=_body_names(model, always),
        at_rest=_body_names(model, {(body[one], body[other]) for one, other in at_rest}),
    )


def _candidates(model: mujoco.MjModel, no_surface: tuple[str, ...]) -> list[Pair]:
    """Return the pairs of geoms of bodies that no joint connects and that the model does not exclude."""
    body = model.geom_bodyid.tolist()
    excluded = {(signature >> 16, signature & 0xFFFF) for signature in model.exclude_signature.tolist()}
    return [
        (one, other)
        for one, other in combinations(_surfaces(model, no_surface), 2)
        if not _connected(model, body[one], body[other]) and (body[one], body[other]) not in excluded
    ]


def _always_overlapping(model: mujoco.MjModel, pairs: list[Pair]) -> set[Pair]:
    """Return the pairs of bodies of which geoms overlap in every one of many postures."""
    body = model.geom_bodyid.tolist()
    always = {(body[one], body[other]) for one, other in pairs}
    for posture in _random_postures(model):
        left = [(one, other) for one, other in pairs if (body[one], body[other]) in always]
        always = {(body[one], body[other]) for one, other in _overlapping(model, posture, left)}
    return always


def _body_names(model: mujoco.MjModel, found: Iterable[Pair]) -> tuple[tuple[str, str], ...]:
    return tuple((model.body(one).name, model.body(other).name) for one, other in sorted(found))


def _surfaces(model: mujoco.MjModel, no_surface: tuple[str, ...]) -> list[int]:
    """Return the geoms that bound a body.

    One that can touch nothing and is in another group than 0 is a picture, as importers have it.
    """
    picture = (model.geom_contype == 0) & (model.geom_conaffinity == 0) & (model.geom_group != 0)
    solid = (model.geom_bodyid != 0) & ~picture & ~np.isin(model.geom_type, _UNBOUNDED)
    return [int(geom) for geom in np.flatnonzero(solid) if model.geom(geom).name not in no_surface]


def _connected(model: mujoco.MjModel, one: int, other: int) -> bool:
    """Return whether two bodies are one rigid body, or joined by joints with none between."""
    rigid = model.body_weldid
    above = {body: rigid[model.body_parentid[rigid[body]]] for body in (one, other)}
    return bool(rigid[one] == rigid[other] or above[one] == rigid[other] or above[other] == rigid[one])


def _random_postures(model: mujoco.MjModel) -> Iterable[Array]:
    """Yield configurations with every hinge and slide anywhere in its range, the same at every call. Shape (nq,)."""
    rng = np.random.default_rng(0)
    moving = np.isin(model.jnt_type, (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE))
    limited = model.jnt_limited.astype(bool)[:, None]
    lower, upper = np.where(limited, model.jnt_range, (-np.pi, np.pi))[moving].T
    for _ in range(_POSTURES):
        posture = model.qpos0.copy()
        posture[model.jnt_qposadr[moving]] = rng.uniform(lower, upper)
        yield posture


def _overlapping(model: mujoco.MjModel, posture: Array, pairs: Iterable[Pair]) -> list[Pair]:
    """Return the pairs of geoms that overlap in a configuration (nq,)."""
    data = mujoco.MjData(model)
    data.qpos[:] = posture
    mujoco.mj_kinematics(model, data)
    return [pair for pair in pairs if mujoco.mj_geomDistance(model, data, *pair, _FARTHEST_M, None) < 0.0]


class _MovingGeoms:
    """The geoms of a model along a motion. Shapes (T, n, 3) and (T, n, 3, 3)."""

    def __init__(self, model: mujoco.MjModel, place: Array, turn: Array) -> None:
        self._model = model
        self._data = mujoco.MjData(model)
        self._place = place
        self._turn = turn.reshape(*turn.shape[:2], 9)
        self._round = np.isin(model.geom_type, _ROUND)
        half_m = np.where(model.geom_type == mujoco.mjtGeom.mjGEOM_CAPSULE, model.geom_size[:, 1], 0.0)
        along = half_m[:, None] * turn[..., 2]
        self._start = place - along
        self._stop = place + along  # ends of the centre lines of what is round
        self._travel_m = np.stack([self._travel(geom) for geom in range(model.ngeom)], axis=1)

    def distance_m(self, sample: npt.NDArray[np.int_], pair: npt.NDArray[np.int_]) -> Array:
        """Return the distances between the surfaces of pairs of geoms at samples. Shapes (N,), (N, 2) in, (N,) out."""
        found = np.empty(len(sample))
        round_ = self._round[pair].all(axis=1)
        at = sample[round_]
        one, other = pair[round_].T
        centre_lines = segment_distance(
            self._start[at, one], self._stop[at, one], self._start[at, other], self._stop[at, other]
        )
        found[round_] = centre_lines - self._model.geom_size[one, 0] - self._model.geom_size[other, 0]
        others = np.flatnonzero(~round_)
        others = others[np.argsort(sample[others], kind="stable")]
        placed = -1
        position = self._data.geom_xpos
        rotation = self._data.geom_xmat
        model = self._model
        data = self._data
        for item, at_sample, geoms in zip(others.tolist(), sample[others].tolist(), pair[others].tolist(), strict=True):
            if at_sample != placed:  # all geoms at once: to place each takes longer than to measure
                position[:] = self._place[at_sample]
                rotation[:] = self._turn[at_sample]
                placed = at_sample
            found[item] = mujoco.mj_geomDistance(model, data, *geoms, _FARTHEST_M, None)
        return found

    def least_distance_m(self, sample: npt.NDArray[np.int_], pair: npt.NDArray[np.int_]) -> Array:
        """Return what pairs of geoms are apart at least: the distance of the balls around them. As `distance_m`."""
        between = self._place[sample[:, None], pair]
        return np.asarray(
            np.linalg.norm(between[:, 0] - between[:, 1], axis=1) - self._model.geom_rbound[pair].sum(axis=1)
        )

    def way_m(self, start: npt.NDArray[np.int_], stop: npt.NDArray[np.int_], pair: npt.NDArray[np.int_]) -> Array:
        """Return by how much pairs can come nearer from sample to sample. Shapes (N,), (N,), (N, 2) in, (N,) out."""
        return np.asarray((self._travel_m[stop[:, None], pair] - self._travel_m[start[:, None], pair]).sum(axis=1))

    def _travel(self, geom: int) -> Array:
        """Return the longest way that any point of a geom can have gone since the start [m]. Shape (T,).

        Between two samples no point of a rigid body goes farther than the farthest of its corners; a sphere has one,
        its centre, and a capsule two, for it matters not how they turn about themselves.
        """
        if self._round[geom]:
            points = np.stack([self._start[:, geom], self._stop[:, geom]], axis=1)
        else:
            middle, half = self._model.geom_aabb[geom].reshape(2, 3)
            turned = (middle + _CORNERS * half) @ self._turn[:, geom].reshape(-1, 3, 3).transpose(0, 2, 1)
            points = self._place[:, geom, None] + turned
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
    """Return the distance between two straight segments in space, which may be points. Shapes (T, 3) in, (T,) out.

    Ericson, Real-Time Collision Detection (2005), section 5.1.9: the nearest point of the first line, the nearest to it
    of the other segment, and the nearest to that of the first.
    """
    along = stop - start
    other = other_stop - other_start
    between = start - other_start
    a = np.vecdot(along, along)
    b = np.vecdot(along, other)
    c = np.vecdot(other, other)
    d = np.vecdot(along, between)
    e = np.vecdot(other, between)
    spread = a * c - b * b  # 0 of parallel segments: then any point of the first line will do
    s = np.where(spread > _NOTHING, np.clip((b * e - c * d) / np.maximum(spread, _NOTHING), 0.0, 1.0), 0.0)
    t = np.clip((b * s + e) / np.maximum(c, _NOTHING), 0.0, 1.0)
    s = np.clip((b * t - d) / np.maximum(a, _NOTHING), 0.0, 1.0)
    return np.asarray(np.linalg.norm(between + s[:, None] * along - t[:, None] * other, axis=1))
