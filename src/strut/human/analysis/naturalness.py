"""Naturalness: does a solved step look like a person's? Measured on the curves between the nodes, in world axes.

Ranges of the gait table judge it at any speed, the published bands at the speeds that they cover.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Self

import numpy as np

from strut.arrays import Array
from strut.engines.body_wrench import centre_of_mass_path
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import BadMotionError
from strut.human.analysis.reference_bands import BandScore
from strut.human.analysis.walk_figures import foot_clearances, pelvis_angles, world_pitch
from strut.human.anatomy import (
    ELBOW,
    HEAD,
    HIP,
    LEFT,
    RIGHT,
    SHOULDER,
    SHOULDER_ABDUCTION,
    SIDES,
    UPPER_TRUNK,
    sided,
)
from strut.human.table import human_gait
from strut.kinematics.mirror import mirror_of
from strut.maths.rotation import qpos_from_angles
from strut.ocp.trajectory import Trajectory
from strut.plumbing.number_text import format_percent
from strut.robot import Robot

PER_INTERVAL = 4
LONG_AXES = ("HipRight_RZ", "HipLeft_RZ", "AnkleRight_RZ", "AnkleLeft_RZ")
NEAR_SD = 2.0
FAR_SD = 4.0  # within the first a figure is people's, beyond the second it is not


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
        pelvis_pitch_rad: How far the pelvis rocks forwards and back, in world.
        least_load: Smallest vertical force of the ground, over the weight; a hop would have none.
        trunk_forward_rad: Mean lean of the trunk from the vertical.
        head_forward_rad: Mean lean of the head from that of the trunk.
        heel_clearance_m: Least height of the swinging heel before it comes down to land.
        pelvis_roll_rad: How far the pelvis tips from side to side, in world.
        pelvis_turn_rad: How far the pelvis turns from side to side, in world.
        elbow_rad: Mean bend of the elbows.
        shoulder_rad: Mean raise of the upper arms to the side.
        arms_over_legs: Angle between the arms over that between the thighs, largest over largest.
        step_s: How long a step lasts.
        rise_m: How far the centre of mass goes up and down.
        bands_judged: How many figures of the walk have published bands at its speed.
        bands_near: How many of them are within two standard deviations of people's mean.
        bands_worst_sd: How many standard deviations the worst of them is away; None where none is judged.
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
    heel_clearance_m: float
    pelvis_roll_rad: float
    pelvis_turn_rad: float
    elbow_rad: float
    shoulder_rad: float
    arms_over_legs: float
    step_s: float
    rise_m: float
    bands_judged: int = 0
    bands_near: int = 0
    bands_worst_sd: float | None = None

    def oddities(self, robot: Robot) -> list[str]:
        """Return what people do not do, in words, by the ranges of the robot's gait table."""
        found = []
        for name, entry in human_gait(robot).natural.items():
            value = getattr(self, name)
            least, most = entry.range
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
            f" and never puts less than {format_percent(self.least_load)} of its weight on the ground"
        )

    def as_dict(self) -> dict[str, float]:
        """Return the figures as JSON would hold them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Self:
        """Return the figures of a receipt, which may hold others besides; those of older files may lack bands.

        Raises:
            BadMotionError: If it lacks other figures.
        """
        lacking = [one.name for one in fields(cls) if one.default is MISSING and one.name not in table]
        if lacking:
            raise BadMotionError(f"The receipt has no {', '.join(lacking)}; make the walk again to have all figures.")
        return cls(**{one.name: table[one.name] for one in fields(cls) if one.name in table})


def odd_scores(scores: Mapping[str, BandScore]) -> list[str]:
    """Return which figures are far outside people's bands, in words."""
    return [
        f"{score.words} is {score.value:.3g}, people's {score.mean:.3g} ± {score.sd:.2g}"
        for score in scores.values()
        if abs(score.z) > FAR_SD
    ]


def naturalness(robot: Robot, path: Trajectory, scores: Mapping[str, BandScore] | None = None) -> Naturalness:
    """Return what a person would notice in a step from left toe-off to right toe-off, and its count of `scores`."""
    names = list(path.problem.tree.velocity_names)
    parts = [path.between(phase, PER_INTERVAL) for phase in range(len(path.problem.phases))]
    time_s, q, force = (np.concatenate([part[index] for part in parts]) for index in (0, 1, 4))
    phase = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    mirror = mirror_of(robot, names)
    stride = np.concatenate([q, mirror.image(q)])
    normal = [index for index, row in enumerate(path.problem.contact.rows) if row.axis == 2]
    tilt, roll, turn = pelvis_angles(robot, qpos_from_angles(stride))
    misses = np.array([abs(score.z) for score in (scores or {}).values()])

    def angle(name: str, table: Array = q) -> Array:
        return np.asarray(table[:, names.index(name)])

    arm = angle(sided(SHOULDER, RIGHT), stride)
    leg = angle(sided(HIP, RIGHT), stride)
    swing_s = time_s[phase <= 1]
    swung = (swing_s - swing_s[0]) / (swing_s[-1] - swing_s[0])
    toes_m, heel_m = foot_clearances(robot, LEFT, qpos_from_angles(q[phase <= 1]), swung)
    return Naturalness(
        mirror_error_rad=float(np.abs(mirror.image(path.q[-1]) - path.q[0])[3:].max()),
        stance_knee_rad=float(angle("KneeRight_RY")[phase == 0].max()),
        swing_knee_rad=float(angle("KneeLeft_RY")[phase <= 1].max()),
        strike_knee_rad=float(angle("KneeLeft_RY")[phase == 1][-1]),
        toe_clearance_m=toes_m,
        arm_swing_rad=float(np.ptp(arm)),
        arm_against_leg=float(np.corrcoef(arm, leg)[0, 1]),
        leg_turn_rad=float(max(np.abs(angle(name)).max() for name in LONG_AXES)),
        pelvis_pitch_rad=float(np.ptp(tilt)),
        least_load=float(force[:, normal].sum(axis=1).min() / (robot.mass_kg * GRAVITY_M_S2)),
        heel_clearance_m=heel_m,
        pelvis_roll_rad=float(np.ptp(roll)),
        pelvis_turn_rad=float(np.ptp(turn)),
        arms_over_legs=_between(q, names, SHOULDER) / _between(q, names, HIP),
        step_s=float(path.time_s[-1]),
        rise_m=float(np.ptp(centre_of_mass_path(robot.model, qpos_from_angles(q))[:, 2])),
        bands_judged=len(misses),
        bands_near=int(np.sum(misses <= NEAR_SD)),
        bands_worst_sd=float(misses.max()) if len(misses) else None,
        **_posture_figures(robot, names, q, time_s),
    )


def _posture_figures(robot: Robot, names: list[str], q: Array, time_s: Array) -> dict[str, float]:
    """Return how trunk, head and arms are held on average over time; of arms both sides together."""

    def mean(values: Array) -> float:
        return float(np.trapezoid(values, time_s) / (time_s[-1] - time_s[0]))

    qpos = qpos_from_angles(q)
    signs = {RIGHT: -1.0, LEFT: 1.0}
    trunk, head = (mean(world_pitch(robot, qpos, segment)) for segment in (UPPER_TRUNK, HEAD))
    arms = {
        coordinate: [mean(q[:, names.index(sided(coordinate, side))]) for side in SIDES]
        for coordinate in (ELBOW, SHOULDER_ABDUCTION)
    }
    raised = [signs[side] * value for side, value in zip(SIDES, arms[SHOULDER_ABDUCTION], strict=True)]
    return {
        "trunk_forward_rad": trunk,
        "head_forward_rad": head - trunk,
        "elbow_rad": -float(np.mean(arms[ELBOW])),
        "shoulder_rad": float(np.mean(raised)),
    }


def _between(q: Array, names: list[str], coordinate: str) -> float:
    """Return the largest angle between both sides."""
    right, left = (q[:, names.index(sided(coordinate, side))] for side in SIDES)
    return float(np.abs(right - left).max())
