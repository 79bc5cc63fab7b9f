"""Single support: what standing still on one leg takes of a biped's motors, which no way of walking spares it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from strut.draft import Draft
from strut.gaits.pattern.standing import on_one_leg
from strut.plumbing.number_text import format_percent
from strut.robot import Robot
from strut.verify.measure import measure

DENIED = 1.25  # of a torque limit: quick steps, in which a body never comes to rest over a foot, need a little less
_STILL_S = np.array([0.0, 0.1, 0.2])


class HardestJoint(NamedTuple):
    """The joint that uses most of its torque limit, that share and the limit [N m]."""

    joint: str
    use: float
    limit_nm: float

    @property
    def sentence(self) -> str:
        """What it needs, in words, where that is more than it has; else nothing."""
        if self.use <= 1.0:
            return ""
        return (
            f"to stand on one leg takes {format_percent(self.use)} of the {self.limit_nm:.3g} N m that {self.joint} has"
        )


def hardest_on_one_leg(robot: Robot) -> HardestJoint:
    """Return the joint that standing on either leg is hardest for; one that uses nothing without two soles."""
    if len(robot.feet) != 2 or not robot.foot_turns.any(axis=1).all():
        return HardestJoint("no joint", 0.0, 0.0)
    return max((_hardest(robot, foot) for foot in range(2)), key=lambda found: found.use)


def _hardest(robot: Robot, foot: int) -> HardestJoint:
    """Return the joint that standing on a leg is hardest for."""
    still = np.tile(on_one_leg(robot, foot), (len(_STILL_S), 1))
    contact = np.zeros((len(_STILL_S), 2), dtype=np.bool_)
    contact[:, foot] = True
    torque_nm = measure(Draft(robot, _STILL_S, still, contact, None)).measured.torque_nm[1]
    use = np.abs(torque_nm) / robot.torque_limit_nm
    joint = int(np.argmax(use))
    return HardestJoint(robot.joint_names[joint], float(use[joint]), float(robot.torque_limit_nm[joint]))
