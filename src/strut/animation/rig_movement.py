"""Rig movement: convert bones over time, read from a GLB or BVH file of a rig, to a motion of the robot."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from strut.arrays import Array
from strut.balance.contact_detection import detect_contacts
from strut.errors import RigFileError
from strut.models.rig import Rig
from strut.motion import Motion
from strut.robot import Robot
from strut.schemas.eyes import EYES

MAX_OFFSET_M = 0.002  # distance of a bone from where its parent places it; files round to less
MAX_TILT_RAD = np.radians(1.0)  # rotation of a bone about other axes than that of its joint
EYES_BONE = "eyes"  # its forward offset on the base is the number of the expression times EYES_STEP_M
EYES_STEP_M = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class RigMovement:
    """A movement of a rig as an animation program writes it.

    Args:
        time_s: From 0. Shape (T,).
        place_m: Where bones begin, in world. Shape (T, n, 3).
        rotation: Their axes. Shape (T, n, 3, 3).
        eyes: Expression of every frame. Length T.
    """

    time_s: Array
    place_m: Array
    rotation: Array
    eyes: tuple[str, ...]


def check_bones(rig: Rig, names: Collection[str], path: Path) -> None:
    """Raise RigFileError if a file does not have every bone of a rig."""
    missing = [name for name in rig.names if name not in names]
    if missing:
        raise RigFileError(
            path,
            f"is a rig of another robot: it has no bone {missing[0]}, which {rig.robot} has "
            f"({len(missing)} of {len(rig.names)} are missing).",
        )


def expressions(slider_m: Array) -> tuple[str, ...]:
    """Return the expressions from the slider of the eyes. Shape (T,)."""
    number = np.clip(np.rint(slider_m / EYES_STEP_M).astype(int), 0, len(EYES) - 1)
    return tuple(EYES[k] for k in number)


def slider_m(changes: Sequence[tuple[float, str]], time_s: Array) -> Array:
    """Return the slider of the eyes, from the starts of the expressions. Shape (T,) in and out."""
    place = np.zeros(len(time_s))
    for start_s, name in changes:
        place[time_s >= start_s - 1e-9] = EYES.index(name) * EYES_STEP_M
    return place


def motion_of_rig(robot: Robot, rig: Rig, movement: RigMovement, path: Path, notes: tuple[str, ...] = ()) -> Motion:
    """Return the motion of a rig's robot; raises RigFileError if the bones move as the joints of the robot cannot.

    Contacts are detected: such files have none.

    Args:
        robot: The robot that moves.
        rig: Of the robot.
        movement: Of its bones.
        path: The file, for errors.
        notes: What the reader found out about the file.
    """
    if not (np.isfinite(movement.place_m).all() and np.isfinite(movement.rotation).all()):
        raise RigFileError(path, "holds a number that is not finite.")
    offset_m = rig.displacement_m(movement.place_m, movement.rotation)
    if offset_m.max() > MAX_OFFSET_M:
        frame, bone = np.unravel_index(int(np.argmax(offset_m)), offset_m.shape)
        raise RigFileError(
            path,
            f"is no rig of {rig.robot}: in frame {frame} the bone {rig.names[bone]} is {offset_m.max() * 1e3:.0f} mm "
            f"away from where {rig.robot} has it; build the rig from `strut export {rig.robot} --to rig`, in metres.",
        )
    tilt_rad = np.linalg.norm(rig.joint_rotations(movement.rotation)[..., 1:], axis=-1)
    if tilt_rad.max() > MAX_TILT_RAD:
        frame, joint = np.unravel_index(int(np.argmax(tilt_rad)), tilt_rad.shape)
        raise RigFileError(
            path,
            f"in frame {frame} the bone {rig.joint_names[joint]} is turned {np.degrees(tilt_rad.max()):.0f} degrees "
            f"about an axis that {rig.robot} does not have; turn bones about their own x axis alone.",
        )
    changes = [0, *(k for k in range(1, len(movement.eyes)) if movement.eyes[k] != movement.eyes[k - 1])]
    qpos = rig.coordinates(movement.place_m, movement.rotation)
    return Motion(
        robot=rig.robot,
        time_s=movement.time_s,
        qpos=qpos,
        joint_names=rig.joint_names,
        contact=detect_contacts(robot, movement.time_s, qpos),
        foot_names=robot.foot_names,
        meta={"eyes": [[float(movement.time_s[k]), movement.eyes[k]] for k in changes], "notes": list(notes)},
    )
