"""Chains: a body given as Denavit-Hartenberg rows that may branch, on a platform or bolted down.

Standard rows, Rz(theta0 + q) Tz(d) Tx(a) Rx(alpha). A chain starts at the robot's origin or where another ends. A joint
that several chains name is one joint: each of them says where its own next frame is. Parts, frames and shapes are given
where they are when every joint is zero, in the robot's axes (x forward, y left, z up, origin on the floor), so a
part's frame has the robot's axes too and only its joint's axis tells where the rows have turned to.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from strut.errors import BadTableError
from strut.models.part_tree import PLATFORM, Part, PartTree, Shape
from strut.robot import Array

Table = Mapping[str, Any]
_NO_JOINT: Table = {"range_rad": [0.0, 0.0], "speed_rad_s": 0.0, "torque_nm": 0.0}


@dataclass(frozen=True, slots=True, eq=False)
class _Joint:
    """Where a joint is when all are zero: its parent, the origin (3,) of its frame and its axis (3,)."""

    name: str
    parent: str
    origin_m: Array
    axis: Array


def chain_tree(table: Table) -> PartTree:
    """Return the parts of the robot described by the chains of `robot.toml`."""
    joints = _joints_at_zero(table["chain"])
    parts = [_part(PLATFORM, None, np.zeros(3), np.array([0.0, 0.0, 1.0]), table, np.zeros(3))]
    origins = {PLATFORM: np.zeros(3)}
    for joint in joints:
        parts.append(_part(joint.name, joint.parent, joint.origin_m, joint.axis, table, origins[joint.parent]))
        origins[joint.name] = joint.origin_m
    stray = set(table["part"]) - set(origins)
    if stray:
        raise BadTableError(f"Part {min(stray)} belongs to no joint of the chains.")
    return PartTree(tuple(parts), table["servo"], table.get("platform"), table["contact"]["friction"])


def row_transform(row: Table, angle_rad: float = 0.0) -> Array:
    """Return the transform of a row with its joint at an angle. Shape (4, 4)."""
    theta, alpha = row["theta0_rad"] + angle_rad, row["alpha_rad"]
    ct, st, ca, sa = math.cos(theta), math.sin(theta), math.cos(alpha), math.sin(alpha)
    return np.array(
        [
            [ct, -st * ca, st * sa, row["a_m"] * ct],
            [st, ct * ca, -ct * sa, row["a_m"] * st],
            [0.0, sa, ca, row["d_m"]],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def _joints_at_zero(chains: list[Table]) -> list[_Joint]:
    joints: dict[str, _Joint] = {}
    ends: dict[str | None, tuple[str, Array]] = {None: (PLATFORM, np.eye(4))}
    for chain in chains:
        if chain.get("after") not in ends:
            raise BadTableError(f"Chain {chain['name']} starts after {chain['after']}, which comes later or never.")
        parent, frame = ends[chain.get("after")]
        for row in chain["rows"]:
            name = row.get("joint")
            if name is not None:
                known = joints.get(name)
                if known is None:
                    joints[name] = _Joint(name, parent, frame[:3, 3].copy(), frame[:3, 2].copy())
                elif known.parent != parent or not np.allclose(known.origin_m, frame[:3, 3], atol=1e-12):
                    raise BadTableError(f"Joint {name} has two places: chain {chain['name']} puts it elsewhere.")
                parent = name
            frame = frame @ row_transform(row)
        ends[chain["name"]] = (parent, frame)
    return list(joints.values())


def _part(name: str, parent: str | None, origin: Array, axis: Array, table: Table, parent_origin: Array) -> Part:
    part = table["part"][name]
    limits: Table = table["joint"][name] if parent is not None else _NO_JOINT
    ixx, iyy, izz, ixy, ixz, iyz = part["inertia_kg_m2"]
    return Part(
        name=name,
        parent=parent,
        position_m=origin - parent_origin,
        rotation=np.eye(3),
        kind="fixed" if parent is None else "hinge",
        axis=axis,
        range=(float(limits["range_rad"][0]), float(limits["range_rad"][1])),
        speed_limit=float(limits["speed_rad_s"]),
        effort_limit=float(limits["torque_nm"]),
        mass_kg=float(part["mass_kg"]),
        com_m=np.array(part["com_m"]) - origin,
        inertia_kg_m2=np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]]),
        shapes=tuple(_shape(shape, origin) for shape in part.get("shapes", ())),
        frames=tuple(
            (frame, np.array(entry["position_m"]) - origin, np.eye(3))
            for frame, entry in table.get("frame", {}).items()
            if entry["part"] == name
        ),
    )


def _shape(table: Table, origin: Array) -> Shape:
    kind = table["kind"]
    ends = ("from_m", "to_m") if kind == "capsule" else ("position_m",)
    size = tuple(length / 2.0 for length in table["size_m"]) if kind == "box" else (table["radius_m"],)
    return Shape(
        kind=kind,
        points_m=tuple(np.array(table[end]) - origin for end in ends),
        size_m=size,
        color=tuple(table["color"]),
        touches_ground=table.get("touches_ground", True),
    )
