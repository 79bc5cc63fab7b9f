"""Limbs: legs, arms, head and trunk of a compiled model, found from which joints lie before which ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import mujoco

from strut.robot import Foot, Limb
from strut.schemas.hands import ChainsTable


def find_limbs(
    model: mujoco.MjModel, joints: Sequence[str], feet: Sequence[Foot], chains: ChainsTable | None
) -> tuple[Limb, ...]:
    """Return the limbs of a model, trunk first.

    Every body that moves and on which no other moving body hangs is the end of a limb. Joints before several ends are
    the trunk, and so is what carries a head alone and is not called neck or head. A limb with a foot is a leg, one
    whose last body or frame is a head's is the head, the others are arms.

    Args:
        model: Compiled.
        joints: Names of the joints that are driven, without those of the base.
        feet: The robot's feet.
        chains: Names of its hands and head, where its folder has them.
    """
    moved = {int(model.joint(joint).bodyid[0]) for joint in joints}
    ends, shared = _ends([_path(model, body, moved) for body in moved])
    shared |= _carriers(model, [path for path in ends if _is_head(model, path[-1])])
    named = _named_frames(model, chains)
    limbs = [_limb(model, [body for body in path if body not in shared], joints, feet, named) for path in ends]
    if trunk := sorted(shared):
        limbs.insert(0, Limb("trunk", "trunk", _joints_of(model, trunk, joints), _names(model, trunk)))
    return tuple(limbs)


def _ends(paths: Sequence[list[int]]) -> tuple[list[list[int]], set[int]]:
    """Return the paths on which no other goes on, and the bodies that several of them share."""
    ends = [path for path in paths if not any(path[-1] in other[:-1] for other in paths)]
    return ends, {body for path in ends for body in path if sum(body in other for other in ends) > 1}


def _carriers(model: mujoco.MjModel, heads: Sequence[list[int]]) -> set[int]:
    """Return the bodies on the way to heads that are none of theirs."""
    return {body for path in heads for body in path if not _is_head(model, body)}


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
    """Return name and body by frame of the hands and the head."""
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
    below = [body for body in range(model.nbody) if _hangs_on(model, body, bodies)]
    own = [foot for foot in feet if int(model.site(foot.frame).bodyid[0]) in below]
    last = model.body(bodies[-1]).name
    parts = _joints_of(model, bodies, joints), _names(model, bodies)
    if own:
        name = own[0].name if len(own) == 1 else last
        return Limb(name, "leg", *parts, own[0].frame, tuple(foot.name for foot in own))
    return _arm_or_head(parts, last, {frame: name for frame, (name, body) in named.items() if body in below})


def _arm_or_head(parts: tuple[tuple[str, ...], tuple[str, ...]], last: str, frames: Mapping[str, str]) -> Limb:
    heads = {frame: name for frame, name in frames.items() if name == "head"}
    if heads or "head" in last.lower():
        return Limb("head", "head", *parts, next(iter(heads), None))
    frame, name = next(iter(frames.items()), (None, last))
    return Limb(name, "arm", *parts, frame)


def _hangs_on(model: mujoco.MjModel, body: int, bodies: Sequence[int]) -> bool:
    while body != 0 and body not in bodies:
        body = int(model.body_parentid[body])
    return body != 0


def _joints_of(model: mujoco.MjModel, bodies: Sequence[int], joints: Sequence[str]) -> tuple[str, ...]:
    return tuple(joint for joint in joints if int(model.joint(joint).bodyid[0]) in bodies)


def _names(model: mujoco.MjModel, bodies: Sequence[int]) -> tuple[str, ...]:
    return tuple(model.body(body).name for body in bodies)
