"""Leg finder: the chains of links on which a robot rests in a posture; ends that share most of it are one."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain

import numpy as np

from strut.adoption.link_tree import LinkTree
from strut.arrays import Array

NEAR_FLOOR = 0.12  # of the robot's height: what is lower touches
_TRIALS = 300
_SHARED = 0.5  # of two chains: more than this is one leg with toes


@dataclass(frozen=True, slots=True)
class FoundLeg:
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

    legs: tuple[FoundLeg, ...]
    on_base: bool


def rest_in(tree: LinkTree, qpos: Array) -> Rest:
    """Return on what a robot rests in a configuration (nq,) with its base upright."""
    lowest = tree.lowest(qpos)
    touching = np.flatnonzero(lowest < lowest.min() + NEAR_FLOOR * tree.height(qpos)).tolist()
    if not np.isfinite(lowest.min()) or 0 in touching:
        return Rest((), on_base=True)
    ends = [_end_of(tree, group, lowest) for group in _same_legs(tree, touching)]
    return Rest(tuple(legs_to(tree, ends)), on_base=False)


def _same_legs(tree: LinkTree, links: list[int]) -> list[list[int]]:
    """Return links in groups that are one leg each."""
    groups: list[list[int]] = []
    for link in _by_depth(tree, links):
        home = _home_of(tree, link, groups)
        if home is None:
            groups.append([link])
        else:
            home.append(link)
    return groups


def _by_depth(tree: LinkTree, links: list[int]) -> list[int]:
    return sorted(links, key=lambda link: len(tree.chain(link)))


def _home_of(tree: LinkTree, link: int, groups: list[list[int]]) -> list[int] | None:
    return next((group for group in groups if _is_same_leg(tree, group[0], link)), None)


def _is_same_leg(tree: LinkTree, first: int, second: int) -> bool:
    one = set(tree.chain(first))
    other = set(tree.chain(second))
    return len(one & other) > _SHARED * min(len(one), len(other))


def _end_of(tree: LinkTree, group: list[int], lowest: Array) -> int:
    """Return the link of a leg that stands: of its touching links the one with most surface near the floor.

    A toe counts only where it carries more of the foot than what it hangs on.
    """
    near = float(lowest[group].min()) + 0.04 * tree.height(tree.data.qpos)
    spans = np.array([_span_below(tree, link, near) for link in group])
    large = np.array(group)[spans >= 0.8 * spans.max()]
    return _by_depth(tree, large.tolist())[-1]


def _span_below(tree: LinkTree, link: int, height_m: float) -> float:
    """Return how wide the surface of a link is below a height [m]; below 0 if there is none."""
    points = tree.points_of({link})
    places = points.in_world(tree.data)
    near = places[places[:, 2] - points.radius < height_m]
    return float(np.ptp(near[:, :2], axis=0).sum()) if len(near) else -1.0


def legs_to(tree: LinkTree, ends: list[int]) -> list[FoundLeg]:
    """Return the legs that end in given links."""
    times = Counter(chain.from_iterable(map(tree.chain, ends)))
    return [_leg_to(tree, end, times) for end in ends]


def _leg_to(tree: LinkTree, end: int, times: Counter[int]) -> FoundLeg:
    """Return the leg that ends in a link; `times` says on the way to how many legs a joint lies."""
    way = tree.chain(end)
    below = tree.below(end)
    own = tuple(joint for joint in way if times[joint] == 1)
    shared = tuple(joint for joint in way if times[joint] > 1)
    return FoundLeg(own, end, frozenset(below), tuple(tree.joints_of(sorted(below - {end}))), shared)


def deepest(tree: LinkTree) -> Array:
    """Return the configuration in which every chain that ends somewhere reaches as low as it can. Shape (nq,)."""
    rng = np.random.default_rng(0)
    qpos = tree.zero.copy()
    for leaf in tree.leaves:
        if len(tree.chain(leaf)) > 1 and len(tree.points_of({leaf}).place):
            _reach_down(tree, leaf, qpos, rng)
    return qpos


def _reach_down(tree: LinkTree, leaf: int, qpos: Array, rng: np.random.Generator) -> None:
    """Write into `qpos` the angles of the joints to a link with which it is lowest, of many random ones."""
    joints = tree.chain(leaf)
    points = tree.points_of({leaf})
    places = tree.addresses(joints)
    trials = rng.uniform(*tree.bounds(joints), (_TRIALS, len(joints)))
    heights = []
    for trial in trials:
        qpos[places] = trial
        heights.append(float(points.heights(tree.pose(qpos)).min()) + 1e-3 * float(np.abs(trial).sum()))
    qpos[places] = trials[int(np.argmin(heights))]
