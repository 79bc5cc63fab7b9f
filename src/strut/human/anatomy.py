"""Anatomy: names of segments, coordinates and contact points of a human model, and lengths made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from strut.human.table import human_gait
from strut.ocp.contact_detection import ContactCycle
from strut.robot import Robot

RIGHT = "Right"
LEFT = "Left"
SIDES = (RIGHT, LEFT)
PELVIS = "Pelvis"
UPPER_TRUNK = "UpperTrunk"
HEAD = "Head"
HANDS = ("HandRight", "HandLeft")
FEET = ("FootRight", "FootLeft")  # segments, in the order of the sides
HEEL = "Heel"
TOES = "Hallux"
LITTLE_TOE = "Meta5"  # contact points
LEG = ("Thigh", "Shank", "Foot")  # segments from the hip down
SHANKS = ("ShankRight", "ShankLeft")
HEEL_LATE_S = 0.025  # delay with which a change of contact of the heel is detected, measured in our own gaits
FOREFOOT_LATE_S = 0.004  # the same of the forefoot
KNEE = "Knee_RY"
HIP = "Hip_RY"
SHOULDER = "Shoulder_RY"
ELBOW = "Elbow_RY"  # coordinates of flexion
ANKLE = "Ankle_RY"
HIP_ABDUCTION = "Hip_RX"
SHOULDER_ABDUCTION = "Shoulder_RX"
LUMBAR = "Lumbar"  # the joint that bends the trunk


def sided(name: str, side: str) -> str:
    """Return the name on a side: `Knee_RY` is `KneeRight_RY`, `Heel` is `HeelLeft`."""
    part, underscore, axis = name.partition("_")
    return f"{part}{side}{underscore}{axis}"


def unsided(name: str) -> str:
    """Return a coordinate's name without its side."""
    return name.replace("Right_", "_").replace("Left_", "_")


def other_side(name: str) -> str:
    """Return a name or label with left and right exchanged."""
    for here, there in ((RIGHT, LEFT), (RIGHT.lower(), LEFT.lower())):
        name = name.replace(here, "*").replace(there, here).replace("*", there)
    return name


def points_of_side(names: Sequence[str], side: str) -> list[int]:
    """Return the indices of the contact points on a side."""
    return [index for index, name in enumerate(names) if name.endswith(side)]


def sole_length_m(lengths_m: Mapping[str, float], side: str) -> float:
    """Return the length of a foot from its hindmost point to the toes."""
    return lengths_m[f"Foot{side}ForefootX"] + lengths_m[f"Foot{side}PosteriorPoint"]


def stretched_leg_m(lengths_m: Mapping[str, float], side: str) -> float:
    """Return the length of a stretched leg from hip to sole."""
    return lengths_m[f"Thigh{side}Length"] + lengths_m[f"Shank{side}Length"] + lengths_m[f"Foot{side}Height"]


def body_size(robot: Robot) -> float:
    """Return the standing pelvis height over that of the subject of the gait table."""
    return robot.subject.standing_pelvis_height_m / human_gait(robot).of_pelvis_height_m


def walking_cycle(robot: Robot) -> ContactCycle:
    """Return the contact sets of a stride, those of a step and then their mirror images."""
    step = [phase.set for phase in human_gait(robot).phase]
    late_s = {name: HEEL_LATE_S if name.startswith(HEEL) else FOREFOOT_LATE_S for name in robot.contacts.point}
    return ContactCycle((*step, *(other_side(name) for name in step)), late_s)
