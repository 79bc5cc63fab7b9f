"""Single support: the torque that a biped needs to stand still on one leg, which every gait needs as well."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from strut.draft import Draft
from strut.gaits.pattern.standing import on_one_leg
from strut.plumbing.number_text import format_percent
from strut.robot import Robot
from strut.verify.measure import measure

MAX_USE_TO_WALK = 1.25  # of a torque limit: quick steps never come to rest over a foot, so they need a little less
STILL_S = np.array([0.0, 0.1, 0.2])  # samples of standing: the fewest that have second derivatives


class HardestJoint(NamedTuple):
    """The joint that uses most of its torque limit, that share and the limit [N m]."""

    joint: str
    use: float
    limit_nm: float

    @property
    def sentence(self) -> str:
        """A sentence about a joint that needs more than its torque limit; empty if none does."""
        if self.use <= 1.0:
            return ""
        return (
            f"to stand on one leg takes {format_percent(self.use)} of the {self.limit_nm:.3g} N m that {self.joint} has"
        )


def hardest_on_one_leg(robot: Robot) -> HardestJoint:
    """Return the joint with the largest torque use on either leg; a use of 0 for robots without two soles."""
    if len(robot.feet) != 2 or not robot.foot_turns.any(axis=1).all():
        return HardestJoint("no joint", 0.0, 0.0)
    return max((_hardest(robot, foot) for foot in range(2)), key=lambda joint: joint.use)


def _hardest(robot: Robot, foot: int) -> HardestJoint:
    """Return the joint with the largest torque use on one leg."""
    still = np.tile(on_one_leg(robot, foot), (len(STILL_S), 1))
    contact = np.zeros((len(STILL_S), 2), dtype=np.bool_)
    contact[:, foot] = True
    torque_nm = measure(Draft(robot, STILL_S, still, contact, None)).measured.torque_nm[1]
    use = np.abs(torque_nm) / robot.torque_limit_nm
    joint = int(np.argmax(use))
    return HardestJoint(robot.joint_names[joint], float(use[joint]), float(robot.torque_limit_nm[joint]))
