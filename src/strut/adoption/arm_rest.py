"""Arm rest: arms that the file holds out sideways or up are let down before the robot stands for its portrait."""

from __future__ import annotations

import mujoco
import numpy as np

from strut.adoption.body_plan import BodyPlan
from strut.adoption.upper_body import UpperLimb
from strut.robot import Array

_RAISED = 0.35  # of the arm's length below the shoulder: a hand that is higher is held out
_GRID = 25
_CLEAR = 0.06  # of the robot's height: how far hanging arms stay from what they were not near before


def let_down(anatomy: BodyPlan, arms: list[UpperLimb]) -> tuple[Array, list[str]]:
    """Return the standing posture (nq,) with raised arms let down, near to nothing, and which ones those are."""
    standing, lowered = anatomy.standing.copy(), []
    for arm in arms:
        if _is_raised(anatomy, arm, standing):
            standing = _lowered(anatomy, arm, standing)
            lowered.append(arm.name)
    return standing, lowered


def _hand(anatomy: BodyPlan, arm: UpperLimb) -> Array:
    place: Array = anatomy.tree.data.xipos[int(anatomy.tree.model.jnt_bodyid[arm.joints[-1]])]
    return place


def _is_raised(anatomy: BodyPlan, arm: UpperLimb, qpos: Array) -> bool:
    data = anatomy.tree.pose(qpos)
    mujoco.mj_comPos(anatomy.tree.model, data)
    anchors = np.array([data.xanchor[joint] for joint in arm.joints])
    length = float(np.linalg.norm(np.diff(anchors, axis=0), axis=1).sum()) + 1e-9
    return bool(_hand(anatomy, arm)[2] > anchors[0][2] - _RAISED * length)


def _lowered(anatomy: BodyPlan, arm: UpperLimb, qpos: Array) -> Array:
    """Return a configuration in which an arm hangs: by joint, the angle with the lowest hand, near nothing new."""
    tree = anatomy.tree
    best, allowed = qpos.copy(), _near(anatomy, qpos)
    least = _height(anatomy, arm, best, qpos)
    for _ in range(3):
        for joint in arm.joints:
            low, high = (float(bound[0]) for bound in tree.bounds([joint]))
            for angle in np.linspace(low, high, _GRID):
                trial = best.copy()
                trial[tree.address(joint)] = angle
                height = _height(anatomy, arm, trial, qpos)
                if height < least - 1e-6 and _near(anatomy, trial) <= allowed:
                    best, least = trial, height
    return best


def _height(anatomy: BodyPlan, arm: UpperLimb, qpos: Array, start: Array) -> float:
    """Return how high the hand is, plus a little for every radian that joints turn."""
    anatomy.tree.pose(qpos)
    turned = float(np.abs(qpos - start).sum())
    return float(_hand(anatomy, arm)[2]) / anatomy.height_m + 0.01 * turned


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
