"""Arm rest: arms that the file holds out or up are let down; those that hang on the legs are held away from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import mujoco
import numpy as np

from strut.adoption.body_plan import BodyPlan
from strut.adoption.upper_body import UpperLimb
from strut.robot import Array

_RAISED = 0.35  # of the arm's length below the shoulder: a hand that is higher is held out
_RAISED_CENTRE = 0.15  # likewise of its centre of mass, which hangs by about half of the length
_GRID, _COARSE_GRID = 25, 13
_CLEAR = 0.06  # of the robot's height: how far hanging arms stay from what they were not near before
_NEAR_LEGS, _OFF_LEGS = 0.01, 0.03  # of its height: an arm that is nearer to the legs is turned until it is so far off
_TURNS_RAD = np.arange(0.05, 0.5, 0.05)
_ABOUT_FORWARD = 0.7  # cosine between a joint's axis and forwards: it moves the arm sideways


def let_down(anatomy: BodyPlan, arms: list[UpperLimb]) -> tuple[Array, list[str]]:
    """Return the standing posture (nq,) with raised arms let down, near to nothing, and which ones those are.

    An arm on the back of a quadruped stays as its file carries it: hanging, it would reach the ground.
    """
    standing, lowered = anatomy.standing.copy(), []
    for arm in arms if len(anatomy.legs) == 2 else ():
        if _is_raised(anatomy, arm, standing):
            standing = _lowered(anatomy, arm, standing)
            lowered.append(arm.name)
    return standing, lowered


def hold_away(anatomy: BodyPlan, arms: list[UpperLimb]) -> tuple[Array, list[str]]:
    """Return the standing posture (nq,) with arms that hang on the legs turned aside, and which ones those are.

    Who leans forwards or swings such an arm would be stopped by its own thighs.
    """
    standing, turned = anatomy.standing.copy(), []
    legs = _geoms(anatomy, [leg.joints[0] for leg in anatomy.legs])
    for arm in arms:
        geoms = _geoms(anatomy, [arm.joints[0]])
        if _gap_m(anatomy, standing, geoms, legs) < _NEAR_LEGS * anatomy.height_m:
            aside = _aside(anatomy, arm, standing, geoms, legs)
            turned += [arm.name] if aside is not standing else []
            standing = aside
    return standing, turned


def _aside(anatomy: BodyPlan, arm: UpperLimb, qpos: Array, geoms: list[int], legs: list[int]) -> Array:
    """Return the configuration with an arm turned sideways by one joint, as little as takes it off the legs."""
    tree = anatomy.tree
    tree.pose(qpos)
    joints = [joint for joint in arm.joints if abs(tree.data.xaxis[joint][0]) > _ABOUT_FORWARD]
    best, widest_m = qpos, _gap_m(anatomy, qpos, geoms, legs) + _NEAR_LEGS * anatomy.height_m  # less is not worth it
    for turn_rad in _TURNS_RAD:
        for joint, sign in product(joints, (-1.0, 1.0)):
            trial = qpos.copy()
            trial[tree.address(joint)] += sign * turn_rad
            gap_m = _gap_m(anatomy, trial, geoms, legs)
            if gap_m > widest_m and np.array_equal(tree.clamped(trial), trial):
                best, widest_m = trial, gap_m
        if widest_m > _OFF_LEGS * anatomy.height_m:
            break
    return best


def _geoms(anatomy: BodyPlan, joints: list[int]) -> list[int]:
    """Return the shapes of all that hangs on some joints."""
    tree, links = anatomy.tree, set[int]()
    for joint in joints:
        links |= tree.below(tree.link_of_body[int(tree.model.jnt_bodyid[joint])])
    bodies = tree.bodies_of(links)
    return [geom for geom in range(tree.model.ngeom) if int(tree.model.geom_bodyid[geom]) in bodies]


def _gap_m(anatomy: BodyPlan, qpos: Array, geoms: list[int], others: list[int]) -> float:
    """Return the smallest distance between shapes of two limbs, or the one beyond which nobody asks."""
    gap_m, ends = 2.0 * _OFF_LEGS * anatomy.height_m, np.zeros(6)
    model, data = anatomy.tree.model, anatomy.tree.pose(qpos)  # only now: the height is that of the standing robot
    for one, other in product(geoms, others):
        apart_m = np.linalg.norm(data.geom_xpos[one] - data.geom_xpos[other])
        if apart_m - model.geom_rbound[one] - model.geom_rbound[other] < gap_m:
            gap_m = min(gap_m, mujoco.mj_geomDistance(model, data, one, other, gap_m, ends))
    return gap_m


def _hand(anatomy: BodyPlan, arm: UpperLimb) -> Array:
    place: Array = anatomy.tree.data.xipos[int(anatomy.tree.model.jnt_bodyid[arm.joints[-1]])]
    return place


def _is_raised(anatomy: BodyPlan, arm: UpperLimb, qpos: Array) -> bool:
    """Return whether an arm is held out: its hand is high, or all of it is, though the forearm may hang."""
    data = anatomy.tree.pose(qpos)
    mujoco.mj_comPos(anatomy.tree.model, data)
    anchors = np.array([data.xanchor[joint] for joint in arm.joints])
    length = float(np.linalg.norm(np.diff(anchors, axis=0), axis=1).sum()) + 1e-9
    centre_m = float(data.subtree_com[int(anatomy.tree.model.jnt_bodyid[arm.joints[0]])][2])
    is_high = _hand(anatomy, arm)[2] > anchors[0][2] - _RAISED * length
    return bool(is_high or centre_m > anchors[0][2] - _RAISED_CENTRE * length)


def _lowered(anatomy: BodyPlan, arm: UpperLimb, qpos: Array) -> Array:
    """Return a configuration in which an arm hangs, near nothing new: by joint, then by pairs where that is too little.

    An upper arm that is let down alone would take a bent forearm into the trunk.
    """
    joints = [(joint,) for joint in arm.joints]
    best = _lowest(anatomy, arm, qpos, joints * 3, _GRID)
    if _is_raised(anatomy, arm, best):
        best = _lowest(anatomy, arm, qpos, [*combinations(arm.joints, 2), *joints], _COARSE_GRID)
    return best


def _lowest(anatomy: BodyPlan, arm: UpperLimb, qpos: Array, groups: Sequence[tuple[int, ...]], count: int) -> Array:
    """Return the configuration with the lowest arm, group by group of joints, each on a grid of so many angles."""
    tree = anatomy.tree
    best, allowed = qpos.copy(), _near(anatomy, qpos)
    least = _height(anatomy, arm, best, qpos)
    for group in groups:
        places = tree.addresses(group)
        for angles in _grid(anatomy, group, count):
            trial = best.copy()
            trial[places] = angles
            height = _height(anatomy, arm, trial, qpos)
            if height < least - 1e-6 and _near(anatomy, trial) <= allowed:
                best, least = trial, height
    return best


def _grid(anatomy: BodyPlan, joints: Sequence[int], count: int) -> Iterator[tuple[float, ...]]:
    """Return the angles of joints on a grid over their ranges."""
    return product(*np.linspace(*anatomy.tree.bounds(list(joints)), count).T)


def _height(anatomy: BodyPlan, arm: UpperLimb, qpos: Array, start: Array) -> float:
    """Return how high the hand and the middle of the arm are, plus a little for every radian that joints turn."""
    data = anatomy.tree.pose(qpos)
    middle_m = float(data.xanchor[arm.joints[len(arm.joints) // 2]][2])
    turned = float(np.abs(qpos - start).sum())
    return (float(_hand(anatomy, arm)[2]) + 0.5 * middle_m) / anatomy.height_m + 0.01 * turned


def _near(anatomy: BodyPlan, qpos: Array) -> set[tuple[int, int]]:
    """Return the pairs of shapes that are nearer to each other than arms shall swing."""
    model, data = anatomy.tree.model, anatomy.tree.pose(qpos)
    margin, model.geom_margin[:] = (
        model.geom_margin.copy(),
        _CLEAR * anatomy.height_m / 2.0,
    )  # of two shapes they add up
    try:
        mujoco.mj_collision(model, data)
    finally:
        model.geom_margin[:] = margin
    return {(int(contact.geom1), int(contact.geom2)) for contact in data.contact}
