"""Naturalness: does a solved step look like a person's? Measured on the curves between the nodes, judged by ranges."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from strut.contact_set import contact_points
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.kinematics.contact_slip import contact_slip
from strut.mirror import mirror_of
from strut.optimal.trajectory import Trajectory
from strut.robot import Array, Robot
from strut.rotation import qpos_from_angles

PER_INTERVAL = 4
MID_SWING = (0.3, 0.9)  # shares of the swing between which toes clear the ground
LONG_AXES = ("HipRight_RZ", "HipLeft_RZ", "AnkleRight_RZ", "AnkleLeft_RZ")


@dataclass(frozen=True, slots=True)
class Naturalness:
    """What a person who looks at a gait would notice.

    Args:
        mirror_error_rad: How much the end of the step differs from the mirror image of its start, at worst.
        stance_knee_rad: Largest bend of the standing knee while its foot is flat.
        swing_knee_rad: Largest bend of the swinging knee.
        strike_knee_rad: Bend of the swinging knee when its heel lands.
        toe_clearance_m: Least height of the swinging toes in the middle of the swing.
        arm_swing_rad: How far an arm travels from its foremost to its hindmost.
        arm_against_leg: Correlation of arm and leg of the same side; -1 is a perfect counter-swing.
        leg_turn_rad: How far hips and ankles turn a leg about its length, at worst.
        pelvis_pitch_rad: How far the pelvis rocks forwards and back.
        least_load: Smallest vertical force of the ground, over the weight; a hop would have none.
        trunk_forward_rad: Mean lean of the trunk.
        head_forward_rad: Mean bend of the neck.
    """

    mirror_error_rad: float
    stance_knee_rad: float
    swing_knee_rad: float
    strike_knee_rad: float
    toe_clearance_m: float
    arm_swing_rad: float
    arm_against_leg: float
    leg_turn_rad: float
    pelvis_pitch_rad: float
    least_load: float
    trunk_forward_rad: float
    head_forward_rad: float

    def oddities(self, robot: Robot) -> list[str]:
        """Return what people do not do, in words, by the ranges of the robot's gait table."""
        found = []
        for name, entry in robot.human_gait.natural.items():
            value, (least, most) = getattr(self, name), entry.range
            if not least <= value <= most:
                low, high = (f"{entry.factor * bound:.3g}" for bound in (least, most))
                found.append(f"{entry.words} is {entry.factor * value:.3g}, people's {low} to {high}")
        return found

    def words(self) -> str:
        """Return the figures as part of a sentence."""
        angles = {
            "stands on a knee bent by": self.stance_knee_rad,
            "swings a knee bent by": self.swing_knee_rad,
            "swings its arms by": self.arm_swing_rad,
            "leans by": self.trunk_forward_rad,
            "nods by": self.head_forward_rad,
        }
        said = [f"{verb} {round(float(np.degrees(angle)))}°" for verb, angle in angles.items()]
        return ", ".join([*said, f"lifts its toes by {1e3 * self.toe_clearance_m:.0f} mm"]) + (
            f" and never puts less than {self.least_load:.0%} of its weight on the ground"
        )

    def as_dict(self) -> dict[str, float]:
        """Return the figures as JSON would hold them."""
        return asdict(self)


def naturalness(robot: Robot, path: Trajectory) -> Naturalness:
    """Return what a person would notice in a step from left toe-off to right toe-off."""
    names = list(path.problem.tree.velocity_names)
    parts = [path.between(phase, PER_INTERVAL) for phase in range(len(path.problem.phases))]
    time_s, q, force = (np.concatenate([part[index] for part in parts]) for index in (0, 1, 4))
    phase = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    mirror = mirror_of(robot, names)
    stride = np.concatenate([q, mirror.image(q)])
    normal = [index for index, row in enumerate(path.problem.contact.rows) if row.axis == 2]

    def angle(name: str, table: Array = q) -> Array:
        return np.asarray(table[:, names.index(name)])

    def mean(name: str) -> float:
        return float(np.trapezoid(angle(name), time_s) / (time_s[-1] - time_s[0]))

    arm, leg = angle("ShoulderRight_RY", stride), angle("HipRight_RY", stride)
    return Naturalness(
        mirror_error_rad=float(np.abs(mirror.image(path.q[-1]) - path.q[0])[3:].max()),
        stance_knee_rad=float(angle("KneeRight_RY")[phase == 0].max()),
        swing_knee_rad=float(angle("KneeLeft_RY")[phase <= 1].max()),
        strike_knee_rad=float(angle("KneeLeft_RY")[phase == 1][-1]),
        toe_clearance_m=_clearance(robot, q[phase <= 1], time_s[phase <= 1]),
        arm_swing_rad=float(np.ptp(arm)),
        arm_against_leg=float(np.corrcoef(arm, leg)[0, 1]),
        leg_turn_rad=float(max(np.abs(angle(name)).max() for name in LONG_AXES)),
        pelvis_pitch_rad=float(np.ptp(angle("Pelvis_RY"))),
        least_load=float(force[:, normal].sum(axis=1).min() / (robot.mass_kg * GRAVITY_M_S2)),
        trunk_forward_rad=sum(mean(name) for name in robot.expression.joints("trunk_pitch_rad")),
        head_forward_rad=sum(mean(name) for name in robot.expression.joints("head_pitch_rad")),
    )


def _clearance(robot: Robot, q: Array, time_s: Array) -> float:
    share = (time_s - time_s[0]) / (time_s[-1] - time_s[0])
    middle = qpos_from_angles(q[(share >= MID_SWING[0]) & (share <= MID_SWING[1])])
    points = contact_points(robot)
    return float(contact_slip(robot, [points[name] for name in ("HalluxLeft", "Meta5Left")], middle)[1].min())
