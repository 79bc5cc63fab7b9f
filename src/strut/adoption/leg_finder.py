"""Leg finder: the chains of links on which a robot rests in a posture; ends that share most of it are one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.adoption.link_tree import LinkTree
from strut.robot import Array

NEAR_FLOOR = 0.12  # of the robot's height: what is lower touches
_SHARED = 0.5  # of two chains: more than this is one leg with toes


@dataclass(frozen=True, slots=True)
class Leg:
    """A leg: the joints that no other leg shares, the link that stands on the floor, and the links of its foot.

    Args:
        joints: From the base outwards.
        end: The link that touches the floor.
        foot_links: The end and what hangs on it: toes.
        toes: Joints beyond the end.
        shared: Joints between the base and the leg that other legs hang on too: a waist.
    """

    joints: tuple[int, ...]
    end: int
    foot_links: frozenset[int]
    toes: tuple[int, ...]
    shared: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rest:
    """On what a robot rests in a posture: legs, or its base."""

    legs: tuple[Leg, ...]
    on_base: bool


def rest_in(tree: LinkTree, qpos: Array) -> Rest:
    """Return on what a robot rests in a configuration (nq,) with its base upright."""
    lowest = tree.lowest(qpos)
    floor, height = float(lowest.min()), tree.height(qpos)
    touching = [link for link in range(len(lowest)) if lowest[link] < floor + NEAR_FLOOR * height]
    if not np.isfinite(floor) or 0 in touching:
        return Rest((), on_base=True)
    groups: list[list[int]] = []
    for link in sorted(touching, key=lambda one: len(tree.chain(one))):
        home = next((group for group in groups if _is_same_leg(tree, group[0], link)), None)
        if home is None:
            groups.append([link])
        else:
            home.append(link)
    ends = [_end_of(tree, group, lowest) for group in groups]
    return Rest(tuple(legs_to(tree, ends)), on_base=False)


def _is_same_leg(tree: LinkTree, first: int, second: int) -> bool:
    ways = [tree.chain(first), tree.chain(second)]
    shared = len(set(ways[0]) & set(ways[1]))
    return shared > _SHARED * min(len(way) for way in ways)


def _end_of(tree: LinkTree, group: list[int], lowest: Array) -> int:
    """Return the link of a leg that stands: of its touching links the one with most surface near the floor.

    A toe counts only where it carries more of the foot than what it hangs on.
    """
    spans = {}
    for link in group:
        points = tree.points_of({link})
        places = points.in_world(tree.data)
        near = places[:, 2] - points.radius < min(lowest[one] for one in group) + 0.04 * tree.height(tree.data.qpos)
        spans[link] = float(np.ptp(places[near][:, :2], axis=0).sum()) if near.any() else -1.0
    largest = max(spans.values())
    return max((link for link in group if spans[link] >= 0.8 * largest), key=lambda one: len(tree.chain(one)))


def legs_to(tree: LinkTree, ends: list[int]) -> list[Leg]:
    """Return the legs that end in given links."""
    ways = {end: tree.chain(end) for end in ends}
    legs = []
    for end in ends:
        others = {joint for other in ends if other != end for joint in ways[other]}
        below = tree.below(end)
        toes = [joint for link in sorted(below - {end}) for joint in tree.joints[link]]
        own = tuple(joint for joint in ways[end] if joint not in others)
        shared = tuple(joint for joint in ways[end] if joint in others)
        legs.append(Leg(own, end, frozenset(below), tuple(toes), shared))
    return legs


def deepest(tree: LinkTree, seed: int = 0) -> Array:
    """Return the configuration in which every chain that ends somewhere reaches as low as it can. Shape (nq,)."""
    rng = np.random.default_rng(seed)
    qpos = tree.zero.copy()
    leaves = [link for link in range(1, len(tree.parent)) if link not in tree.parent and len(tree.chain(link)) > 1]
    for leaf in leaves:
        joints = tree.chain(leaf)
        low, high = tree.bounds(joints)
        places = [tree.address(joint) for joint in joints]
        points = tree.points_of({leaf})
        if not len(points.place):
            continue
        best, best_height = qpos[places].copy(), np.inf
        for _ in range(300):
            trial = qpos.copy()
            trial[places] = rng.uniform(low, high)
            height = float(points.heights(tree.pose(trial)).min()) + 1e-3 * float(np.abs(trial[places]).sum())
            if height < best_height:
                best, best_height = trial[places], height
        qpos[places] = best
    return qpos
