"""Coupled tree: the bodies and joints of a robot whose springs are at rest, in the coordinates of its free joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strut.errors import BadTableError
from strut.models.coupled_joints import coupled_joints
from strut.ocp.kinematic_tree import KinematicTree, read_tree, with_followers
from strut.robot import Robot


def coupled_tree(robot: Robot) -> KinematicTree:
    """Return the tree of a floating robot with angles for its base; joints that only springs move follow the others."""
    coupled = coupled_joints(robot)
    names = robot.joint_names
    followers: dict[str, tuple[str | None, float, float]] = {}
    for row in np.setdiff1d(np.arange(len(names)), coupled.free):
        if np.count_nonzero(coupled.follow[row]) > 1:
            raise BadTableError(f"{robot.name}: {names[row]} follows more than one joint; it can follow one.")
        leader = int(np.argmax(np.abs(coupled.follow[row])))
        ratio = float(coupled.follow[row, leader])
        followers[names[row]] = (names[coupled.free[leader]] if ratio else None, ratio, float(coupled.rest_rad[row]))
    tree = with_followers(read_tree(robot.model, angle_base=True), followers)
    held = (replace(step, stiffness=0.0) if step.follows else step for step in tree.steps)
    return replace(tree, steps=tuple(held))  # springs of followers are held at rest, and do no work
