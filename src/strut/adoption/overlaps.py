"""Overlaps: pairs of links that touch each other while the robot merely stands: nobody can mean them to collide."""

from __future__ import annotations

import mujoco
import numpy as np

from strut.adoption.body_plan import BodyPlan
from strut.arrays import Array

_NEAR_M = 0.01
_SAMPLES = 24
_OFTEN = 0.9


def overlapping_pairs(anatomy: BodyPlan) -> tuple[tuple[str, str], ...]:
    """Return pairs of links, by name, that no joint connects and that are nearer than 10 mm when standing.

    So are pairs that touch in nearly all of some random postures: they are neighbours by design.
    """
    tree = anatomy.tree
    model = tree.model
    before = model.geom_margin.copy()
    model.geom_margin[:] = _NEAR_M
    try:
        pairs = _touching(anatomy, anatomy.standing)
        rng = np.random.default_rng(0)
        counts: dict[tuple[int, int], int] = {}
        for _ in range(_SAMPLES):
            for pair in _touching(anatomy, _random(anatomy, rng)):
                counts[pair] = counts.get(pair, 0) + 1
    finally:
        model.geom_margin[:] = before
    pairs |= {pair for pair, count in counts.items() if count > _OFTEN * _SAMPLES}
    named = sorted((tree.name(first), tree.name(second)) for first, second in pairs)
    return tuple(named)


def _random(anatomy: BodyPlan, rng: np.random.Generator) -> Array:
    tree = anatomy.tree
    qpos = anatomy.standing.copy()
    joints = list(range(1, tree.model.njnt))
    low, high = tree.bounds(joints)
    qpos[[tree.address(joint) for joint in joints]] = rng.uniform(low, high)
    return qpos


def _touching(anatomy: BodyPlan, qpos: Array) -> set[tuple[int, int]]:
    """Return pairs of links that touch and are not parent and child."""
    tree = anatomy.tree
    data = tree.pose(qpos)
    mujoco.mj_collision(tree.model, data)
    pairs = set()
    for contact in data.contact:
        links = sorted(tree.link_of_body[int(tree.model.geom_bodyid[geom])] for geom in contact.geom)
        if links[0] != links[1] and tree.parent[links[1]] != links[0]:
            pairs.add((links[0], links[1]))
    return pairs
