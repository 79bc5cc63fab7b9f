"""Biped model: nine point masses on a chain of eight joint centres between the soles.

The centres, called joint points, are right ankle, knee, hip pitch, hip yaw and roll, then the same on the left in
reverse. Links 1 to 3 and 5 to 7 are the legs' shins, thighs and hips, link 4 is the pelvis with the whole upper body.
Feet stay level and the body upright. Everything is data of the robot's folder: a taller robot of the same build needs
no code.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array, frozen_array
from strut.errors import BadTableError
from strut.place import LEFT, RIGHT
from strut.robot import Robot
from strut.schemas.body import FlatFoot, LimbBody, LimbChain

JOINTS_OF_A_LEG = ("hip_roll", "hip_yaw", "hip_pitch", "knee", "ankle_pitch", "ankle_roll")
AXES_OF_A_LEG = ((-1, 0, 0), (0, 0, -1), (0, -1, 0), (0, 1, 0), (0, -1, 0), (-1, 0, 0))

_LIMITS = ("joint_lower_rad", "joint_upper_rad")
_ARRAYS = ("link_m", "mass_kg", "mass_on_points", "mass_offset_m", "ankle_from_sole_m", *_LIMITS)
UPPER_BODY = 4  # of the nine masses


@dataclass(frozen=True, slots=True, eq=False)
class BipedModel:
    """Lengths and masses of a lower body.

    Args:
        link_m: Lengths of the links from right shin to left shin. Shape (7,).
        mass_kg: Right foot, links 1 to 7, left foot. Shape (9,).
        mass_on_points: Weights of the joint points in the position of each mass. Shape (9, 8).
        mass_offset_m: Distance of each mass from that position, in the frame of its foot or of the body; 0 for
            the other links. Shape (9, 3).
        ankle_from_sole_m: From the middle of a sole to the ankle, in the frame of the foot. Shape (3,).
        joint_lower_rad: Of theta 1 to 12. Shape (12,).
        joint_upper_rad: Of theta 1 to 12. Shape (12,).
        upper_joints: Number of joints above the hips; the nine masses are computed with these at zero.
    """

    link_m: Array
    mass_kg: Array
    mass_on_points: Array
    mass_offset_m: Array
    ankle_from_sole_m: Array
    joint_lower_rad: Array
    joint_upper_rad: Array
    upper_joints: int = 0

    def __post_init__(self) -> None:
        for name in _ARRAYS:
            object.__setattr__(self, name, frozen_array(getattr(self, name)))
        if not (self.link_m > 0.0).all() or not (self.mass_kg > 0.0).all():
            raise BadTableError("Every link of a lower body needs a length and a mass above 0.")

    @property
    def com_weights(self) -> Array:
        """Weights of the joint points in the centre of mass. Shape (8,)."""
        return np.asarray(self.mass_kg @ self.mass_on_points / self.mass_kg.sum())

    @property
    def separation_m(self) -> float:
        """Distance between the middles of the feet when standing, equal to that of the hips."""
        return float(self.link_m[3])

    @property
    def longest_leg_m(self) -> float:
        """Height of the hips over the ankles on straight legs."""
        return float(self.link_m[:3].sum())

    def offset_of_com(self, foot_heading_rad: Array, body_heading_rad: Array) -> Array:
        """Return the share of `mass_offset_m` in the centre of mass. Shapes (N, 2), (N,) in, (N, 2) out."""
        share = self.mass_kg / self.mass_kg.sum()
        headings = {0: foot_heading_rad[:, RIGHT], 4: body_heading_rad, 8: foot_heading_rad[:, LEFT]}
        parts = [share[k] * _rotate_offset(self.mass_offset_m[k], angle)[:, :2] for k, angle in headings.items()]
        return np.asarray(np.sum(parts, axis=0))

    def masses_in_world(self, joint_in_world: Array, foot_heading_rad: Array, body_heading_rad: Array) -> Array:
        """Return the positions of the nine masses. Shapes (N, 8, 3), (N, 2), (N,) in, (N, 9, 3) out."""
        masses: Array = np.einsum("kp,npi->nki", self.mass_on_points, joint_in_world)
        for k, angle in ((0, foot_heading_rad[:, RIGHT]), (4, body_heading_rad), (8, foot_heading_rad[:, LEFT])):
            masses[:, k] += _rotate_offset(self.mass_offset_m[k], angle)
        return masses


def biped_model(robot: Robot) -> BipedModel:
    """Return the lower body of a robot whose folder describes one; raises BadTableError for any other build."""
    table = robot.tables.robot
    limbs = _check_limbs(robot)
    sole = limbs[RIGHT].foot
    assert isinstance(table, LimbBody)
    assert isinstance(sole, FlatFoot)
    hips_m = np.asarray(table.mount[1].position_m) - np.asarray(table.mount[0].position_m)
    lengths = []
    masses = []
    fractions = []
    for limb in limbs:
        hip, thigh, shin, foot = limb.links
        ends = [float(-below.offset_m[2]) for below in (thigh, shin, foot)]
        lengths.append(ends)
        masses.append([link.mass_kg for link in (hip, thigh, shin, foot)])
        fractions.append([-link.centre_m[2] / end for link, end in zip((hip, thigh, shin), ends, strict=True)])
    on_points = np.zeros((9, 8))
    on_points[0, 0] = on_points[8, 7] = 1.0
    on_points[4, [3, 4]] = 0.5
    for link in range(3):  # hip, thigh, shin: rows and points run inwards on the right and outwards on the left
        right = fractions[RIGHT][link]
        left = fractions[LEFT][link]
        on_points[3 - link, [3 - link, 2 - link]] = 1.0 - right, right
        on_points[5 + link, [4 + link, 5 + link]] = 1.0 - left, left
    offset = np.zeros((9, 3))
    offset[0], offset[8] = (limb.links[3].centre_m for limb in limbs)
    offset[4] = table.body.com_m
    angle_order = [*range(5, -1, -1), *range(6, 12)]
    return BipedModel(
        link_m=np.array([*lengths[RIGHT][::-1], np.linalg.norm(hips_m), *lengths[LEFT]]),
        mass_kg=np.array([*masses[RIGHT][::-1], table.body.mass_kg, *masses[LEFT]]),
        mass_on_points=on_points,
        mass_offset_m=offset,
        ankle_from_sole_m=-np.array(sole.sole_m),
        joint_lower_rad=robot.joint_lower_rad[angle_order],
        joint_upper_rad=robot.joint_upper_rad[angle_order],
        upper_joints=len(robot.joint_names) - len(angle_order),
    )


def _check_limbs(robot: Robot) -> list[LimbChain]:
    """Return the right and the left leg, which must be built as the equations assume."""
    table = robot.tables.robot
    limbs = [table.limb[mount.limb] for mount in table.mount] if isinstance(table, LimbBody) else []
    names = [tuple(joint.name for joint in leg.joints) for leg in limbs]
    axes = [tuple(joint.axis for joint in leg.joints) for leg in limbs]
    if names != [JOINTS_OF_A_LEG] * 2 or axes != [AXES_OF_A_LEG] * 2:
        raise BadTableError(
            f"{robot.name} does not have two legs, right and left, with the joints {', '.join(JOINTS_OF_A_LEG)}."
        )
    for limb in limbs:
        off_axis = [link.name for link in limb.links if np.any(np.asarray(link.offset_m)[:2])]
        off_axis += [link.name for link in limb.links[:3] if np.any(np.asarray(link.centre_m)[:2])]
        if off_axis:
            raise BadTableError(
                f"{robot.name}: link {off_axis[0]} or its centre of mass is not straight under its joint."
            )
    return limbs


def _rotate_offset(offset_m: Array, heading_rad: Array) -> Array:
    """Rotate an offset about the vertical by headings. Shapes (3,), (N,) in, (N, 3) out."""
    c = np.cos(heading_rad)
    s = np.sin(heading_rad)
    x, y, z = offset_m
    return np.stack([c * x - s * y, s * x + c * y, np.full_like(c, z)], axis=1)
