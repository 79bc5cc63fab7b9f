"""Laboratory file: a motion of any robot as the markers (C3D, TRC) or angles (MOT) that gait laboratories read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from strut.engines.rigid_body import foot_contact_points
from strut.formats.mot_file import ground_force_mot
from strut.formats.recording_file import motion_content
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.recording import SIDES

SMALLEST_N = 1.0


@dataclass(slots=True)
class LaboratoryFile:
    """Writes one of the formats: markers that the robot wears, or else the origins of its bodies; or its angles."""

    ending: str

    def content(self, motion: Motion) -> bytes:
        """Return the file: markers in mm (C3D) or m (TRC), angles in degrees and places in m (MOT)."""
        return motion_content(motion, robot_of(motion), self.ending)

    def lost(self, motion: Motion) -> tuple[str, ...]:
        """Return what the format has no place for."""
        has = {
            "joint angles": self.ending != ".mot",
            "contacts": motion.contact.any(),
            "joint torques": motion.torque_nm is not None,
            "ground forces": motion.ground_force_n is not None and not self._has_forces(motion),
            "notes": True,
        }
        return tuple(words for words, lost in has.items() if lost)

    def beside(self, motion: Motion) -> dict[str, bytes]:
        """Return ground forces as OpenSim's external loads, by what the file's name ends in.

        Nothing without forces, or if feet are soles: where under them the force acts is not in a motion.
        """
        return {"_forces.mot": _external_loads(motion)} if self._has_forces(motion) else {}

    def _has_forces(self, motion: Motion) -> bool:
        """Return whether ground forces can be written beside the file."""
        robot = robot_of(motion)
        return self.ending == ".mot" and motion.ground_force_n is not None and len(robot.point_feet) <= len(robot.feet)


def _external_loads(motion: Motion) -> bytes:
    """Return force, centre of pressure and free moment of each body that stands on the ground. Shape (T, n_feet, 3)."""
    robot = robot_of(motion)
    force_n = motion.ground_force_n
    assert force_n is not None, "only what has forces is written"
    place = foot_contact_points(robot, motion.qpos)
    owners = [foot.points[0].body for foot in robot.feet]
    bodies = list(dict.fromkeys(owners))
    total = []
    cops = []
    twist = []
    for body in bodies:
        own = [index for index, owner in enumerate(owners) if owner == body]
        pushes = force_n[:, own]
        load = force_n[:, own, 2].sum(axis=1)
        weighed = np.einsum("tp,tpi->ti", pushes[..., 2], place[:, own, :2])
        cop = np.where(load[:, None] > SMALLEST_N, weighed / np.maximum(load, SMALLEST_N)[:, None], np.nan)
        arm = place[:, own, :2] - np.nan_to_num(cop)[:, None]
        total.append(pushes.sum(axis=1))
        cops.append(cop)
        twist.append((arm[..., 0] * pushes[..., 1] - arm[..., 1] * pushes[..., 0]).sum(axis=1) * (load > SMALLEST_N))
    columns = (np.stack(one, axis=1) for one in (total, cops, twist))
    return ground_force_mot(motion.time_s, _sides_of(bodies), *columns)


def _sides_of(bodies: Sequence[str]) -> Sequence[str]:
    """Return what columns of forces are called: right and left of a body on two feet, as recordings have it."""
    sides = [next((side for side in SIDES if side in body), body) for body in bodies]
    return sides if sorted(sides) == sorted(SIDES) else bodies


C3D = LaboratoryFile(".c3d")
TRC = LaboratoryFile(".trc")
MOT = LaboratoryFile(".mot")
