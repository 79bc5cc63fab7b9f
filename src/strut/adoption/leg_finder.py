"""Leg finder: the chains of links on which a robot rests. Chains that share most of their joints are one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from strut.adoption.link_tree import LinkTree
from strut.arrays import Array

NEAR_FLOOR = 0.12  # of the robot's height: links lower than this touch the floor
_END_NEAR_FLOOR = 0.04  # of the robot's height: surface lower than this belongs to the contact of a leg's end
_LARGEST_SPAN = 0.8  # of the widest contact of a leg: a link with so much may be its end
_SAMPLES = 300  # random postures in the search for the lowest one
_SHARED = 0.5  # share of joints in common above which two chains are one leg with toes
_TURN_COST_M_RAD = 1e-3  # so that of equally low postures the one with the smallest angles is chosen


@dataclass(frozen=True, slots=True)
class ImportedLeg:
    """A leg of an imported robot.

    Args:
        joints: From the base outwards, without those that other legs share.
        end: The link that touches the floor.
        foot_links: The end and its descendants, such as toes.
        toes: Joints beyond the end.
        shared: Joints between the base and the leg on which other legs depend too: a waist.
    """

    joints: tuple[int, ...]
    end: int
    foot_links: frozenset[int]
    toes: tuple[int, ...]
    shared: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RestSupport:
    """What a robot rests on in a posture: its legs, or its base."""

    legs: tuple[ImportedLeg, ...]
    on_base: bool


def find_support(tree: LinkTree, qpos: Array) -> RestSupport:
    """Return what a robot rests on in a configuration (nq,) with its base upright."""
    lowest = tree.lowest_heights(qpos)
    touching = np.flatnonzero(lowest < lowest.min() + NEAR_FLOOR * tree.height(qpos)).tolist()
    if not np.isfinite(lowest.min()) or 0 in touching:
        return RestSupport((), on_base=True)
    ends = [_end_link(tree, group, lowest) for group in _group_by_leg(tree, touching)]
    uses = Counter(chain.from_iterable(tree.joint_chain(end) for end in ends))
    return RestSupport(tuple(_leg_with_end(tree, end, uses) for end in ends), on_base=False)


def _group_by_leg(tree: LinkTree, links: list[int]) -> list[list[int]]:
    """Return links in groups of one leg each."""
    groups: list[list[int]] = []
    for link in _sort_by_depth(tree, links):
        same_leg = next((group for group in groups if _are_one_leg(tree, group[0], link)), None)
        if same_leg is None:
            groups.append([link])
        else:
            same_leg.append(link)
    return groups


def _sort_by_depth(tree: LinkTree, links: list[int]) -> list[int]:
    return sorted(links, key=lambda link: len(tree.joint_chain(link)))


def _are_one_leg(tree: LinkTree, first: int, second: int) -> bool:
    first_joints = set(tree.joint_chain(first))
    second_joints = set(tree.joint_chain(second))
    return len(first_joints & second_joints) > _SHARED * min(len(first_joints), len(second_joints))


def _end_link(tree: LinkTree, group: list[int], lowest: Array) -> int:
    """Return the end of a leg: of its touching links the one with the widest contact, or the deepest of similar ones.

    So a toe is the end only if it carries most of the foot.
    """
    near_floor_m = float(lowest[group].min()) + _END_NEAR_FLOOR * tree.height(tree.data.qpos)
    spans = np.array([_contact_span(tree, link, near_floor_m) for link in group])
    large = np.array(group)[spans >= _LARGEST_SPAN * spans.max()]
    return _sort_by_depth(tree, large.tolist())[-1]


def _contact_span(tree: LinkTree, link: int, height_m: float) -> float:
    """Return the extent of a link's surface below a height [m]; -1 if there is none."""
    points = tree.points_of({link})
    positions = points.in_world(tree.data)
    below = positions[positions[:, 2] - points.radius < height_m]
    return float(np.ptp(below[:, :2], axis=0).sum()) if len(below) else -1.0


def _leg_with_end(tree: LinkTree, end: int, uses: Counter[int]) -> ImportedLeg:
    """Return the leg with a given end; `uses` counts the legs that depend on each joint."""
    joints = tree.joint_chain(end)
    foot_links = tree.subtree(end)
    own = tuple(joint for joint in joints if uses[joint] == 1)
    shared = tuple(joint for joint in joints if uses[joint] > 1)
    return ImportedLeg(own, end, frozenset(foot_links), tuple(tree.joints_of(sorted(foot_links - {end}))), shared)


def find_lowest_posture(tree: LinkTree) -> Array:
    """Return a configuration in which every limb reaches as low as it can, by random search. Shape (nq,)."""
    rng = np.random.default_rng(0)
    qpos = tree.zero_posture.copy()
    for leaf in tree.leaves:
        if len(tree.joint_chain(leaf)) > 1 and len(tree.points_of({leaf}).position):
            _lower_link(tree, leaf, qpos, rng)
    return qpos


def _lower_link(tree: LinkTree, leaf: int, qpos: Array, rng: np.random.Generator) -> None:
    """Write into `qpos` the angles, of many random ones, with which a link is lowest."""
    joints = tree.joint_chain(leaf)
    points = tree.points_of({leaf})
    addresses = tree.addresses(joints)
    samples = rng.uniform(*tree.bounds(joints), (_SAMPLES, len(joints)))
    costs = []
    for angles in samples:
        qpos[addresses] = angles
        height_m = float(points.heights(tree.pose(qpos)).min())
        costs.append(height_m + _TURN_COST_M_RAD * float(np.abs(angles).sum()))
    qpos[addresses] = samples[int(np.argmin(costs))]


def lift_links(tree: LinkTree, links: Sequence[int], qpos: Array, height_m: float) -> tuple[Array, list[int]]:
    """Return a configuration (nq,) with limbs that reach below a height lifted above it, and the links lifted.

    Of random angles, those nearest to the given ones are taken; a limb that cannot be lifted stays.
    """
    rng = np.random.default_rng(0)
    lifted = []
    raised = qpos.copy()
    for link in links:
        joints = tree.joint_chain(link)
        limb = tree.points_of(set(tree.path(link)) - {0})
        if not len(limb.position) or limb.heights(tree.pose(raised)).min() > height_m:
            continue
        addresses = tree.addresses(joints)
        given = raised[addresses].copy()
        samples = rng.uniform(*tree.bounds(joints), (_SAMPLES, len(joints)))
        for angles in sorted(samples, key=lambda angles: float(np.abs(angles - given).sum())):
            raised[addresses] = angles
            if limb.heights(tree.pose(raised)).min() > height_m:
                lifted.append(link)
                break
        else:
            raised[addresses] = given
    return raised, lifted
