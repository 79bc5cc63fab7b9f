"""Rig movement: GLB or BVH of a rig that we wrote or that Blender built → coordinates; what does not fit is named."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from strut.animation.rig import Rig, RigMovement
from strut.animation.rig_bones import rig_of
from strut.animation.rig_bvh import movement_from_bvh
from strut.animation.rig_glb import movement_from_glb
from strut.arrays import Array
from strut.errors import FileError, RigFileError, UnknownNameError
from strut.robot import Robot

READERS = {".glb": movement_from_glb, ".bvh": movement_from_bvh}
MISPLACED_M = 0.002  # by which a bone may be away from where the robot has it
TURNED_RAD = np.radians(1.0)  # by which it may turn about an axis that is not its own


def read_rig_movement(path: Path | str, robot: Robot) -> tuple[RigMovement, Array]:
    """Return a movement from a file and the robot's coordinates in it, (T, nq); raises RigFileError."""
    path = Path(path)
    rig = rig_of(robot)
    ending = path.suffix.lower()
    if ending not in READERS:
        raise UnknownNameError("format of a rig's movement", ending, tuple(READERS), "docs/animation.md")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}.") from error
    movement = READERS[ending](content, rig, path)
    _check(rig, movement, path)
    return movement, rig.coordinates(movement.place_m, movement.rotation)


def _check(rig: Rig, movement: RigMovement, path: Path) -> None:
    """Raise RigFileError where bones are not where the robot's joints are, or turn as its joints cannot."""
    if not (np.isfinite(movement.place_m).all() and np.isfinite(movement.rotation).all()):
        raise RigFileError(path, "holds a number that is not finite.")
    away = rig.misplaced_m(movement.place_m, movement.rotation)
    if away.max() > MISPLACED_M:
        frame, bone = np.unravel_index(int(np.argmax(away)), away.shape)
        raise RigFileError(
            path,
            f"is no rig of {rig.robot}: in frame {frame} the bone {rig.names[bone]} is {away.max() * 1e3:.0f} mm away "
            f"from where {rig.robot} has it; build the rig from `strut export {rig.robot} --to rig`, in metres.",
        )
    aside = np.linalg.norm(rig.own_turns(movement.rotation)[..., 1:], axis=-1)
    if aside.max() > TURNED_RAD:
        frame, joint = np.unravel_index(int(np.argmax(aside)), aside.shape)
        raise RigFileError(
            path,
            f"in frame {frame} the bone {rig.joint_names[joint]} is turned {np.degrees(aside.max()):.0f} degrees about "
            f"an axis that {rig.robot} does not have; turn bones about their own x axis alone.",
        )
