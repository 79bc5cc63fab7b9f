"""Arm rest: arms that the file holds out or up are let down; those that hang on the legs are held away from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product

import mujoco
import numpy as np

from strut.adoption.body_plan import BodyPlan
from strut.adoption.upper_body import UpperLimb, arm_swing, bending_joints, fingertips, twist_shares
from strut.arrays import Array

_RAISED = 0.35  # of the arm's length below the shoulder: a hand that is higher is held out
_RAISED_CENTRE = 0.15  # likewise of its centre of mass, which hangs by about half of the length
_LEVEL = 0.5  # cosine between a forearm and downwards: one that points ahead, by 60 degrees and more, does not hang
_GRID = 25
_COARSE_GRID = 13
_CLEAR = (0.025, 0.01, 0.003)  # of the robot's height: how far hanging arms stay from what they were not near before;
# the nearer ones where an arm with more room would still be held out: upper arms beside a broad trunk
_NEAR_LEGS = 0.01
_OFF_LEGS = 0.03  # of its height: an arm that is nearer to the legs is turned until it is so far off
_AHEAD = 0.25  # sine of the angle by which a forearm that is let down points ahead, as people's do
_SWING_RAD = 0.3  # about as far as lively arms swing to either side of where they hang
_TURNS_RAD = np.arange(0.05, 0.5, 0.05)
_TWIST = 0.9  # cosine between a joint's axis and the rest of an arm above which it twists it
_WORTH = 0.03  # of its height: how much farther ahead a bent elbow must bring the fingertips
_ABOUT_FORWARD = 0.7  # cosine between a joint's axis and forwards: it moves the arm sideways


def let_down(anatomy: BodyPlan, arms: list[UpperLimb]) -> tuple[Array, list[str]]:
    """Return the standing posture (nq,) with raised arms let down, near to nothing, and which ones those are.

    An arm on the back of a quadruped stays as its file carries it: hanging, it would reach the ground.
    """
    standing = anatomy.standing.copy()
    lowered = []
    for arm in arms if len(anatomy.legs) == 2 else ():
        if _is_raised(anatomy, arm, standing):
            standing = _lowered(anatomy, arm, standing)
            lowered.append(arm.name)
    return standing, lowered


def hold_away(anatomy: BodyPlan, arms: list[UpperLimb]) -> tuple[Array, list[str]]:
    """Return the standing posture (nq,) with arms that would meet the legs turned aside, and which ones those are.

    Who leans forwards or swings such an arm would be stopped by its own thighs.
    """
    standing = anatomy.standing.copy()
    turned = []
    legs = _geoms(anatomy, [leg.joints[0] for leg in anatomy.legs])
    for arm in arms:
        way = _Way(anatomy, arm, legs)
        if way.gap_m(standing) < _NEAR_LEGS * anatomy.height_m:
            aside = _aside(way, standing)
            turned += [arm.name] if aside is not standing else []
            standing = aside
    return standing, turned


class _Way:
    """The way of an arm that swings beside the legs."""

    def __init__(self, anatomy: BodyPlan, arm: UpperLimb, legs: list[int]) -> None:
        self.anatomy = anatomy
        self.arm = arm
        self._pairs = list(product(_geoms(anatomy, [arm.joints[0]]), legs))
        tree = anatomy.tree
        self._swings = [tree.address(tree.model.joint(shows.joint).id) for shows in arm_swing(anatomy, arm)]

    def gap_m(self, qpos: Array) -> float:
        """Return the smallest distance to the legs as the arm swings, or the one beyond which nobody asks."""
        swung = [qpos]
        for place, turn_rad in product(self._swings, (-_SWING_RAD, _SWING_RAD)):
            swung.append(qpos.copy())
            swung[-1][place] += turn_rad
        return min(_gap_m(self.anatomy, trial, self._pairs) for trial in swung)


def _aside(way: _Way, qpos: Array) -> Array:
    """Return the configuration with an arm turned sideways by one joint, as little as takes it off the legs."""
    anatomy = way.anatomy
    tree = way.anatomy.tree
    tree.pose(qpos)
    joints = [joint for joint in way.arm.joints if abs(tree.data.xaxis[joint][0]) > _ABOUT_FORWARD]
    best = qpos
    widest_m = way.gap_m(qpos) + _NEAR_LEGS * anatomy.height_m  # less is not worth it
    for turn_rad in _TURNS_RAD:
        for joint, sign in product(joints, (-1.0, 1.0)):
            trial = qpos.copy()
            trial[tree.address(joint)] += sign * turn_rad
            gap_m = way.gap_m(trial)
            if gap_m > widest_m and np.array_equal(tree.clamped(trial), trial):
                best = trial
                widest_m = gap_m
        if widest_m > _OFF_LEGS * anatomy.height_m:
            break
    return best


def _geoms(anatomy: BodyPlan, joints: list[int]) -> list[int]:
    """Return the shapes of all that hangs on some joints."""
    tree = anatomy.tree
    links = set[int]()
    for joint in joints:
        links |= tree.below(tree.link_of_body[int(tree.model.jnt_bodyid[joint])])
    bodies = tree.bodies_of(links)
    return [geom for geom in range(tree.model.ngeom) if int(tree.model.geom_bodyid[geom]) in bodies]


def _gap_m(anatomy: BodyPlan, qpos: Array, pairs: list[tuple[int, int]]) -> float:
    """Return the smallest distance between pairs of shapes, or the one beyond which nobody asks."""
    gap_m = 2.0 * _OFF_LEGS * anatomy.height_m
    ends = np.zeros(6)
    model = anatomy.tree.model
    data = anatomy.tree.pose(qpos)
    ones, others = np.array(pairs, dtype=int).reshape(-1, 2).T
    apart_m = np.linalg.norm(data.geom_xpos[ones] - data.geom_xpos[others], axis=1)
    nearest_m = apart_m - model.geom_rbound[ones] - model.geom_rbound[others]
    for place in np.argsort(nearest_m):
        if nearest_m[place] > gap_m:
            break
        gap_m = min(gap_m, mujoco.mj_geomDistance(model, data, *pairs[place], gap_m, ends))
    return gap_m


def _hand(anatomy: BodyPlan, arm: UpperLimb) -> Array:
    place: Array = anatomy.tree.data.xipos[int(anatomy.tree.model.jnt_bodyid[arm.joints[-1]])]
    return place


def _is_raised(anatomy: BodyPlan, arm: UpperLimb, qpos: Array) -> bool:
    """Return whether an arm is held out: its hand is high, all of it is though the forearm hangs, or its forearm is."""
    data = anatomy.tree.pose(qpos)
    mujoco.mj_comPos(anatomy.tree.model, data)
    anchors = anatomy.tree.anchors(arm.joints)
    length = float(np.linalg.norm(np.diff(anchors, axis=0), axis=1).sum()) + 1e-9
    centre_m = float(data.subtree_com[int(anatomy.tree.model.jnt_bodyid[arm.joints[0]])][2])
    is_high = _hand(anatomy, arm)[2] > anchors[0][2] - _RAISED * length
    forearm = fingertips(anatomy, arm) - _middle(anatomy, arm)
    is_level = -forearm[2] < _LEVEL * np.linalg.norm(forearm)
    return bool(is_high or is_level or centre_m > anchors[0][2] - _RAISED_CENTRE * length)


def _middle(anatomy: BodyPlan, arm: UpperLimb) -> Array:
    """Return the place (3,) of the joint that is nearest to the middle of an arm, as it is posed."""
    way = np.vstack([anatomy.tree.anchors(arm.joints), fingertips(anatomy, arm)])
    along_m = np.cumsum(np.linalg.norm(np.diff(way, axis=0), axis=1))
    place: Array = way[1 + int(np.argmin(np.abs(along_m[:-1] - 0.5 * along_m[-1])))]
    return place


def _lowered(anatomy: BodyPlan, arm: UpperLimb, qpos: Array) -> Array:
    """Return a configuration in which an arm hangs, near nothing new: by joint, then by pairs where that is too little.

    An upper arm that is let down alone would take a bent forearm into the trunk.
    """
    joints = [(joint,) for joint in arm.joints]
    best = qpos
    for clear in _CLEAR:
        best = _lowest(anatomy, arm, qpos, joints * 3, (_GRID, clear))
        if _is_raised(anatomy, arm, best):
            best = _lowest(anatomy, arm, qpos, [*combinations(arm.joints, 2), *joints], (_COARSE_GRID, clear))
        if not _is_raised(anatomy, arm, best):
            return _elbow_ahead(anatomy, arm, best, clear)
    return best


def _elbow_ahead(anatomy: BodyPlan, arm: UpperLimb, qpos: Array, clear: float) -> Array:
    """Return the configuration with an upper arm twisted so that its elbow bends forwards, not into the trunk."""
    lowered = replace(anatomy, standing=qpos)
    elbows = bending_joints(lowered, arm)[-1:]
    best = qpos
    allowed = _near(anatomy, qpos, clear)
    for elbow in elbows:
        farthest_m = _bent_ahead_m(anatomy, arm, qpos, elbow) + _WORTH * anatomy.height_m
        for trial in _twisted(lowered, arm, arm.joints[: arm.joints.index(elbow)]):
            ahead_m = _bent_ahead_m(anatomy, arm, trial, elbow)
            if ahead_m > farthest_m and _near(anatomy, trial, clear) <= allowed:
                best = trial
                farthest_m = ahead_m
    return best


def _twisted(anatomy: BodyPlan, arm: UpperLimb, joints: Sequence[int]) -> Iterator[Array]:
    """Return the standing posture with each of some joints that twist an arm turned over its range."""
    shares = dict(zip(arm.joints, twist_shares(anatomy, arm), strict=True))
    for joint in (joint for joint in joints if shares[joint] > _TWIST):
        for angles in _grid(anatomy, (joint,), _GRID):
            trial = anatomy.standing.copy()
            trial[anatomy.tree.addresses((joint,))] = angles
            yield trial


def _bent_ahead_m(anatomy: BodyPlan, arm: UpperLimb, qpos: Array, elbow: int) -> float:
    """Return how far ahead the fingertips are with the elbow in the middle of its range."""
    bent = qpos.copy()
    bent[anatomy.tree.address(elbow)] = np.mean(anatomy.tree.bounds([elbow]))
    anatomy.tree.pose(bent)
    return float(fingertips(anatomy, arm)[0])


def _lowest(
    anatomy: BodyPlan, arm: UpperLimb, qpos: Array, groups: Sequence[tuple[int, ...]], search: tuple[int, float]
) -> Array:
    """Return the configuration with the lowest arm, group by group of joints.

    Args:
        anatomy: The robot.
        arm: Which one.
        qpos: Where to begin. Shape (nq,).
        groups: Joints that are turned together, in this order.
        search: Angles of a joint's grid, and the share of the height that the arm stays clear of the rest.
    """
    tree = anatomy.tree
    count, clear = search
    best = qpos.copy()
    allowed = _near(anatomy, qpos, clear)
    least = _height(anatomy, arm, best, qpos)
    for group in groups:
        places = tree.addresses(group)
        for angles in _grid(anatomy, group, count):
            trial = best.copy()
            trial[places] = angles
            height = _height(anatomy, arm, trial, qpos)
            if height < least - 1e-6 and _near(anatomy, trial, clear) <= allowed:
                best = trial
                least = height
    return best


def _grid(anatomy: BodyPlan, joints: Sequence[int], count: int) -> Iterator[tuple[float, ...]]:
    """Return the angles of joints on a grid over their ranges."""
    return product(*np.linspace(*anatomy.tree.bounds(list(joints)), count).T)


def _height(anatomy: BodyPlan, arm: UpperLimb, qpos: Array, start: Array) -> float:
    """Return how high the hand and the middle of the arm are, plus what makes a posture less of a rest.

    That is a little for every radian that joints turn, an upper arm that is not below its shoulder, and a forearm that
    points ahead too little: one that points back is bent the wrong way.
    """
    data = anatomy.tree.pose(qpos)
    middle = _middle(anatomy, arm)
    forearm = fingertips(anatomy, arm) - middle
    aslant_m = abs(float(middle[0] - data.xanchor[arm.joints[0]][0]))
    behind_m = max(0.0, _AHEAD * float(np.linalg.norm(forearm)) - float(forearm[0]))
    height_m = float(_hand(anatomy, arm)[2]) + 0.5 * float(middle[2]) + 0.5 * (aslant_m + behind_m)
    return height_m / anatomy.height_m + 0.01 * float(np.abs(qpos - start).sum())


def _near(anatomy: BodyPlan, qpos: Array, clear: float) -> set[tuple[int, int]]:
    """Return the pairs of shapes that are nearer to each other than a share of the robot's height."""
    model = anatomy.tree.model
    data = anatomy.tree.pose(qpos)
    margin = model.geom_margin.copy()
    model.geom_margin[:] = clear * anatomy.height_m / 2.0  # of two shapes they add up
    try:
        mujoco.mj_collision(model, data)
    finally:
        model.geom_margin[:] = margin
    return {(int(contact.geom1), int(contact.geom2)) for contact in data.contact}
