"""Arm posture: lowers arms that the file holds out or up, and moves arms that hang on the legs away from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product

import mujoco
import numpy as np

from strut.adoption.anatomy import Anatomy
from strut.adoption.upper_body import (
    UpperLimb,
    find_bending_joints,
    find_swing_joint,
    fingertip_position,
    twist_cosines,
)
from strut.arrays import Array

_LOW_HAND = 0.35  # of the arm's length below the shoulder: a higher hand is raised
_LOW_COM = 0.15  # of the arm's length: the same for its centre of mass, which hangs by about half of the length
_HANGING = 0.5  # cosine between a forearm and down: one raised by 60 degrees and more does not hang
_GRID = 25  # angles of a joint that moves alone
_COARSE_GRID = 13  # angles of each joint of a pair
_ROUNDS = 3  # of moving one joint after the other
# Of the robot's height: how far a lowered arm stays from what it was not close to before. The smaller distances are for
# upper arms beside a broad trunk, which with more room would still be raised.
_CLEARANCES = (0.025, 0.01, 0.003)
_NEAR_LEGS = 0.01  # of the robot's height: an arm nearer to the legs is moved
_OFF_LEGS = 0.03  # of the robot's height: until it is so far away
_FOREARM_FORWARD = 0.25  # sine of the angle by which a lowered forearm points forward, as people's do
_SWING_RAD = 0.3  # about as far as lively arms swing to either side
_ASIDE_RAD = np.arange(0.05, 0.5, 0.05)  # by which an arm is moved sideways
_TWISTING = 0.9  # cosine between a joint's axis and the rest of an arm, above which it twists the arm
_MIN_GAIN = 0.03  # of the robot's height: by which a twist must bring the fingertips of a bent arm forward
_ABOUT_FORWARD = 0.7  # forward part of a joint's unit axis: it moves the arm sideways
_TURN_COST_RAD = 0.01  # so that of equally low postures the one with the smallest turns is chosen


def lower_raised_arms(anatomy: Anatomy, arms: list[UpperLimb]) -> tuple[Array, list[str]]:
    """Return the standing posture (nq,) with raised arms lowered, close to nothing, and the names of these arms.

    An arm on the back of a quadruped stays as it is: hanging, it would reach the ground.
    """
    standing = anatomy.standing.copy()
    lowered = []
    for arm in arms if len(anatomy.legs) == 2 else ():
        if _is_raised(anatomy, arm, standing):
            standing = _lower_arm(anatomy, arm, standing)
            lowered.append(arm.name)
    return standing, lowered


def move_arms_off_legs(anatomy: Anatomy, arms: list[UpperLimb]) -> tuple[Array, list[str]]:
    """Return the standing posture (nq,) with arms that would meet the legs moved aside, and the names of these arms.

    Otherwise the thighs would stop a robot that leans forward or swings its arms.
    """
    standing = anatomy.standing.copy()
    moved = []
    legs = _geoms_below(anatomy, [leg.joints[0] for leg in anatomy.legs])
    for arm in arms:
        clearance = _LegClearance(anatomy, arm, legs)
        if clearance.smallest_m(standing) < _NEAR_LEGS * anatomy.height_m:
            aside = _move_aside(clearance, standing)
            if aside is not standing:
                moved.append(arm.name)
            standing = aside
    return standing, moved


class _LegClearance:
    """Measures the distance between an arm that swings and the legs."""

    def __init__(self, anatomy: Anatomy, arm: UpperLimb, legs: list[int]) -> None:
        self.anatomy = anatomy
        self.arm = arm
        self._pairs = list(product(_geoms_below(anatomy, [arm.joints[0]]), legs))
        tree = anatomy.tree
        swing_joints = find_swing_joint(anatomy, arm)
        self._swing_addresses = [tree.address(tree.model.joint(joint.joint).id) for joint in swing_joints]

    def smallest_m(self, qpos: Array) -> float:
        """Return the smallest distance to the legs while the arm swings, at most the largest that matters."""
        postures = [qpos]
        for address, angle_rad in product(self._swing_addresses, (-_SWING_RAD, _SWING_RAD)):
            swung = qpos.copy()
            swung[address] += angle_rad
            postures.append(swung)
        return min(_smallest_distance_m(self.anatomy, posture, self._pairs) for posture in postures)


def _move_aside(clearance: _LegClearance, qpos: Array) -> Array:
    """Return the configuration with an arm moved sideways by one joint, as little as takes it off the legs."""
    anatomy = clearance.anatomy
    tree = anatomy.tree
    tree.pose(qpos)
    joints = [joint for joint in clearance.arm.joints if abs(tree.data.xaxis[joint][0]) > _ABOUT_FORWARD]
    best = qpos
    largest_m = clearance.smallest_m(qpos) + _NEAR_LEGS * anatomy.height_m  # a smaller gain is not worth a turn
    for angle_rad in _ASIDE_RAD:
        for joint, sign in product(joints, (-1.0, 1.0)):
            candidate = qpos.copy()
            candidate[tree.address(joint)] += sign * angle_rad
            distance_m = clearance.smallest_m(candidate)
            if distance_m > largest_m and np.array_equal(tree.clamp(candidate), candidate):
                best = candidate
                largest_m = distance_m
        if largest_m > _OFF_LEGS * anatomy.height_m:
            break
    return best


def _geoms_below(anatomy: Anatomy, joints: list[int]) -> list[int]:
    """Return the geoms of all links that some joints move."""
    tree = anatomy.tree
    links = set[int]()
    for joint in joints:
        links |= tree.subtree(tree.link_of_body[int(tree.model.jnt_bodyid[joint])])
    bodies = tree.bodies_of(links)
    return [geom for geom in range(tree.model.ngeom) if int(tree.model.geom_bodyid[geom]) in bodies]


def _smallest_distance_m(anatomy: Anatomy, qpos: Array, pairs: list[tuple[int, int]]) -> float:
    """Return the smallest distance between pairs of geoms, at most the largest that matters."""
    distance_m = 2.0 * _OFF_LEGS * anatomy.height_m
    from_to = np.zeros(6)
    model = anatomy.tree.model
    data = anatomy.tree.pose(qpos)
    first, second = np.array(pairs, dtype=int).reshape(-1, 2).T
    between_centres_m = np.linalg.norm(data.geom_xpos[first] - data.geom_xpos[second], axis=1)
    lower_bound_m = between_centres_m - model.geom_rbound[first] - model.geom_rbound[second]
    for index in np.argsort(lower_bound_m):
        if lower_bound_m[index] > distance_m:
            break
        distance_m = min(distance_m, mujoco.mj_geomDistance(model, data, *pairs[index], distance_m, from_to))
    return distance_m


def _hand_position(anatomy: Anatomy, arm: UpperLimb) -> Array:
    position: Array = anatomy.tree.data.xipos[int(anatomy.tree.model.jnt_bodyid[arm.joints[-1]])]
    return position


def _is_raised(anatomy: Anatomy, arm: UpperLimb, qpos: Array) -> bool:
    """Return whether an arm is raised: its hand is high, or its forearm, or its centre of mass (a hanging forearm)."""
    data = anatomy.tree.pose(qpos)
    mujoco.mj_comPos(anatomy.tree.model, data)
    joints = anatomy.tree.joint_positions(arm.joints)
    shoulder_m = joints[0][2]
    length_m = float(np.linalg.norm(np.diff(joints, axis=0), axis=1).sum()) + 1e-9
    com_m = float(data.subtree_com[int(anatomy.tree.model.jnt_bodyid[arm.joints[0]])][2])
    is_hand_high = _hand_position(anatomy, arm)[2] > shoulder_m - _LOW_HAND * length_m
    forearm = fingertip_position(anatomy, arm) - _middle_joint_position(anatomy, arm)
    is_forearm_high = -forearm[2] < _HANGING * np.linalg.norm(forearm)
    return bool(is_hand_high or is_forearm_high or com_m > shoulder_m - _LOW_COM * length_m)


def _middle_joint_position(anatomy: Anatomy, arm: UpperLimb) -> Array:
    """Return the position (3,) of the joint nearest to the middle of an arm; the model must be posed."""
    points = np.vstack([anatomy.tree.joint_positions(arm.joints), fingertip_position(anatomy, arm)])
    along_m = np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))
    position: Array = points[1 + int(np.argmin(np.abs(along_m[:-1] - 0.5 * along_m[-1])))]
    return position


def _lower_arm(anatomy: Anatomy, arm: UpperLimb, qpos: Array) -> Array:
    """Return a configuration in which an arm hangs, close to nothing new.

    Joints move one after the other; pairs of joints move together if that is not enough: an upper arm lowered alone
    would take a bent forearm into the trunk.
    """
    single = [(joint,) for joint in arm.joints]
    pairs = [*combinations(arm.joints, 2), *single]
    best = qpos
    for clearance in _CLEARANCES:
        best = _search_lowest(anatomy, arm, qpos, single * _ROUNDS, grid=_GRID, clearance=clearance)
        if _is_raised(anatomy, arm, best):
            best = _search_lowest(anatomy, arm, qpos, pairs, grid=_COARSE_GRID, clearance=clearance)
        if not _is_raised(anatomy, arm, best):
            return _turn_elbow_forward(anatomy, arm, best, clearance)
    return best


def _turn_elbow_forward(anatomy: Anatomy, arm: UpperLimb, qpos: Array, clearance: float) -> Array:
    """Return the configuration with an upper arm twisted so that its elbow bends forwards, not into the trunk."""
    lowered = replace(anatomy, standing=qpos)
    elbow = next(reversed(find_bending_joints(lowered, arm)), None)
    if elbow is None:
        return qpos
    best = qpos
    allowed = _close_pairs(anatomy, qpos, clearance)
    farthest_m = _bent_forward_m(anatomy, arm, qpos, elbow) + _MIN_GAIN * anatomy.height_m
    for candidate in _twisted_postures(lowered, arm, arm.joints[: arm.joints.index(elbow)]):
        forward_m = _bent_forward_m(anatomy, arm, candidate, elbow)
        if forward_m > farthest_m and _close_pairs(anatomy, candidate, clearance) <= allowed:
            best = candidate
            farthest_m = forward_m
    return best


def _twisted_postures(anatomy: Anatomy, arm: UpperLimb, joints: Sequence[int]) -> Iterator[Array]:
    """Yield the standing posture with each of some joints that twist an arm turned over its range."""
    cosines = dict(zip(arm.joints, twist_cosines(anatomy, arm), strict=True))
    for joint in (joint for joint in joints if cosines[joint] > _TWISTING):
        for angles in _angle_grid(anatomy, (joint,), _GRID):
            posture = anatomy.standing.copy()
            posture[anatomy.tree.addresses((joint,))] = angles
            yield posture


def _bent_forward_m(anatomy: Anatomy, arm: UpperLimb, qpos: Array, elbow: int) -> float:
    """Return how far forward the fingertips are with the elbow in the middle of its range."""
    bent = qpos.copy()
    bent[anatomy.tree.address(elbow)] = np.mean(anatomy.tree.bounds([elbow]))
    anatomy.tree.pose(bent)
    return float(fingertip_position(anatomy, arm)[0])


def _search_lowest(
    anatomy: Anatomy, arm: UpperLimb, qpos: Array, groups: Sequence[tuple[int, ...]], *, grid: int, clearance: float
) -> Array:
    """Return the configuration with the lowest arm, by grid search over one group of joints after the other.

    Args:
        anatomy: The robot.
        arm: The arm.
        qpos: Initial guess. Shape (nq,).
        groups: Joints that move together, in the order in which they move.
        grid: Number of angles of each joint.
        clearance: Share of the robot's height by which the arm stays away from the rest.
    """
    tree = anatomy.tree
    best = qpos.copy()
    allowed = _close_pairs(anatomy, qpos, clearance)
    lowest_cost = _arm_cost(anatomy, arm, best, qpos)
    for group in groups:
        addresses = tree.addresses(group)
        for angles in _angle_grid(anatomy, group, grid):
            candidate = best.copy()
            candidate[addresses] = angles
            cost = _arm_cost(anatomy, arm, candidate, qpos)
            if cost < lowest_cost - 1e-6 and _close_pairs(anatomy, candidate, clearance) <= allowed:
                best = candidate
                lowest_cost = cost
    return best


def _angle_grid(anatomy: Anatomy, joints: Sequence[int], count: int) -> Iterator[tuple[float, ...]]:
    """Return the angles of joints on a grid over their ranges."""
    return product(*np.linspace(*anatomy.tree.bounds(list(joints)), count).T)


def _arm_cost(anatomy: Anatomy, arm: UpperLimb, qpos: Array, initial: Array) -> float:
    """Return the height of hand and middle of an arm, plus penalties for what makes a posture less restful.

    The penalties are for turns of joints, an upper arm that is not below its shoulder, and a forearm that does not
    point forward: one that points back is bent the wrong way.
    """
    data = anatomy.tree.pose(qpos)
    middle = _middle_joint_position(anatomy, arm)
    forearm = fingertip_position(anatomy, arm) - middle
    off_shoulder_m = abs(float(middle[0] - data.xanchor[arm.joints[0]][0]))
    backward_m = max(0.0, _FOREARM_FORWARD * float(np.linalg.norm(forearm)) - float(forearm[0]))
    hand_m = float(_hand_position(anatomy, arm)[2])
    cost_m = hand_m + 0.5 * float(middle[2]) + 0.5 * (off_shoulder_m + backward_m)
    return cost_m / anatomy.height_m + _TURN_COST_RAD * float(np.abs(qpos - initial).sum())


def _close_pairs(anatomy: Anatomy, qpos: Array, clearance: float) -> set[tuple[int, int]]:
    """Return the pairs of geoms that are closer to each other than a share of the robot's height."""
    model = anatomy.tree.model
    data = anatomy.tree.pose(qpos)
    margin = model.geom_margin.copy()
    model.geom_margin[:] = clearance * anatomy.height_m / 2.0  # the margins of two geoms add up
    try:
        mujoco.mj_collision(model, data)
    finally:
        model.geom_margin[:] = margin
    return {(int(contact.geom1), int(contact.geom2)) for contact in data.contact}
