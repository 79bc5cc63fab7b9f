"""Limbs: find legs, arms, head and trunk of a compiled model from its kinematic tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mujoco

from strut.robot import Foot, Limb
from strut.schemas.hands import ChainsTable


def find_limbs(
    model: mujoco.MjModel, joints: Sequence[str], feet: Sequence[Foot], chains: ChainsTable | None
) -> tuple[Limb, ...]:
    """Return the limbs of a model, trunk first.

    A moving body without moving descendants is the end of a limb. Bodies above several ends are the trunk, and so are
    bodies above the head alone whose name contains neither neck nor head. A limb with a foot is a leg, one whose last
    body or frame is a head is the head, the others are arms.

    Args:
        model: The compiled model.
        joints: Names of the driven joints, without those of the base.
        feet: Feet of the robot.
        chains: Frames of its hands and head, if its folder names them.
    """
    moved = {int(model.joint(joint).bodyid[0]) for joint in joints}
    paths = [_path(model, body, moved) for body in moved]
    ends = [path for path in paths if not any(path[-1] in other[:-1] for other in paths)]
    shared = {body for path in ends for body in path if sum(body in other for other in ends) > 1}
    for path in ends:
        if _is_head(model, path[-1]):
            shared |= {body for body in path if not _is_head(model, body)}
    named = _named_frames(model, chains)
    limbs = [_limb(model, [body for body in path if body not in shared], joints, feet, named) for path in ends]
    if trunk := sorted(shared):
        limbs.insert(0, Limb("trunk", "trunk", _joints_of(model, trunk, joints), _names(model, trunk)))
    return tuple(limbs)


def _is_head(model: mujoco.MjModel, body: int) -> bool:
    return any(word in model.body(body).name.lower() for word in ("head", "neck"))


def _path(model: mujoco.MjModel, body: int, moved: set[int]) -> list[int]:
    """Return the moving bodies from the base to a body."""
    path = []
    while body != 0:
        if body in moved:
            path.append(body)
        body = int(model.body_parentid[body])
    return path[::-1]


def _named_frames(model: mujoco.MjModel, chains: ChainsTable | None) -> Mapping[str, tuple[str, int]]:
    """Return the name and the body of each frame of a hand or head."""
    if chains is None:
        return {}
    frames = {frame: hand for hand, frame in chains.hand.items()} | {chains.head.frame: "head"}
    return {frame: (name, int(model.site(frame).bodyid[0])) for frame, name in frames.items()}


def _limb(
    model: mujoco.MjModel,
    bodies: Sequence[int],
    joints: Sequence[str],
    feet: Sequence[Foot],
    named: Mapping[str, tuple[str, int]],
) -> Limb:
    below = [body for body in range(model.nbody) if _is_below(model, body, bodies)]
    own_feet = [foot for foot in feet if int(model.site(foot.frame).bodyid[0]) in below]
    last = model.body(bodies[-1]).name
    parts = _joints_of(model, bodies, joints), _names(model, bodies)
    if own_feet:
        name = own_feet[0].name if len(own_feet) == 1 else last
        return Limb(name, "leg", *parts, own_feet[0].frame, tuple(foot.name for foot in own_feet))
    frames = {frame: name for frame, (name, body) in named.items() if body in below}
    heads = {frame: name for frame, name in frames.items() if name == "head"}
    if heads or "head" in last.lower():
        return Limb("head", "head", *parts, next(iter(heads), None))
    frame, name = next(iter(frames.items()), (None, last))
    return Limb(name, "arm", *parts, frame)


def _is_below(model: mujoco.MjModel, body: int, bodies: Sequence[int]) -> bool:
    """Return whether a body is one of `bodies` or a descendant of one."""
    while body != 0 and body not in bodies:
        body = int(model.body_parentid[body])
    return body != 0


def _joints_of(model: mujoco.MjModel, bodies: Sequence[int], joints: Sequence[str]) -> tuple[str, ...]:
    return tuple(joint for joint in joints if int(model.joint(joint).bodyid[0]) in bodies)


def _names(model: mujoco.MjModel, bodies: Sequence[int]) -> tuple[str, ...]:
    return tuple(model.body(body).name for body in bodies)
