"""Walking cycle: the contact sets of a stride in their order, and how late their borders are seen."""

from __future__ import annotations

from strut.human.anatomy import HEEL, other_side
from strut.optimal.contact_detection import ContactCycle
from strut.robot import Robot

HEEL_LATE_S, FOREFOOT_LATE_S = 0.025, 0.004  # measured in our own gaits


def walking_cycle(robot: Robot) -> ContactCycle:
    """Return the contact sets of a stride, those of a step and then their mirror images."""
    step = [phase.set for phase in robot.human_gait.phase]
    late_s = {name: HEEL_LATE_S if name.startswith(HEEL) else FOREFOOT_LATE_S for name in robot.contacts.point}
    return ContactCycle((*step, *(other_side(name) for name in step)), late_s)
