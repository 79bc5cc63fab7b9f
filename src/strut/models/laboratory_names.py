"""Laboratory names: names of human coordinates in gait laboratories, and the sign of their plots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from strut.recording import SIDES

NOUNS: Mapping[str, str] = {  # by coordinate without its side
    "Hip_RY": "hip flexion",
    "Hip_RX": "hip abduction",
    "Hip_RZ": "hip rotation",
    "Knee_RY": "knee flexion",
    "Ankle_RY": "ankle flexion",
    "Ankle_RX": "ankle inversion",
    "Ankle_RZ": "ankle rotation",
    "Lumbar_RY": "trunk bending",
    "Lumbar_RX": "trunk leaning",
    "Lumbar_RZ": "trunk turning",
    "Shoulder_RY": "shoulder flexion",
    "Shoulder_RX": "shoulder abduction",
    "Shoulder_RZ": "shoulder rotation",
    "Elbow_RY": "elbow flexion",
    "Head_RY": "head bending",
    "Head_RX": "head leaning",
    "Head_RZ": "head turning",
    "Pelvis_RY": "pelvis tilt",
    "Pelvis_RX": "pelvis obliquity",
    "Pelvis_RZ": "pelvis turning",
}


@dataclass(frozen=True, slots=True)
class Panel:
    """A coordinate as gait laboratories plot it: its title, and the sign that makes upwards what the title says."""

    title: str
    coordinate: str
    sign: float


PANELS: Mapping[str, tuple[Panel, ...]] = {
    "Leg": (
        Panel("hip flexion", "HipRight_RY", -1.0),
        Panel("hip abduction", "HipRight_RX", -1.0),
        Panel("hip external rotation", "HipRight_RZ", -1.0),
        Panel("knee flexion", "KneeRight_RY", 1.0),
        Panel("ankle dorsiflexion", "AnkleRight_RY", -1.0),
        Panel("ankle inversion", "AnkleRight_RX", 1.0),
    ),
    "Arm": (
        Panel("shoulder flexion", "ShoulderRight_RY", -1.0),
        Panel("shoulder abduction", "ShoulderRight_RX", -1.0),
        Panel("elbow flexion", "ElbowRight_RY", -1.0),
    ),
    "Trunk and head": (
        Panel("trunk flexion", "Lumbar_RY", 1.0),
        Panel("trunk lean to the right", "Lumbar_RX", 1.0),
        Panel("trunk rotation to the left", "Lumbar_RZ", 1.0),
        Panel("head flexion", "Head_RY", 1.0),
        Panel("head lean to the right", "Head_RX", 1.0),
        Panel("head rotation to the left", "Head_RZ", 1.0),
    ),
    "Pelvis": (
        Panel("anterior pelvic tilt", "Pelvis_RY", 1.0),
        Panel("pelvic obliquity, left side up", "Pelvis_RX", 1.0),
        Panel("pelvic rotation to the left", "Pelvis_RZ", 1.0),
    ),
}


def laboratory_sign(coordinate: str) -> float:
    """Return the sign that makes upwards what the panel of a coordinate says, on either side.

    Flexion of hip and knee and dorsiflexion of the ankle become positive; coordinates without a panel stay as they are.
    """
    right = coordinate.replace("Left_", "Right_")
    sign = next((panel.sign for group in PANELS.values() for panel in group if panel.coordinate == right), 1.0)
    is_mirrored = right != coordinate and not coordinate.endswith("_RY")
    return -sign if is_mirrored else sign


def coordinate_label(coordinate: str) -> str:
    """Return the name of a coordinate: `right ankle flexion` for `AnkleRight_RY`; unknown names are returned as is."""
    for side in SIDES:
        noun = NOUNS.get(coordinate.replace(f"{side}_", "_"))
        if noun is not None and f"{side}_" in coordinate:
            return f"{side.lower()} {noun}"
    return NOUNS.get(coordinate, coordinate)
