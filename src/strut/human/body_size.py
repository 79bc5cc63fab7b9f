"""Body size: how tall a person stands beside the one for whom the tables of gaits were written."""

from __future__ import annotations

from strut.robot import Robot


def body_size(robot: Robot) -> float:
    """Return the height of a person's standing pelvis over that in the tables; 1 for the person of the tables."""
    return robot.subject.standing_pelvis_height_m / robot.human_gait.of_pelvis_height_m
