"""Steps: when the toes of a foot leave the ground, and how far ahead the toes of the other foot then stand.

This is the step of the thesis: from toe off to toe off, as long as the toes of the leading foot are ahead of where
those of the trailing foot stood. The toes of the trailing foot are taken before its heel rises, because in a recording
they move on by centimetres before they leave the ground.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import point_positions
from strut.human.anatomy import HEEL, LEFT, RIGHT, SIDES, TOES, sided
from strut.kinematics.contact_set import contact_points
from strut.maths.sampling import runs
from strut.motion import Motion
from strut.robot import Robot

TOE_OF = {side: sided(TOES, side) for side in SIDES}
OTHER = {RIGHT: LEFT, LEFT: RIGHT}


@dataclass(frozen=True, slots=True, eq=False)
class ToeOff:
    """A toe off.

    Args:
        side: Of the foot that leaves.
        sample: First sample without contact of its toes.
        leading_m: From where its toes stood to those of the other foot, one sample before. Shape (2,).
    """

    side: str
    sample: int
    leading_m: Array


def find_toe_offs(robot: Robot, motion: Motion) -> list[ToeOff]:
    """Return the toe offs of both feet in order of time; the ground must not move (`over_ground`)."""
    toes_m = {side: _toe_path(robot, name, motion.qpos) for side, name in TOE_OF.items()}
    found = []
    for side in SIDES:
        in_contact = motion.contact[:, motion.foot_names.index(TOE_OF[side])]
        heel_in_contact = motion.contact[:, motion.foot_names.index(sided(HEEL, side))]
        for stance in runs(in_contact):
            last = stance.stop - 1
            if stance.stop < len(in_contact):
                flat = np.flatnonzero(heel_in_contact[stance])
                stood = stance.start + int(flat[-1]) if len(flat) else last
                found.append(ToeOff(side, stance.stop, toes_m[OTHER[side]][last] - toes_m[side][stood]))
    return sorted(found, key=lambda toe_off: toe_off.sample)


def _toe_path(robot: Robot, name: str, qpos: Array) -> Array:
    """Return the contact point of the toes, seen from above. Shape (T, nq) in, (T, 2) out."""
    toes = contact_points(robot)[name]
    return np.asarray(point_positions(robot.model, [(toes.body, toes.position_m)], qpos)[:, 0, :2])
