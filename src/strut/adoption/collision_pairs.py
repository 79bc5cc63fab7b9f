"""Collision pairs: pairs of links that touch in the standing posture or nearly always, so that they are not judged."""

from __future__ import annotations

import mujoco
import numpy as np

from strut.adoption.anatomy import Anatomy
from strut.arrays import Array

_NEAR_M = 0.01
_SAMPLES = 24  # random postures
_NEARLY_ALWAYS = 0.9  # share of the samples in which neighbours by design touch


def find_overlapping_pairs(anatomy: Anatomy) -> tuple[tuple[str, str], ...]:
    """Return pairs of links, by name, that are nearer than 10 mm in the standing posture or in nearly all random ones.

    Pairs that a joint connects are left out: they are never judged.
    """
    tree = anatomy.tree
    model = tree.model
    joints = tree.hinges
    addresses = tree.addresses(joints)
    lower, upper = tree.bounds(joints)
    rng = np.random.default_rng(0)
    original_margin = model.geom_margin.copy()
    model.geom_margin[:] = _NEAR_M
    try:
        pairs = _find_contacts(anatomy, anatomy.standing)
        counts: dict[tuple[int, int], int] = {}
        for _ in range(_SAMPLES):
            qpos = anatomy.standing.copy()
            qpos[addresses] = rng.uniform(lower, upper)
            for pair in _find_contacts(anatomy, qpos):
                counts[pair] = counts.get(pair, 0) + 1
    finally:
        model.geom_margin[:] = original_margin
    pairs |= {pair for pair, count in counts.items() if count > _NEARLY_ALWAYS * _SAMPLES}
    return tuple(sorted((tree.link_name(first), tree.link_name(second)) for first, second in pairs))


def _find_contacts(anatomy: Anatomy, qpos: Array) -> set[tuple[int, int]]:
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
