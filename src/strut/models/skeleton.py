"""Skeleton: the joint centres of a robot and the bones between them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import mujoco
import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.engines.rigid_body import sweep
from strut.robot import Robot

_SAME_PLACE_M = 1e-3  # joints that are closer in every sampled configuration are one point
_SAMPLED_CONFIGURATIONS = 3


@dataclass(frozen=True, slots=True)
class Skeleton:
    """Named points of a body, and bones as pairs of their indices."""

    names: tuple[str, ...]
    bones: tuple[tuple[int, int], ...]


def skeleton(robot: Robot) -> Skeleton:
    """Return the base, the joint centres and the limb ends of a robot; joints with the same centre are one point."""
    nodes, kept, parents = _nodes(robot.model)
    place = {node: index for index, node in enumerate(kept)}
    bones = tuple((place[parents[node]], place[node]) for node in kept if parents[node] >= 0)
    return Skeleton(tuple(nodes[node][0] for node in kept), bones)


def skeleton_points(robot: Robot, qpos: Array) -> Array:
    """Return the points of `skeleton` in world. Shape (T, nq) in, (T, n, 3) out."""
    model = robot.model
    data = mujoco.MjData(model)
    nodes, kept, _ = _nodes(robot.model)
    points = np.empty((len(qpos), len(kept), 3))
    for k in sweep(model, data, qpos):
        points[k] = _positions(data, [nodes[node] for node in kept])
    return points


@lru_cache(maxsize=16)
def _nodes(model: mujoco.MjModel) -> tuple[list[tuple[str, str, int]], list[int], dict[int, int]]:
    """Return all candidate points (name, kind, id), which of them to keep, and the kept parent of each (-1: none)."""
    hinges = [j for j in range(model.njnt) if model.jnt_bodyid[j] != 1]  # joints of the base have no bones
    nodes: list[tuple[str, str, int]] = [(model.body(1).name, "body", 1)]
    of_joint: dict[int, int] = {}
    parent: dict[int, int] = {0: -1}
    for joint in hinges:
        parent[len(nodes)] = _node_above(model, int(model.jnt_bodyid[joint]), of_joint)
        of_joint[joint] = len(nodes)
        nodes.append((model.joint(joint).name, "joint", joint))
    ends = _limb_ends(model, {parent[node] for node in parent}, of_joint)
    for name, kind, identity, above in ends:
        parent[len(nodes)] = above
        nodes.append((name, kind, identity))
    return nodes, *_merged(model, nodes, parent)


def _node_above(model: mujoco.MjModel, body: int, of_joint: dict[int, int]) -> int:
    """Return the parent node of a new joint on a body: the last joint on it or on the nearest body above."""
    while body > 1:
        own = [j for j in of_joint if model.jnt_bodyid[j] == body]
        if own:
            return of_joint[max(own)]
        body = int(model.body_parentid[body])
    return 0


def _limb_ends(model: mujoco.MjModel, carriers: set[int], of_joint: dict[int, int]) -> list[tuple[str, str, int, int]]:
    """Return the sites at limb ends, else their last geoms: name, kind, id and parent node."""
    ends = []
    for joint, node in of_joint.items():
        if node in carriers:
            continue
        body = int(model.jnt_bodyid[joint])
        sites = [s for s in range(model.nsite) if _below(model, int(model.site_bodyid[s]), body)]
        geoms = [g for g in range(model.ngeom) if _below(model, int(model.geom_bodyid[g]), body)]
        if sites:
            ends += [(model.site(s).name, "site", s, node) for s in sites]
        elif geoms:
            ends.append((f"{model.joint(joint).name} end", "geom", geoms[-1], node))
    return ends


def _below(model: mujoco.MjModel, body: int, ancestor: int) -> bool:
    while body > 0 and body != ancestor:
        body = int(model.body_parentid[body])
    return body == ancestor


def _merged(
    model: mujoco.MjModel, nodes: list[tuple[str, str, int]], parent: dict[int, int]
) -> tuple[list[int], dict[int, int]]:
    """Return the nodes that are apart from their parents, and the kept parent of each."""
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    length = np.zeros(len(nodes))
    for _ in range(_SAMPLED_CONFIGURATIONS):
        data.qpos[:] = model.qpos0 + rng.normal(0.0, 0.5, model.nq)
        mujoco.mj_kinematics(model, data)
        position = _positions(data, nodes)
        above = [max(parent[node], 0) for node in range(len(nodes))]
        length = np.maximum(length, np.linalg.norm(position - position[above], axis=1))
    kept = [0, *(node for node in range(1, len(nodes)) if length[node] > _SAME_PLACE_M)]
    stands_for = {0: 0}
    for node in range(1, len(nodes)):  # parents come first
        stands_for[node] = node if node in kept else stands_for[parent[node]]
    return kept, {node: (stands_for[parent[node]] if node else -1) for node in kept}


def _positions(data: mujoco.MjData, nodes: list[tuple[str, str, int]]) -> npt.NDArray[np.float64]:
    sources = {"body": data.xpos, "joint": data.xanchor, "site": data.site_xpos, "geom": data.geom_xpos}
    return np.array([sources[kind][identity] for _, kind, identity in nodes])
